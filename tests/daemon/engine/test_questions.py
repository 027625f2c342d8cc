"""Questions of a study in the engine: simulated people over many days, and the same rows in a replay."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from daemon.engine.questions import StudyQuestions
from policies import gates, sampling
from policies.sampling import QuestionSampler
from storage.clock import DAY_NS, MINUTE_NS
from storage.db.codec import decode, encode
from storage.enrolment import QuestionPlan
from storage.errors import BadFile
from storage.records import (
    Decision,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    SessionStart,
    StudyStart,
)
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import START_NS, make_engine
from tests.fakes.detectors.questions import PLAN, study_row
from tests.fakes.studies.people import Log, Person, live, replayed, violations

ENDS = set(QuestionStep) - {QuestionStep.ASKED}


def steps_of(person: Person) -> dict[str, list[QuestionStep]]:
    """Return the steps of every question, over all sessions."""
    found: dict[str, list[QuestionStep]] = {}
    for log in person.logs:
        for row in log.rows:
            if isinstance(row, Question):
                assert row.question_id not in found, "a question came twice"
                found[row.question_id] = []
            elif isinstance(row, QuestionOutcome):
                found[row.question_id].append(row.step)
    return found


def check(person: Person) -> None:
    """Check that no question came at a wrong moment, that each is accounted for, and that replays are equal."""
    assert violations(person) == []
    reasons = {row.reason for log in person.logs for row in log.rows if isinstance(row, QuestionOutcome)}
    assert reasons - {""} <= sampling.REASONS.keys() | gates.REASONS.keys()
    for number, (question_id, steps) in enumerate(steps_of(person).items()):
        open_at_the_end = steps in ([], [QuestionStep.ASKED]) and question_id in _open_in_last(person)
        whole = len(steps) in (1, 2) and steps[-1] in ENDS and steps[:-1] == [QuestionStep.ASKED][: len(steps) - 1]
        assert whole or open_at_the_end, (number, question_id, steps)
    for log in person.logs:
        assert replayed(log) == log.rows


def _open_in_last(person: Person) -> set[str]:
    """Return the questions that the last session, if it was killed, left for the next one, which never came."""
    return {row.question_id for row in person.logs[-1].rows if isinstance(row, Question)}


def places(person: Person) -> list[float]:
    """Return where in its block every random question was due, from 0 to 1."""
    found = []
    for log in person.logs:
        zero_ns = log.rows[0].wall_ns - log.rows[0].at_ns if isinstance(log.rows[0], SessionStart) else 0
        for row in log.rows:
            if row.KIND == "anchor":
                zero_ns = row.wall_ns - row.at_ns  # type: ignore[attr-defined]  # an anchor has one
            if isinstance(row, Question) and row.moment is QuestionMoment.RANDOM:
                local_ns = row.due_ns + zero_ns + log.utc_offset_s * 10**9 - row.date * DAY_NS
                found.append((local_ns / MINUTE_NS - 540 - 90 * row.block) / 90)
    return found


def test_a_simulated_person_is_asked_only_where_they_can_be() -> None:
    """None in a call, in a locked or full screen, while typing, paused or beside a card; spaced, capped, replayed.

    Four days with restarts, a wall clock that is set back, and another distance from UTC from the fourth on.
    """
    person = live(3, 4)
    check(person)
    steps = Counter(step for found in steps_of(person).values() for step in found)
    assert steps[QuestionStep.ASKED] >= 6
    assert all(0.0 <= place < 1.0 for place in places(person))
    assert any(row.KIND == "anchor" for log in person.logs for row in log.rows)
    assert {log.utc_offset_s for log in person.logs} == {7200, 3600}


def test_without_the_gates_people_are_asked_where_they_must_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: the check above finds questions in calls, while typing, paused or in full screen."""
    monkeypatch.setattr(QuestionSampler, "_obstacle", lambda *_: None)
    monkeypatch.setattr(QuestionSampler, "_closed_gate", lambda *_: None)
    found = {violation.split()[0] for number in range(2) for violation in violations(live(number, 3))}
    assert "typing" in found
    assert len(found & {"call", "full_screen", "locked", "paused", "card"}) >= 2


def test_without_the_distance_that_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: questions that follow each other too soon are seen."""
    monkeypatch.setattr(QuestionSampler, "_refusal", lambda *_: None)
    every_20_minutes = tuple((10 * 60 + 20 * block) * MINUTE_NS for block in range(6))
    monkeypatch.setattr(sampling, "moments_of_day", lambda *_: every_20_minutes)
    assert any(violation.startswith("close") for violation in violations(live(0, 3)))


@pytest.mark.slow
def test_twenty_simulated_people_over_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for 20 people and 30 days; due times are uniform in their blocks; without gates faults are found."""
    from scipy.stats import kstest

    due: list[float] = []
    counts: Counter[str] = Counter()
    for number in range(20):
        person = live(number, 30)
        check(person)
        due += places(person)
        outcomes = [row for log in person.logs for row in log.rows if isinstance(row, QuestionOutcome)]
        counts.update(f"{row.step}:{row.reason}" if row.reason else row.step.value for row in outcomes)
    p_value = kstest(due, "uniform").pvalue
    print(f"{len(due)} random moments, KS p = {p_value:.3f}; {dict(counts.most_common())}")
    assert p_value > 0.01
    assert len(due) > 3_000
    monkeypatch.setattr(QuestionSampler, "_obstacle", lambda *_: None)
    assert len(violations(live(0, 30))) > 20


def test_without_a_study_the_same_is_decided() -> None:
    """Up to the first question on the screen every decision is equal, and there is no row of a study."""
    rows = live(1, 1).logs[0].rows
    first = next(n for n, row in enumerate(rows) if isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED)
    study = {"study", "question", "question_outcome"}
    plain = replayed(Log(rows=[row for row in rows[:first] if row.KIND != "study"]))
    assert not study & {row.KIND for row in plain}
    expected = [replace(row, seq=0) for row in rows[:first] if isinstance(row, Decision)]
    assert len(expected) > 10
    assert [replace(row, seq=0) for row in plain if isinstance(row, Decision)][: len(expected)] == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"questions": replace(PLAN, blocks=10**9)},
        {"days": 10**9},
        {"first_date": 10**12},
        {"utc_offset_s": -(10**12)},
        {"sampling_state": {"days": 3}},
        {"sampling_state": {"open": [{"id": 1}]}},
    ],
)
def test_a_study_row_that_no_version_writes_is_refused(changes: dict[str, Any]) -> None:
    """A session from elsewhere can neither keep the engine busy nor break it."""
    with pytest.raises(BadFile, match="study"):
        make_engine().take(study_row(**changes), START_NS)


def test_a_study_without_questions_asks_none() -> None:
    """Its row is only logged."""
    engine = make_engine()
    assert len(engine.take(study_row(None), START_NS)) == 1
    assert engine.saved_questions() is None


def test_a_study_row_before_the_first_row_means_nothing() -> None:
    """There is no wall-clock time yet that it could count from."""
    rows: list[object] = []
    questions = StudyQuestions(PolicySettings(), rows.append)  # type: ignore[arg-type]  # what it returns is not used
    questions.take(study_row(), lambda: pytest.fail("no context is needed"), START_NS)
    assert (rows, questions.next_ns, questions.asking, questions.saved(0)) == ([], None, False, None)


def test_the_row_of_a_study_is_read_back_to_the_same_bytes() -> None:
    """Else a replay would digest other sources than the session did."""
    for plan in (QuestionPlan(), PLAN):
        line = encode(study_row(plan))
        assert encode(decode(StudyStart.KIND, line)) == line
