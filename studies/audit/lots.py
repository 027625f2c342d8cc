"""Recomputes every lot and probability of a session of a study from its log, and names each row that does not fit.

Pure. What counts: offers made or withheld by lot, questions drawn or not, and when random ones are
due. Everything follows from the seed in the `study` row, the settings in the first row, and the decisions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.config import from_mapping
from policies.arms import Arm, arm_of, assign, start_randomizer
from policies.gates.arm import ArmGate
from policies.sampling import DAY_NS, NOT_SHOWN, event_lot, moments_of_day, random_lot
from storage.clock import NS_PER_S
from storage.enrolment import QuestionPlan
from storage.errors import UsageError
from storage.records import (
    Anchor,
    Decision,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    SessionStart,
    StudyStart,
    Verdict,
)

SAME = 1e-9
"""Two probabilities that differ by less are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A row that does not follow from the log: the session, the row's number, its kind, and what is wrong."""

    session: str
    seq: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAudit:
    """What was recomputed in one session: how many lots of offers and of questions, and what did not fit."""

    session: str
    offer_lots: int
    question_lots: int
    findings: tuple[Finding, ...]


def audit_session(rows: Sequence[Record]) -> SessionAudit | None:
    """Recompute one session; None if it belongs to no study.

    Args:
        rows: all rows of the session, in their order.
    """
    start = rows[0] if rows else None
    study = next((row for row in rows if isinstance(row, StudyStart)), None)
    if not isinstance(start, SessionStart) or study is None:
        return None
    offers = _OfferLots(start, study)
    questions = _QuestionLots(start, study)
    findings = [
        Finding(session=start.session_id, seq=row.seq, kind=row.KIND, what=what)
        for row in rows
        for what in (*offers.check(row), *questions.check(row))
    ]
    ended = isinstance(rows[-1], SessionEnd) or any(isinstance(row, SessionEnd) for row in rows)
    findings += [
        Finding(session=start.session_id, seq=seq, kind=kind, what=what)
        for seq, kind, what in questions.left(ended=ended)
    ]
    return SessionAudit(
        session=start.session_id, offer_lots=offers.count, question_lots=questions.count, findings=tuple(findings)
    )


class _OfferLots:
    """Draws the lots of offers again, in their order, from the state that the session began with."""

    def __init__(self, start: SessionStart, study: StudyStart) -> None:
        self.count = 0
        self._problem = ""
        self._study = study
        self._arm: Arm | None = None
        try:
            self._arm = arm_of(from_mapping(start.settings, where="the session").policy)
        except UsageError:
            self._problem = "its settings are none that this version takes"
        saved = start.policy_state.get("saved", {})
        self._saved: Mapping[str, object] = saved if isinstance(saved, Mapping) else {}
        self._randomizer = start_randomizer({})
        if self._arm is not None:
            try:
                self._randomizer = start_randomizer(self._saved)
            except (TypeError, ValueError):
                self._problem = "the seed it began with is no number"

    def check(self, row: Record) -> Iterator[str]:
        """Yield what is wrong with a row."""
        if isinstance(row, SessionStart):
            if self._problem:
                yield self._problem
            elif self._arm is not None and self._saved.get("seed") != self._study.seed:
                yield "the lots of its offers have another seed than the study"
        if not isinstance(row, Decision) or self._arm is None:
            return
        offered = row.verdict is Verdict.OFFER
        if not offered and not (row.gate == ArmGate.name and row.reason in NOT_SHOWN):
            if abs(row.propensity - 1.0) > SAME:
                yield f"its probability is 1 and not {row.propensity:g}: no lot was drawn"
            return
        self.count += 1
        self._randomizer, expected = assign(self._randomizer, self._arm.chance, "")
        chance = self._arm.chance if offered else 1.0 - self._arm.chance
        if offered != expected:
            yield f"the lot says {'an offer' if expected else 'no offer'}"
        if abs(row.propensity - chance) > SAME:
            yield f"its probability is {chance:g} and not {row.propensity:g}"


class _QuestionLots:
    """Draws the lots of questions again, and follows each question to its end."""

    def __init__(self, start: SessionStart, study: StudyStart) -> None:
        self.count = 0
        self._session_id = start.session_id
        self._study = study
        self._plan = study.questions or QuestionPlan(blocks=0)
        self._wall_offset_ns = start.wall_ns - start.at_ns
        self._decisions: dict[int, QuestionMoment] = {}
        self._drawn_for: set[int] = set()
        self._open: dict[str, tuple[Question, QuestionStep | None]] = {}
        self._seen: set[str] = set()

    def check(self, row: Record) -> Iterator[str]:
        """Yield what is wrong with a row."""
        match row:
            case Anchor():
                self._wall_offset_ns = row.wall_ns - row.at_ns
            case Decision():
                self._add(row)
            case Question():
                self.count += 1
                yield from self._check_question(row)
            case QuestionOutcome():
                yield from self._check_outcome(row)
            case _:
                pass

    def left(self, *, ended: bool) -> Iterator[tuple[int, str, str]]:
        """Yield number, kind and fault of decisions without their lot, and of questions without an end."""
        for seq in sorted(self._decisions.keys() - self._drawn_for):
            yield seq, Decision.KIND, "the lot of the question after it is missing"
        if ended:
            for question, _ in self._open.values():
                yield question.seq, Question.KIND, "it has no end"

    def _add(self, decision: Decision) -> None:
        date = (decision.at_ns + self._wall_offset_ns + self._study.utc_offset_s * NS_PER_S) // DAY_NS
        in_study = 0 <= date - self._study.first_date < self._study.days
        if not (self._plan.event_probability and in_study):
            return
        if decision.verdict is Verdict.OFFER:
            self._decisions[decision.seq] = QuestionMoment.OFFER
        elif decision.gate == ArmGate.name and decision.reason in NOT_SHOWN:
            self._decisions[decision.seq] = QuestionMoment.NO_OFFER

    def _check_question(self, row: Question) -> Iterator[str]:
        if row.question_id in self._seen:
            yield "it came before"
        self._seen.add(row.question_id)
        self._open[row.question_id] = (row, None)
        if row.moment is QuestionMoment.RANDOM:
            yield from self._check_random(row)
            return
        self._drawn_for.add(row.decision_seq)
        if self._decisions.get(row.decision_seq) is not row.moment:
            yield "no such decision stands before it"
        if row.lot != event_lot(self._study.seed, self._session_id, row.decision_seq):
            yield "its lot is another"
        if abs(row.probability - self._plan.event_probability) > SAME:
            yield f"its probability is {self._plan.event_probability:g} and not {row.probability:g}"

    def _check_random(self, row: Question) -> Iterator[str]:
        if row.lot != random_lot(self._study.seed, row.date, row.block):
            yield "its lot is another"
        if abs(row.probability - 1.0) > SAME:
            yield f"its probability is 1 and not {row.probability:g}"
        moments = moments_of_day(self._plan, self._study.seed, row.date)
        if not 0 <= row.block < len(moments):
            yield "the study has no such block"
            return
        zero_ns = -self._wall_offset_ns - self._study.utc_offset_s * NS_PER_S
        if row.due_ns != zero_ns + row.date * DAY_NS + moments[row.block]:
            yield "it was due at another moment"

    def _check_outcome(self, row: QuestionOutcome) -> Iterator[str]:
        if row.question_id not in self._open:
            if row.reason != "cut_off":  # of the session before
                yield "no question of this session that is open has its id"
            return
        question, before = self._open.pop(row.question_id)
        by_lot = question.moment is not QuestionMoment.RANDOM and question.lot >= question.probability
        if by_lot != (row.step is QuestionStep.NOT_DRAWN):
            yield "its lot says otherwise"
        if row.step is QuestionStep.ASKED and before is None:
            self._open[row.question_id] = (question, row.step)
        elif (before is QuestionStep.ASKED) != (row.step in _AFTER_ASKED):
            yield f"{row.step.value} cannot follow {before.value if before is not None else 'a question'}"


_AFTER_ASKED = (QuestionStep.ANSWERED, QuestionStep.DECLINED, QuestionStep.EXPIRED, QuestionStep.WITHDRAWN)


def audit_sessions(sessions: Iterable[Sequence[Record]]) -> list[SessionAudit]:
    """Recompute sessions one by one; those of no study are left out."""
    return [found for rows in sessions if (found := audit_session(rows)) is not None]
