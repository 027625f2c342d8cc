"""The outbox: a participant's parcels until the collector has signed for them, then a list of what was sent.

One SQLite file, written with `synchronous = FULL`: what was packed survives a power cut, together with how far the
packer read. A parcel is held until the person releases it, then ready, and received only by a receipt signed by the
collector; what a broker acknowledges proves nothing. Parcels stay to the end of the study, so a restored collector can
ask again.

The sender opens this file and nothing else: address, login and the statements to send are in it too.
"""

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from stat import S_ISREG
from typing import Any

import msgspec

from participant.documents.keys import PublicBytes
from participant.documents.names import FIRST, Name, ParticipantId, digest_of
from participant.documents.statements import Receipt, ResendRequest
from participant.documents.topics import Topics
from storage.clock import NS_PER_S
from storage.db.connection import BUSY_S, ClosedAtEnd, database_errors, open_existing, open_writable
from storage.errors import BadFile
from storage.translation import phrase, translatable

FIRST_RETRY_S = 30
LAST_RETRY_S = 3600

PACKED = "packed"
"""The fact that says how far the packer has read."""

BUNDLE = "bundle"
"""The fact that is the newest signed study known: of the invitation, then what the sender finds announced."""

AGREED = "agreed"
"""The fact that is the signed study which the person agreed to; while another one is known, nothing is due."""

CLOSED = "closed"
"""The fact that is the signed end of the study, once it was closed; `participant.membership.leaving` acts on it."""

WITHDRAWAL = "withdrawal"
"""The statement with which this person left; it is sent until it is answered, and no parcel with it."""

SHOWN = "shown"
"""The fact that is the number of the last parcel that the person was shown, in decimal digits."""

IDLE_FROM = "idle_from"
"""The fact that nothing is left to pack or to send from a wall-clock time on; Kairos starts no work for it then."""

ON_HOLD = "on_hold"
"""The fact that nothing may leave unless the person lets it go; what a collector asks for again is held, too."""

UNTOLD = b""
"""Stands for a withdrawal that could not be signed, since the person's key was gone."""

LAST_RECEIPT = "last_receipt"
"""The fact that says when a parcel was last signed for: nanoseconds since the epoch, in decimal digits."""

DELETION = "deletion"
"""The statement in which the collector signs for what it deleted."""

ADDRESS = "address"
"""The fact that is the `BrokerAddress`; it is deleted once nothing is left to send."""

_ATTEMPTS = "attempts"
_RESEND = "resend"
_LATEST_RETRY_NS = LAST_RETRY_S * NS_PER_S * 5 // 4
_LOST = phrase("parcels that were not received yet are lost with it")

_STOPPED = (
    "SELECT 1 FROM statements WHERE kind = 'withdrawal' UNION ALL SELECT 1 FROM facts AS known, facts AS agreed"
    " WHERE known.name = 'bundle' AND agreed.name = 'agreed' AND known.body != agreed.body"
)


def _schema(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE parcels (n INTEGER PRIMARY KEY, raw BLOB NOT NULL, rows BLOB NOT NULL, made_wall_ns INTEGER"
        " NOT NULL, state TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, next_wall_ns INTEGER NOT NULL DEFAULT 0)"
    )
    connection.execute(
        "CREATE TABLE statements (kind TEXT PRIMARY KEY, raw BLOB NOT NULL, answered INTEGER NOT NULL DEFAULT 0)"
    )
    connection.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID")


class BrokerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where parcels go, and how to get in; all that the sender knows. The login is the participant's id."""

    study: Name
    participant: ParticipantId
    host: str
    port: int
    ca: str | None
    password: str
    receipts_key: PublicBytes

    def __repr__(self) -> str:
        """Name the study and nothing that is secret."""
        return f"<address of {self.study}>"

    @property
    def topics(self) -> Topics:
        """The topics of the study."""
        return Topics(self.study)


class _Attempts(msgspec.Struct, frozen=True, kw_only=True):
    """How often in a row the sender did not get through, and when it should try again."""

    count: int = 0
    next_wall_ns: int = 0


class ParcelState(StrEnum):
    """How far a parcel is: waiting for the person, ready to be sent, signed for by the collector."""

    HELD = "held"
    READY = "ready"
    RECEIVED = "received"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredParcel:
    """A parcel with its place in the chain; `rows` is what it holds, unsealed (`decode_rows`)."""

    n: int
    raw: bytes
    rows: bytes
    made_wall_ns: int
    state: ParcelState
    tries: int
    next_wall_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewParcel:
    """A parcel about to be stored: its bytes, and its rows unsealed."""

    raw: bytes
    rows: bytes


def _wait_ns(tries: int, rng: random.Random) -> int:
    """Return how long to wait after so many tries: 30 s, doubling to an hour, jittered by a quarter."""
    return round(min(LAST_RETRY_S, FIRST_RETRY_S << min(tries, 20)) * rng.uniform(0.75, 1.25) * NS_PER_S)


def _check_plain(path: Path) -> None:
    """Check that no link, pipe or folder lies where SQLite opens files: at a pipe it would wait for ever.

    Raises:
        BadFile: one does.
    """
    for ending in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(path.name + ending)
        try:
            is_plain = S_ISREG(file.lstat().st_mode)
        except FileNotFoundError:  # a journal comes and goes with each change of another process
            continue
        if not is_plain:
            raise BadFile(
                translatable("{path} is not a plain file", path=file),
                remedy=translatable("leave the study: kairos study leave"),
            )


class Outbox(ClosedAtEnd):
    """The database of one joined study; used by one thread at a time, several processes may have it open.

    Every method raises `BadFile` where the file is damaged, and `EnvironmentFault` where it cannot be read or written.
    """

    def __init__(self, path: Path, *, create: bool = True, busy_s: float = BUSY_S) -> None:
        """Open or create it; without `create` it must exist, and is opened as it is."""
        self._path = path
        _check_plain(path)
        with database_errors(path, if_damaged=_LOST):
            if create:
                self._database: sqlite3.Connection = open_writable(path, _schema, wal=False, busy_s=busy_s).conn
            else:
                self._database = open_existing(path, busy_s=busy_s)
            self._database.execute("PRAGMA synchronous = FULL")

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    # ------------------------------------------------------------ facts

    def fact(self, name: str) -> bytes | None:
        """Return a stored value; None if there is none."""
        row = self._one("SELECT body FROM facts WHERE name = ?", name)
        return None if row is None else bytes(row[0])

    def save_fact(self, name: str, body: bytes) -> None:
        """Store a value."""
        with self._writing():
            self._put(name, body)

    def address(self) -> BrokerAddress:
        """Return where parcels go.

        Raises:
            BadFile: it was never stored, or is damaged.
        """
        found = self.fact(ADDRESS)
        try:
            return msgspec.msgpack.decode(found or b"", type=BrokerAddress)
        except msgspec.MsgspecError:
            raise BadFile(
                translatable("{path}: the address of the study is damaged", path=self._path),
                remedy=translatable("leave the study"),
            ) from None

    def save_address(self, address: BrokerAddress) -> None:
        """Store where parcels go."""
        with self._writing():
            self._put(ADDRESS, msgspec.msgpack.encode(address))

    def delete_fact(self, name: str) -> None:
        """Delete a value, if there is one."""
        with self._writing():
            self._database.execute("DELETE FROM facts WHERE name = ?", (name,))

    # ------------------------------------------------------------ parcels

    def chain(self) -> tuple[int, bytes]:
        """Return the number of the next parcel, and the digest that it must name."""
        row = self._one("SELECT n, raw FROM parcels ORDER BY n DESC LIMIT 1")
        return (0, FIRST) if row is None else (row[0] + 1, digest_of(row[1]))

    def add(
        self, parcels: Sequence[NewParcel], *, first: int, state: ParcelState, now_wall_ns: int, packed: bytes
    ) -> None:
        """Store parcels and how far the packer has read, both or neither.

        `packed`: how far the packer has read, a value of its own; `fact(PACKED)` returns it.

        Raises:
            ValueError: another process has stored parcels meanwhile.
        """
        with self._writing():
            if self.chain()[0] != first:
                raise ValueError("another process has packed parcels meanwhile")
            for n, parcel in enumerate(parcels, first):
                self._database.execute(
                    "INSERT INTO parcels (n, raw, rows, made_wall_ns, state) VALUES (?, ?, ?, ?, ?)",
                    (n, parcel.raw, parcel.rows, now_wall_ns, state.value),
                )
            self._put(PACKED, packed)

    def replace_held(
        self, parcels: Sequence[NewParcel], *, first: int, facts: Mapping[str, bytes] | None = None
    ) -> None:
        """Replace all parcels from `first` on, which must all be held and never sent, and store facts with them.

        Raises:
            ValueError: one of them was released or sent meanwhile, or their number differs.
        """
        with self._writing():
            found = self._database.execute("SELECT state, tries FROM parcels WHERE n >= ?", (first,)).fetchall()
            if len(found) != len(parcels) or any(state != ParcelState.HELD or tries for state, tries in found):
                raise ValueError("these parcels are no longer held, or were sent")
            for name, body in (facts or {}).items():
                self._put(name, body)
            for n, parcel in enumerate(parcels, first):
                self._database.execute("UPDATE parcels SET raw = ?, rows = ? WHERE n = ?", (parcel.raw, parcel.rows, n))

    def replace_rows(self, n: int, rows: bytes) -> None:
        """Store other rows for a parcel, to be looked at here; what is sent stays as it is."""
        with self._writing():
            self._database.execute("UPDATE parcels SET rows = ? WHERE n = ?", (rows, n))

    def parcels(self, state: ParcelState | None = None) -> list[StoredParcel]:
        """Return parcels in order, all or those in one state."""
        return self._select("? IS NULL OR state = ?", state, state)

    def release(self, through: int) -> int:
        """Make held parcels up to a number ready to be sent; return how many."""
        with self._writing():
            found = self._database.execute(
                "UPDATE parcels SET state = 'ready', next_wall_ns = 0 WHERE state = 'held' AND n <= ?", (through,)
            )
            if found.rowcount:
                self._database.execute("DELETE FROM facts WHERE name = ?", (IDLE_FROM,))
            return int(found.rowcount)

    def correct_clock(self, now_wall_ns: int) -> None:
        """Take parcels that were packed later than now as packed now: the clock was ahead then."""
        with self._writing():
            self._database.execute("UPDATE parcels SET made_wall_ns = ? WHERE made_wall_ns > ?", (now_wall_ns,) * 2)

    def due(self, now_wall_ns: int, *, most: int = 256) -> list[StoredParcel]:
        """Return parcels to send now, in order; one set for later than any wait is due: the clock was set back.

        Nothing is due while the person has not agreed to the newest version of the study, or after they left.
        """
        where = f"state = 'ready' AND (next_wall_ns <= ? OR next_wall_ns > ?) AND NOT EXISTS ({_STOPPED})"
        return self._select(where, now_wall_ns, now_wall_ns + _LATEST_RETRY_NS, most=most)

    def digest(self, n: int) -> bytes | None:
        """Return the digest of a parcel; None if there is none of this number."""
        row = self._one("SELECT raw FROM parcels WHERE n = ?", n)
        return None if row is None else digest_of(row[0])

    def send_now(self) -> None:
        """Make everything that is ready due at once."""
        with self._writing():
            self._database.execute("UPDATE parcels SET next_wall_ns = 0 WHERE state = 'ready'")

    def next_due_wall_ns(self) -> int | None:
        """Return when something is due next; None if nothing is ready."""
        row = self._one(f"SELECT min(next_wall_ns) FROM parcels WHERE state = 'ready' AND NOT EXISTS ({_STOPPED})")  # noqa: S608  # constants
        return None if row is None or row[0] is None else int(row[0])

    def mark_tried(self, numbers: Sequence[int], now_wall_ns: int, rng: random.Random) -> None:
        """Set when parcels go again if no receipt comes."""
        with self._writing():
            for n in numbers:
                row = self._database.execute("SELECT tries FROM parcels WHERE n = ?", (n,)).fetchone()
                if row is None:
                    continue
                self._database.execute(
                    "UPDATE parcels SET tries = tries + 1, next_wall_ns = ? WHERE n = ?",
                    (now_wall_ns + _wait_ns(row[0], rng), n),
                )

    def receive(self, receipt: Receipt) -> int:
        """Mark the parcels of a receipt, whose signature was checked, as received; return how many were not before."""
        changed = 0
        with self._writing():
            for first, last in receipt.ranges:
                found = self._database.execute(
                    "UPDATE parcels SET state = 'received' WHERE state = 'ready' AND tries > 0 AND n BETWEEN ? AND ?",
                    (first, last),
                )
                changed += found.rowcount
        return changed

    def ask_again(self, numbers: Sequence[tuple[int, int]]) -> int:
        """Make received parcels ready again, on hold held: a restored collector lacks them; return how many."""
        changed = 0
        with self._writing():
            state = ParcelState.READY if self.fact(ON_HOLD) is None else ParcelState.HELD
            for first, last in numbers:
                found = self._database.execute(
                    "UPDATE parcels SET state = ?, tries = 1, next_wall_ns = 0"
                    " WHERE state = 'received' AND n BETWEEN ? AND ?",
                    (state.value, first, last),
                )
                changed += found.rowcount
        return changed

    def hold(self, *, sent_too: bool) -> int:
        """Hold released parcels that were not received, those that were never sent or all of them; return how many."""
        with self._writing():
            found = self._database.execute(
                "UPDATE parcels SET state = 'held' WHERE state = 'ready' AND (tries = 0 OR ?)", (sent_too,)
            )
            return int(found.rowcount)

    def answer_resend(self, request: ResendRequest) -> int:
        """Do what a request asks, whose signature was checked, unless it or a newer one was done; return how many."""
        done = int.from_bytes(self.fact(_RESEND) or b"")
        if request.asked_wall_ns <= done:
            return 0
        changed = self.ask_again(request.ranges)
        self.save_fact(_RESEND, request.asked_wall_ns.to_bytes(8))
        return changed

    # ------------------------------------------------------------ when to send

    def begin_attempt(self, now_wall_ns: int, rng: random.Random) -> None:
        """Note that the sender tries to get through, and when it should try again if that fails."""
        before = self._attempts()
        attempts = _Attempts(count=before.count + 1, next_wall_ns=now_wall_ns + _wait_ns(before.count, rng))
        self.save_fact(_ATTEMPTS, msgspec.msgpack.encode(attempts))

    def end_attempts(self) -> None:
        """Note that the sender got through, and nothing but parcels waits for an answer."""
        self.save_fact(_ATTEMPTS, msgspec.msgpack.encode(_Attempts()))

    def next_send_wall_ns(self, now_wall_ns: int) -> int | None:
        """Return when the sender should run next, `now_wall_ns` or later; None if nothing waits to be sent."""
        left = self.statement(WITHDRAWAL)
        wanted = self.next_due_wall_ns() if left is None else None if left[1] else 0
        if wanted is None:
            return None
        at = max(wanted, self._attempts().next_wall_ns, now_wall_ns)
        return at if at <= now_wall_ns + _LATEST_RETRY_NS else now_wall_ns

    def _attempts(self) -> _Attempts:
        try:
            return msgspec.msgpack.decode(self.fact(_ATTEMPTS) or b"", type=_Attempts)
        except msgspec.MsgspecError:
            return _Attempts()

    # ------------------------------------------------------------ statements

    def save_statement(self, kind: str, raw: bytes, *, answered: bool = False) -> None:
        """Store a signed statement: our withdrawal to be sent until it is answered, or an answer to keep."""
        with self._writing():
            self._put_statement(kind, raw, answered=answered)

    def withdraw(self, make: Callable[[int, bytes], bytes]) -> int:
        """Store our withdrawal, delete what was never sent, and wipe the rows of the rest: all of it or nothing.

        Args:
            make: returns the signed withdrawal, given how many parcels may have been sent and the last one's digest.

        Returns:
            How many parcels may have been sent; they stay listed, sealed.
        """
        with self._writing():
            self._database.execute("DELETE FROM parcels WHERE state != 'received' AND tries = 0")
            self._database.execute("UPDATE parcels SET rows = x''")
            self._database.execute("DELETE FROM facts WHERE name NOT IN (?, ?)", (ADDRESS, BUNDLE))
            count, last = self.chain()
            self._put_statement(WITHDRAWAL, make(count, last))
        return count

    def statement(self, kind: str) -> tuple[bytes, bool] | None:
        """Return a statement and whether it was answered; None if there is none."""
        row = self._one("SELECT raw, answered FROM statements WHERE kind = ?", kind)
        return None if row is None else (bytes(row[0]), bool(row[1]))

    # ------------------------------------------------------------ SQL

    def _put(self, name: str, body: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO facts (name, body) VALUES (?, ?)", (name, body))

    def _put_statement(self, kind: str, raw: bytes, *, answered: bool = False) -> None:
        row = (kind, raw, int(answered))
        self._database.execute("INSERT OR REPLACE INTO statements (kind, raw, answered) VALUES (?, ?, ?)", row)

    def _one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        with database_errors(self._path, if_damaged=_LOST):
            row: tuple[Any, ...] | None = self._database.execute(sql, values).fetchone()
        return row

    def _select(self, where: str, *values: object, most: int = -1) -> list[StoredParcel]:
        columns = "n, raw, rows, made_wall_ns, state, tries, next_wall_ns"
        with database_errors(self._path, if_damaged=_LOST):
            rows = self._database.execute(
                f"SELECT {columns} FROM parcels WHERE {where} ORDER BY n LIMIT ?",  # noqa: S608  # constants
                (*values, most),
            ).fetchall()
        return [
            StoredParcel(
                n=n, raw=raw, rows=body, made_wall_ns=made, state=ParcelState(state), tries=tries, next_wall_ns=due
            )
            for n, raw, body, made, state, tries, due in rows
        ]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Change several things, all of them or none; nobody else writes meanwhile."""
        with database_errors(self._path, if_damaged=_LOST):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
