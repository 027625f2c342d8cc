"""`kairos study pack` and `receive`: parcels to the collector, and its answers, in files."""

import argparse
import random
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.plain_text import format_count, print_result

if TYPE_CHECKING:
    from participant.membership.folder import ParticipantFolder


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    pack = add_command(
        actions,
        "pack",
        run_pack,
        "write what was let go into a file, where there is no way to the broker",
        example="study pack --out mine.kairos-parcels",
    )
    pack.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")
    pack.add_argument("study", nargs="?", metavar="NAME", help="the study; by default the one in force")
    receive = add_command(
        actions,
        "receive",
        run_receive,
        "take in a file of receipts, or of the end of a study",
        example="study receive mine.kairos-receipts",
    )
    receive.add_argument("file", type=Path, metavar="FILE", help="what the researchers gave back for a packed file")
    receive.add_argument("--study", metavar="NAME", help="the study; by default the one in force")


def check_may_send(folder: "ParticipantFolder") -> None:
    """Raise `UsageError` where nothing may be sent: not in force, or another version is to be answered first."""
    from participant.membership.status import WORDS, Membership, enrolment_in_force, membership_of
    from participant.work import may_send

    joined = membership_of(folder, enrolment_in_force(), SystemClock().wall_ns())
    if may_send(joined):
        return
    if joined.standing in (Membership.IN_FORCE, Membership.OVER):
        raise UsageError(
            f"nothing of {folder.study} is sent before you have answered its new version",
            remedy="answer it with: kairos study join --again",
        )
    raise UsageError(
        f"nothing of {folder.study} may be sent: {WORDS[joined.standing].partition(';')[0]}",
        remedy="see: kairos study status",
    )


def run_pack(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study pack`."""
    from participant.delivery.exchange import pack_file
    from participant.delivery.outbox import Outbox
    from participant.membership.lock import study_lock
    from participant.membership.status import named_folder
    from participant.pack import take_out_deleted

    folder = named_folder(arguments.study)
    with study_lock():
        check_may_send(folder)
        take_out_deleted(folder)
        with Outbox(folder.outbox) as outbox:
            packed = pack_file(outbox, arguments.out, clock=SystemClock(), rng=random.SystemRandom())
    facts = {
        "file": str(arguments.out),
        "parcels": packed.parcels,
        "withdrawal": packed.withdrawal,
        "left": packed.left,
    }
    what = "your withdrawal" if packed.withdrawal else format_count(packed.parcels, "parcel")
    lines = [
        f"{what} in {arguments.out}; only the researchers can read what is in it",
        *([f"{packed.left} more did not fit: pack again once these were received"] if packed.left else []),
        "next: give the file to the researchers, and take in what they give back with: kairos study receive FILE",
    ]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def run_receive(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study receive`; 1 where something in the file was refused."""
    from participant.delivery.exchange import receive_file
    from participant.delivery.outbox import Outbox
    from participant.membership.joining import tell_daemon
    from participant.membership.leaving import end_closed_study, tidy
    from participant.membership.lock import study_lock
    from participant.membership.status import named_folder

    folder = named_folder(arguments.study)
    with study_lock():
        with Outbox(folder.outbox) as outbox:
            result = receive_file(outbox, arguments.file)
        tidy(folder)
        ended = end_closed_study(folder)
    if ended:
        tell_daemon()
    lines = [f"{format_count(result.received, 'parcel')} received by the researchers"]
    if result.deleted:
        lines.append("the researchers have signed for the deletion")
    if ended:
        lines.append("the researchers have closed the study; your last day: kairos study status")
    if result.asked_again:
        lines.append(f"{format_count(result.asked_again, 'parcel')} asked for again: kairos study pack --out FILE")
    if result.refused:
        lines.append(f"{format_count(result.refused, 'answer')} refused: forged, damaged, or for somebody else")
    print_result({"study": folder.study, **asdict(result)}, lines, as_json=arguments.json)
    return 1 if result.refused else 0
