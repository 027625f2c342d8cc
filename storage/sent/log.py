"""Stores what was sent to models: each request in parts, each picture once, so that its exact bytes can be shown later.

A request and its pictures are stored by one transaction before the request leaves; what cannot be stored must not be
sent. A request that carries a key is refused. Of pictures and words that may not be stored the digests are. Several
processes write, so there is no write-ahead log: each transaction locks the file for a moment.
"""

import base64
import hashlib
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from storage.db.connection import DatabaseUser, database_errors, open_writable
from storage.db.schemas import SENT
from storage.files import sent_file
from storage.translation import phrase

BATCH = 16
"""Requests that one transaction deletes: deleting holds the file, and needs room beside it for what is overwritten."""

MAX_OUTCOME = 40

MAX_TIME_NS = (1 << 63) - 1
"""The last time that a row can hold."""

SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"})
"""Headers that carry keys; a request that has one was built wrongly."""

_COPIED = ("at_wall_ns", "session", "purpose", "endpoint", "address", "path", "model", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPicture:
    """A picture of a request: the SHA-256 of its JPEG in hex, and the JPEG, which stands in the body as base64."""

    digest: str
    jpeg: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    """A request about to leave.

    Attributes:
        at_wall_ns: when.
        session: the folder of the session whose pictures it holds, resolved; empty if it belongs to none. Its last
            part, the session's id, is what counts.
        purpose: what it is for: a tier of models, or a command.
        endpoint: name of the preset.
        address: where it goes.
        path: below the address.
        headers: without the key's.
        model: the model that is queried.
        parts: the body: bytes, and pictures that stand for their base64.
        digest: SHA-256 of the whole body in hex.
        stores_pictures: whether its pictures may be stored; if not, their digests and sizes are.
        stores_texts: the same of its texts.
    """

    at_wall_ns: int
    session: str = ""
    purpose: str
    endpoint: str
    address: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str
    parts: Sequence[bytes | SentPicture]
    digest: str
    stores_pictures: bool = True
    stores_texts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a request used, as the server counted it."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    dollars: float = 0.0


class SentLog(DatabaseUser):
    """The database of what was sent; used by one thread at a time.

    Every method raises `BadFile` where the log is damaged, and `EnvironmentFault` where it cannot be read or written.
    """

    def __init__(self, path: Path | None = None, *, max_bytes: int | None = None) -> None:
        """Open or create it; one of another format is set aside, renamed.

        Args:
            path: the file; by default the one of this data folder.
            max_bytes: when the file is larger, each new request deletes the oldest ones.
        """
        self.path = sent_file() if path is None else path
        self._max_bytes = max_bytes
        with self.database_errors():
            self._database = open_writable(self.path, SENT, wal=False, shrinks=True, sets_aside=True)
        self.connection: sqlite3.Connection = self._database.conn
        """For reading: `storage.sent.reader`."""

    # ------------------------------------------------------------ writing

    def begin(self, request: OutgoingRequest) -> int:
        """Store a request; it may leave once this has returned its number.

        Raises:
            ValueError: the request carries a key, or its parts do not make up the body with that digest.
        """
        size = _check_request(request)
        with self.database_errors(), self._transaction():
            number = self.connection.execute(
                f"INSERT INTO requests ({', '.join(_COPIED)}, headers, bytes) VALUES ({'?, ' * len(_COPIED)}?, ?)",  # noqa: S608  # constants
                (
                    *(getattr(request, name) for name in _COPIED),
                    msgspec.json.encode(dict(request.headers)).decode(),
                    size,
                ),
            ).lastrowid
            assert number is not None  # noqa: S101  # an INSERT gives one
            for n, part in enumerate(request.parts):
                stores = request.stores_texts if isinstance(part, bytes) else request.stores_pictures
                self._store(number, n, part, stores=stores)
        self._make_room(number)
        return number

    def end(self, number: int, outcome: str, wall_ns: int, cost: Cost) -> None:
        """Note the outcome of a request; one that was deleted meanwhile stays deleted."""
        with self.database_errors(), self._transaction():
            self.connection.execute(
                "UPDATE requests SET outcome = ?, ended_wall_ns = ?, tokens_in = ?, tokens_out = ?, cached = ?,"
                " dollars = ? WHERE id = ?",
                (outcome[:MAX_OUTCOME], wall_ns, cost.tokens_in, cost.tokens_out, cost.cached, cost.dollars, number),
            )

    # ------------------------------------------------------------ deleting

    def forget(self, number: int) -> bool:
        """Delete one request, and the pictures that no other one holds; return whether it existed."""
        return self._delete("id = ?", (number,)) == 1

    def forget_of_session(self, number: int, name: str) -> bool:
        """Delete one request if a session of this name sent it; return whether it did."""
        return self._delete("id = ? AND (session = ? OR session LIKE '%/' || ?)", (number, name, name)) == 1

    def forget_all(self) -> int:
        """Delete everything; return the number of requests."""
        return self._delete("1")

    def forget_session(self, folder: Path, *ids: str) -> int:
        """Delete what was sent in a session; return the number of requests.

        A session is known by its id, the name that its folder had when it was recorded: the folder may have been moved.

        Args:
            folder: where it lies, or lay.
            ids: other names that its folder had.
        """
        with self.database_errors():
            found = [str(row[0]) for row in self.connection.execute("SELECT DISTINCT session FROM requests")]
        mine = [session for session in found if session and Path(session).name in {folder.name, *ids}]
        return sum(self._delete("session = ?", (session,)) for session in mine)

    def forget_before(self, wall_ns: int) -> int:
        """Delete what was sent before a time; return the number of requests."""
        return self._delete("at_wall_ns < ?", (wall_ns,))

    def forget_span(self, begin_wall_ns: int, end_wall_ns: int | None) -> int:
        """Delete what was sent from one time on, before another (None: to the end); return the number of requests."""
        return self._delete("at_wall_ns BETWEEN ? AND ?", (begin_wall_ns, _last_ns(end_wall_ns)))

    def count_spans(
        self,
        spans: Iterable[tuple[int, int | None]],
        sessions: Container[str] = (),
        named: Container[tuple[str, int]] = (),
    ) -> int:
        """Return how many requests were sent within spans of time, or at any time by these sessions.

        Args:
            spans: from when to before when; None: to the end.
            sessions: names of those that go.
            named: names of sessions, each with the number of a request that goes alone.
        """
        within = [(begin_ns, _last_ns(end_ns)) for begin_ns, end_ns in spans]
        with self.database_errors():
            rows = self.connection.execute("SELECT id, at_wall_ns, session FROM requests").fetchall()
        names = ((number, at_ns, Path(session or "").name) for number, at_ns, session in rows)
        return sum(
            any(begin_ns <= at_ns <= last_ns for begin_ns, last_ns in within)
            or name in sessions
            or (name, number) in named
            for number, at_ns, name in names
        )

    def compact(self) -> None:
        """Write the file anew without free space, in which bytes of what was deleted could be left."""
        with self.database_errors():
            self.connection.execute("VACUUM")

    def has_before(self, wall_ns: int) -> bool:
        """Tell whether anything was sent before a time."""
        with self.database_errors():
            found = self.connection.execute(
                "SELECT 1 FROM requests WHERE at_wall_ns < ? LIMIT 1", (wall_ns,)
            ).fetchone()
        return found is not None

    def forget_without_session(self, max_bytes: int) -> int:
        """Delete the oldest requests of no session until those take at most `max_bytes`; return their number."""
        deleted = 0
        while self.sizes().get("", 0) > max_bytes:
            deleted += self._delete("session = ''", most=BATCH)
        return deleted

    def _delete(self, where: str, values: tuple[object, ...] = (), *, most: int | None = None) -> int:
        """Delete requests, oldest first, some at a time; triggers take their parts and unused pictures along."""
        deleted = 0
        while most is None or deleted < most:
            some = BATCH if most is None else min(BATCH, most - deleted)
            with self.database_errors(), self._transaction():
                which = f"SELECT id FROM requests WHERE {where} ORDER BY id LIMIT {some:d}"  # noqa: S608  # constants
                delete = f"DELETE FROM requests WHERE id IN ({which})"  # noqa: S608  # same
                count = self.connection.execute(delete, values).rowcount
            if not count:
                break
            deleted += count
        return deleted

    def _make_room(self, newest: int) -> None:
        """Delete the oldest requests while the file is too large; the newest stays, whatever it takes."""
        while self._max_bytes is not None and self.file_bytes() > self._max_bytes:
            if not self._delete("id != ?", (newest,), most=BATCH):
                break

    # ------------------------------------------------------------ sizes

    def file_bytes(self) -> int:
        """Return how large the database is."""
        with self.database_errors():
            ((pages, size),) = self.connection.execute(
                "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
            ).fetchall()
        return int(pages) * int(size)

    def sizes(self) -> dict[str, int]:
        """Return the bytes that each session's requests take; those of no session under the empty name.

        A picture that several sessions sent (which is rare) counts for each.
        """
        with self.database_errors():
            return dict(
                self.connection.execute(
                    "SELECT session, SUM(size) FROM ("
                    " SELECT DISTINCT session, picture, length(jpeg) AS size FROM requests"
                    "  JOIN parts ON request = requests.id JOIN pictures ON pictures.id = picture"
                    " UNION ALL SELECT session, NULL, SUM(length(text)) FROM requests"
                    "  JOIN parts ON request = requests.id WHERE text IS NOT NULL GROUP BY session"
                    ") GROUP BY session"
                )
            )

    # ------------------------------------------------------------ parts

    def _store(self, request: int, n: int, part: bytes | SentPicture, *, stores: bool) -> None:
        insert = "INSERT INTO parts (request, n, text, picture) VALUES (?, ?, ?, ?)"
        if not stores:
            if isinstance(part, bytes):
                row = (request, n, hashlib.sha256(part).hexdigest(), len(part), 1)
            else:
                row = (request, n, _digest(part), len(part.jpeg), 0)
            insert = "INSERT INTO unkept (request, n, digest, bytes, is_text) VALUES (?, ?, ?, ?, ?)"
            self.connection.execute(insert, row)
        elif isinstance(part, bytes):
            self.connection.execute(insert, (request, n, part, None))
        else:
            self.connection.execute(insert, (request, n, None, self._picture(part)))

    def _picture(self, picture: SentPicture) -> int:
        found = self.connection.execute("SELECT id FROM pictures WHERE digest = ?", (picture.digest,)).fetchone()
        if found is None:
            insert = "INSERT INTO pictures (digest, jpeg) VALUES (?, ?)"
            return int(self.connection.execute(insert, (_digest(picture), picture.jpeg)).lastrowid or 0)
        return int(found[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do all of a block or nothing; the file is locked against other writers from the first statement on."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            self.connection.rollback()
            raise

    def database_errors(self) -> AbstractContextManager[None]:
        """Return a block that turns errors of the database into ours."""
        return database_errors(self.path, if_damaged=phrase("what was sent before can then not be shown"))


def _last_ns(end_wall_ns: int | None) -> int:
    return MAX_TIME_NS if end_wall_ns is None else end_wall_ns - 1


def _digest(picture: SentPicture) -> str:
    if hashlib.sha256(picture.jpeg).hexdigest() != picture.digest:
        raise ValueError("a picture to be stored is not the one that its digest names")
    return picture.digest


def _check_request(request: OutgoingRequest) -> int:
    """Check that a request may be stored; return the bytes of its body.

    Raises:
        ValueError: the request carries a key, or its parts do not make up the body with that digest: they could not be
            shown as what was sent.
    """
    if named := SECRET_HEADERS & {name.lower() for name in request.headers}:
        raise ValueError(f"a request to be stored has a header {min(named)}")
    whole, size = hashlib.sha256(), 0
    for part in request.parts:
        piece = part if isinstance(part, bytes) else base64.b64encode(part.jpeg)
        whole.update(piece)
        size += len(piece)
    if whole.hexdigest() != request.digest:
        raise ValueError("the parts of a request to be stored are not those of its body")
    return size


def open_existing_sent_log(path: Path | None = None) -> SentLog | None:
    """Open the log if the file exists; never creates it."""
    path = sent_file() if path is None else path
    return SentLog(path) if path.exists() else None
