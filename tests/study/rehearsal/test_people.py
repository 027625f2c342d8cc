"""Simulated people of a rehearsal: what the engine makes of them, and that the planted effect is in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import kstest

from daemon.replay.replay import replay
from participant.documents.rows import OUTCOME_S
from policies import sampling
from policies.sampling import QuestionSampler
from storage.clock import MINUTE_NS
from storage.records import (
    Answer,
    Decision,
    Estimate,
    Feedback,
    Offer,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    SessionStart,
    StudyStart,
)
from storage.session.log import SessionReader
from study.audit.sessions import audit_session
from study.rehearsal.journals import Session, write_journal
from study.rehearsal.person import Burst, SimulatedPerson, Trouble, effect_limits
from tests.fakes.studies.rehearsed_people import life_of, places, replayed, stretch_at, unaccounted, violations

S = 10**9


@pytest.fixture(scope="module")
def sessions() -> list[Session]:
    return life_of(1, 6)


def test_the_engine_writes_whole_sessions_with_lots_answers_and_replies(sessions: list[Session]) -> None:
    assert 4 <= len(sessions) <= 6
    for session in sessions:
        assert isinstance(session.rows[0], SessionStart)
        assert isinstance(session.rows[1], StudyStart)
        assert any(isinstance(row, SessionEnd) for row in session.rows)
        assert [row.seq for row in session.rows] == list(range(1, len(session.rows) + 1))
    phases = [row.phase for session in sessions for row in session.rows if isinstance(row, StudyStart)]
    assert set(phases) == {"baseline", "trial"}
    kinds = Counter(type(row) for session in sessions for row in session.rows)
    assert min(kinds[kind] for kind in (Offer, Feedback, Answer, QuestionOutcome)) >= 1
    assert len({session.name for session in sessions}) == len(sessions)


def test_estimates_say_what_the_person_is_in(sessions: list[Session]) -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    for session in sessions:
        for row in session.rows:
            stretch = stretch_at(session, row.at_ns)
            if isinstance(row, Estimate) and stretch is not None:
                found[stretch.in_trouble(row.at_ns), row.help_need > 0.5] += 1
    assert set(found) == {(True, True), (False, False)}
    assert min(found.values()) > 10


def test_the_same_seed_lives_the_same_life_and_another_does_not() -> None:
    """So a rehearsal can be repeated."""
    assert life_of(3, 2)[0].rows == life_of(3, 2)[0].rows
    assert life_of(3, 2)[0].rows != life_of(4, 2)[0].rows


def test_a_journal_replays_to_the_same_rows(sessions: list[Session], tmp_path: Path) -> None:
    session = sessions[-1]
    folder = write_journal(session, tmp_path)
    with SessionReader(folder) as reader:
        assert tuple(reader) == tuple(session.rows)
    assert replay(folder, check=True, with_recorded_estimates=True).reason is None
    at, row = next((at, row) for at, row in enumerate(session.rows) if isinstance(row, Decision))
    altered = [*session.rows]
    altered[at] = replace(row, reason="other")
    other = write_journal(replace(session, name="20270101-000000-0000", rows=altered), tmp_path)
    assert f"row {row.seq}" in str(replay(other, check=True, with_recorded_estimates=True).reason)


# ---------------------------------------------------------------- the planted effect


@pytest.mark.parametrize("effect", [0.15, 0.0, -0.15])
def test_an_offer_changes_the_chance_to_recover_by_the_effect(effect: float) -> None:
    person = SimulatedPerson("1", effect)
    shares = {}
    for offered in (False, True):
        over = 0
        for _ in range(6_000):
            trouble = Trouble(topic="undo_bursts", began_ns=0, over_ns=person.time_to_recover_ns())
            at_ns = min(100 * S, trouble.over_ns - 1)  # whoever is still in trouble then
            if offered:
                person.see_offer(trouble, at_ns)
            over += trouble.over_ns <= at_ns + OUTCOME_S * S
        shares[offered] = over / 6_000
    assert shares[True] - shares[False] == pytest.approx(effect, abs=0.03)


def test_an_effect_that_would_need_shares_beyond_one_is_refused() -> None:
    """And the limits themselves can be planted in anybody."""
    low, high = effect_limits()
    for effect in (low - 0.01, high + 0.01):
        with pytest.raises(ValueError, match="cannot be planted"):
            SimulatedPerson("1", effect)
    for seed in range(50):
        recovers = SimulatedPerson(str(seed), high).temperament.recovers
        assert recovers + low > 0.0
        assert recovers + high < 1.0


def test_what_is_left_to_chance_is_what_was_offered(sessions: list[Session]) -> None:
    found = [
        assignment for session in sessions if (audit := audit_session(session.rows)) for assignment in audit.assignments
    ]
    drawn = [assignment for assignment in found if 0.0 < assignment.chance < 1.0]
    assert len(drawn) >= 5
    assert {assignment.chance for assignment in drawn} == {0.5}
    assert {assignment.offered for assignment in drawn} == {True, False}
    offers = sum(isinstance(row, Offer) for session in sessions for row in session.rows)
    assert sum(assignment.offered for assignment in drawn) == offers


def test_keys_of_a_burst() -> None:
    """The newest key before a moment, by number."""
    burst = Burst(10, 25, 4)
    assert [burst.keys_by(at) for at in (9, 10, 13, 14, 22, 25, 99)] == [0, 1, 1, 2, 4, 4, 4]
    assert burst.key_ns(4) == 22


# ---------------------------------------------------------------- questions


def test_simulated_people_are_asked_only_where_they_can_be() -> None:
    steps: Counter[QuestionStep] = Counter()
    for number in range(2):
        sessions = life_of(number, 5)
        assert violations(sessions) == []
        assert unaccounted(sessions) == []
        assert all(0.0 <= place < 1.0 for place in places(sessions))
        assert all(replayed(session) == list(session.rows) for session in sessions)
        steps.update(row.step for session in sessions for row in session.rows if isinstance(row, QuestionOutcome))
    assert steps[QuestionStep.ASKED] >= 6
    assert steps[QuestionStep.ANSWERED] >= 3


def test_without_the_gates_they_are_asked_where_they_must_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: the check above finds it."""
    monkeypatch.setattr(QuestionSampler, "_obstacle", lambda *_: None)
    monkeypatch.setattr(QuestionSampler, "_closed_gate", lambda *_: None)
    found = {violation.split()[0] for number in range(2) for violation in violations(life_of(number, 5))}
    assert "typing" in found
    assert "gone" in found


def test_without_the_distance_that_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: questions that follow each other too soon are seen."""
    monkeypatch.setattr(QuestionSampler, "_refusal", lambda *_: None)
    every_20_minutes = tuple((10 * 60 + 20 * block) * MINUTE_NS for block in range(6))
    monkeypatch.setattr(sampling, "moments_of_day", lambda *_: every_20_minutes)
    assert "close" in violations(life_of(0, 3))


def before_a_question(session: Session) -> Sequence[Record]:
    asked = (isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED for row in session.rows)
    return session.rows[: next((n for n, is_asked in enumerate(asked) if is_asked), 0)]


def test_without_a_study_the_same_is_decided(sessions: list[Session]) -> None:
    session = max(sessions, key=lambda one: sum(isinstance(row, Decision) for row in before_a_question(one)))
    rows = before_a_question(session)
    study = {"study", "question", "question_outcome"}
    alone = replayed(replace(session, rows=[row for row in rows if row.KIND != "study"]))
    assert not study & {row.KIND for row in alone}
    expected = [replace(row, seq=0) for row in rows if isinstance(row, Decision)]
    assert len(expected) > 10
    assert [replace(row, seq=0) for row in alone if isinstance(row, Decision)][: len(expected)] == expected


@pytest.mark.slow
def test_twenty_simulated_people_over_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for 20 people and 30 days, under the policies of a study; due times are uniform in their blocks."""
    due: list[float] = []
    ends: Counter[str] = Counter()
    for number in range(20):
        sessions = life_of(number, 30, silent=7)
        assert violations(sessions) == []
        assert unaccounted(sessions) == []
        assert all(replayed(session) == list(session.rows) for session in sessions)
        due += places(sessions)
        outcomes = [row for session in sessions for row in session.rows if isinstance(row, QuestionOutcome)]
        ends.update(f"{row.step}:{row.reason}" if row.reason else row.step.value for row in outcomes)
    p_value = kstest(due, "uniform").pvalue
    print(f"simulated: {len(due)} random moments, KS p = {p_value:.3f}; {dict(ends.most_common())}")
    assert len(due) > 3_000
    assert p_value > 0.01
    monkeypatch.setattr(QuestionSampler, "_obstacle", lambda *_: None)
    monkeypatch.setattr(QuestionSampler, "_closed_gate", lambda *_: None)
    found = [violation.split()[0] for number in range(2) for violation in violations(life_of(number, 30, silent=7))]
    print(f"with the gates off, two people: {dict(Counter(found))}")
    assert len(found) > 20
    assert {"typing", "gone"} <= set(found)
