"""The audit: what was drawn is drawn again from the log, and an altered row is named."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from storage import testing
from storage.records import (
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
from storage.session.log import create_session
from study.audit.sessions import Finding, SessionAudit, audit_session, audit_sessions
from tests.fakes.studies.rehearsed_people import life_of


@pytest.fixture(scope="module")
def sessions() -> list[list[Record]]:
    return [list(session.rows) for session in life_of(3, 12)]


def fits(row: Record, kind: type[Record], where: Mapping[str, object]) -> bool:
    return isinstance(row, kind) and all(getattr(row, name) == value for name, value in where.items())


def altered(rows: Sequence[Record], kind: type[Record], changes: Mapping[str, Any], **where: object) -> list[Record]:
    last = max(n for n, row in enumerate(rows) if fits(row, kind, where))
    return [replace(row, **changes) if n == last else row for n, row in enumerate(rows)]


def has_lots(audit: SessionAudit) -> bool:
    return bool(audit.place.drawn and audit.place.drawn[0] < audit.place.drawn[1])


def findings(sessions: Sequence[Sequence[Record]]) -> list[Finding]:
    return list(audit_sessions(sessions, complete=False).findings)


def test_what_was_lived_through_follows_from_the_seed(sessions: list[list[Record]]) -> None:
    audit = audit_sessions(reversed(sessions))
    assert (audit.findings, audit.lost) == ((), 0)
    audits = audit.sessions
    assert [audit.session for audit in audits] == [rows[0].session_id for rows in sessions]  # type: ignore[attr-defined]  # of first rows
    assert sum(len(audit.assignments) for audit in audits) > 20
    assert sum(audit.question_lots for audit in audits) > 20
    moments = {row.moment for rows in sessions for row in rows if isinstance(row, Question)}
    assert moments == set(QuestionMoment)


@pytest.mark.parametrize(
    ("kind", "where", "changes", "what"),
    [
        (Decision, {"reason": "withheld"}, {"propensity": 0.6}, "probability is 0.5"),
        (Decision, {"verdict": Verdict.OFFER}, {"propensity": 1.0}, "probability is 0.5"),
        (Decision, {"gate": "budget"}, {"propensity": 0.5}, "no assignment was drawn"),
        (Decision, {"reason": "withheld"}, {"verdict": Verdict.OFFER, "gate": "all"}, "the assignment says no offer"),
        (Question, {"moment": QuestionMoment.RANDOM}, {"lot": 0.25}, "assignment is another"),
        (Question, {"moment": QuestionMoment.RANDOM}, {"due_ns": 5}, "another moment"),
        (Question, {"moment": QuestionMoment.RANDOM}, {"probability": 0.5}, "probability is 1"),
        (Question, {"moment": QuestionMoment.RANDOM}, {"block": 6}, "no such block"),
        (Question, {"moment": QuestionMoment.NO_OFFER}, {"lot": 0.25}, "assignment is another"),
        (Question, {"moment": QuestionMoment.NO_OFFER}, {"probability": 0.1}, "probability is 0.5"),
        (Question, {"moment": QuestionMoment.NO_OFFER}, {"moment": QuestionMoment.OFFER}, "no such decision"),
        (QuestionOutcome, {"step": QuestionStep.NOT_DRAWN}, {"step": QuestionStep.SKIPPED}, "says otherwise"),
        (QuestionOutcome, {"step": QuestionStep.ANSWERED}, {"step": QuestionStep.SKIPPED}, "cannot follow asked"),
        (QuestionOutcome, {"step": QuestionStep.ANSWERED}, {"question_id": "x"}, "no question"),
        (StudyStart, {}, {"seed": 1}, "another seed"),
        (SessionStart, {}, {"settings": {"policy": {"name": 3}}}, "none that this version takes"),
        (SessionStart, {}, {"settings": {"policy": {"name": "mine:factory"}}}, "no arm of Kairos"),
        (StudyStart, {}, {"sampling_state": {"days": [5]}}, "no version gives"),
    ],
)
def test_an_altered_row_is_named(
    sessions: list[list[Record]], kind: type[Record], where: dict[str, Any], changes: dict[str, Any], what: str
) -> None:
    """Control: whichever is changed, the audit says which row and what is wrong with it."""
    rows = next(rows for rows in reversed(sessions) if any(fits(row, kind, where) for row in rows))
    assert audit_session(rows) is not None
    found = findings([altered(rows, kind, changes, **where)])
    assert any(what in finding.what for finding in found)
    changed = {row.seq for row, now in zip(rows, altered(rows, kind, changes, **where), strict=True) if row != now}
    if "seed" not in changes:
        assert changed <= {finding.seq for finding in found}


def test_a_row_that_was_taken_out_is_missed(sessions: list[list[Record]]) -> None:
    rows = next(rows for rows in sessions if any(isinstance(row, QuestionOutcome) for row in rows) and rows[-1].KIND)
    lot = next(row for row in rows if isinstance(row, Question) and row.moment is not QuestionMoment.RANDOM)
    without_lot = [row for row in rows if getattr(row, "question_id", "") != lot.question_id]
    assert ("decision", lot.decision_seq) in {(finding.kind, finding.seq) for finding in findings([without_lot])}
    ended = next(rows for rows in sessions if any(row.KIND == "session_end" for row in rows))
    end = next(row for row in ended if isinstance(row, QuestionOutcome) and row.step is not QuestionStep.ASKED)
    assert "it has no end" in {finding.what for finding in findings([[row for row in ended if row is not end]])}
    twice = next(row for row in ended if isinstance(row, Question))
    assert "it came before" in {finding.what for finding in findings([[*ended, twice]])}


def test_a_random_question_that_was_taken_out_is_missed(sessions: list[list[Record]]) -> None:
    found = 0
    for rows in sessions:
        for question in rows:
            if isinstance(question, Question) and question.moment is QuestionMoment.RANDOM:
                without = [row for row in rows if getattr(row, "question_id", "") != question.question_id]
                whats = {finding.what for finding in findings([without])}
                assert any(f"block {question.block}" in what and "missing" in what for what in whats)
                assert any(what.startswith("the rows") for what in whats)
                found += 1
    assert found > 10
    number, kept = next(
        (number, before)
        for number, rows in enumerate(sessions[:-1])
        for row in rows
        if isinstance(row, Question) and row.moment is QuestionMoment.RANDOM
        if len(before := [other for other in rows if other.at_ns < row.due_ns]) > 2
    )
    end = SessionEnd(seq=len(kept) + 1, at_ns=kept[-1].at_ns, reason="quit")
    cut = [*sessions[:number], [*kept, end], *sessions[number + 1 :]]
    (first, *_) = [finding for finding in audit_sessions(cut).findings if "date" in finding.what]
    assert first.session == sessions[number + 1][0].session_id  # type: ignore[attr-defined]  # of a first row
    assert "are in no session" in first.what


def test_lots_of_sessions_that_are_not_there_are_named(sessions: list[list[Record]]) -> None:
    whole = audit_sessions(sessions).sessions
    number = next(n for n, one in enumerate(whole[:-1]) if n and has_lots(one))
    drawn = whole[number].place.drawn
    assert drawn is not None
    for left, first in ((sessions[:number] + sessions[number + 1 :], drawn[0]), (sessions[number + 1 :], 0)):
        gaps = [gap for gap in audit_sessions(left).findings if "assignments" in gap.what or "assignment " in gap.what]
        assert [(gap.session, gap.seq) for gap in gaps] == [(whole[number + 1].session, 1)]
        several = drawn[1] > first + 1
        assert gaps[0].what.startswith(f"assignments {first} to {drawn[1] - 1}" if several else f"assignment {first} ")
    assert audit_sessions(sessions[number + 1 :], complete=False).findings == ()


def test_lots_that_were_drawn_twice_are_named(sessions: list[list[Record]]) -> None:
    first, second = sessions[1:3]
    start, study = second[0], second[1]
    assert isinstance(start, SessionStart)
    assert isinstance(study, StudyStart)
    saved = {**start.policy_state, "saved": {**start.policy_state["saved"], "drawn": 0}}  # type: ignore[dict-item]  # a mapping of plain values
    again = [replace(start, policy_state=saved), replace(study, sampling_state={}), *second[2:]]
    whats = [finding.what for finding in audit_sessions([first, again]).findings if finding.seq == 1]
    assert any("it counts from 0" in what for what in whats)
    assert any("come again" in what for what in whats)


def test_what_went_with_a_session_that_was_cut_off_is_counted_and_not_named(sessions: list[list[Record]]) -> None:
    """The state is on the disk before the last rows are; with an end row the same gap is a fault."""
    whole = audit_sessions(sessions).sessions
    number = next(n for n, one in enumerate(whole[:-1]) if has_lots(one))
    rows = sessions[number]
    last = max(n for n, row in enumerate(rows) if isinstance(row, Decision) and row.propensity != 1.0)
    cut = [*sessions[:number], rows[:last], *sessions[number + 1 :]]
    audit = audit_sessions(cut)
    assert audit.lost >= 1
    assert audit.findings == ()
    ended_there = [*rows[:last], SessionEnd(seq=last + 1, at_ns=rows[last - 1].at_ns, reason="quit")]
    audit = audit_sessions([*sessions[:number], ended_there, *sessions[number + 1 :]])
    assert audit.lost == 0
    assert any("of offers" in finding.what for finding in audit.findings)


def test_a_session_of_no_study_is_left_out(sessions: list[list[Record]]) -> None:
    assert audit_session([row for row in sessions[0] if not isinstance(row, StudyStart)]) is None
    assert audit_session([]) is None


def test_the_command_names_the_row(
    sessions: list[list[Record]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, rows in enumerate((sessions[0], altered(sessions[0], Question, {"lot": 0.5}))):
        base = tmp_path / str(number)
        base.mkdir()
        testing.write_session(create_session(base, 1_800_000_000 * 10**9), rows)
        assert main(["study", "audit", "--sessions", str(base), "--json"]) == number
        facts = json.loads(capsys.readouterr().out)
        assert len(facts["findings"]) >= number
        assert main(["study", "audit", "--sessions", str(base)]) == number
        assert ("assignment is another" in capsys.readouterr().out) == bool(number)
