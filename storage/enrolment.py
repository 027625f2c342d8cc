"""The study that a person has joined, as far as the daemon acts on it: its phases, its questions and its seed.

Standard library only, plain frozen values. `studies` writes an `Enrolment` from a signed study file after consent;
`storage.state.store` keeps it beside the consent; `daemon.runtime.study.enrolment` lays its settings over the person's,
and `policies.sampling` draws its questions. A study adds silence, lots and questions, and never widens what is sensed.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from storage.translation.sentences import read_texts

EPOCH = dt.date(1970, 1, 1)
DAY_MINUTES = 24 * 60

ALLOWED = ("policy.name", "policy.exploration", "policy.arm_probability", "policy.threshold")
"""Settings that a phase may set."""

ONLY_LOWER = ("policy.offers_per_hour", "policy.offers_per_day")
"""Settings that a phase may set no higher than the person's own."""

COOLDOWN_S = 300.0
"""In a study offers are at least so far apart: so long after a decision point its outcomes are followed."""

MAX_DAYS = 366
MAX_ITEMS = 3
MAX_TASKS = 12
MAX_CHOICES = 5
MAX_PER_DAY = 6
MAX_BLOCKS = 6
MIN_APART_S = 45 * 60.0
MAX_WAIT_S = 60.0
EXPIRES_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionItem:
    """One line of a question, answered with one tap: a code for the data, its words, and its choices from 0 on."""

    code: str
    text: str
    choices: tuple[str, ...]


DEFAULT_ITEMS = tuple(
    QuestionItem(code=code, text=texts["text"], choices=tuple(texts["choices"]))
    for code, texts in read_texts("study")["questions"].items()
)
"""The questions of a study that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan:
    """When questions are due, and when one that is due may be asked (`policies.sampling`).

    `blocks` questions a day are due at random moments of `hours` (minutes since local midnight, first and last).
    `event_probability` is the chance of one `after_offer_s` after an offer was made, withheld or silent. No question
    comes within `apart_s` of another, and at most `per_day` a day. A due one waits up to `wait_s` for `break_s` without
    input, and expires `expires_s` after it was asked. Somebody without input for `away_s` is not there to be asked.

    `after_offer_s` is the same in every arm, and long enough for an offer to end and its advice to be read.
    """

    blocks: int = 6
    hours: tuple[int, int] = (9 * 60, 18 * 60)
    event_probability: float = 0.0
    after_offer_s: float = 180.0
    per_day: int = MAX_PER_DAY
    apart_s: float = MIN_APART_S
    wait_s: float = MAX_WAIT_S
    break_s: float = 1.0
    expires_s: float = EXPIRES_S
    away_s: float = 300.0
    items: tuple[QuestionItem, ...] = DEFAULT_ITEMS

    def check(self) -> None:
        """Check that no number asks more of a person than a study may.

        Raises:
            ValueError: one does; the message names it.
        """
        first, last = self.hours
        limits: tuple[tuple[str, float, float, float], ...] = (
            ("blocks", self.blocks, 0, MAX_BLOCKS),
            ("hours", first, 0, DAY_MINUTES),
            ("hours", last, first, DAY_MINUTES),
            ("event_probability", self.event_probability, 0.0, 1.0),
            ("after_offer_s", self.after_offer_s, 0.0, 3600.0),
            ("per_day", self.per_day, 0, MAX_PER_DAY),
            ("apart_s", self.apart_s, MIN_APART_S, DAY_MINUTES * 60),
            ("wait_s", self.wait_s, 0.0, MAX_WAIT_S),
            ("break_s", self.break_s, 0.5, MAX_WAIT_S),
            ("expires_s", self.expires_s, 10.0, EXPIRES_S),
            ("away_s", self.away_s, 10.0, DAY_MINUTES * 60),
            ("items", len(self.items), 1, MAX_ITEMS),
            *(("choices", len(item.choices), 2, MAX_CHOICES) for item in self.items),
        )
        for name, value, low, high in limits:
            if not low <= value <= high:
                raise ValueError(f"{name} must be between {low:g} and {high:g}")
        if self.blocks and (last - first) * 60 < self.blocks * (self.apart_s + self.wait_s):
            raise ValueError("hours must leave every block at least as long as apart_s and wait_s together")
        if len({item.code for item in self.items}) != len(self.items):
            raise ValueError("every item needs a code of its own")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTask:
    """A task that participants are given: what they read, and how they know that it is done.

    How well they know `program` is asked once, before its first task; "": not.
    """

    code: str
    title: str
    text: str
    end: str
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of whole local days with one arm; `settings` by key, of `ALLOWED` and `ONLY_LOWER` alone."""

    name: str
    days: int
    settings: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """The study in force for this person.

    `first_day` is the local date of day 1; before it the silent arm holds. `seed` gives every lot, those of offers and
    those of questions; the person's consent holds it too. While `masked`, lots are not shown until the study is over.
    `closed_on` is the local date of the last day where the researchers have closed the study before its time.
    """

    study: str
    participant: str
    title: str
    first_day: dt.date
    phases: tuple[Phase, ...]
    seed: int
    questions: QuestionPlan | None = None
    tasks: tuple[StudyTask, ...] = ()
    masked: bool = True
    closed_on: dt.date | None = None

    @property
    def days(self) -> int:
        """How many days the study was to last."""
        return sum(phase.days for phase in self.phases)

    @property
    def first_date(self) -> int:
        """Day 1 as a number: days since 1970-01-01."""
        return (self.first_day - EPOCH).days

    @property
    def last_day(self) -> dt.date:
        """The local date of the last day."""
        planned = self.first_day + dt.timedelta(days=self.days - 1)
        return planned if self.closed_on is None else min(planned, self.closed_on)

    def check(self) -> None:
        """Check that the study sets only what it may.

        Raises:
            ValueError: it does not; the message names the phase or the number.
        """
        if not self.phases or any(phase.days < 1 for phase in self.phases) or self.days > MAX_DAYS:
            raise ValueError(f"a study has phases of at least a day and lasts at most {MAX_DAYS} days")
        if len({task.code for task in self.tasks}) != len(self.tasks) or len(self.tasks) > MAX_TASKS:
            raise ValueError(f"a study has at most {MAX_TASKS} tasks, each with a code of its own")
        for phase in self.phases:
            for key in phase.settings:
                if key not in (*ALLOWED, *ONLY_LOWER):
                    raise ValueError(f"phase {phase.name!r}: a study may not set {key}")
        if self.questions is not None:
            self.questions.check()
