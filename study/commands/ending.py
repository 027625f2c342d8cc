"""`kairos study purge` and `kairos study close`: deletions that are due, and the signed end of a study."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.plain_text import format_count, print_result, printable


def register(actions: Any) -> None:
    """Add both actions."""
    purge = add_command(
        actions,
        "purge",
        run_purge,
        "delete people who left: their reader key, rows and receipt",
        example="study purge my-study --data collector",
        description=(
            "Delete everybody who left without permitting to keep what they sent: destroy their reader key, write the "
            "tables anew without them, and sign a receipt. Exit status 1 if one was later than purge_days promises, or "
            "if a withdrawal cannot be checked."
        ),
    )
    purge.add_argument("--dry-run", action="store_true", help="say what is due, and delete nothing")
    purge.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="the collector's folder or file, which knows who left",
    )
    close = add_command(
        actions,
        "close",
        run_close,
        "sign the end of a study; then, if you say so, delete everything",
        example="study close my-study",
        description=(
            "Sign that a study is over, which is final: nothing is masked here from then on, and today is the last day "
            "of everybody who still takes part, as soon as a collector with signed/ has passed it on. With "
            "--purge-all and the study's name, all participants' keys and invitations, the tables, the page and the "
            "list of arms are destroyed."
        ),
    )
    close.add_argument(
        "--purge-all", metavar="NAME", help="destroy all data of a closed study; its name says that you mean it"
    )
    for parser in (purge, close):
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, with its keys")


def run_purge(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study purge`: 1 if a deletion is late or a withdrawal cannot be checked."""
    from study.opening.deletion import Purged, find_due, purge
    from study.opening.ledger import exports_with
    from study.researcher.folder import StudyFolder

    wall_ns = SystemClock().wall_ns()
    if arguments.dry_run:
        folder = StudyFolder(arguments.folder)
        found = find_due(folder, folder.signed_bundle()[0].plan, arguments.data)
        refused = found.refused
        done = [
            Purged(
                participant=deletion.listed.participant,
                late=wall_ns > deletion.until_wall_ns,
                receipt=None,
                exports=exports_with(arguments.folder, deletion.listed.participant),
            )
            for deletion in found.due
        ]
    else:
        done, refused = purge(arguments.folder, arguments.data, wall_ns=wall_ns)
    verb = "due" if arguments.dry_run else "deleted"
    lines = [f"{purged.participant}: {verb}{', later than promised' if purged.late else ''}" for purged in done]
    lines += [
        f"{purged.participant}: cannot be recalled: {printable(name)}" for purged in done for name in purged.exports
    ]
    lines += [f"{who}: not deleted: {why}" for who, why in refused]
    lines.append(f"{format_count(len(done), 'deletion')} {'due' if arguments.dry_run else 'carried out'}")
    if done and not arguments.dry_run:
        if any(purged.receipt is None for purged in done):
            lines.append("keys/receipts.key is not here, so no receipt was signed")
        lines.append("Copies elsewhere, such as backups of keys/participants and of opened, are yours to delete.")
    facts = {
        "dry_run": arguments.dry_run,
        "deletions": [
            {
                "participant": purged.participant,
                "late": purged.late,
                "receipt": None if purged.receipt is None else str(purged.receipt),
                "exports": list(purged.exports),
            }
            for purged in done
        ],
        "refused": [{"participant": who, "why": why} for who, why in refused],
    }
    print_result(facts, lines, as_json=arguments.json)
    return 1 if refused or any(purged.late for purged in done) else 0


def run_close(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study close`."""
    from study.opening.deletion import close_study, purge_everything
    from study.researcher.folder import StudyFolder

    folder = StudyFolder(arguments.folder)
    name = folder.signed_bundle()[0].plan.name
    if arguments.purge_all is not None and arguments.purge_all != name:
        raise UsageError(
            f"the study is called {name}, not {arguments.purge_all}", remedy=f"if you mean it: --purge-all {name}"
        )
    wall_ns = SystemClock().wall_ns()
    path, new = close_study(folder, wall_ns=wall_ns)
    lines = [
        f"{'closed' if new else 'closed before'}: {path}",
        "A collector that has it in signed/ passes it on within a minute.",
        "Without a broker, give the file to participants.",
    ]
    purged = None
    if arguments.purge_all is None:
        lines.append(f"to destroy all of its data here, too: kairos study close {arguments.folder} --purge-all {name}")
    else:
        purged = purge_everything(arguments.folder, wall_ns=wall_ns)
        people = "1 person" if purged == 1 else f"{purged} people"
        lines.append(
            f"destroyed: keys and invitations of {people}, tables, page and list of arms; the collector's file is noise"
        )
    print_result({"closing": str(path), "new": new, "purged": purged}, lines, as_json=arguments.json)
    return 0
