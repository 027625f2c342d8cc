"""`kairos study give`: one recording for the researchers, by a choice of its own, looked at before it goes."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import BadFile, UsageError
from storage.plain_text import format_mb, print_result

if TYPE_CHECKING:
    from participant.membership.folder import ParticipantFolder


def register(actions: Any) -> None:
    """Add the action to `kairos study`."""
    parser = add_command(
        actions,
        "give",
        run_give,
        "give the researchers one recording, after you have looked at it",
        description=(
            "Look at a recorded session in the window of `kairos label`, and then say whether the researchers of your"
            " study get it. Nothing else gives one, and no answer of a consent does: it takes this, each time anew. It"
            " is written into a file that only they can read, with its rows, its pictures and your labels; what you"
            " said while you worked goes along by --speech alone. Names of programs and all that stood on the screen"
            " are in it. Nothing is sent: hand the file over. If you leave without --keep, the key that opens it"
            " is destroyed."
        ),
        example="study give 20261121 --out monday.kairos-recording",
        sessions=True,
    )
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new file")
    parser.add_argument("--study", metavar="NAME", help="the study; by default the one in force")
    parser.add_argument("--speech", action="store_true", help="with what you said, as sound and as words")
    parser.add_argument("--no-video", action="store_true", help="without pictures")


def run_give(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study give`; 1 where it was not given."""
    from participant.commands.delivery import check_may_send
    from participant.membership.status import named_folder
    from storage.session.heartbeat import is_recording
    from storage.session.log import SessionReader, find_session

    folder = named_folder(arguments.study)
    check_may_send(folder)
    session = find_session(arguments.session, sessions_base(arguments)[0]).absolute()
    if is_recording(session):
        raise BadFile(f"{session.name} is still being recorded", remedy="wait until it has ended")
    with SessionReader(session) as reader:
        if reader.first().imported_from is not None:
            raise UsageError(f"{session.name} is a recording of somebody else", remedy="give one of your own")
    if arguments.out.exists():
        raise UsageError(f"{arguments.out} exists already", remedy="choose another file name")
    if not sys.stdin.isatty():
        raise UsageError("giving a recording needs a confirmation, and there is no terminal to ask on")
    _look(session)
    if not _agreed(folder.study, session.name):
        print_result({"given": False}, ["Nothing was given."], as_json=arguments.json)
        return 1
    size = _write(folder, session, arguments)
    facts = {"given": True, "session": session.name, "file": str(arguments.out), "bytes": size}
    lines = [
        f"{session.name} in {arguments.out}, {format_mb(size)}; only the researchers of {folder.study} can read it",
        "next: give the file to the researchers",
    ]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def _look(session: Path) -> None:
    from daemon.runtime.run import label_session
    from storage.records import ME, BlindLot, LabelTask

    label_session(session, ME, BlindLot(), LabelTask())


def _agreed(study: str, session: str) -> bool:
    words = f"Give {session}, as you have seen it, to the researchers of {study}? Type its name to agree: "
    print(words, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == session


def _write(folder: "ParticipantFolder", session: Path, arguments: argparse.Namespace) -> int:
    """Write the file; return its size. The lock keeps a withdrawal from coming between the check and it."""
    from participant.commands.delivery import check_may_send
    from participant.documents.private_files import write_private
    from participant.documents.recording import MAX_GIVEN_BYTES, write_recording
    from participant.membership.consent import open_writer
    from participant.membership.lock import study_lock
    from storage.files import private_folder, state_folder
    from storage.session.transfer.archive import staging_folder
    from storage.session.transfer.export import export_session

    with staging_folder(private_folder(state_folder())) as scratch, study_lock():
        check_may_send(folder)
        made = scratch / "recording.kairos"
        video = not arguments.no_video
        size = export_session(session, made, video=video, labels=True, speech=arguments.speech)
        writer = open_writer(folder)
        try:
            if size > MAX_GIVEN_BYTES:
                raise ValueError(size)  # noqa: TRY301  # said below, with what is found while it is sealed
            raw = write_recording(made.read_bytes(), writer.invited.invitation, writer.key)
        except ValueError:
            raise UsageError(
                f"{session.name} is larger than a recording that can be given", remedy="add --no-video"
            ) from None
        write_private(arguments.out, raw)
    return len(raw)
