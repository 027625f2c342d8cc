"""Opens a study: people from a collector's files, rows into tables, and what was found."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study.opening.parcels import Problem, Status, data_files, open_people
from study.opening.tables import rows_of, tables_file, write_tables
from study.researcher.folder import StudyFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What was opened: people by status, rows by table, what does not fit, and where the tables are."""

    path: Path
    statuses: Mapping[Status, int]
    rows: Mapping[str, int]
    problems: tuple[Problem, ...]


def open_study(path: Path, data: Sequence[Path], *, wall_ns: int) -> Opened:
    """Open everything that a study's collectors hold, and write its tables in place of those before."""
    folder = StudyFolder(path)
    folder.signed_bundle()  # before a file is looked for: what is missing first is named first
    files = data_files(data)
    statuses: Counter[Status] = Counter(dict.fromkeys(Status, 0))
    problems: list[Problem] = []
    with folder.locked():
        plan = folder.signed_bundle()[0].plan

        def rows() -> Iterator[tuple[str, Mapping[str, Any]]]:
            for person in open_people(folder, plan, files):
                statuses[person.status] += 1
                problems.extend(person.problems)
                yield from rows_of(person)
            facts = {"study": plan.name, "study_version": str(plan.version), "opened_wall_ns": str(wall_ns)}
            for name, value in facts.items():
                yield "facts", {"name": name, "value": value}

        written = write_tables(path, rows())
    return Opened(path=tables_file(path), statuses=statuses, rows=written, problems=tuple(problems))
