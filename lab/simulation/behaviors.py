"""What a stretch of a simulated session stands for, and the names of the gesture scripts that older logs hold.

The older sessions in `lab/logs` were acted out by scripts of gestures that are gone; their logs stay as training data.
People with tasks act out courses (`lab.simulation.tasks`), labelled "course:task".
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from lab.simulation.persona import Split
from storage.records import State

TASK_MARK = ":"
"""Stands between course and task in the name of what people with tasks do."""


class Need(StrEnum):
    """When help is needed during a stretch."""

    NEVER = "never"
    AFTER_FAILURES = "after_failures"
    FROM_START = "from_start"


def script_of(behavior: str) -> str:
    """Return the script of a behavior by its name; in all tasks it is the same one."""
    return behavior.partition(TASK_MARK)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a stretch of a session stands for, and when help is needed in it."""

    name: str
    state: State | None
    intent: str
    help: str | None = None
    need: Need = Need.NEVER
    hard_negative: bool = False
    held_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedStretch:
    """A stretch of a session: what it means, how long it is to last, and what the user does in it.

    `act` goes on while `user.has_time()`, in steps of a few seconds, and calls `user.note_failure()` at the end of each
    try that failed.
    """

    meaning: Meaning
    seconds: float
    act: Callable[[], None]


_AWAY = "away"
_GESTURES = tomllib.loads((Path(__file__).parent / "data" / "gestures.toml").read_text(encoding="utf-8"))
GESTURE_SCRIPTS: Mapping[str, State | None] = MappingProxyType(
    {name: None if state == _AWAY else State(state) for state, names in _GESTURES["scripts"].items() for name in names}
)
"""The state of each script in the older logs, by name; None is for somebody who is away."""

HELD_OUT_SCRIPTS = frozenset(_GESTURES["held_out"])
"""Gesture scripts that no training session contains."""

GESTURE_PROGRAMS: Mapping[Split, tuple[str, ...]] = MappingProxyType(
    {Split.TRAIN: ("writer", "calc", "mousepad", "gimp", "chromium"), Split.TEST: ("impress", "inkscape")}
)
"""The programs of the older logs."""
