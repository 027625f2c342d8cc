"""Reading the CUPS study: what programmers did while a tool completed their code, and the state they stated.

One line is one event of the tool's telemetry. Of its fields two are not read at all: `edit_percentage` is only known
minutes later, and `suggestion_chars` stays the same until a suggestion has been decided on, whatever is shown
meanwhile, so it may have been filled in afterwards. The suggestion's length at the moment is among the measurements.
"""

from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from daemon.figures.resampling import Bools, Ints
from storage.errors import BadFile

REMEDY = "give the folder that holds telemetry.jsonl of the CUPS study"
FILE = "telemetry.jsonl"
UNSURE = "IDK (I)"
"""The label of events whose programmer did not know; they are never scored."""

SHOWN, REPLAYED, ACCEPTED, REJECTED, BROWSED = KINDS = ("Shown", "Replay", "Accepted", "Rejected", "Browsing")

_LARGEST = 1 << 26
"""Bytes; the real file has 3.5 million."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `seconds_in_state` is the time since the event before it."""

    session: int
    i: int
    time: datetime
    event: str
    hidden_state: str
    seconds_in_state: float
    labeled_state: str
    measurements: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cups:
    """All events, in the order they happened, programmer after programmer."""

    events: tuple[Event, ...]

    @property
    def programmers(self) -> Ints:
        """Who was at work at each event; a session is one programmer."""
        return np.array([event.session for event in self.events], np.int64)

    @property
    def labelled(self) -> Ints:
        """The events whose programmer knew the state."""
        return np.array([n for n, event in enumerate(self.events) if event.labeled_state != UNSURE], np.int64)

    @property
    def states(self) -> tuple[str, ...]:
        """The states that occur."""
        return tuple(sorted({event.labeled_state for event in self.events} - {UNSURE}))

    @property
    def decided(self) -> Ints:
        """The suggestions, shown or shown again, whose very next event is that they were accepted or rejected."""
        pairs = enumerate(pairwise(self.events))
        return np.array(
            [
                n
                for n, (now, after) in pairs
                if now.session == after.session
                and now.event in (SHOWN, REPLAYED)
                and after.event in (ACCEPTED, REJECTED)
            ],
            np.int64,
        )

    @property
    def accepted(self) -> Bools:
        """Which of `decided` were accepted."""
        return np.array([self.events[n + 1].event == ACCEPTED for n in self.decided], bool)


def read(folder: Path) -> Cups:
    """Read the folder of the data set, or its one file.

    Raises:
        BadFile: the file is missing, damaged or foreign.
    """
    path = folder / FILE if folder.is_dir() else folder
    try:
        if path.stat().st_size > _LARGEST:
            raise BadFile(f"{path} is too large to be the telemetry", remedy=REMEDY)
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error.strerror})", remedy=REMEDY) from error
    events = [_event(line, number, path) for number, line in enumerate(lines, 1)]
    events.sort(key=lambda event: (event.session, event.i))
    for before, after in pairwise(events):
        if before.session == after.session and (before.i == after.i or before.time > after.time):
            raise BadFile(f"events of session {after.session} in {path} are not in order", remedy=REMEDY)
    return Cups(events=tuple(events))


def _event(line: bytes, number: int, path: Path) -> Event:
    try:
        event = msgspec.json.decode(line, type=Event)
    except msgspec.MsgspecError as error:
        raise BadFile(f"line {number} of {path} is no event of the study", remedy=REMEDY) from error
    if event.event not in KINDS or event.time.tzinfo is None:
        raise BadFile(f"line {number} of {path} has an unknown kind of event, or no time zone", remedy=REMEDY)
    return event
