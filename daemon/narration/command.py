"""`kairos narration`: what was said in a recorded session, written down here or read from a file, shown and deleted."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.clock import NS_PER_S
from storage.errors import BadFile, UsageError
from storage.files import partial_name
from storage.plain_text import format_clock, format_count, print_progress, print_result, printable
from storage.settings_file import load_settings

if TYPE_CHECKING:
    from storage.session.transcript import SpokenWord, Transcript

PAUSE_NS = NS_PER_S
"""Words further apart stand in lines of their own."""

ENGLISH = "en"
LINE = 12
"""Words of a line, at most."""


def register(subparsers: Any) -> None:
    """Add `kairos narration` to the command line."""
    parser = add_command(
        subparsers,
        "narration",
        run,
        "what you said while you worked: write it down, show it, delete it",
        description=(
            "What was said in a recorded session, word by word. It is written down on this machine, by a Whisper model"
            " that you name (narration.model_folder; it takes the extra `narration`), or read from a file of WebVTT,"
            " SRT, or the JSON of Whisper or WhisperX, whose time begins with the session's first sound, or without"
            " any with the session. Kairos fetches no model. The words are kept in the session's folder, and shown by"
            " `kairos label`. `delete` takes with them what a model answered about the session, and all words that were"
            " proposed; states and need that somebody has verified stay."
        ),
        example="narration show 20261121",
        sessions=True,
    )
    parser.add_argument("action", choices=("transcribe", "import", "show", "delete"), help="what to do")
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="what `import` reads")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos narration`."""
    from storage.session.derived import take_out_of_copies
    from storage.session.heartbeat import is_recording
    from storage.session.log import find_session
    from storage.session.transcript import TRANSCRIPT, read_transcript, write_transcript

    base, _ = sessions_base(arguments)
    folder = find_session(arguments.session, base)
    if (arguments.action == "import") != (arguments.file is not None):
        raise UsageError("`import` takes a file, and nothing else does", remedy="kairos narration import SESSION FILE")
    if arguments.action == "delete":
        for name in (TRANSCRIPT, partial_name(TRANSCRIPT)):  # the second is left by a kill
            (folder / name).unlink(missing_ok=True)
        _forget_proposals(folder)
        take_out_of_copies([folder], renews=True)
    elif arguments.action != "show":
        if is_recording(folder):
            raise BadFile(f"{folder.name} is still being recorded", remedy="wait until it has ended")
        made = _transcribe(folder) if arguments.action == "transcribe" else _import(folder, arguments.file)
        write_transcript(folder, made)
    found = read_transcript(folder)
    print_result(_facts(folder, found), _lines(folder, found), as_json=arguments.json)
    return 0


def _forget_proposals(folder: Path) -> None:
    """Delete what was proposed from the words, which it may quote, and what models answered about the session."""
    from storage.records import without_proposals
    from storage.session.labels import LABELS, change_labels
    from storage.session.log import MODEL_ANSWERS

    for name in (MODEL_ANSWERS, f"{MODEL_ANSWERS}-journal", partial_name(LABELS)):
        (folder / name).unlink(missing_ok=True)
    change_labels(folder, without_proposals)


def _transcribe(folder: Path) -> "Transcript":
    from daemon.narration.whisper import transcribe

    settings = load_settings().narration
    return transcribe(folder, settings.model_folder, settings.language or ENGLISH)


def _import(folder: Path, path: Path) -> "Transcript":
    from daemon.narration.imports import read_words
    from storage.records import Sound
    from storage.session.log import SessionReader
    from storage.session.transcript import Transcript

    with SessionReader(folder) as reader:
        begins = (row.t_ns for row in reader.rows((Sound.KIND,)) if isinstance(row, Sound) and row.sound_ref)
        begin_ns, end_ns = next(begins, reader.first().at_ns), reader.last_at_ns() or 0
    words, language = read_words(path, begin_ns)
    inside = tuple(word for word in words if word.end_ns <= end_ns)
    if not inside:
        raise BadFile(f"{path.name} is of no time of {folder.name}", remedy="name the session that it is of")
    if later := len(words) - len(inside):
        print_progress(f"left out as later than the end of {folder.name}: {format_count(later, 'word')}")
    return Transcript(source="imported", language=language, words=inside)


def _facts(folder: Path, found: "Transcript | None") -> dict[str, object]:
    from msgspec import to_builtins

    said = to_builtins(found) if found is not None else {"source": None, "language": None, "words": []}
    return {"session": folder.name, **{key: said[key] for key in ("source", "language", "words")}}


def _lines(folder: Path, found: "Transcript | None") -> Iterator[str]:
    if found is None:
        yield f"Nothing that was said in {folder.name} is written down."
        return
    yield f"{folder.name}: {format_count(len(found.words), 'word')}, {printable(found.source)}"
    from daemon.history.summary import session_clock

    clock = session_clock(folder)
    line: list[SpokenWord] = []
    for word in found.words:
        if line and (word.start_ns - line[-1].end_ns > PAUSE_NS or len(line) >= LINE):
            yield f"  {format_clock(clock.seconds(line[0].start_ns))}  {' '.join(said.text for said in line)}"
            line = []
        line.append(word)
    if line:
        yield f"  {format_clock(clock.seconds(line[0].start_ns))}  {' '.join(said.text for said in line)}"
