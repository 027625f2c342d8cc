"""Recomputes every lot and probability of a session of a study from its log, and names each row that does not fit.

Pure. What counts: offers made or withheld by lot, questions drawn or not, and that every random one that was due is
there. Everything follows from the seed in the `study` row, the settings in the first row, and the decisions. What one
session leaves to the next is compared in `study.audit.sessions`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from policies.arms import Arm, arm_of, assign, start_randomizer
from policies.gates.arm import ArmGate
from policies.sampling import NOT_SHOWN, event_lot, moments_of_day, random_lot
from storage.clock import DAY_NS, NS_PER_S
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
from storage.settings_file import from_mapping

SAME = 1e-9
"""Two probabilities that differ by less are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A row that does not follow from the log: the session, the row's number, its kind, and what is wrong."""

    session: str
    seq: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """An offer that a lot decided: when (session time), the chance of an offer, and whether the lot says one."""

    at_ns: int
    chance: float
    offered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What joins a session to those before and after it in the same study.

    `drawn` counts the lots of offers at its begin and at its end; None where its arm is unknown. `blocks` says for each
    day, in days since 1970-01-01, which block comes next, at its begin and at its end; None without questions. A
    session that was cut off has not `ended`: its last rows may be lost.
    """

    study: str
    participant: str
    seed: int
    wall_ns: int
    ended: bool
    drawn: tuple[int, int] | None
    blocks: tuple[Mapping[int, int], Mapping[int, int]] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAudit:
    """What was recomputed in one session: assignments of offers, how many lots of questions, and what did not fit."""

    session: str
    assignments: tuple[Assignment, ...]
    question_lots: int
    findings: tuple[Finding, ...]
    place: Place


def audit_session(rows: Sequence[Record]) -> SessionAudit | None:
    """Recompute one session; None if it belongs to no study."""
    start = rows[0] if rows else None
    study = next((row for row in rows if isinstance(row, StudyStart)), None)
    if not isinstance(start, SessionStart) or study is None:
        return None
    offers = _OfferAssignments(start, study)
    questions = _QuestionAssignments(start, study)
    findings = [
        Finding(session=start.session_id, seq=row.seq, kind=row.KIND, what=what)
        for row in rows
        for what in (*offers.check(row), *questions.check(row))
    ]
    ended = any(isinstance(row, SessionEnd) for row in rows)
    findings += [
        Finding(session=start.session_id, seq=seq, kind=kind, what=what)
        for seq, kind, what in (*_missing_rows(rows), *questions.left(ended=ended))
    ]
    return SessionAudit(
        session=start.session_id,
        assignments=tuple(offers.assignments),
        question_lots=questions.count,
        findings=tuple(findings),
        place=Place(
            study=study.study,
            participant=study.participant,
            seed=study.seed,
            wall_ns=start.wall_ns,
            ended=ended,
            drawn=offers.drawn,
            blocks=questions.blocks,
        ),
    )


def _missing_rows(rows: Sequence[Record]) -> Iterator[tuple[int, str, str]]:
    """Yield number, kind and fault where rows are not there: they are numbered from 1 on without a gap."""
    for before, row in pairwise(rows):
        if row.seq > before.seq + 1:
            yield row.seq, row.KIND, f"the rows {before.seq + 1} to {row.seq - 1} before it are missing"


class _OfferAssignments:
    """Draws the lots of offers again, in their order, from the state that the session began with."""

    def __init__(self, start: SessionStart, study: StudyStart) -> None:
        self.assignments: list[Assignment] = []
        self._problem = ""
        self._study = study
        self._arm: Arm | None = None
        try:
            self._arm = arm_of(from_mapping(start.settings, where="the session").policy)
        except UsageError:
            self._problem = "its settings are none that this version takes"
        else:
            if self._arm is None:
                self._problem = "its policy is no arm of Kairos: its assignments cannot be recomputed"
        saved = start.policy_state.get("saved", {})
        self._saved: Mapping[str, object] = saved if isinstance(saved, Mapping) else {}
        self._randomizer = start_randomizer({})
        if self._arm is not None:
            try:
                self._randomizer = start_randomizer(self._saved)
            except (TypeError, ValueError):
                self._problem = "the seed it began with is no number"
        self._drawn_before = self._randomizer.drawn

    @property
    def drawn(self) -> tuple[int, int] | None:
        """How many lots were drawn at the begin and at the end; None if that cannot be known."""
        return None if self._problem else (self._drawn_before, self._randomizer.drawn)

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
                yield f"its probability is 1 and not {row.propensity:g}: no assignment was drawn"
            return
        self._randomizer, expected = assign(self._randomizer, self._arm.chance, "")
        self.assignments.append(Assignment(row.at_ns, self._arm.chance, expected))
        chance = self._arm.chance if offered else 1.0 - self._arm.chance
        if offered != expected:
            yield f"the assignment says {'an offer' if expected else 'no offer'}"
        if abs(row.propensity - chance) > SAME:
            yield f"its probability is {chance:g} and not {row.propensity:g}"


class _QuestionAssignments:
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
        self._blocks_before = _blocks_of(study.sampling_state)
        self._blocks = dict(self._blocks_before or {})
        self._begun: set[int] = set(self._blocks)
        self._looked_ns: int | None = None
        self._missing: list[tuple[int, str, str]] = []

    @property
    def blocks(self) -> tuple[Mapping[int, int], Mapping[int, int]] | None:
        """Which block comes next on each day, at the begin and at the end; None without random questions."""
        if not self._plan.blocks or self._blocks_before is None:
            return None
        return self._blocks_before, self._blocks

    def check(self, row: Record) -> Iterator[str]:
        """Yield what is wrong with a row."""
        if isinstance(row, StudyStart) and self._blocks_before is None:
            yield "what was saved of its questions has a shape that no version gives"
        if isinstance(row, Anchor | SessionEnd):
            self._look_for_missing(row)
        if isinstance(row, Anchor):
            self._wall_offset_ns = row.wall_ns - row.at_ns
        if isinstance(row, SessionEnd):
            self._looked_ns = None  # what is due from now on is left to the next session
        elif isinstance(row, StudyStart) or self._looked_ns is not None:
            self._looked_ns = row.at_ns
            self._begun.add(self._date(row.at_ns))
        match row:
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
        """Yield number, kind and fault of what is missing: due questions, lots of decisions, ends of questions."""
        self._look_for_missing(None)
        yield from self._missing
        for seq in sorted(self._decisions.keys() - self._drawn_for):
            yield seq, Decision.KIND, "the assignment of the question after it is missing"
        if ended:
            for question, _ in self._open.values():
                yield question.seq, Question.KIND, "it has no end"

    def _date(self, at_ns: int) -> int:
        return (at_ns + self._wall_offset_ns + self._study.utc_offset_s * NS_PER_S) // DAY_NS

    def _covers(self, date: int) -> bool:
        return 0 <= date - self._study.first_date < self._study.days

    def _look_for_missing(self, row: Record | None) -> None:
        """Note random questions that were due by the last row before this one and are not there.

        The sampler takes up every block of a day that was begun as soon as a row comes after its moment.
        """
        if self._looked_ns is None or self._blocks_before is None:
            return
        today = self._date(self._looked_ns)
        for date in sorted(date for date in self._begun if date <= today and self._covers(date)):
            for block, moment_ns in enumerate(moments_of_day(self._plan, self._study.seed, date)):
                if block < self._blocks.get(date, 0) or self._zero_ns + date * DAY_NS + moment_ns > self._looked_ns:
                    continue
                what = f"before it the random question of block {block} on day {date - self._study.first_date + 1}"
                seq, kind = (row.seq, row.KIND) if row is not None else (0, Question.KIND)
                self._missing.append((seq, kind, f"{what} is missing"))
                self._blocks[date] = block + 1

    @property
    def _zero_ns(self) -> int:
        """The session time at which it was midnight of 1970-01-01 here."""
        return -self._wall_offset_ns - self._study.utc_offset_s * NS_PER_S

    def _add(self, decision: Decision) -> None:
        if not (self._plan.event_probability and self._covers(self._date(decision.at_ns))):
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
            yield "its assignment is another"
        if abs(row.probability - self._plan.event_probability) > SAME:
            yield f"its probability is {self._plan.event_probability:g} and not {row.probability:g}"

    def _check_random(self, row: Question) -> Iterator[str]:
        if row.lot != random_lot(self._study.seed, row.date, row.block):
            yield "its assignment is another"
        if abs(row.probability - 1.0) > SAME:
            yield f"its probability is 1 and not {row.probability:g}"
        moments = moments_of_day(self._plan, self._study.seed, row.date)
        if not 0 <= row.block < len(moments):
            yield "the study has no such block"
            return
        next_block = self._blocks.get(row.date, 0)
        if row.block < next_block:
            yield "this block of the day was taken up before"
        elif row.block > next_block:
            yield f"block {next_block} of that day is missing before it"
        self._blocks[row.date] = max(next_block, row.block + 1)
        if row.due_ns != self._zero_ns + row.date * DAY_NS + moments[row.block]:
            yield "it was due at another moment"

    def _check_outcome(self, row: QuestionOutcome) -> Iterator[str]:
        if row.question_id not in self._open:
            if row.reason != "cut_off":  # of the session before
                yield "no question of this session that is open has its id"
            return
        question, before = self._open.pop(row.question_id)
        by_lot = question.moment is not QuestionMoment.RANDOM and question.lot >= question.probability
        if by_lot != (row.step is QuestionStep.NOT_DRAWN):
            yield "its assignment says otherwise"
        if row.step is QuestionStep.ASKED and before is None:
            self._open[row.question_id] = (question, row.step)
        elif (before is QuestionStep.ASKED) != (row.step in _AFTER_ASKED):
            yield f"{row.step.value} cannot follow {before.value if before is not None else 'a question'}"


_AFTER_ASKED = (QuestionStep.ANSWERED, QuestionStep.DECLINED, QuestionStep.EXPIRED, QuestionStep.WITHDRAWN)


def _blocks_of(saved: Mapping[str, object]) -> dict[int, int] | None:
    """Return which block comes next on each day that was begun; None if it has another shape."""
    days = saved.get("days", ())
    if not isinstance(days, list | tuple):
        return None
    found: dict[int, int] = {}
    for day in days:
        date, block = (day.get("date"), day.get("next_block")) if isinstance(day, Mapping) else (None, None)
        if not (isinstance(date, int) and isinstance(block, int)):
            return None
        found[date] = block
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAudit:
    """What was recomputed, session by session in their order; `lost` lots went with sessions that were cut off."""

    sessions: tuple[SessionAudit, ...]
    lost: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that does not fit."""
        return tuple(finding for session in self.sessions for finding in session.findings)


def audit_sessions(sessions: Iterable[Sequence[Record]], *, complete: bool = True) -> StudyAudit:
    """Recompute sessions; those of no study are left out.

    `complete`: whether these are all sessions of their studies, so that what is missing between them is named.
    """
    audits = [found for rows in sessions if (found := audit_session(rows)) is not None]
    audits.sort(key=lambda audit: audit.place.wall_ns)
    if not complete:
        return StudyAudit(sessions=tuple(audits), lost=0)
    last: dict[tuple[str, str, int], SessionAudit] = {}
    linked, lost = list[SessionAudit](), 0
    for audit in audits:
        place = audit.place
        key = (place.study, place.participant, place.seed)
        before = last.get(key)
        gaps = [*_offer_gaps(before, audit), *_block_gaps(before, audit)]
        if before is not None and not before.place.ended:
            lost += sum(gap.missing for gap in gaps)
            gaps = [gap for gap in gaps if not gap.missing]
        named = [Finding(session=audit.session, seq=1, kind=SessionStart.KIND, what=gap.what) for gap in gaps]
        linked.append(replace(audit, findings=(*named, *audit.findings)))
        last[key] = audit
    return StudyAudit(sessions=tuple(linked), lost=lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """What does not join: in words, and how many lots or blocks are missing; 0 if something was drawn twice."""

    what: str
    missing: int


def _offer_gaps(before: SessionAudit | None, audit: SessionAudit) -> Iterator[_Gap]:
    """Yield what does not fit in the counts of lots of offers."""
    if audit.place.drawn is None or (before is not None and before.place.drawn is None):
        return
    expected = before.place.drawn[1] if before is not None and before.place.drawn is not None else 0
    begins = audit.place.drawn[0]
    if begins > expected:
        lots = f"assignment {expected}" if begins == expected + 1 else f"assignments {expected} to {begins - 1}"
        yield _Gap(what=f"{lots} of offers, from 0 on, came before it and are in no session", missing=begins - expected)
    elif begins < expected:
        yield _Gap(
            what=f"{expected} assignments of offers were drawn before it, and it counts from {begins}", missing=0
        )


def _block_gaps(before: SessionAudit | None, audit: SessionAudit) -> Iterator[_Gap]:
    """Yield what does not fit in the blocks of random questions, by day in days since 1970-01-01."""
    if audit.place.blocks is None or (before is not None and before.place.blocks is None):
        return
    expected = before.place.blocks[1] if before is not None and before.place.blocks is not None else {}
    begins = audit.place.blocks[0]
    for date in sorted(expected.keys() | begins.keys()):
        wanted, found = expected.get(date, 0), begins.get(date, 0)
        if found > wanted:
            blocks = ", ".join(str(block) for block in range(wanted, found))
            yield _Gap(
                what=f"the random questions of date {date}, blocks {blocks}, came before it and are in no session",
                missing=found - wanted,
            )
        elif found < wanted:
            yield _Gap(what=f"blocks of date {date} from {found} on were taken up before and come again", missing=0)
