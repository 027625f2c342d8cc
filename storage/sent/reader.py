"""Reads the log of what was sent: entries, the exact bytes of each, and whether they are still what was sent."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from storage.errors import BadFile
from storage.sent.log import SentLog
from storage.translation import translatable

_COLUMNS = {
    "number": "id",
    "size": "bytes",
    "pictures": "(SELECT count(*) FROM parts WHERE request = requests.id AND picture IS NOT NULL)"
    " + (SELECT count(*) FROM unkept WHERE request = requests.id AND NOT is_text)",
    "unkept": "(SELECT count(*) FROM unkept WHERE request = requests.id)",
}
"""What is selected for a field whose column has another name."""

_PARTS = (
    "SELECT n, text, digest, jpeg, coalesce(length(jpeg), length(text)), text IS NOT NULL FROM parts LEFT JOIN pictures"
    " ON pictures.id = picture WHERE request = :request"
    " UNION ALL SELECT n, NULL, digest, NULL, bytes, is_text FROM unkept WHERE request = :request ORDER BY n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentEntry:
    """One request that was sent, without its body.

    `outcome` and `ended_wall_ns` are None while it is on its way, and remain so where Kairos was killed then.
    `kept` is false where only digests of its pictures or texts were stored, so that its body cannot be shown.
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
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPart:
    """A part of a body: a text, None where only its SHA-256 was stored, or a picture; `size` in bytes, of the JPEG."""

    is_text: bool
    text: bytes | None
    digest: str | None
    size: int


_FIELDS = [*(field.name for field in fields(SentEntry) if field.name != "kept"), "unkept"]
_SELECT = f"SELECT {', '.join(_COLUMNS.get(name, name) for name in _FIELDS)} FROM requests"  # noqa: S608  # constants


class SentLogReader:
    """What the log holds, read while others may write it. Every method raises `BadFile` where the log is damaged."""

    def __init__(self, log: SentLog) -> None:
        """Read from an open log, which the caller closes."""
        self._log = log

    def newest(self, count: int) -> list[SentEntry]:
        """Return the newest entries, newest first."""
        return [_entry(row) for row in self._rows("ORDER BY id DESC LIMIT ?", (count,))]

    def get(self, number: int) -> SentEntry | None:
        """Return an entry by its number."""
        return next((_entry(row) for row in self._rows("WHERE id = ?", (number,))), None)

    def numbers(self) -> list[int]:
        """Return the numbers of all entries, oldest first."""
        return [int(row[0]) for row in self._execute("SELECT id FROM requests ORDER BY id", ())]

    def body(self, number: int) -> Iterator[bytes]:
        """Yield the body of a request, as it went out, piece by piece.

        Raises:
            ValueError: a part of it was not stored.
        """
        for _, text, digest, jpeg, *_ in self._execute(_PARTS, {"request": number}):
            if digest is not None and jpeg is None:
                raise ValueError("not all of this request was stored")
            yield bytes(text) if jpeg is None else base64.b64encode(jpeg)

    def parts(self, number: int) -> Iterator[SentPart]:
        """Yield the parts of a body, in order."""
        for _, text, digest, _, size, is_text in self._execute(_PARTS, {"request": number}):
            yield SentPart(is_text=bool(is_text), text=text, digest=digest, size=size)

    def pictures(self, number: int) -> Iterator[tuple[str, bytes]]:
        """Yield the pictures of a request that were stored, in their order: digest and JPEG."""
        yield from self._execute(
            "SELECT digest, jpeg FROM parts JOIN pictures ON pictures.id = picture WHERE request = ? ORDER BY n",
            (number,),
        )

    def find_problem(self, number: int) -> str | None:
        """Return what is wrong with an entry, as text; None if its body is still the one that was sent.

        Where not all of it was stored only the sizes can be compared.
        """
        found = self.get(number)
        if found is None:
            return "is not there"
        if not found.kept:
            sizes = (part.size if part.is_text else 4 * -(-part.size // 3) for part in self.parts(number))
            size = sum(sizes)  # base64 has four bytes for three
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

    def _rows(self, rest: str, values: tuple[object, ...]) -> list[Any]:
        return self._execute(f"{_SELECT} {rest}", values)

    def _execute(self, query: str, values: tuple[object, ...] | Mapping[str, object]) -> list[Any]:
        """Read at once, so that no lock outlasts the call."""
        with self._log.database_errors():
            return self._log.connection.execute(query, values).fetchall()


def _entry(row: tuple[Any, ...]) -> SentEntry:
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=True))
    try:
        values["headers"] = msgspec.json.decode(values["headers"], type=dict[str, str])
    except msgspec.MsgspecError:
        raise BadFile(
            translatable(
                "entry {number} of the sent log is damaged: its headers cannot be read", number=values["number"]
            )
        ) from None
    unkept = values.pop("unkept")
    return SentEntry(**values, kept=not unkept)
