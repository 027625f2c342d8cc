"""Compares what was opened from the collector with what the journals say, row by row.

Two opinions: every row must be the one that the packer's rules give when all journals are read at once, and every
assignment among them must be the one that the audit recomputes from the journals without the packer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from participant.documents.rows import OUTCOME_S, ConsentRow, LabelRow, PointRow, Row, TaskRow
from participant.pack import Participation, RowFold, TimedRow
from storage.clock import NS_PER_S
from storage.records import KAIROS, Estimate, Judgement, Record, SessionStart, StudyStart, TaskMark, TaskStep, task_at
from study.audit.sessions import SAME, Assignment, audit_session
from study.rehearsal.own_words import SaidLabel

RECOVERED_BELOW = 0.5

SHOWN = 20
"""How many differences of one person are told."""


def rows_of_sessions(sessions: Iterable[Iterable[Record]], who: Participation, now_wall_ns: int) -> list[TimedRow]:
    """Return the rows of sessions that are over, in the order in which they were finished.

    Args:
        sessions: the records of each, in the order of time; those of other studies, or imported, are left out.
        who: whose rows.
        now_wall_ns: what is not finished by then is left out: the newest day, and points whose outcomes still come.
    """
    fold, rows = RowFold(who), list[TimedRow]()
    for records in map(iter, sessions):
        start, study = next(records, None), next(records, None)
        if isinstance(start, SessionStart) and isinstance(study, StudyStart) and who.owns(start, study):
            fold.begin(start, study)
            for record in records:
                fold.take(record)
            fold.end()
        rows += fold.taken()
    fold.finish(now_wall_ns)
    return rows + fold.taken()


def differing_rows(arrived: Sequence[Row], expected: Sequence[Row]) -> list[str]:
    """Return in words where rows differ, in their order; consent rows are left out, and labels."""
    rows = [row for row in arrived if not isinstance(row, ConsentRow | LabelRow)]
    found = []
    for number, (here, there) in enumerate(zip_longest(rows, expected), 1):
        if here == there:
            continue
        if here is None or there is None:
            found.append(f"row {number}: {'missing' if here is None else 'in no journal'} ({_kind(here or there)})")
        else:
            found.append(f"row {number}: {_kind(here)} differs in {', '.join(_fields(here, there)) or 'its kind'}")
    return _shortened(found)


def differing_assignments(arrived: Sequence[Row], journals: Iterable[Sequence[Record]]) -> list[str]:
    """Return in words which rows about lots are not what the audit recomputes from the journals."""
    expected = [assignment for rows in journals for assignment in _assignments_of(rows)]
    points = [row for row in arrived if isinstance(row, PointRow) and row.assignment_number is not None]
    found = []
    if len(points) != len(expected):
        found.append(f"{len(points)} rows about assignments, and {len(expected)} assignments in the journals")
    for number, (row, (assignment, recovered)) in enumerate(zip(points, expected, strict=False)):
        differs = [name for name, same in _same(row, assignment, recovered).items() if not same]
        if row.assignment_number != number:
            differs.append("assignment_number")
        if differs:
            found.append(f"assignment {number}: {', '.join(differs)}")
    return _shortened(found)


def differing_tasks(arrived: Sequence[Row], journals: Iterable[Sequence[Record]]) -> list[str]:
    """Return in words which rows about tasks are not what the marks in the journals say."""
    expected = []
    for rows in journals:
        marks = [row for row in rows if isinstance(row, TaskMark)]
        for mark, after in zip(marks, [*marks[1:], None], strict=False):
            if mark.step is TaskStep.BEGUN:
                ended = after is not None and after.step is not TaskStep.BEGUN
                expected.append((mark.code, after.step.value if after is not None and ended else "cut_off", mark.skill))
    got = [(row.task, row.end, row.skill or 0) for row in arrived if isinstance(row, TaskRow)]
    pairs = enumerate(zip_longest(got, expected), 1)
    return _shortened([f"task {number} differs" for number, (here, there) in pairs if here != there])


def differing_labels(
    arrived: Sequence[Row], said: Mapping[str, SaidLabel], journals: Iterable[Sequence[Record]], *, words: bool
) -> list[str]:
    """Return in words which labels are not what the person said and left; `words`: whether words are sent, too."""
    newest = {row.label: row for row in arrived if isinstance(row, LabelRow)}
    marks = [[row for row in rows if isinstance(row, TaskMark)] for rows in journals]
    sessions = [rows[0].session_id for rows in journals if isinstance(rows[0], SessionStart)]
    found = [f"label {name} is nobody's" for name in newest.keys() - said.keys()]
    by_session = dict(zip(sessions, marks, strict=True))
    for name, each in said.items():
        row, label = newest.get(name), each.label
        if label is None:
            if row is not None and (each.never or not row.taken_back):
                found.append(f"label {name} was deleted, and {'left' if each.never else 'is not taken back'}")
            continue
        task = task_at(by_session[each.folder.name], label.start_ns)
        first, shown = label.first or Judgement(by=KAIROS), label.shown or Judgement(by=KAIROS)
        expected: tuple[object, ...] = (label.states, label.need, label.blind, task.code if task is not None else None)
        expected += (first.states, first.need, shown.states, shown.need)
        expected += (label.wanted, each.aloud) if words else ("", "")
        if row is None or row.taken_back:
            found.append(f"label {name} is missing")
        elif expected != (
            *(row.states, row.need, row.blind, row.task, row.first_states, row.first_need),
            *(row.shown_states, row.shown_need, row.wanted, row.said),
        ):
            found.append(f"label {name} differs")
    return _shortened(found)


def _assignments_of(rows: Sequence[Record]) -> Iterator[tuple[Assignment, bool | None]]:
    """Yield what was left to chance in a session, and whether the last estimate in the `OUTCOME_S` after it was low."""
    audit = audit_session(rows)
    estimates = [row for row in rows if isinstance(row, Estimate) and not row.abstained and row.error is None]
    for assignment in audit.assignments if audit is not None else ():
        if 0.0 < assignment.chance < 1.0:
            end_ns = assignment.at_ns + OUTCOME_S * NS_PER_S
            after = [estimate.help_need for estimate in estimates if assignment.at_ns < estimate.at_ns <= end_ns]
            yield assignment, after[-1] < RECOVERED_BELOW if after else None


def _same(row: PointRow, assignment: Assignment, recovered: bool | None) -> dict[str, bool]:
    done = assignment.chance if assignment.offered else 1.0 - assignment.chance
    return {
        "action": (row.action == "offer") is assignment.offered,
        "propensity": abs(row.propensity - done) < SAME,
        "recovered": row.outcomes.recovered is recovered,
        "watched_s": 0 <= row.outcomes.watched_s <= OUTCOME_S,
    }


def _kind(row: Row | None) -> str:
    return type(row).__name__.removesuffix("Row").lower()


def _fields(here: Row, there: Row) -> list[str]:
    if type(here) is not type(there):
        return []
    return [name for name in here.__struct_fields__ if getattr(here, name) != getattr(there, name)]


def _shortened(found: list[str]) -> list[str]:
    return found if len(found) <= SHOWN else [*found[:SHOWN], f"and {len(found) - SHOWN} more"]
