"""Reads the log of what was sent: entries, the exact bytes of each, and whether they still match what was recorded."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from storage.errors import BadFile
from storage.sent.log import SentLog

_COLUMNS = (
    "id, at_wall_ns, session, purpose, endpoint, address, path, headers, model, digest, bytes, outcome, ended_wall_ns,"
    " tokens_in, tokens_out, cached, dollars, (SELECT count(*) FROM parts WHERE request = requests.id AND picture IS"
    " NOT NULL), (SELECT count(*) FROM unkept WHERE request = requests.id)"
)
_PARTS = (
    "SELECT n, text, digest, jpeg, length(jpeg) FROM parts LEFT JOIN pictures ON pictures.id = picture WHERE request"
    " = :request UNION ALL SELECT n, NULL, digest, NULL, bytes FROM unkept WHERE request = :request ORDER BY n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentEntry:
    """One request that was sent, without its body.

    `outcome` and `ended_wall_ns` are None while it is on its way, and for ever where Kairos was killed then.
    `pictures_kept` is false where of its `pictures` the digests alone are here, so that its body cannot be shown.
    """

    number: int
    at_wall_ns: int
    session: str
    purpose: str
    endpoint: str
    address: str
    path: str
    headers: Mapping[str, str]
    model: str
    digest: str
    size: int
    outcome: str | None
    ended_wall_ns: int | None
    tokens_in: int
    tokens_out: int
    cached: int
    dollars: float
    pictures: int
    pictures_kept: bool


class SentLogReader:
    """What the log holds, read while others may write it."""

    def __init__(self, log: SentLog) -> None:
        """Read from an open log, which the caller closes."""
        self._log = log

    def newest(self, count: int) -> list[SentEntry]:
        """Return the newest entries, newest first.

        Raises:
            BadFile: the log is damaged.
        """
        return [_entry(row) for row in self._rows("ORDER BY id DESC LIMIT ?", (count,))]

    def get(self, number: int) -> SentEntry | None:
        """Return an entry by its number.

        Raises:
            BadFile: the log is damaged.
        """
        return next((_entry(row) for row in self._rows("WHERE id = ?", (number,))), None)

    def numbers(self) -> list[int]:
        """Return the numbers of all entries, oldest first.

        Raises:
            BadFile: the log is damaged.
        """
        return [int(row[0]) for row in self._execute("SELECT id FROM requests ORDER BY id", ())]

    def body(self, number: int) -> Iterator[bytes]:
        """Yield the body of a request, as it went out, piece by piece.

        Raises:
            BadFile: the log is damaged.
            ValueError: its pictures were not kept.
        """
        for _, text, digest, jpeg, _ in self._execute(_PARTS, {"request": number}):
            if digest is not None and jpeg is None:
                raise ValueError("the pictures of this request were not kept")
            yield bytes(text or b"") if jpeg is None else base64.b64encode(jpeg)

    def parts(self, number: int) -> Iterator[tuple[bytes, str | None, int]]:
        """Yield the parts of a body: its text, or a picture's digest and the size of its JPEG.

        Raises:
            BadFile: the log is damaged.
        """
        for _, text, digest, _, size in self._execute(_PARTS, {"request": number}):
            yield bytes(text or b""), digest, size or 0

    def pictures(self, number: int) -> Iterator[tuple[str, bytes]]:
        """Yield the pictures of a request that were kept, in their order: digest and JPEG.

        Raises:
            BadFile: the log is damaged.
        """
        yield from self._execute(
            "SELECT digest, jpeg FROM parts JOIN pictures ON pictures.id = picture WHERE request = ? ORDER BY n",
            (number,),
        )

    def find_problem(self, number: int) -> str | None:
        """Return what is wrong with an entry, in words; None if its body is still the one that was sent.

        Where the pictures were not kept only the sizes can be compared.

        Raises:
            BadFile: the log is damaged.
        """
        found = self.get(number)
        if found is None:
            return "is not there"
        if not found.pictures_kept:
            size = sum(len(text) + 4 * -(-jpeg // 3) for text, _, jpeg in self.parts(number))  # base64 is 4 for 3
            return None if size == found.size else f"comes to {size} bytes; {found.size} were sent"
        whole, size = hashlib.sha256(), 0
        for piece in self.body(number):
            whole.update(piece)
            size += len(piece)
        if size != found.size:
            return f"has {size} bytes; {found.size} were sent"
        if whole.hexdigest() != found.digest:
            return "has been altered: its SHA-256 is not that of what was sent"
        for digest, jpeg in self.pictures(number):
            if hashlib.sha256(jpeg).hexdigest() != digest:
                return f"holds a picture that is not the one named {digest[:12]}"
        return None

    def count_orphans(self) -> int:
        """Return how many pictures belong to no request; there can be none.

        Raises:
            BadFile: the log is damaged.
        """
        query = "SELECT count(*) FROM pictures WHERE NOT EXISTS (SELECT 1 FROM parts WHERE picture = pictures.id)"
        return int(self._execute(query, ())[0][0])

    def _rows(self, rest: str, values: tuple[object, ...]) -> list[Any]:
        return self._execute(f"SELECT {_COLUMNS} FROM requests {rest}", values)  # noqa: S608  # made of constants

    def _execute(self, query: str, values: tuple[object, ...] | Mapping[str, object]) -> list[Any]:
        """Read at once, so that no lock outlasts the call."""
        with self._log.database_errors():
            return self._log.connection.execute(query, values).fetchall()


def _entry(row: tuple[Any, ...]) -> SentEntry:
    number, at_wall_ns, session, purpose, endpoint, address, path, headers, model, digest, size, *rest = row
    outcome, ended_wall_ns, tokens_in, tokens_out, cached, dollars, kept, unkept = rest
    try:
        named = msgspec.json.decode(headers, type=dict[str, str])
    except msgspec.MsgspecError:
        raise BadFile(f"entry {number} of the sent log is damaged: its headers cannot be read") from None
    return SentEntry(
        number=number,
        at_wall_ns=at_wall_ns,
        session=session,
        purpose=purpose,
        endpoint=endpoint,
        address=address,
        path=path,
        headers=named,
        model=model,
        digest=digest,
        size=size,
        outcome=outcome,
        ended_wall_ns=ended_wall_ns,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cached=cached,
        dollars=dollars,
        pictures=kept + unkept,
        pictures_kept=not unkept,
    )
