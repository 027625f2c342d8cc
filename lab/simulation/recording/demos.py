"""Packs recordings of `kairos demo` and of `kairos bench scenes` as labelled sessions, for a detector to learn from.

Labels come from the script's log, as everywhere. Fluent work is labelled piece by piece, a calm scene as one piece of
work that looks like trouble, and who is stuck from the first try to the last; help is needed from the second failed try
on. Titles, names and pictures are left out, as nothing learns from them. Sessions in which the hands were late are
packed too: `kairos train` leaves them out, as it does any other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from demo.judge import FAILURES, read_script
from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import (
    MANIFEST,
    Entry,
    Head,
    Manifest,
    lateness_of,
    read_manifest,
    write_manifest,
    write_packed,
)
from storage.errors import BadFile
from storage.records import (
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Elements,
    Focus,
    Frame,
    MessageSeen,
    Record,
    SessionStart,
    State,
    UndoLabel,
)
from storage.session.log import SessionReader

SCRIPT = "script.jsonl"
DEMO, SCENE = "demo.json", "scene.json"

KINDS = ("demo", "scene")
"""What the names of their programs end in, behind the program's own name."""

FIRST_PERSON = 1000
"""Their people are no personas: each seed has tempo and habits of its own, so each counts as a person from here on."""

_INPUT = frozenset({"key", "button", "release", "scroll", "moved"})
_STATES: Mapping[str, State] = {
    **dict.fromkeys(("read over", "long_reading", "looked_back", "reading_and_writing"), State.ASSESSMENT),
    **dict.fromkeys(("compare", "comparing_once", "many_folders"), State.EXPLORATION),
    **dict.fromkeys(
        ("flip_flop", "refused_form", "search_in_vain", "find_in_vain", "formula_error", "indent_in_vain"),
        State.DEBUGGING,  # changes a detail and looks again, as in `tasks.stuck`
    ),
    **dict.fromkeys(("malformed", "name_taken", "stroke_undone", "command_fails", "script_fails"), State.DEBUGGING),
    **dict.fromkeys(
        ("undo_loop", "menu_wandering", "dialog_loop", "dialog_in_vain", "details_in_vain", "dead_clicks"),
        State.FRUSTRATION,
    ),
    **dict.fromkeys(("dead_button", "result_doubted", "no_fitting_tool"), State.FRUSTRATION),
    **dict.fromkeys(
        ("choice_to_and_fro", "numbers_to_and_fro", "folders_to_and_fro", "pages_to_and_fro", "scrolled_in_vain"),
        State.FRUSTRATION,
    ),
}
"""States by the name of a piece of work or a kind of trouble; everything else is fluent work."""

_WORDS: Mapping[type[Record], Sequence[str]] = {
    Frame: ("image_ref",),
    Focus: ("title",),
    ControlAct: ("name",),
    DialogSeen: ("title", "text"),
    MessageSeen: ("text",),
    DocumentLoaded: ("title",),
    UndoLabel: ("label",),
}

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recording:
    """What a demo or a scene says of itself."""

    kind: str
    program: str
    seed: int
    session: Path
    calm: str | None
    settings: Mapping[str, str]


def pack_recordings(folder: Path, out: Path) -> list[Entry]:
    """Pack every recording in the folders of `folder` into `out`, and return the entries of the manifest there.

    Raises:
        BadFile: there is none, or one cannot be read.
    """
    found = sorted(path.parent for name in (DEMO, SCENE) for path in folder.glob(f"*/{name}"))
    if not found:
        raise BadFile(
            f"{folder} holds no recording: no folder in it has {DEMO} or {SCENE}",
            remedy=f"make one: kairos demo --out {folder / 'mousepad-1'}",
        )
    manifest = read_manifest(out) if (out / MANIFEST).exists() else Manifest()
    entries = []
    for recording in found:
        head, session = head_of(recording)
        with SessionReader(session) as log:
            entries.append(write_packed(out, head, map(_without_words, log)))
        manifest = manifest.with_entry(entries[-1])
        write_manifest(out, manifest)
    return entries


def head_of(folder: Path) -> tuple[Head, Path]:
    """Return the head of a packed session with its labels, and the session that the recording left.

    Raises:
        BadFile: what the recording says of itself or its script cannot be read.
    """
    about = _about(folder)
    lines = read_script(folder / SCRIPT)
    program = f"{about.program}-{about.kind}"
    labels = tuple(_labels(lines, program, about.calm))
    return (
        Head(
            name=f"{Split.TRAIN}-{about.kind}-{folder.name}",
            seed=f"{about.kind} {about.seed}",
            person=FIRST_PERSON + about.seed,
            program=program,
            split=Split.TRAIN,
            planned_s=round((lines[-1]["t_ns"] - lines[0]["t_ns"]) / 1e9, 1),
            ended=None,
            settings=about.settings,
            versions={},
            lateness=lateness_of(lines),
            broken=(),
            labels=labels,
        ),
        about.session,
    )


def _about(folder: Path) -> _Recording:
    path = folder / DEMO if (folder / DEMO).exists() else folder / SCENE
    try:
        about: Any = json.loads(path.read_text(encoding="utf-8"))
        seed, session = int(about["seed"]), folder / "sessions" / Path(about["session"]).name
        settings = {str(name): str(value) for name, value in about.get("settings", {}).items()}
        if path.name == DEMO:
            return _Recording(
                kind=KINDS[0], program=about["app"], seed=seed, session=session, calm=None, settings=settings
            )
        program, mood, name = about["scene"].split("-", 2)
        calm = name if mood == "calm" else None
        return _Recording(kind=KINDS[1], program=program, seed=seed, session=session, calm=calm, settings=settings)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{path} is not what a demo or a scene writes ({type(error).__name__})") from error


def _without_words(row: Record) -> Record:
    """Return a record as the journal alone has it: without titles, names, texts and pictures."""
    if isinstance(row, SessionStart):
        return replace(row, recording=False)
    if isinstance(row, Elements):
        return replace(row, elements=tuple(replace(element, name=None) for element in row.elements))
    words: dict[str, Any] = dict.fromkeys(_WORDS.get(type(row), ()))
    return replace(row, **words) if words else row


def _labels(lines: Sequence[Line], program: str, calm: str | None) -> Iterator[Label]:
    """Yield labels; between two, at rest and on the way to the next piece, there is none."""
    name, trap, start = "", False, 0
    for at, line in enumerate(lines):
        kind = line["kind"]
        if kind == "phase" and line["name"] == "stuck":
            yield from _piece(lines[start:at], name, program, trap=trap)
            yield from _stuck(lines[at:], line["stuck_kind"], program)
            return
        if kind in ("phase", "piece"):
            yield from _piece(lines[start:at], name, program, trap=trap)
            name = calm or (line["name"] if kind == "piece" else "begin")
            trap, start = calm is not None or bool(line.get("trap")), at
    yield from _piece(lines[start:], name, program, trap=trap)


def _piece(lines: Sequence[Line], name: str, program: str, *, trap: bool) -> Iterator[Label]:
    times = [int(line["t_ns"]) for line in lines if line["kind"] in _INPUT]
    if name and len(times) > 1:
        yield _label(name, program, times[0], times[-1], trap=trap, need_from_ns=None)


def _stuck(lines: Sequence[Line], name: str, program: str) -> Iterator[Label]:
    failed = [int(line["t_ns"]) for line in lines if line["kind"] == "attempt" and line["outcome"] == "failed"]
    ended = next((int(line["t_ns"]) for line in lines if line["kind"] == "answered"), None)
    if failed:
        start_ns = next(int(line["t_ns"]) for line in lines if line["kind"] in _INPUT)
        need_from_ns = failed[FAILURES - 1] if len(failed) >= FAILURES else None
        end_ns = failed[-1] if ended is None else max(ended, failed[-1])
        yield _label(name, program, start_ns, end_ns, trap=False, need_from_ns=need_from_ns)


def _label(name: str, program: str, start_ns: int, end_ns: int, *, trap: bool, need_from_ns: int | None) -> Label:
    return Label(
        behavior=f"live {name}",  # the same trouble in a demo and in a scene is one behavior
        state=_STATES.get(name, State.PERFORMING_ACTIONS),
        start_ns=start_ns,
        end_ns=end_ns,
        need_from_ns=need_from_ns,
        hard_negative=trap,
        held_out=False,
        program=program,
        intent="",
        help=None,
    )
