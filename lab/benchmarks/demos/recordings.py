"""Reads recordings of `kairos demo`: prefixes of what was sensed, each with the phase of the script in which it ended.

Between the moment somebody gets stuck and the onset of need nothing is certain, nor after need ended: such prefixes are
marked, so that others can leave them out. Folders may have been moved since, so a session is found by its name.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from daemon.history.summary import WallClock
from demo.judge import ScriptTimeline, parse_script, read_script
from lab.training.extract import is_sensed, live_prefixes
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Anchor, Prefix
from storage.session.log import SessionReader
from storage.settings import WindowSettings

ABOUT, SCRIPT, SESSIONS = "demo.json", "script.jsonl", "sessions"

_NICE = 10
_A_PROCESS = 8
"""A process takes longer to start than so many recordings to read."""


class Phase(StrEnum):
    """The phases of a script; `OUTSIDE` is before its begin or after its end."""

    CALM = "calm"
    BEFORE = "before"
    NEED = "need"
    AFTER = "after"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedPrefix:
    """A prefix, and the phase in which it ended."""

    prefix: Prefix
    phase: Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One demo; `kind` of trouble is None where nobody got stuck."""

    name: str
    program: str
    kind: str | None
    prefixes: tuple[EndedPrefix, ...]

    def counts(self) -> Counter[Phase]:
        """Return how many prefixes ended in each phase."""
        return Counter(one.phase for one in self.prefixes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A demo that cannot be read, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Demos:
    """All demos of a folder."""

    recordings: tuple[Recording, ...]
    skipped: tuple[Skipped, ...]


def read_demos(folder: Path, *, workers: int | None = None) -> Demos:
    """Read every demo in `folder`, several at once and at low priority if there are many.

    Raises:
        BadFile: there is none.
    """
    folders = demo_folders(folder)
    count = min(workers or os.cpu_count() or 1, len(folders) // _A_PROCESS)
    if count <= 1:
        found = [_read_or_skip(one) for one in folders]
    else:
        with ProcessPoolExecutor(
            count, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)
        ) as pool:
            found = list(pool.map(_read_or_skip, folders))
    return Demos(
        recordings=tuple(one for one in found if isinstance(one, Recording)),
        skipped=tuple(one for one in found if isinstance(one, Skipped)),
    )


def demo_folders(folder: Path) -> list[Path]:
    """Return `folder` if a demo was left in it, and the folders in it that one was left in, by name.

    Raises:
        BadFile: there is none.
    """
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise BadFile(f"{folder} cannot be read: {error.strerror}", remedy=_make(folder)) from error
    found = [one for one in (folder, *inside) if (one / ABOUT).is_file()]
    if not found:
        raise BadFile(f"{folder} holds no demo: there is no {ABOUT} in it or in its folders", remedy=_make(folder))
    return found


def read_demo(folder: Path) -> Recording:
    """Read one demo.

    Raises:
        BadFile: what is said of it, its script or its session is unreadable, or they do not belong together.
    """
    program, kind, session = _about(folder / ABOUT)
    timeline = _timeline(folder / SCRIPT)
    if (kind is None) != (timeline.stuck_ns is None):
        raise BadFile(f"{folder / ABOUT} and {SCRIPT} are not of the same demo")
    with SessionReader(folder / SESSIONS / session) as log:
        start = log.first()
        rows = list(log)
    clock = WallClock(start)
    for row in rows:
        if isinstance(row, Anchor):
            clock.add(row)
    prefixes = tuple(
        EndedPrefix(prefix=prefix, phase=phase_at(timeline, round(clock.seconds(prefix.end_ns) * NS_PER_S)))
        for prefix in live_prefixes((row for row in rows if is_sensed(row)), WindowSettings().planned_s)
    )
    if all(one.phase == Phase.OUTSIDE for one in prefixes):
        raise BadFile(f"{folder / SCRIPT} is about another time than the session {session}")
    return Recording(name=folder.name, program=program, kind=kind, prefixes=prefixes)


def phase_at(timeline: ScriptTimeline, wall_ns: int) -> Phase:
    """Return the phase of a script at a wall time; onset and end of need belong to it, as where offers are judged."""
    if not timeline.begin_ns <= wall_ns <= timeline.end_ns:
        return Phase.OUTSIDE
    if timeline.stuck_ns is None or wall_ns < timeline.stuck_ns:
        return Phase.CALM
    if timeline.onset_ns is None or wall_ns < timeline.onset_ns:
        return Phase.BEFORE
    if timeline.need_end_ns is None or wall_ns <= timeline.need_end_ns:
        return Phase.NEED
    return Phase.AFTER


def counted(recordings: Sequence[Recording]) -> dict[Phase, int]:
    """Return how many prefixes of all recordings ended in each phase."""
    found = sum((one.counts() for one in recordings), Counter[Phase]())
    return {phase: found[phase] for phase in Phase}


def _read_or_skip(folder: Path) -> Recording | Skipped:
    try:
        return read_demo(folder)
    except BadFile as error:
        return Skipped(name=folder.name, why=error.what)


def _about(path: Path) -> tuple[str, str | None, str]:
    """Return program, kind of trouble, and the session's name."""
    try:
        about: Any = json.loads(path.read_text(encoding="utf-8"))
        program, kind, session = about["app"], about["stuck_kind"], Path(about["session"]).name
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{path} is not what kairos demo writes ({type(error).__name__})") from error
    if not isinstance(program, str) or not isinstance(kind, str | None) or not session:
        raise BadFile(f"{path} is not what kairos demo writes")
    return program, kind, session


def _timeline(path: Path) -> ScriptTimeline:
    try:
        return parse_script(read_script(path))
    except (KeyError, TypeError, ValueError) as error:
        raise BadFile(f"{path} is not the log of a script ({type(error).__name__})") from error


def _make(folder: Path) -> str:
    return f"make one: kairos demo --out {folder / 'mousepad-1'}"
