"""Whose rows are made, and what may be in them; a row with its time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from participant.documents.plan import MAX_DAYS, Sent
from participant.documents.rows import Category, Row
from participant.pack.points import OpenPoint
from policies.arms import Call, arm_of
from policies.sampling import LAST_DATE, MAX_OFFSET_S
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.records import SessionStart, State, StudyStart, SwitchName
from storage.settings import PolicySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Whose rows these are: study, participant, arm, seed of all lots (None: any), and the switches of the consent."""

    study: str
    participant: str
    arm: str
    sends: frozenset[Sent]
    seed: int | None = None

    def owns(self, start: SessionStart, study: StudyStart) -> bool:
        """Tell whether a session was recorded here, in this study; an imported one was not."""
        return (
            start.imported_from is None
            and (study.study, study.participant) == (self.study, self.participant)
            and self.seed in (None, study.seed)
            and 0 < study.days <= MAX_DAYS
            and 0 <= study.first_date <= LAST_DATE
            and abs(study.utc_offset_s) <= MAX_OFFSET_S
        )


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A row, and the wall-clock time that it is about: of the decision, of when a question was due, of a day's end."""

    row: Row
    wall_ns: int


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


class OpenTask(msgspec.Struct, kw_only=True):
    """A task without its end."""

    task: str
    day: int
    minute: int
    at_ns: int
    wall_ns: int
    skill: int | None


class DayTally(msgspec.Struct, kw_only=True):
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
    task: OpenTask | None = None


class FoldState(msgspec.Struct, kw_only=True):
    """All that is remembered.

    `ended_wall_ns` is when the session before ended; `points` may be of that one still, and then count their time from
    its end. `late` are points that wait for the end of their offer alone. `problems` wait for the next day.
    """

    running: Running | None = None
    points: list[OpenPoint] = []
    late: list[OpenPoint] = []
    tally: DayTally | None = None
    problems: dict[str, int] = {}
    ended_wall_ns: int = 0
    utc_offset_s: int = 0
    first_date: int = 0
    days: int = 0


_MAX_LOTS = 10_000_000


def begin_running(start: SessionStart, study: StudyStart) -> Running:
    """Return the state of a session behind its first two rows."""
    policy = _policy_of(start)
    arm = None if policy is None else arm_of(policy)
    return Running(
        at_ns=study.at_ns,
        wall_offset_ns=start.wall_ns - start.at_ns,
        utc_offset_s=study.utc_offset_s,
        first_date=study.first_date,
        days=study.days,
        phase=study.phase,
        codes=() if study.questions is None else tuple(item.code for item in study.questions.items),
        version=start.kairos_version,
        call=None if arm is None else arm.call,
        threshold=0.0 if policy is None else policy.threshold,
        next_lot=_next_lot(start, study),
        off=[] if start.journal else [SwitchName.CONSENT],
    )


def local_ns(running: Running, at_ns: int) -> int:
    """Return local time at a moment of the session, in nanoseconds since the local midnight of 1970-01-01."""
    return at_ns + running.wall_offset_ns + running.utc_offset_s * NS_PER_S


def day_and_minute(running: Running, at_ns: int) -> tuple[int, int]:
    """Return the day of the study, 1 for the first, and the minute since local midnight."""
    date, since_ns = divmod(local_ns(running, at_ns), DAY_NS)
    return date - running.first_date + 1, since_ns // MINUTE_NS


def _policy_of(start: SessionStart) -> PolicySettings | None:
    """Return the settings of the policy in a session; None where this version does not understand them."""
    try:
        return msgspec.convert(start.settings["policy"], PolicySettings)
    except (KeyError, msgspec.ValidationError):
        return None


def _next_lot(start: SessionStart, study: StudyStart) -> int | None:
    """Return the number of the first lot that the session draws; None if its lots are not those of the study."""
    saved = start.policy_state.get("saved", {})
    if not isinstance(saved, Mapping) or saved.get("seed") != study.seed:
        return None
    drawn = saved.get("drawn", 0)
    return drawn if isinstance(drawn, int) and 0 <= drawn < _MAX_LOTS else None
