"""The folder `opened/`: tables of a study in one DuckDB file and as Parquet, written whole and read back.

    opened/tables.duckdb          all tables
    opened/points.parquet ...     each of them, for R, pandas and others

A new set is written beside the old one and takes its place file by file, `tables.duckdb` last, so a reader sees old or
new and never half. Nothing is ever changed in place: DuckDB keeps the blocks of deleted rows.

DuckDB reads and writes this one file and nothing else (`enable_external_access` off), and fetches no extensions.
Parquet is written by pyarrow.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.paths import private_folder
from storage.records import State
from studies.opening.parcels import Person, PlacedRow, Status
from studies.rows import AnswerRow, ConsentRow, DayRow, PointRow, WithdrawalRow

if TYPE_CHECKING:
    import duckdb

FOLDER = "opened"
TABLES_FILE = "tables.duckdb"

TABLES = ("participants", "points", "answers", "days", "consents", "withdrawals", "problems", "facts")

_SAFE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_BATCH = 50_000
"""Rows that are held before they are written."""

_NEW = ".new-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a set of tables holds: rows by table."""

    rows: Mapping[str, int]


def tables_file(study: Path) -> Path:
    """Return the DuckDB file of a study's folder; it may not exist."""
    return study / FOLDER / TABLES_FILE


# ---------------------------------------------------------------- columns

_PLACE = (("participant", "string"), ("n", "int32"), ("place", "int32"))
_MOMENT = (("day", "int16"), ("minute", "int16"), ("phase", "string"), ("arm", "string"))

COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "participants": (
        ("participant", "string"),
        ("number", "int32"),
        ("arm", "string"),
        ("status", "string"),
        ("study_version", "int32"),
        ("parcels", "int32"),
        ("missing_parcels", "int32"),
        ("problems", "int32"),
    ),
    "points": (
        *_PLACE,
        *_MOMENT,
        ("gate", "string"),
        ("propensity", "float64"),
        ("action", "string"),
        ("response", "string"),
        ("lot_number", "int64"),
        ("category", "string"),
        ("need", "float64"),
        *((f"state_{state.value}", "float64") for state in State),
        ("evidence", "list<string>"),
        ("wait_s", "float64"),
        ("watched_s", "int16"),
        ("outcome_need", "float64"),
        ("recovered", "bool"),
        ("active_s", "int16"),
        ("undos", "int32"),
    ),
    "answers": (
        *_PLACE,
        *_MOMENT,
        ("moment", "string"),
        ("probability", "float64"),
        ("step", "string"),
        ("reason", "string"),
        ("delay_s", "float64"),
        ("choices", "map<string, int16>"),
    ),
    "days": (
        *_PLACE,
        ("day", "int16"),
        ("minutes", "int32"),
        ("gates", "map<string, int64>"),
        ("problems", "map<string, int64>"),
        ("left_out", "int64"),
        ("version", "string"),
    ),
    "consents": (
        *_PLACE,
        ("day", "int16"),
        ("study_version", "int32"),
        ("bundle", "string"),
        ("language", "string"),
        ("text", "string"),
        ("sends", "list<string>"),
        ("seed", "int64"),
        ("key", "string"),
        ("version", "string"),
    ),
    "withdrawals": (
        ("participant", "string"),
        ("arm", "string"),
        ("status", "string"),
        ("day", "int16"),
        ("keep", "bool"),
        ("wall_ns", "int64"),
    ),
    "problems": (("participant", "string"), ("n", "int32"), ("what", "string")),
    "facts": (("name", "string"), ("value", "string")),
}
"""Columns of every table with their Arrow types; docs/studies.md says what they mean."""


def _place(participant: str, one: PlacedRow) -> dict[str, Any]:
    return {"participant": participant, "n": one.n, "place": one.place}


def _point(row: PointRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minute": row.minute,
        "phase": row.phase,
        "arm": row.arm,
        "gate": row.gate,
        "propensity": row.propensity,
        "action": row.action,
        "response": row.response,
        "lot_number": row.lot_number,
        "category": row.category,
        "need": row.need,
        **{f"state_{state.value}": share for state, share in row.states.items()},
        "evidence": row.evidence,
        "wait_s": row.wait_s,
        "watched_s": row.outcomes.watched_s,
        "outcome_need": row.outcomes.need,
        "recovered": row.outcomes.recovered,
        "active_s": row.outcomes.active_s,
        "undos": row.outcomes.undos,
    }


def _answer(row: AnswerRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minute": row.minute,
        "phase": row.phase,
        "arm": row.arm,
        "moment": row.moment,
        "probability": row.probability,
        "step": row.step,
        "reason": row.reason,
        "delay_s": row.delay_s,
        "choices": list(row.choices.items()),
    }


def _day(row: DayRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "minutes": row.minutes,
        "gates": list(row.gates.items()),
        "problems": list(row.problems.items()),
        "left_out": row.left_out,
        "version": row.version,
    }


def _consent(row: ConsentRow) -> dict[str, Any]:
    return {
        "day": row.day,
        "study_version": row.study_version,
        "bundle": row.bundle.hex(),
        "language": row.language,
        "text": row.text.hex(),
        "sends": [one.value for one in row.sends],
        "seed": row.seed,
        "key": row.key.hex(),
        "version": row.version,
    }


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
    day = None
    for one in person.rows:
        match one.row:
            case PointRow() as row:
                yield "points", _place(who, one) | _point(row)
            case AnswerRow() as answer:
                yield "answers", _place(who, one) | _answer(answer)
            case DayRow() as figures:
                yield "days", _place(who, one) | _day(figures)
            case ConsentRow() as consent:
                yield "consents", _place(who, one) | _consent(consent)
            case WithdrawalRow() as withdrawal:
                day = withdrawal.day
    if person.keep is not None or day is not None:
        yield (
            "withdrawals",
            {
                "participant": who,
                "arm": person.arm,
                "status": person.status.value,
                "day": day,
                "keep": bool(person.keep),
                "wall_ns": person.withdrawn_wall_ns,
            },
        )
    for problem in person.problems:
        yield "problems", {"participant": problem.participant, "n": problem.n, "what": problem.what}


# ---------------------------------------------------------------- writing


def need_libraries() -> None:
    """Check that what reads and writes tables is installed.

    Raises:
        EnvironmentFault: something is missing.
    """
    for name in ("duckdb", "pyarrow"):
        if find_spec(name) is None:
            raise EnvironmentFault(
                f"not installed: {name}", remedy="install what is needed: pip install 'kairos-assistant[study]'"
            )


def write_tables(study: Path, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Written:
    """Write a whole set of tables in place of the one before.

    Args:
        study: the study's folder, locked by the caller.
        rows: table and columns; a column that is left out is null.

    Raises:
        EnvironmentFault: duckdb or pyarrow is not installed, or the folder cannot be written.
    """

    def fill(writers: Mapping[str, _TableWriter]) -> None:
        for table, row in rows:
            writers[table].add(row)

    return _replace_tables(study, fill)


def rewrite_without(study: Path, participants: Collection[str]) -> Written:
    """Write all tables again, without rows of these people; nothing of the files before is left.

    Raises:
        EnvironmentFault: duckdb or pyarrow is not installed, or the folder cannot be written.
    """
    need_libraries()
    import pyarrow as pa
    from pyarrow import compute, parquet

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


def _replace_tables(study: Path, fill: "Callable[[Mapping[str, _TableWriter]], None]") -> Written:
    need_libraries()
    target = private_folder(study / FOLDER)
    for left in target.glob(f"{_NEW}*"):  # of a run that was cut off; it holds what may have to go
        shutil.rmtree(left)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=target))
    try:
        counts = _write(new, fill)
        for name in (*(f"{table}.parquet" for table in TABLES), TABLES_FILE):
            _settle(new / name)
            (new / name).replace(target / name)
    except OSError as error:
        raise EnvironmentFault(
            f"{target} cannot be written: {error.strerror}", remedy="see who may write there, and the free space"
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    _settle(target)
    return Written(rows=counts)


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
    import pyarrow as pa

    kinds = {
        "list<string>": pa.list_(pa.string()),
        "map<string, int16>": pa.map_(pa.string(), pa.int16()),
        "map<string, int64>": pa.map_(pa.string(), pa.int64()),
    }
    return pa.schema(
        [(name, kinds[kind] if kind in kinds else pa.type_for_alias(kind)) for name, kind in COLUMNS[table]]
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
        from pyarrow import parquet

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
        import pyarrow as pa

        batch = pa.Table.from_pydict(
            {name: [row.get(name) for row in self._waiting] for name in self._schema.names}, schema=self._schema
        )
        self._waiting.clear()
        self._write(batch)

    def add_batch(self, batch: Any) -> None:
        """Take an Arrow record batch with the columns of this table."""
        import pyarrow as pa

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
        EnvironmentFault: duckdb or pyarrow is not installed.
    """
    need_libraries()
    path = tables_file(study)
    if not path.is_file():
        raise UsageError(
            f"nothing of {study} was opened yet", remedy=f"first: kairos study open {study} --data COLLECTOR"
        )
    with _open(path, read_only=True) as database:
        yield database


@contextmanager
def _open(path: Path, *, read_only: bool) -> "Iterator[duckdb.DuckDBPyConnection]":
    import duckdb

    try:
        database = duckdb.connect(path, read_only=read_only, config={**_SAFE, "enable_external_access": "false"})
    except duckdb.Error as error:
        raise BadFile(
            f"{path} cannot be opened as tables of a study", remedy="make it again with: kairos study open"
        ) from error
    try:
        database.execute("SET lock_configuration = true")
        yield database
    finally:
        database.close()
