"""`kairos study send`, `pack` and `receive`: parcels to the collector now, through the broker or in a file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from daemon.text import format_count, format_time, print_result, printable
from storage.clock import NS_PER_S

if TYPE_CHECKING:
    from studies.participant.folder import ParticipantFolder
    from studies.participant.lock import Lock

ANSWERS_SUFFIX = ".kairos-receipts"

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
        "take in a file of parcels (researchers), or of receipts or the end of a study (participants)",
        example="study receive mine.kairos-receipts; for researchers: "
        "kairos study receive mine.kairos-parcels --into my-study --data /srv/my-study",
    )
    receive.add_argument("file", type=Path, metavar="FILE", help="what `pack` or, on the other side, `receive` wrote")
    receive.add_argument("--study", metavar="NAME", help="participants: the study; by default the one in force")
    receive.add_argument("--into", type=Path, metavar="DIR", help="researchers: the folder of the study")
    receive.add_argument("--data", type=Path, metavar="FOLDER", help="researchers: where `collect` stores parcels")
    receive.add_argument("--out", type=Path, metavar="FILE", help="researchers: the new file, to be given back")


# ---------------------------------------------------------------- send


def run_send(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study send`: 0 all was received, 1 not yet."""
    from studies.participant.ending import end_closed_study
    from studies.participant.joining import tell_daemon
    from studies.participant.leaving import tidy
    from studies.participant.lock import study_lock
    from studies.participant.standing import named_folder

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

    from storage.errors import BadFile, EnvironmentFault
    from studies.participant.work import SENDER, SENDER_S

    child = subprocess.Popen(  # our own interpreter, and a path of our own
        [*SENDER, str(folder.outbox), "--all"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(lock.descriptor,),  # the lock holds as long as the sender lives
        cwd="/",
    )
    try:
        lock.name_sender(child.pid)
        out, said = child.communicate(timeout=SENDER_S)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault("sending took too long", remedy="nothing is lost; try again later") from None
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        lock.name_sender(None)
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
    from storage.clock import SystemClock
    from storage.errors import UsageError
    from studies.participant.standing import WORDS, Standing, enrolment_in_force, look
    from studies.participant.work import may_send

    joined = look(folder, enrolment_in_force(), SystemClock().wall_ns())
    if may_send(joined):
        return
    if joined.standing in (Standing.IN_FORCE, Standing.OVER):
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

    from storage.clock import SystemClock
    from studies.files.participant import pack_file
    from studies.participant.lock import study_lock
    from studies.participant.outbox import Outbox
    from studies.participant.standing import named_folder

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
    """Carry out `kairos study receive`, on either side; 1 where something in the file was refused."""
    from storage.errors import UsageError

    researchers = (arguments.into, arguments.data)
    if all(one is None for one in (*researchers, arguments.out)):
        return _receive_answers(arguments)
    if None in researchers or arguments.study is not None:
        raise UsageError(
            "researchers give the folder of the study and where parcels are stored",
            remedy="kairos study receive FILE --into DIR --data FOLDER",
        )
    return _receive_parcels(arguments)


def _receive_answers(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from studies.files.participant import receive_file
    from studies.participant.ending import end_closed_study
    from studies.participant.joining import tell_daemon
    from studies.participant.leaving import tidy
    from studies.participant.lock import study_lock
    from studies.participant.outbox import Outbox
    from studies.participant.standing import named_folder

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


def _receive_parcels(arguments: argparse.Namespace) -> int:
    import contextlib

    from storage.clock import SystemClock
    from studies.collector.collector import Collector
    from studies.collector.invited import CollectorFiles
    from studies.files.collector import QUOTA_BYTES, take_file

    out = arguments.out or arguments.file.with_suffix(ANSWERS_SUFFIX)
    collector = Collector(CollectorFiles(arguments.into), arguments.data, quota_bytes=QUOTA_BYTES)
    with contextlib.closing(collector):
        taken = take_file(collector, arguments.file, out, clock=SystemClock())
    facts = {
        "participant": taken.participant,
        "stored": taken.stored,
        "repeated": taken.repeated,
        "refused": dict(taken.refused),
        "receipts": str(out) if taken.answers else None,
    }
    lines = [f"{format_count(taken.stored, 'parcel')} stored, {taken.repeated} were there already"]
    lines += [f"{count} refused: {why}" for why, count in taken.refused.items()]
    if taken.answers:
        lines.append(f"next: give {out} back; it takes what arrived off their list")
    print_result(facts, lines, as_json=arguments.json)
    return 1 if taken.refused else 0
