"""A session's beginning, end and clock, what was turned on and off in it, and what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Record

FORMAT_VERSION = 1
"""Version of the session format: it changes when a reader of the old one would misread a row, or derive another."""

SESSION_GONE = "session_gone"
"""The problem after which the running session ends and the next one begins."""

CONTROLS_GONE = "controls_gone"
"""The problem that controls are no longer understood; everything else goes on."""

CONTROLS_UNANSWERED = "controls_unanswered"
"""The problem that programs are not asked about their controls for a while; everything else goes on."""


MICROPHONE_GONE = "microphone_gone"
"""The problem that there is no microphone to record; everything else goes on."""


class SwitchName(StrEnum):
    """What a person (or the machine) can turn on and off while a session runs."""

    PAUSED = "paused"
    PRIVATE = "private"
    CONSENT = "consent"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart(Record):
    """The first row of a session: everything in force when it began.

    `combiner_hash` is of the parameters that combine models' answers with estimates; empty while no model was on.
    `boot` is a mark of the machine's start, of this session's own: while it fits, session times are of the clock that
    runs now. It leaves with no export.
    """

    KIND: ClassVar[str] = "session_start"
    session_id: str
    kairos_version: str
    format_version: int = FORMAT_VERSION
    wall_ns: int
    settings: Mapping[str, Mapping[str, object]]
    settings_hash: str
    detector: str
    detector_version: str
    detector_hash: str
    policy: str
    policy_version: str
    policy_hash: str
    policy_state: Mapping[str, object]
    journal: bool
    recording: bool
    platform: str
    imported_from: str | None = None
    combiner_hash: str = ""
    boot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd(Record):
    """The last source row of a session that ended in order; only rows derived from it follow.

    A session without one was cut off.
    """

    KIND: ClassVar[str] = "session_end"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor(Record):
    """Wall-clock time at `at_ns`; written again when the wall clock jumps or the machine wakes."""

    KIND: ClassVar[str] = "anchor"
    wall_ns: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Record):
    """Pause, private, consent or the fence went on or off; `by` is person, command, timer, fence or system."""

    KIND: ClassVar[str] = "switch"
    name: SwitchName
    on: bool
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Record):
    """A wake-up that the engine requested."""

    KIND: ClassVar[str] = "tick"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake(Record):
    """The machine came back from suspend after `slept_ns`."""

    KIND: ClassVar[str] = "wake"
    slept_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Record):
    """What was not stored, how much of it and why: excluded, overload, unknown_windows, unanswered, disk_full."""

    KIND: ClassVar[str] = "dropped"
    what: str
    count: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Record):
    """An environment fault or its end, as a code of `storage.messages.PROBLEMS`: shown once, logged always."""

    KIND: ClassVar[str] = "problem"
    code: str
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopSenses(Record):
    """What the desktop does not tell in full: `levels` by name (`storage.capabilities`), "part" or "none".

    It comes where anything is missing, before all that was sensed. What is not named, and all of a session without such
    a row, was sensed in full: so missing can be told from none.
    """

    KIND: ClassVar[str] = "desktop_senses"
    desktop: str
    levels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense(Record):
    """A sense that is not always there began to work, or no longer does.

    `name` is "controls" (the accessibility interface) or "help" (help is searched before an offer is made).
    """

    KIND: ClassVar[str] = "sense"
    name: str
    on: bool
