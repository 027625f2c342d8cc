"""What is remembered between two records of a journal: plain values that are stored beside the parcels.

Nothing here says which program was used, or holds a title: the sender can read the file that it lies in.
"""

from typing import Literal

import msgspec

from participant.documents.rows import Category
from participant.pack.outcomes import OpenPoint
from policies.arms import Call
from storage.records import State, SwitchName


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What of an estimate a row can hold."""

    prefix_id: str
    states: dict[State, float]
    evidence: tuple[str, ...]
    category: Category


class OpenQuestion(msgspec.Struct, kw_only=True):
    """A question without its end."""

    day: int
    minute: int
    moment: Literal["random", "offer", "no_offer"]
    probability: float
    wall_ns: int
    delay_s: float | None = None
    choices: dict[str, int] = {}


class Tally(msgspec.Struct, kw_only=True):
    """A local date, in days since 1970-01-01, and what was counted on it."""

    date: int
    watched_ns: int = 0
    gates: dict[str, int] = {}
    problems: dict[str, int] = {}
    version: str = "0"


class Running(msgspec.Struct, kw_only=True):
    """The session being read: how far, its local time and place in the study, and what is in force in it."""

    at_ns: int
    wall_offset_ns: int
    utc_offset_s: int
    first_date: int
    days: int
    phase: str
    codes: tuple[str, ...]
    version: str
    call: Call | None
    threshold: float
    next_lot: int | None
    off: list[SwitchName] = []
    estimates: list[Seen] = []
    fresh_seq: int = 0
    stopped_ns: dict[str, int] = {}
    questions: dict[str, OpenQuestion] = {}


class FoldState(msgspec.Struct, kw_only=True):
    """All that is remembered.

    `ended_wall_ns` is when the session before ended; `points` may be of that one still, and then count their time from
    its end. `late` are points that wait for the end of their offer alone. `problems` wait for the next day.
    """

    running: Running | None = None
    points: list[OpenPoint] = []
    late: list[OpenPoint] = []
    tally: Tally | None = None
    problems: dict[str, int] = {}
    ended_wall_ns: int = 0
    utc_offset_s: int = 0
    first_date: int = 0
    days: int = 0
