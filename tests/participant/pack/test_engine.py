"""Sessions that the engine derived from simulated people: every lot, question and decision is in the rows."""

from collections import Counter
from collections.abc import Sequence

import pytest

from participant.documents.plan import Sent
from participant.documents.rows import AnswerRow, DayRow, PointRow, Row
from participant.pack import Participation
from storage.db.codec import decode, encode
from storage.records import Decision, Feedback, Offer, Question, Record, StudyStart, Verdict, Withdrawal
from study.audit.sessions import audit_session
from study.rehearsal.compare import rows_of_sessions
from study.rehearsal.journals import Session
from tests.fakes.detectors.questions import DATE, PLAN, midnight_wall_ns
from tests.fakes.studies.rehearsed_people import life_of, replayed

DAYS = 16
WHO = Participation(study="s1", participant="p3", arm="help", sends=frozenset(Sent))


@pytest.fixture(scope="module")
def person() -> list[Session]:
    """Return the sessions of a person over sixteen days, the first of them silent."""
    return life_of(3, DAYS)


def rows_of(sessions: Sequence[Sequence[Record]]) -> list[Row]:
    """Return the rows of sessions, long after the study."""
    return [timed.row for timed in rows_of_sessions(sessions, WHO, midnight_wall_ns(DATE + 100))]


def records(person: list[Session], kind: type[Record]) -> list[Record]:
    """Return the records of a kind of all sessions."""
    return [row for log in person for row in log.rows if isinstance(row, kind)]


def responses_of(person: list[Session]) -> Counter[str | None]:
    """Return how offers ended: by the first record about each, since whoever replies later replies to nothing."""
    ends: dict[tuple[int, str], str | None] = {}
    for number, log in enumerate(person):
        for row in log.rows:
            if isinstance(row, Offer):
                ends[number, row.offer_id] = None
            elif isinstance(row, Feedback | Withdrawal) and ends.get((number, row.offer_id), "") is None:
                ends[number, row.offer_id] = row.kind.value if isinstance(row, Feedback) else "withdrawn"
    return Counter(ends.values())


def test_every_lot_is_a_point(person: list[Session]) -> None:
    """As many offers and offers withheld as the audit counts lots, with their numbers in order."""
    rows = rows_of([log.rows for log in person])
    points = [row for row in rows if isinstance(row, PointRow)]
    drawn = [row for row in points if row.gate is None]
    audited = [audit_session(log.rows) for log in person]
    assert len(drawn) == sum(len(found.assignments) for found in audited if found is not None) > 20
    lots = [row.lot_number for row in drawn if row.lot_number is not None]
    assert sorted(lots) == list(range(len(lots)))
    assert len(lots) > 20
    offers = [row for row in drawn if row.action == "offer"]
    verdicts = [row for row in records(person, Decision) if isinstance(row, Decision) and row.verdict is Verdict.OFFER]
    assert len(offers) == len(verdicts)
    assert Counter(row.response for row in offers) == responses_of(person)
    assert {row.response for row in offers} >= {"accepted", "dismissed", "ignored"}
    assert {row.gate for row in points} >= {None, "budget", "manners"}
    assert {row.day for row in points} <= set(range(1, DAYS + 1))
    assert {row.phase for row in points} == {"baseline", "trial"}


def test_every_question_has_one_answer_row(person: list[Session]) -> None:
    """However it ended; and every decision is counted on a day."""
    rows = rows_of([log.rows for log in person])
    answers = [row for row in rows if isinstance(row, AnswerRow)]
    assert len(answers) == len(records(person, Question)) > 20
    answered = [row for row in answers if row.step == "answered"]
    assert answered
    assert all(row.choices.keys() == {item.code for item in PLAN.items} for row in answered)
    days = [row for row in rows if isinstance(row, DayRow)]
    assert {row.day for row in days} == set(range(1, DAYS + 1))
    assert sum(sum(row.gates.values()) for row in days) == len(records(person, Decision))


def test_rows_of_a_replay_are_the_same(person: list[Session]) -> None:
    """Derived again from source rows, and read back from what a journal stores."""
    logged = [[*log.rows] for log in person]
    stored = [[decode(row.KIND, encode(row)) for row in rows] for rows in logged]
    assert rows_of([replayed(log) for log in person]) == rows_of(stored) == rows_of(logged)


def test_control_an_altered_journal_gives_other_rows(person: list[Session]) -> None:
    """One decision less, or a study row of somebody else."""
    logged = [[*log.rows] for log in person[-3:]]
    rows = rows_of(logged)
    at = next(n for n, row in enumerate(logged[0]) if isinstance(row, Decision) and row.gate == "all")
    assert rows_of([logged[0][:at] + logged[0][at + 1 :], *logged[1:]]) != rows
    other = [row for row in logged[0] if not isinstance(row, StudyStart)]
    assert rows_of([other, *logged[1:]]) != rows
