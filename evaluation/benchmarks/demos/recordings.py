"""Reads recordings of `kairos demo`: what was sensed becomes prefixes again, and the script says what each ended in.

The script is none of those that the embedded detector learned from. Between the moment somebody gets stuck and the
onset of need nothing is certain, nor after need ended: such prefixes are marked, for others to leave out. Folders may
have been moved since, so a session is found by its name.
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
from evaluation.demo.judge import ScriptTimeline, parse_script, read_script
from evaluation.training.extract import is_sensed, live_prefixes
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Anchor, Prefix
from storage.session.log import SessionReader
from storage.settings import WindowSettings

ABOUT, SCRIPT, SESSIONS = "demo.json", "script.jsonl", "sessions"

_NICE = 10
_A_PROCESS = 8
"""A process takes longer to start than so many recordings to read."""


class Moment(StrEnum):
    """What a script says of a moment; `OUTSIDE` is before its begin or after its end."""

    CALM = "calm"
    BEFORE = "before"
    NEED = "need"
    AFTER = "after"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A prefix, and what its end fell in."""

    prefix: Prefix
    moment: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One demo; `kind` of trouble is None where nobody got stuck."""

    name: str
    program: str
    kind: str | None
    seen: tuple[Seen, ...]

    def counts(self) -> Counter[Moment]:
        """Return how many prefixes ended in what."""
        return Counter(one.moment for one in self.seen)


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
    many = min(workers or os.cpu_count() or 1, len(folders) // _A_PROCESS)
    if many <= 1:
        found = [_tried(one) for one in folders]
    else:
        with ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)) as pool:
            found = list(pool.map(_tried, folders))
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
    seen = tuple(
        Seen(prefix=prefix, moment=moment_at(timeline, round(clock.seconds(prefix.end_ns) * NS_PER_S)))
        for prefix in live_prefixes((row for row in rows if is_sensed(row)), WindowSettings().planned_s)
    )
    if all(one.moment == Moment.OUTSIDE for one in seen):
        raise BadFile(f"{folder / SCRIPT} tells of another time than the session {session}")
    return Recording(name=folder.name, program=program, kind=kind, seen=seen)


def moment_at(timeline: ScriptTimeline, wall_ns: int) -> Moment:
    """Return what a script says of a moment; onset and end of need belong to it, as where offers are judged."""
    if not timeline.begin_ns <= wall_ns <= timeline.end_ns:
        return Moment.OUTSIDE
    if timeline.stuck_ns is None or wall_ns < timeline.stuck_ns:
        return Moment.CALM
    if timeline.onset_ns is None or wall_ns < timeline.onset_ns:
        return Moment.BEFORE
    if timeline.need_end_ns is None or wall_ns <= timeline.need_end_ns:
        return Moment.NEED
    return Moment.AFTER


def counted(recordings: Sequence[Recording]) -> dict[Moment, int]:
    """Return how many prefixes of all recordings ended in what."""
    found = sum((one.counts() for one in recordings), Counter[Moment]())
    return {moment: found[moment] for moment in Moment}


def _tried(folder: Path) -> Recording | Skipped:
    try:
        return read_demo(folder)
    except BadFile as error:
        return Skipped(name=folder.name, why=error.what)


def _about(path: Path) -> tuple[str, str | None, str]:
    """Return program, kind of trouble, and the session's name."""
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        program, kind, session = told["app"], told["stuck_kind"], Path(told["session"]).name
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
