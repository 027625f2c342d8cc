"""Simulated people of a rehearsal in a small study, and what questions asked of them may not do."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from daemon.engine.engine import Engine
from daemon.replay.replay import RecordedDetector
from policies import registry
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S, utc_offset_s
from storage.enrolment import Enrolment, Phase, QuestionPlan
from storage.records import (
    Feedback,
    FeedbackKind,
    Offer,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionStart,
    is_derived,
)
from storage.settings_file import from_mapping
from study.rehearsal.journals import Life, Session
from study.rehearsal.person import SimulatedPerson, Stretch

QUESTIONS = QuestionPlan(event_probability=0.5)
FIRST_DAY = dt.date(2027, 1, 4)


def enrolment_of(number: int, *, silent: int, trial: int, questions: QuestionPlan | None = QUESTIONS) -> Enrolment:
    return Enrolment(
        study="s1",
        participant=f"p{number}",
        title="A study",
        first_day=FIRST_DAY,
        phases=(
            Phase(name="baseline", days=silent, settings={"policy.name": "silent"}),
            Phase(name="trial", days=trial, settings={"policy.name": "utility", "policy.exploration": 0.5}),
        ),
        seed=1000 + number,
        questions=questions,
    )


def life_of(
    number: int, days: int, *, effect: float = 0.1, questions: QuestionPlan | None = QUESTIONS, silent: int = 1
) -> list[Session]:
    enrolment = enrolment_of(number, silent=silent, trial=days - silent, questions=questions)
    return list(Life(SimulatedPerson(f"7 {number}", effect), enrolment, f"7 {number}").sessions(days))


def stretch_at(session: Session, at_ns: int) -> Stretch | None:
    return next((stretch for stretch in session.sitting.stretches if stretch.start_ns <= at_ns < stretch.end_ns), None)


def violations(sessions: Sequence[Session], plan: QuestionPlan = QUESTIONS) -> list[str]:
    """Return what questions asked of one person did wrong, by what the person really did."""
    found: list[str] = []
    asked_ns: list[int] = []
    by_date: Counter[int] = Counter()
    for session in sessions:
        start_ns = session.start_wall_ns - session.rows[0].at_ns
        card_until_ns = 0
        for row in session.rows:
            if isinstance(row, Offer):
                card_until_ns = row.expires_at_ns
            elif isinstance(row, Feedback) or row.KIND == "withdrawal":
                accepted = isinstance(row, Feedback) and row.kind is FeedbackKind.ACCEPTED
                card_until_ns = row.at_ns + 120 * NS_PER_S if accepted else 0
            if not (isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED):
                continue
            found += [f"{what} {row.question_id}" for what in _wrong_at(session, row.at_ns)]
            if row.at_ns < card_until_ns:
                found.append(f"card {row.question_id}")
            if row.delay_ns > plan.wait_s * NS_PER_S:
                found.append(f"late {row.question_id}")
            wall_ns = row.at_ns + start_ns
            asked_ns.append(wall_ns)
            by_date[(wall_ns + utc_offset_s(wall_ns) * NS_PER_S) // DAY_NS] += 1
    found += ["close" for before, after in pairwise(asked_ns) if after - before < plan.apart_s * NS_PER_S]
    return found + [f"many on day {date}" for date, count in by_date.items() if count > plan.per_day]


def _wrong_at(session: Session, at_ns: int) -> list[str]:
    stretch = stretch_at(session, at_ns)
    if stretch is None:
        before = [stretch for stretch in session.sitting.stretches if stretch.end_ns <= at_ns]
        return ["gone"] if before else []  # before the first stretch they sit there and read
    wrong = [stretch.spent_in] if stretch.spent_in else []
    for burst in stretch.bursts:
        keys = burst.keys_by(at_ns)
        if keys and 0 < at_ns - burst.key_ns(keys) < NS_PER_S:
            wrong.append("typing")
    return wrong


def unaccounted(sessions: Sequence[Session]) -> list[str]:
    """Return questions that did not end exactly once, or came twice."""
    steps: dict[str, list[QuestionStep]] = {}
    twice = []
    for session in sessions:
        for row in session.rows:
            if isinstance(row, Question):
                if row.question_id in steps:
                    twice.append(row.question_id)
                steps[row.question_id] = []
            elif isinstance(row, QuestionOutcome):
                steps[row.question_id].append(row.step)
    asked = [QuestionStep.ASKED]
    wrong = [name for name, found in steps.items() if found[:-1] not in ([], asked) or found[-1:] in ([], asked)]
    return twice + wrong


def places(sessions: Sequence[Session], plan: QuestionPlan = QUESTIONS) -> list[float]:
    length = (plan.hours[1] - plan.hours[0]) / plan.blocks
    found = []
    for session in sessions:
        start_ns = session.start_wall_ns - session.rows[0].at_ns + utc_offset_s(session.start_wall_ns) * NS_PER_S
        for row in session.rows:
            if isinstance(row, Question) and row.moment is QuestionMoment.RANDOM:
                minute = (row.due_ns + start_ns - row.date * DAY_NS) / MINUTE_NS
                found.append((minute - plan.hours[0] - length * row.block) / length)
    return found


def replayed(session: Session) -> list[Record]:
    """Return the rows of a session derived again from its source rows and its estimates."""
    first = session.rows[0]
    assert isinstance(first, SessionStart)
    settings = from_mapping(first.settings, where="the session")
    policy = registry.load(settings.policy, settings.detector.base_rate)
    detector = RecordedDetector(session.rows, "simulated", "1")
    engine, rows = Engine(detector=detector, policy=policy, settings=settings), list[Record]()
    for row in session.rows:
        if not is_derived(row):
            rows += engine.take(row, row.at_ns)
    return rows
