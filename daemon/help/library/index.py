"""Writes the index: reads what is new, has changed or was read by other code than ours, and forgets what is gone.

May be killed and run again at any time.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from daemon.help.commands.words import guess_language
from daemon.help.library.asked import facts_of
from daemon.help.library.documentation import (
    IF_DAMAGED,
    Documentation,
    app_of_page,
    page_id_of,
    target_of,
)
from daemon.help.library.folders import FoundFile, find_pages, read_file
from daemon.help.library.pages import index_page
from daemon.help.library.readers.formats import read_page
from daemon.help.library.readers.parsed import UnreadablePage
from daemon.help.library.reading_code import reading_digest
from daemon.help.programs import app_word, programs_of_suite, variant_of
from storage.db.connection import FORMAT, DatabaseUser, database_errors, format_of, open_existing, open_writable
from storage.db.schemas import LIBRARY, LIBRARY_ID
from storage.errors import BadFile, EnvironmentFault
from storage.ports import HelpStep

_BATCH = 200
"""Files in one transaction; what a kill loses."""

_GUESSED_BY = 2000
"""Characters of a page that tell its language."""

_DELETE_PAGE = (
    "DELETE FROM words WHERE rowid = ?",
    "DELETE FROM asked WHERE page = ?",
    "DELETE FROM controls WHERE page = ?",
    "DELETE FROM links WHERE page = ?",
    "DELETE FROM pages WHERE id = ?",
)


@dataclass(slots=True, kw_only=True)
class IndexReport:
    """What came of indexing one folder. `skipped` names files that are no usable page, and why."""

    name: str
    label: str
    app: str
    folder: str
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    pages: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)


class LibraryIndex(DatabaseUser):
    """The index of documentation, open for writing."""

    def __init__(self, path: Path) -> None:
        """Open or create it.

        Raises:
            BadFile: it is damaged.
            EnvironmentFault: it cannot be written.
        """
        self._path = path
        with database_errors(path, if_damaged=IF_DAMAGED):
            self._database = open_writable(path, LIBRARY, wal=False)
            self._connection = self._database.conn
            self._connection.execute("PRAGMA secure_delete = OFF")  # documentation is no secret
            self._connection.execute("PRAGMA cache_spill = OFF")  # who searches is locked out by a commit alone

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create the index."""
        return cls(path)

    def add(self, documentation: Documentation, progress: Callable[[int], None] = lambda _: None) -> IndexReport:
        """Bring the index of a folder up to date; `progress` gets the number of files looked at.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the folder cannot be read, or the index cannot be written.
        """
        try:
            found = _files_of(documentation)
        except OSError as error:
            raise EnvironmentFault(
                f"{documentation.folder} cannot be read: {error.strerror}", remedy="check that it exists and its rights"
            ) from error
        with database_errors(self._path, if_damaged=IF_DAMAGED):
            return self._add(documentation, found, progress)

    def save_checked(self, at_wall_ns: int) -> None:
        """Note that the documentation of all installed programs has been looked at.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be written.
        """
        with database_errors(self._path, if_damaged=IF_DAMAGED), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO checked (id, at_wall_ns) VALUES (1, ?)", (at_wall_ns,))

    def remove(self, names: Sequence[str]) -> int:
        """Remove folders by name, with all their pages; return how many were there.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be written.
        """
        with database_errors(self._path, if_damaged=IF_DAMAGED), self._connection:
            count = 0
            for name in names:
                row = self._connection.execute("SELECT id FROM documentation WHERE name = ?", (name,)).fetchone()
                if row is not None:
                    pages = self._connection.execute("SELECT id FROM pages WHERE documentation = ?", row).fetchall()
                    for (page,) in pages:
                        self._delete(page)
                    self._connection.execute("DELETE FROM files WHERE documentation = ?", row)
                    self._connection.execute("DELETE FROM documentation WHERE id = ?", row)
                    count += 1
            return count

    def remove_uninstalled(self, installed: Sequence[str]) -> tuple[str, ...]:
        """Remove what came with programs and is not among these names any more; return the labels.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be written.
        """
        with database_errors(self._path, if_damaged=IF_DAMAGED):
            rows = self._connection.execute(
                "SELECT name, label FROM documentation WHERE own = 0 ORDER BY name"
            ).fetchall()
        gone = [(name, label) for name, label in rows if name not in installed]
        self.remove([name for name, _ in gone])
        return tuple(label for _, label in gone)

    def _add(
        self, documentation: Documentation, found: Sequence[FoundFile], progress: Callable[[int], None]
    ) -> IndexReport:
        report = IndexReport(
            name=documentation.name,
            label=documentation.label,
            app=documentation.app,
            folder=str(documentation.folder),
        )
        key = self._register(documentation)
        known = {
            path: (state, problem)
            for path, problem, *state in self._connection.execute(
                "SELECT path, problem, mtime_ns, size, read_by FROM files WHERE documentation = ?", (key,)
            )
        }
        gone = sorted(known.keys() - {file.path for file in found})
        with self._connection:
            for path in gone:
                self._forget(key, path)
        report.removed = len(gone)
        for begin in range(0, len(found), _BATCH):
            with self._connection:
                for file in found[begin : begin + _BATCH]:
                    before = known.get(file.path)
                    if before is not None and before[0] == [file.mtime_ns, file.size, reading_digest()]:
                        report.unchanged += 1
                        problem = before[1]
                    else:
                        report.read += 1
                        problem = self._read(documentation, key, file, changed=before is not None)
                    if problem:
                        report.skipped.append((file.path, problem))
            progress(min(begin + _BATCH, len(found)))
        (report.pages,) = self._connection.execute(
            "SELECT count(*) FROM pages WHERE documentation = ?", (key,)
        ).fetchone()
        return report

    def _register(self, documentation: Documentation) -> int:
        values = (documentation.app, str(documentation.folder), documentation.label, documentation.own)
        with self._connection:
            self._connection.execute(
                "INSERT INTO documentation (app, folder, label, own, name) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET app = excluded.app, folder = excluded.folder,"
                " label = excluded.label, own = excluded.own",
                (*values, documentation.name),
            )
            (key,) = self._connection.execute(
                "SELECT id FROM documentation WHERE name = ?", (documentation.name,)
            ).fetchone()
            if documentation.own:  # the person may have named another program
                moved = "(SELECT id FROM pages WHERE documentation = ? AND app != ?)"
                app = documentation.app
                self._connection.execute(
                    f"UPDATE words SET app = ? WHERE rowid IN {moved}",  # noqa: S608  # a constant
                    (app_word(app), key, app),
                )
                self._connection.execute("UPDATE pages SET app = ? WHERE documentation = ?", (app, key))
        return int(key)

    def _forget(self, key: int, path: str) -> None:
        row = self._connection.execute(
            "SELECT page FROM files WHERE documentation = ? AND path = ? AND page IS NOT NULL", (key, path)
        ).fetchone()
        if row is not None:
            self._delete(row[0])
        self._connection.execute("DELETE FROM files WHERE documentation = ? AND path = ?", (key, path))

    def _delete(self, page: int) -> None:
        """Delete a page with what hangs on it; a trigger may not touch full text where the schema is not trusted."""
        for statement in _DELETE_PAGE:
            self._connection.execute(statement, (page,))

    def _read(self, documentation: Documentation, key: int, file: FoundFile, *, changed: bool) -> str | None:
        if changed:
            self._forget(key, file.path)
        page: int | None = None
        problem: str | None = None
        try:
            page = self._store(documentation, key, file.path)
        except UnreadablePage as error:
            problem = str(error)
        self._connection.execute(
            "INSERT OR REPLACE INTO files (documentation, path, mtime_ns, size, page, problem, read_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key, file.path, file.mtime_ns, file.size, page, problem, reading_digest()),
        )
        return problem

    def _store(self, documentation: Documentation, key: int, path: str) -> int:
        app = app_of_page(documentation, path)
        content = read_file(documentation.folder, path)
        parsed = read_page(f"{documentation.folder.name}/{path}", content, variant_of(app))
        page = index_page(parsed, manual=documentation.name.startswith("man/"))
        language = documentation.language or guess_language((page.title, page.body[:_GUESSED_BY]))
        page_id = page_id_of(documentation, path)
        execute = self._connection.execute
        for (older,) in execute("SELECT id FROM pages WHERE page_id = ?", (page_id,)).fetchall():
            self._delete(older)
        by_program = {app: page.steps, **_steps_by_program(app, path, content)}
        steps = json.dumps(
            {program: [asdict(step) for step in found] for program, found in by_program.items()},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        number = execute(
            "INSERT INTO pages (page_id, documentation, app, kind, language, title, steps)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (page_id, key, app, page.kind.value, language, page.title, steps),
        ).lastrowid
        assert number is not None  # noqa: S101  # an INSERT has made a row
        execute(
            "INSERT INTO words (rowid, app, title, keywords, controls, headings, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, app_word(app), page.title, page.keywords, page.control_text, page.headings, page.body),
        )
        execute("INSERT INTO asked (page, stems, vectors) VALUES (?, ?, ?)", (number, *facts_of(page, language, app)))
        self._connection.executemany(
            "INSERT INTO controls (name, page, place) VALUES (?, ?, ?)",
            ((name, number, place) for name, place in page.controls),
        )
        targets = {target_of(documentation, path, address) for address in parsed.links} - {"", page_id}
        self._connection.executemany(
            "INSERT INTO links (page, target) VALUES (?, ?)", ((number, target) for target in sorted(targets))
        )
        return number


def make_anew_if_damaged(path: Path) -> tuple[Documentation, ...] | None:
    """Delete an index that is damaged or of another format; return the person's own folders in it, where readable.

    None if there is nothing wrong with it, or it is whole but no index of ours, which is for the person to decide.

    Raises:
        EnvironmentFault: it cannot be read.
    """
    if path.is_symlink() or not path.is_file() or not path.stat().st_size:
        return None
    own: tuple[Documentation, ...] = ()
    try:
        with database_errors(path, if_damaged=IF_DAMAGED), closing(open_existing(path)) as connection:
            if connection.execute("PRAGMA application_id").fetchone() != (LIBRARY_ID,):
                return None
            whole = connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
            if whole and format_of(connection) == FORMAT:
                return None
            own = _own_folders(connection)
    except BadFile:
        pass  # what is left of it goes
    for file in (path, path.with_name(path.name + "-journal")):
        file.unlink(missing_ok=True)
    return own


def _own_folders(connection: sqlite3.Connection) -> tuple[Documentation, ...]:
    rows = connection.execute("SELECT name, app, folder, label FROM documentation WHERE own = 1").fetchall()
    return tuple(
        Documentation(name=name, app=app, folder=Path(folder), label=label, own=True)
        for name, app, folder, label in rows
        if Path(folder).is_dir()
    )


def _steps_by_program(app: str, path: str, content: bytes) -> dict[str, tuple[HelpStep, ...]]:
    """Return the steps of a page that a suite shares, for each program where the page says different things."""
    programs = programs_of_suite(app)
    named = [program for program in programs if f'class="{variant_of(program)}"'.encode() in content]
    others = [program for program in programs if program not in named]
    found: dict[str, tuple[HelpStep, ...]] = {}
    for group in (*([program] for program in named), others) if named else ():
        try:
            steps = index_page(read_page(path, content, variant_of(group[0]))).steps if group else ()
        except UnreadablePage:  # it says nothing to this program
            continue
        found.update(dict.fromkeys(group, steps))
    return found


def _files_of(documentation: Documentation) -> list[FoundFile]:
    """Return the files of a folder, or those that it names.

    Raises:
        OSError: the folder cannot be read.
    """
    if not documentation.files:
        return list(find_pages(documentation.folder))
    found: list[FoundFile] = []
    for name in documentation.files:
        state = (documentation.folder / name).stat()
        found.append(FoundFile(path=name, mtime_ns=state.st_mtime_ns, size=state.st_size))
    return found
