"""`kairos study send`, `pack` and `receive`: parcels to the collector now, through the broker or in a file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import NS_PER_S
from storage.plain_text import format_count, format_time, print_result, printable

if TYPE_CHECKING:
    from participant.membership.folder import ParticipantFolder
    from participant.membership.lock import Lock

_CLOSED = "the researchers have closed the study; your last day: kairos study status"


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    send = add_command(
        actions,
        "send",
        run_send,
        "send now what was let go, and wait for the collector's receipts",
        example="study send",
    )
    pack = add_command(
        actions,
        "pack",
        run_pack,
        "write what was let go into a file, where there is no way to the broker",
        example="study pack --out mine.kairos-parcels",
    )
    pack.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")
    for parser in (send, pack):
        parser.add_argument("study", nargs="?", metavar="NAME", help="the study; by default the one in force")
    receive = add_command(
        actions,
        "receive",
        run_receive,
        "take in a file of receipts, or of the end of a study",
        example="study receive mine.kairos-receipts",
    )
    receive.add_argument("file", type=Path, metavar="FILE", help="what the researchers gave back for a packed file")
    receive.add_argument("--study", metavar="NAME", help="the study; by default the one in force")


# ---------------------------------------------------------------- send


def run_send(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study send`: 0 all was received, 1 not yet."""
    from participant.membership.joining import tell_daemon
    from participant.membership.leaving import end_closed_study, tidy
    from participant.membership.lock import study_lock
    from participant.membership.status import named_folder

    folder = named_folder(arguments.study)
    with study_lock() as lock:
        _check_may_send(folder)
        status, facts = _run_sender(folder, lock)
        tidy(folder)
        ended = end_closed_study(folder)
    if ended:
        tell_daemon()
    lines = [f"{format_count(facts['sent'], 'parcel')} sent, {facts['received']} received"]
    if facts["deleted"]:
        lines.append("the researchers have signed for the deletion")
    if ended:
        lines.append(_CLOSED)
    if facts["bundle"] is not None:
        lines.append(f"there is a version {facts['bundle']} of the study; answer it with: kairos study join --again")
    if facts["unreachable"] is not None:
        lines.append(printable(facts["unreachable"]))
    if status and facts["next_wall_ns"] is not None:
        lines.append(f"nothing is lost; tried again from {format_time(facts['next_wall_ns'] / NS_PER_S)} on")
    print_result({"study": folder.study, **facts}, lines, as_json=arguments.json)
    return status


def _run_sender(folder: "ParticipantFolder", lock: "Lock") -> tuple[int, dict[str, Any]]:
    """Run the sender on everything that is ready; return its status, and what it says.

    Raises:
        EnvironmentFault: certificate, login or disk; or it was ended.
        BadFile: the outbox is damaged.
    """
    import json
    import subprocess

    from participant.work import SENDER_S, run_sender
    from storage.errors import BadFile, EnvironmentFault

    try:
        with run_sender(folder, lock, everything=True, output=subprocess.PIPE) as child:
            out, said = child.communicate(timeout=SENDER_S)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault("sending took too long", remedy="nothing is lost; try again later") from None
    if child.returncode in (EnvironmentFault.exit_code, BadFile.exit_code):
        what, _, remedy = said.strip().partition("\n")
        kind = EnvironmentFault if child.returncode == EnvironmentFault.exit_code else BadFile
        raise kind(what, remedy=remedy)
    if child.returncode not in (0, 1) or not out:
        raise EnvironmentFault("the sender was ended", remedy="nothing is lost; try again")
    facts: dict[str, Any] = json.loads(out)
    return child.returncode, facts


def _check_may_send(folder: "ParticipantFolder") -> None:
    """Raise `UsageError` where nothing may be sent: not in force, or another version is to be answered first."""
    from participant.membership.status import WORDS, Membership, enrolment_in_force, membership_of
    from participant.work import may_send
    from storage.clock import SystemClock
    from storage.errors import UsageError

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


# ---------------------------------------------------------------- files


def run_pack(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study pack`."""
    import random

    from participant.delivery.exchange import pack_file
    from participant.delivery.outbox import Outbox
    from participant.membership.lock import study_lock
    from participant.membership.status import named_folder
    from storage.clock import SystemClock

    folder = named_folder(arguments.study)
    with study_lock():
        _check_may_send(folder)
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
    from dataclasses import asdict

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
        lines.append(_CLOSED)
    if result.asked_again:
        lines.append(f"{format_count(result.asked_again, 'parcel')} asked for again: kairos study pack --out FILE")
    if result.refused:
        lines.append(f"{format_count(result.refused, 'answer')} refused: forged, damaged, or for somebody else")
    print_result({"study": folder.study, **asdict(result)}, lines, as_json=arguments.json)
    return 1 if result.refused else 0
