"""The library as the daemon and the commands use it: read-only, and useful without any index too."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from daemon.help.context import CAME_BACK, HelpContext, HelpMatch
from daemon.help.library.asked import AskedPages
from daemon.help.library.documentation import IF_DAMAGED, IndexedDocumentation
from daemon.help.library.general import FIND_COMMAND, WHAT_FOR_PAGE, GeneralPage, general_pages
from daemon.help.library.pages import PageKind
from daemon.help.library.ranking import RankingWeights, default_weights, rank, stem_of, synonyms_of, terms_of
from daemon.help.programs import program_of, programs_read_for
from storage.db.connection import ClosedAtEnd, check_format, database_errors, format_of, open_existing, open_readonly
from storage.db.schemas import LIBRARY_ID
from storage.errors import BadFile, KairosError
from storage.files import library_file
from storage.ports import HelpPage, HelpStep

if TYPE_CHECKING:
    from storage.db.connection import Database

MIN_PROBABILITY = 0.3
"""A page of the program that is less likely to help than this does not fit."""

_BUSY_S = 0.1
"""How long whoever can do without waits for somebody who writes the index."""

_NOT_MADE_YET = "SELECT count(*) = 0 FROM sqlite_master"

_NO_MANUAL = f"pages.id = ? AND pages.kind <> '{PageKind.MANUAL}'"

_GENERAL_EVIDENCE, _GENERAL_WORD, _GENERAL_MAX = 0.12, 0.08, 0.4
"""What a general page is worth by hand, not measured: a code of evidence, a keyword, and no more than this in all."""

_LEAST_WORDS, _MOST_WORDS = 2, 3
"""Without evidence a general page is found by so many words of its keywords and title, or by the only word that was
typed: "freeze the first row" names a window that is frozen by one word of three. More words than the second number add
nothing."""


class HelpLibrary(ClosedAtEnd):
    """The documentation on this machine, with the general pages. One thread at a time is served; others wait.

    An index that is made, made anew or removed while it is open counts from the next search on.
    """

    def __init__(self, path: Path, weights: RankingWeights) -> None:
        """Take where the index is or will be; until it is opened there are the general pages alone."""
        self._path = path
        self._database: Database | None = None
        self._opened: tuple[int, int] | None = None
        self._closed = False
        self._asked: tuple[object, AskedPages] | None = None
        self._weights = weights
        self._lock = Lock()

    @classmethod
    def open(cls, folder: Path | None = None) -> Self:
        """Open the library in a data folder, by default ours.

        Raises:
            BadFile: the index is damaged, or is no index of ours.
            EnvironmentFault: it cannot be read.
        """
        library = cls(library_file(folder), default_weights())
        library._open()
        return library

    def _open(self) -> None:
        """Open the index, if there is one.

        Raises:
            BadFile: it is damaged, or is no index of ours.
            EnvironmentFault: it cannot be read.
        """
        found = _identity(self._path)
        if found is not None:
            self._database = _open_index(self._path)
            self._opened = found if self._database is not None else None

    def _index(self) -> "Database | None":
        """Return the index as it is now; the lock is held. One that cannot be opened is none, and is tried again."""
        if self._closed:
            return None
        if self._opened != _identity(self._path):
            if self._database is not None:
                self._database.close()
            self._database = self._opened = None
        if self._database is not None:
            _roll_back(self._path)
        else:
            with suppress(KairosError):
                self._open()
        return self._database

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Give the connection to the index as it is now, for one thread at a time; None where there is no index.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        with self._lock:
            database = self._index()
            with database_errors(self._path, if_damaged=IF_DAMAGED):
                yield database.conn if database is not None else None

    @property
    def indexed(self) -> bool:
        """Whether there is an index, and not only the general pages."""
        return self._database is not None

    def covers(self, app: str) -> bool:
        """Return whether anything is indexed about a program.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        programs = programs_read_for(app)
        marks = ",".join("?" * len(programs))
        with self._reading() as connection:
            if connection is None or not programs:
                return False
            found = connection.execute(f"SELECT 1 FROM pages WHERE app IN ({marks}) LIMIT 1", programs)  # noqa: S608  # marks alone
            return found.fetchone() is not None

    def close(self) -> None:
        """Close it; a search afterwards finds general pages alone."""
        with self._lock:
            self._closed = True
            if self._database is not None:
                self._database.close()
                self._database = None

    def search(self, context: HelpContext, limit: int = 3, behind: float = 1.0) -> tuple[HelpMatch, ...]:
        """Return pages that may help, best first: pages of the program, else general ones, else none.

        What somebody typed is searched for by itself. Behind a page that fits the moment are also those that help with
        a probability of at least `behind`.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        if context.words:
            found = self.search_words(context, context.words, limit)
        else:
            found = self.search_program(context, limit, least=min(behind, MIN_PROBABILITY))
            found = found if found and found[0].score >= MIN_PROBABILITY else ()
        return found or self.search_general(context, limit)

    def search_general(self, context: HelpContext, limit: int = 3, *, asked: bool = False) -> tuple[HelpMatch, ...]:
        """Return general pages that may help, best first.

        Who asked, typed nothing and is in no trouble that has a page gets the one about finding a command.
        """
        found = _search_general(context, limit)
        if found or not asked or context.words:
            return found
        return tuple(
            HelpMatch(page=match.page, score=0.0) for match in general_pages() if match.page.page_id == FIND_COMMAND
        )

    def search_program(
        self, context: HelpContext, limit: int, *, least: float = MIN_PROBABILITY
    ) -> tuple[HelpMatch, ...]:
        """Return pages of the program that help with at least this probability, best first.

        Manual pages are left out: they say how a program is started, and are found by typed words alone.
        """
        programs = programs_read_for(context.app)
        matches: list[HelpMatch] = []
        with self._reading() as connection:
            if connection is None or not programs:
                return ()
            for ranked in rank(connection, context, programs, self._weights):
                score = self._weights.probability(ranked.share)
                if score < least or len(matches) == limit:
                    break
                page = _page(connection, _NO_MANUAL, ranked.page, context.app)
                if page is not None and page.steps:
                    matches.append(HelpMatch(page=page, score=score))
        return tuple(matches)

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> tuple[HelpMatch, ...]:
        """Return pages of the program that answer typed words, best first; none where no page does.

        Of the context the program counts and what the words mean to it: who types knows better than what was seen.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        programs = programs_read_for(context.app)
        with self._reading() as connection:
            if connection is None or not programs:
                return ()
            ranked = self._asked_pages(connection, programs).rank(words, limit, context.meant)
            found = []
            for row, score, evidence in ranked:
                page = _page(connection, "pages.id = ?", row, context.app)
                if page is not None:
                    found.append(HelpMatch(page=page, score=score, evidence=evidence))
            return tuple(found)

    def language(self, app: str) -> str:
        """Return what most pages of a program are written in, as an ISO 639 code; empty where there are none.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        programs = programs_read_for(app)
        with self._reading() as connection:
            return "" if connection is None or not programs else self._asked_pages(connection, programs).language

    def _asked_pages(self, connection: sqlite3.Connection, programs: tuple[str, ...]) -> AskedPages:
        """Return what typed words are compared with, kept for as long as nothing is written to the index."""
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        key = connection, self._opened, version, programs
        if self._asked is None or self._asked[0] != key:
            self._asked = key, AskedPages(connection, programs)
        return self._asked[1]

    def compare(self, context: HelpContext, page_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those of these pages that are in the index, the likeliest to help first.

        Raises:
            BadFile: the index is damaged.
            EnvironmentFault: the index cannot be read.
        """
        marks = ",".join("?" * len(page_ids))
        with self._reading() as connection:
            if connection is None:
                return ()
            rows = dict(
                connection.execute(f"SELECT id, page_id FROM pages WHERE page_id IN ({marks})", tuple(page_ids))  # noqa: S608  # marks alone
            )
            ranked = rank(connection, context, programs_read_for(context.app), self._weights, tuple(sorted(rows)))
        return tuple(rows[hit.page] for hit in ranked if hit.page in rows)

    def page(self, page_id: str) -> HelpPage | None:
        """Return a page by its id; None if it is not there, or no longer."""
        for page in (WHAT_FOR_PAGE, *(general.page for general in general_pages())):
            if page.page_id == page_id:
                return page
        with self._reading() as connection:
            return None if connection is None else _page(connection, "pages.page_id = ?", page_id, "")

    def documentation(self) -> tuple[IndexedDocumentation, ...]:
        """Return what is in the index."""
        with self._reading() as connection:
            if connection is None:
                return ()
            rows = connection.execute(
                "SELECT name, app, folder, label, own, (SELECT count(*) FROM pages WHERE documentation ="
                " documentation.id), (SELECT count(*) FROM files WHERE documentation = documentation.id AND problem"
                " IS NOT NULL), (SELECT group_concat(DISTINCT app) FROM pages WHERE documentation ="
                " documentation.id)"
                " FROM documentation ORDER BY name"
            ).fetchall()
        return tuple(
            IndexedDocumentation(
                name=name,
                app=app,
                folder=folder,
                label=label,
                own=bool(own),
                pages=pages,
                skipped=skipped,
                programs=tuple(sorted((programs or app).split(","))),
            )
            for name, app, folder, label, own, pages, skipped, programs in rows
        )


def checked_wall_ns(folder: Path | None = None) -> int | None:
    """Return when the index had last been brought up to date with all installed programs.

    None if that never was, or cannot be read at once.
    """
    path = library_file(folder)
    try:
        with closing(open_readonly(path, busy_s=_BUSY_S).conn) as connection:
            row = connection.execute("SELECT at_wall_ns FROM checked").fetchone()
    except (KairosError, sqlite3.Error):
        return None
    return row[0] if row is not None and isinstance(row[0], int) else None


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one in its place; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_index(path: Path) -> "Database | None":
    """Open an index for reading; None where it is only just being made.

    Raises:
        BadFile: it is damaged, or is no index of ours.
        EnvironmentFault: it cannot be read.
    """
    _roll_back(path)
    database = open_readonly(path, one_thread=False)
    try:
        with database_errors(path, if_damaged=IF_DAMAGED):
            (marked,) = database.execute("PRAGMA application_id").fetchone()
            if marked == LIBRARY_ID:
                check_format(path, format_of(database.conn), remedy=f"remove {path}; {IF_DAMAGED}")
                return database
            (is_empty,) = database.execute(_NOT_MADE_YET).fetchone()
    except BaseException:
        database.close()
        raise
    database.close()
    if is_empty:
        return None
    raise BadFile(f"{path} is no index of documentation", remedy=f"remove {path}; {IF_DAMAGED}")


def _roll_back(path: Path) -> None:
    """Undo what a killed `kairos library add` had begun to write: who only reads may not, and cannot read before it.

    While one is at work this changes nothing. Who reads next reports what cannot be undone.
    """
    journal = path.with_name(path.name + "-journal")
    if journal.is_file() and not journal.is_symlink():
        with suppress(KairosError, sqlite3.Error), closing(open_existing(path, busy_s=_BUSY_S)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _page(connection: sqlite3.Connection, where: str, value: int | str, app: str) -> HelpPage | None:
    """Return a page; one that programs of a suite share is that of the program it was searched for."""
    row = connection.execute(
        "SELECT pages.page_id, pages.title, pages.steps, documentation.label, pages.app FROM pages"  # noqa: S608  # constants
        f" JOIN documentation ON documentation.id = pages.documentation WHERE {where}",
        (value,),
    ).fetchone()
    if row is None:
        return None
    page_id, title, found, source, of_app = row
    by_program = json.loads(found)
    steps = by_program.get(program_of(app)) or next(iter(by_program.values()))
    return HelpPage(
        page_id=page_id,
        title=title,
        steps=tuple(HelpStep(text=step["text"], controls=tuple(step["controls"])) for step in steps),
        source=source,
        app=app or of_app,
    )


def _search_general(context: HelpContext, limit: int) -> tuple[HelpMatch, ...]:
    """Return general pages that fit the evidence, an error or the words of a person; a warning may just be answered."""
    typed = _with_same_words(context.words)
    seen = _with_same_words(*context.errors, context.dialog)
    scored = [(_general_score(page, context, typed, seen), page) for page in general_pages()]
    fitting = sorted(
        ((score, page) for score, page in scored if score > 0),
        key=lambda pair: (-pair[0], *_specificity(pair[1], context.evidence), pair[1].page.page_id),
    )
    return tuple(HelpMatch(page=general.page, score=score) for score, general in fitting[:limit])


def _specificity(general: GeneralPage, evidence: Sequence[str]) -> tuple[int, int]:
    """Return how far down its list a page has the weightiest evidence, and for how much else it is: less is first."""
    place = next((general.evidence.index(code) for code in evidence if code in general.evidence), 0)
    return place, len(general.evidence)


def _with_same_words(*texts: str) -> tuple[frozenset[str], ...]:
    """Return for each word of texts its stem and those of words that mean the same; a word and its plural are one."""
    found = {stem_of(word): frozenset(map(stem_of, (word, *synonyms_of((word,))))) for word in terms_of(texts)}
    return tuple(found.values())


def _general_score(
    general: GeneralPage, context: HelpContext, typed: Sequence[frozenset[str]], seen: Sequence[frozenset[str]]
) -> float:
    """Return what a page is worth; 0 where one word alone speaks for it among others that do not.

    That something comes back is told to who says so, or where it did.
    """
    if not typed and CAME_BACK in general.evidence and CAME_BACK not in context.evidence:
        return 0.0
    evidence = sum(
        _GENERAL_EVIDENCE / (1 + place) for place, code in enumerate(context.evidence) if code in general.evidence
    )
    if typed:  # who says what it is about knows better: what was seen decides between pages that the words leave level
        evidence = min(evidence, _GENERAL_WORD / 2)
    keywords = {stem_of(word) for word in terms_of((*general.keywords, general.page.title))}
    named = sum(not keywords.isdisjoint(stems) for stems in typed)
    named_on_screen = sum(not keywords.isdisjoint(stems) for stems in seen)
    fits = bool(evidence) or named_on_screen >= _LEAST_WORDS or named >= min(_LEAST_WORDS, max(len(typed), 1))
    words = min(named + named_on_screen, _MOST_WORDS)
    return min(_GENERAL_MAX, evidence + _GENERAL_WORD * words) if fits else 0.0
