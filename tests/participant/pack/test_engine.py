"""Sessions that the engine derived from simulated people: every lot, question and decision is in the rows."""

from collections.abc import Sequence

import pytest

from participant.documents.plan import Sent
from participant.documents.rows import Row
from participant.pack import Participation
from storage.db.codec import decode, encode
from storage.records import Decision, Record, StudyStart
from study.rehearsal.compare import rows_of_sessions
from study.rehearsal.journals import Session
from tests.fakes.detectors.questions import DATE, midnight_wall_ns
from tests.fakes.studies.rehearsed_people import life_of, replayed

DAYS = 16
WHO = Participation(study="s1", participant="p3", arm="help", sends=frozenset(Sent))


@pytest.fixture(scope="module")
def person() -> list[Session]:
    return life_of(3, DAYS)


def rows_of(sessions: Sequence[Sequence[Record]]) -> list[Row]:
    return [timed.row for timed in rows_of_sessions(sessions, WHO, midnight_wall_ns(DATE + 100))]


def test_rows_of_a_replay_are_the_same(person: list[Session]) -> None:
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
