"""A study with questions, and one session of it whose time and context a test moves as it likes."""

import datetime as dt
from dataclasses import replace
from typing import Any

from policies.sampling import QuestionSampler, SamplingState, Step
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.enrolment import Enrolment, Phase, QuestionPlan
from storage.records import Answer, AnswerKind, Decision, Question, QuestionOutcome, Record, StudyStart, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of

DATE = 20_780
"""The day on which stories begin, in days since 1970-01-01."""

SESSION = "20261123-000000-abcd"
OFFSET_S = 3600
BOOT_NS = 5_000 * NS_PER_S
"""Session time at the local midnight of `DATE`; it has an origin of its own."""

PLAN = QuestionPlan(event_probability=0.5)

CONTEXT = context_of(session_start_ns=-DAY_NS)


def study_row(plan: QuestionPlan | None = PLAN, **changes: Any) -> StudyStart:
    fields: dict[str, Any] = {"study": "s1", "participant": "p1", "day": 1, "phase": "offers", "first_date": DATE}
    fields |= {"days": 10, "utc_offset_s": OFFSET_S, "seed": 7, "questions": plan}
    return StudyStart(**(fields | changes))


def enrolment(first_day: dt.date = dt.date(2026, 11, 25), days: int = 7, **changes: Any) -> Enrolment:
    phases = (Phase(name="one", days=days, settings=changes.pop("settings", None) or {}),)
    fields: dict[str, Any] = {"study": "s1", "participant": "p1", "title": "A study", "seed": 7, "phases": phases}
    return Enrolment(first_day=first_day, **(fields | changes))


def midnight_wall_ns(date: int = DATE, offset_s: int = OFFSET_S) -> int:
    return date * DAY_NS - offset_s * NS_PER_S


class SampledDay:
    """One session, begun at the local midnight of `DATE`; `minute` and `at_ns` are what the clock shows."""

    def __init__(self, plan: QuestionPlan = PLAN, at_minute: float = 0.0, **changes: Any) -> None:
        self.plan = plan
        self.sampler = QuestionSampler(study_row(plan, **changes), plan, SESSION, PolicySettings(quiet_start_s=0.0))
        self.now_ns = BOOT_NS + round(at_minute * MINUTE_NS)
        self.context = CONTEXT
        self.rows: list[Record] = []
        wall_ns = midnight_wall_ns() + round(at_minute * MINUTE_NS)
        self.state: SamplingState = self._noted(self.sampler.start(study_row(plan, **changes), wall_ns, self.now_ns))
        self.look()

    def _noted(self, step: Step) -> SamplingState:
        state, rows = step
        self.rows += rows
        return state

    def look(self, **context: Any) -> None:
        defaults = {"last_input_ns": self.now_ns - 5 * NS_PER_S, "asking": self.state.shown is not None}
        self.context = replace(CONTEXT, **(defaults | context))
        self.state = self._noted(self.sampler.look(self.state, self.context, self.now_ns))

    def next(self, **context: Any) -> None:
        assert self.state.next_ns is not None
        assert self.state.next_ns > self.now_ns
        self.now_ns = self.state.next_ns
        self.look(**context)

    def later(self, seconds: float, **context: Any) -> None:
        """Move on, carrying out everything that is due on the way."""
        end_ns = self.now_ns + round(seconds * NS_PER_S)
        while self.state.next_ns is not None and self.state.next_ns <= end_ns:
            self.next(**context)
        self.now_ns = end_ns
        self.look(**context)

    def until_waiting(self, **context: Any) -> Question:
        """Move to the next question that waits, with an obstacle in `context`."""
        while self.state.waiting is None:
            self.next(**context)
        return self.state.waiting

    def until_asked(self, **context: Any) -> Question:
        while self.state.shown is None:
            self.next(**context)
        return self.state.shown

    def answer(self, kind: AnswerKind = AnswerKind.ANSWERED) -> None:
        assert self.state.shown is not None
        reply = Answer(question_id=self.state.shown.question_id, kind=kind)
        self.state = self._noted(self.sampler.answer(self.state, reply, self.now_ns))
        self.look()

    def answer_next(self, count: int) -> None:
        for _ in range(count):
            self.until_asked()
            self.answer()

    def decide(self, seq: int, *, offered: bool, reason: str = "withheld", gate: str = "arm") -> None:
        verdict = Verdict.OFFER if offered else Verdict.HOLD
        decision = Decision(seq=seq, verdict=verdict, gate="all" if offered else gate, reason=reason)
        self.state = self._noted(self.sampler.add_decision(self.state, decision, offered=offered, now_ns=self.now_ns))

    def stop(self) -> None:
        self.state = self._noted(self.sampler.stop(self.state, self.now_ns))

    @property
    def questions(self) -> list[Question]:
        return [row for row in self.rows if isinstance(row, Question)]

    @property
    def steps(self) -> list[str]:
        """What became of them so far, each as `step` or `step:reason`."""
        found = [row for row in self.rows if isinstance(row, QuestionOutcome)]
        return [f"{row.step}:{row.reason}" if row.reason else row.step.value for row in found]
