"""Opens a study: people from a collector's files, the rows that each adds to the tables, and the tables themselves."""

import os
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
from pyarrow import compute, parquet

from participant.documents.private_files import destroy_file, destroy_folder, unwritable
from participant.documents.rows import AnswerRow, ConsentRow, DayRow, LabelRow, PointRow, Row, TaskRow
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import private_folder
from study.opening.parcels import Person, Problem, Status, data_files, open_people
from study.researcher.folder import StudyFolder

COLUMNS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (files("study.opening") / "data" / "tables.toml").read_text(encoding="utf-8")
)
"""Columns of every table with their Arrow types."""

_TABLE_OF = {PointRow: "points", AnswerRow: "answers", TaskRow: "tasks", LabelRow: "labels"}
_TABLE_OF |= {DayRow: "days", ConsentRow: "consents"}


def _columns_of(row: Row) -> dict[str, Any]:
    """Return a row by its columns: codes and digests as text, and a mapping as pairs."""
    found = msgspec.structs.asdict(row)
    if isinstance(row, PointRow):
        after = msgspec.structs.asdict(found.pop("outcomes"))
        found |= {f"state_{state.value}": share for state, share in found.pop("states").items()}
        found |= {"outcome_need" if name == "need" else name: value for name, value in after.items()}
    if isinstance(row, LabelRow):
        del found["taken_back"]  # such a row is in no table
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return list(value.items())
    return [str(item) for item in value] if isinstance(value, tuple) else value


def rows_of(person: Person) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a person adds to the tables: the table, and a row by its columns; nothing of one who was deleted."""
    if person.status is Status.DELETED:
        return
    who = person.participant
    yield (
        "participants",
        {
            "participant": who,
            "number": person.listed.number,
            "arm": person.arm,
            "status": person.status.value,
            "study_version": person.listed.study_version,
            "parcels": person.parcels,
            "missing_parcels": sum(last - first + 1 for first, last in person.missing),
            "problems": len(person.problems),
        },
    )
    newest = {placed.row.label: placed for placed in person.rows if isinstance(placed.row, LabelRow)}
    for row in person.rows:
        if isinstance(row.row, LabelRow) and (row.row.taken_back or newest[row.row.label] is not row):
            continue
        place = {"participant": who, "n": row.n, "place": row.place}
        yield _TABLE_OF[type(row.row)], place | _columns_of(row.row)
    if person.keep is not None:
        yield (
            "withdrawals",
            {
                "participant": who,
                "arm": person.arm,
                "status": person.status.value,
                "keep": person.keep,
                "wall_ns": person.withdrawn_wall_ns,
            },
        )
    for problem in person.problems:
        yield "problems", {"participant": problem.participant, "n": problem.n, "what": problem.what}


FOLDER = "opened"
TABLES_FILE = "tables.duckdb"

TABLES = tuple(COLUMNS)

_SAFE = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "temp_directory": "",  # rows of people shall lie in no other file
}
_BATCH = 50_000
"""Rows that are held before they are written."""

_NEW = ".new-"


def tables_file(study: Path) -> Path:
    """Return the DuckDB file of a study's folder; it may not exist."""
    return study / FOLDER / TABLES_FILE


# ---------------------------------------------------------------- writing


def write_tables(study: Path, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, int]:
    """Write a whole set of tables in place of the one before; return how many rows each has.

    Args:
        study: the study's folder, locked by the caller.
        rows: table and columns; a column that is left out is null.
    """

    def fill(writers: Mapping[str, _TableWriter]) -> None:
        for table, row in rows:
            writers[table].add(row)

    return _replace_tables(study, fill)


def rewrite_without(study: Path, participants: Collection[str]) -> dict[str, int]:
    """Write all tables again, without rows of these people; nothing of the files before is left.

    Raises:
        EnvironmentFault: the folder cannot be written.
    """
    gone = pa.array(sorted(participants), pa.string())

    def fill(writers: Mapping[str, _TableWriter]) -> None:
        for table, writer in writers.items():
            path = study / FOLDER / f"{table}.parquet"
            try:
                with parquet.ParquetFile(path) as before:
                    for batch in before.iter_batches(_BATCH):
                        if "participant" in writer.columns:
                            kept = compute.invert(compute.is_in(batch.column("participant"), gone))
                            batch = batch.filter(kept)  # noqa: PLW2901  # what is left of it
                        writer.add_batch(batch)
            except (OSError, pa.ArrowInvalid) as error:
                raise BadFile(
                    f"{path} cannot be read", remedy=f"make it again: kairos study open {study} --data COLLECTOR"
                ) from error

    return _replace_tables(study, fill)


def _replace_tables(study: Path, fill: "Callable[[Mapping[str, _TableWriter]], None]") -> dict[str, int]:
    target = private_folder(study / FOLDER)
    for left in target.glob(f"{_NEW}*"):  # of a run that was cut off; it holds what may have to go
        _discard(left)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=target))
    try:
        counts = _write(new, fill)
        for name in (*(f"{table}.parquet" for table in TABLES), TABLES_FILE):
            _settle(new / name)
            before = new / f"{name}.before"
            if (target / name).exists():
                os.link(target / name, before)
            (new / name).replace(target / name)
            destroy_file(before, must_overwrite=True)  # it may hold somebody who left since
    except (OSError, duckdb.Error) as error:
        why = error.strerror if isinstance(error, OSError) else "DuckDB could not write"
        raise EnvironmentFault(
            f"{target} cannot be written: {why}", remedy="see who may write there, and the free space"
        ) from error
    finally:
        _discard(new)
    _settle(target)
    return counts


def _discard(folder: Path) -> None:
    """Destroy a folder of new tables; a file that is also a table in force is only unlinked."""
    for path in folder.glob("*.before"):
        if path.stat().st_nlink > 1:
            path.unlink()
    destroy_folder(folder, must_overwrite=True)


def _settle(path: Path) -> None:
    """Make a file private and wait until it, or a folder's list of names, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if path.is_file():
            os.fchmod(descriptor, 0o600)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(new: Path, fill: "Callable[[Mapping[str, _TableWriter]], None]") -> dict[str, int]:
    with _open(new / TABLES_FILE, read_only=False) as database:
        writers = {table: _TableWriter(table, new / f"{table}.parquet", database) for table in TABLES}
        try:
            fill(writers)
        finally:
            for writer in writers.values():
                writer.close()
    return {table: writer.count for table, writer in writers.items()}


def _schema(table: str) -> Any:
    kinds = {
        "list<string>": pa.list_(pa.string()),
        "map<string, int16>": pa.map_(pa.string(), pa.int16()),
        "map<string, int64>": pa.map_(pa.string(), pa.int64()),
    }
    return pa.schema(
        [(name, kinds[kind] if kind in kinds else pa.type_for_alias(kind)) for name, kind in COLUMNS[table].items()]
    )


@dataclass(slots=True)
class _TableWriter:
    """One table on its way into the DuckDB file and its Parquet file, some rows at a time."""

    table: str
    path: Path
    database: "duckdb.DuckDBPyConnection"
    count: int = 0
    _schema: Any = None
    _file: Any = None
    _waiting: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._schema = _schema(self.table)
        self._file = parquet.ParquetWriter(self.path, self._schema, compression="zstd")
        empty = self._schema.empty_table()
        self.database.register("batch", empty)
        self.database.execute(f"CREATE TABLE {self.table} AS SELECT * FROM batch")  # noqa: S608  # constants
        self.database.unregister("batch")

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row."""
        self._waiting.append(row)
        self.count += 1
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        batch = pa.Table.from_pydict(
            {name: [row.get(name) for row in self._waiting] for name in self._schema.names}, schema=self._schema
        )
        self._waiting.clear()
        self._write(batch)

    def add_batch(self, batch: Any) -> None:
        """Take an Arrow record batch with the columns of this table."""
        self.count += batch.num_rows
        self._write(pa.Table.from_batches([batch]).cast(self._schema))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._schema.names)

    def _write(self, batch: Any) -> None:
        self._file.write_table(batch)
        self.database.register("batch", batch)
        self.database.execute(f"INSERT INTO {self.table} SELECT * FROM batch")  # noqa: S608  # constants
        self.database.unregister("batch")

    def close(self) -> None:
        """Write what waits, and close the Parquet file."""
        if self._waiting:
            self._flush()
        self._file.close()


# ---------------------------------------------------------------- reading


@contextmanager
def read_tables(study: Path) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Open the tables of a study for reading.

    Raises:
        UsageError: nothing was opened yet.
        BadFile: the file is damaged.
    """
    path = tables_file(study)
    if not path.is_file():
        raise UsageError(
            f"nothing of {study} was opened yet", remedy=f"first: kairos study open {study} --data COLLECTOR"
        )
    with _open(path, read_only=True) as database:
        yield database


def people_in(tables: "duckdb.DuckDBPyConnection") -> tuple[str, ...]:
    """Return the ids of everybody of whom a row was opened."""
    rows = tables.execute("SELECT DISTINCT participant FROM consents ORDER BY participant").fetchall()
    return tuple(str(row[0]) for row in rows)


def copy_tables(study: Path, out: Path) -> None:
    """Copy the Parquet files into a new folder, for whoever analyses them elsewhere.

    Raises:
        UsageError: there is something of that name.
        EnvironmentFault: it cannot be written.
    """
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out} exists already", remedy="nothing is overwritten; choose another name")
    try:
        out.mkdir(mode=0o700)
        for table in TABLES:
            shutil.copy(study / FOLDER / f"{table}.parquet", out)
    except OSError as error:
        raise unwritable(out, error) from error


@contextmanager
def _open(path: Path, *, read_only: bool) -> "Iterator[duckdb.DuckDBPyConnection]":
    try:
        database = duckdb.connect(path, read_only=read_only, config={**_SAFE})
    except duckdb.Error as error:
        raise BadFile(
            f"{path} cannot be opened as tables of a study", remedy="make it again with: kairos study open"
        ) from error
    try:
        database.execute("SET lock_configuration = true")
        yield database
    finally:
        database.close()


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
