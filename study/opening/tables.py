"""The folder `opened/`: tables of a study in one DuckDB file and as Parquet, written whole and read back.

    opened/tables.duckdb          all tables
    opened/points.parquet ...     each of them, for R, pandas and others

A new set is written beside the old one and takes its place file by file, `tables.duckdb` last, so a reader sees old or
new and never half. Nothing is ever changed in place: DuckDB keeps the blocks of deleted rows. The old files are
overwritten once they are replaced, so close other programs that have them open.

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
from study.opening.destroying import destroy, destroy_folder
from study.opening.table_rows import COLUMNS

if TYPE_CHECKING:
    import duckdb

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a set of tables holds: rows by table."""

    rows: Mapping[str, int]


def tables_file(study: Path) -> Path:
    """Return the DuckDB file of a study's folder; it may not exist."""
    return study / FOLDER / TABLES_FILE


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
    import duckdb

    target = private_folder(study / FOLDER)
    for left in target.glob(f"{_NEW}*"):  # of a run that was cut off; it holds what may have to go
        destroy_folder(left)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=target))
    try:
        counts = _write(new, fill)
        for name in (*(f"{table}.parquet" for table in TABLES), TABLES_FILE):
            _settle(new / name)
            before = new / f"{name}.before"
            if (target / name).exists():
                os.link(target / name, before)
            (new / name).replace(target / name)
            destroy(before)  # it may hold somebody who left since
    except (OSError, duckdb.Error) as error:
        why = error.strerror if isinstance(error, OSError) else "DuckDB could not write"
        raise EnvironmentFault(
            f"{target} cannot be written: {why}", remedy="see who may write there, and the free space"
        ) from error
    finally:
        destroy_folder(new)
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
        raise EnvironmentFault(
            f"{out} cannot be written: {error.strerror}", remedy="see who may write there, and the free space"
        ) from error


@contextmanager
def _open(path: Path, *, read_only: bool) -> "Iterator[duckdb.DuckDBPyConnection]":
    import duckdb

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
