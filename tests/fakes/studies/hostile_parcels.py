"""Hostile parcels by seed: from anybody, and from a participant who signs and seals whatever they like.

Each of `FAMILIES` makes one from a random generator; none may be accepted by `accept`, which does what the collector
and then the researcher do.
"""

import random
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from participant.documents.keys import ReaderKey, Sealed, SigningKey, seal
from participant.documents.parcel import MAX_PARCEL_BYTES, PADDING, Header, Parcel, read_header
from participant.documents.rows import Row, encode_rows
from participant.documents.signed import DocumentKind, encode, write_signed
from study.researcher.documents import open_parcel, read_parcel
from tests.fakes.hostile.values import changed, damaged
from tests.fakes.studies.documents import (
    JOIN,
    PARTICIPANT,
    PERSON,
    PERSON_READER,
    STRANGER,
    header,
    invitation,
    invitation_bytes,
    parcels,
    rows,
    sender,
)

BOMB_BYTES = 14_000_000


def accept(raw: bytes) -> tuple[Row, ...]:
    """Take a parcel in as the collector does, before and after somebody joined, and open it as the researcher does."""
    first = read_header(raw).n == 0
    parcel, _ = read_parcel(raw, sender(joined=not first))
    return open_parcel(parcel, PERSON_READER)


@cache
def honest() -> tuple[bytes, ...]:
    return tuple(parcels(3))


@cache
def bomb(byte: bytes) -> bytes:
    """Return 14 MB of one byte, compressed to less than a parcel."""
    return zlib.compress(byte * BOMB_BYTES)


def body_of(packed: bytes, *, length: int | None = None, padding: bytes | None = None) -> bytes:
    body = (len(packed) if length is None else length).to_bytes(4) + packed
    return body + (bytes(-len(body) % PADDING) if padding is None else padding)


def parcel_of(
    body: bytes,
    head: Header | None = None,
    *,
    bound_to: Header | None = None,
    key: SigningKey = PERSON,
    reader: ReaderKey = PERSON_READER,
) -> bytes:
    head = head or header()
    sealed = seal(body, [reader.public], bound_to=encode(bound_to or head))
    return write_signed(DocumentKind.PARCEL, Parcel(header=head, sealed=sealed), key)


def _damaged(rng: random.Random) -> bytes:
    raw = rng.choice(honest())
    while (found := damaged(rng, raw)) == raw:
        pass
    return found


def _flipped(rng: random.Random) -> bytes:
    raw = rng.choice(honest())
    at = rng.randrange(len(raw))
    return bytes([*raw[:at], raw[at] ^ 1 << rng.randrange(8), *raw[at + 1 :]])


def _cut(rng: random.Random) -> bytes:
    raw = rng.choice(honest())
    return raw[: rng.randrange(len(raw))] if rng.random() < 0.5 else raw + rng.randbytes(rng.randint(1, 900))


def _noise(rng: random.Random) -> bytes:
    line = rng.choice(list(DocumentKind)).line
    return line + rng.randbytes(rng.choice((0, 63, 64, 65, 400, MAX_PARCEL_BYTES)))


def _stranger(rng: random.Random) -> bytes:
    """Return an honest body signed by somebody else, with a joining of theirs or ours."""
    body = body_of(zlib.compress(encode_rows(rows())))
    if rng.random() < 0.5:
        return parcel_of(body, header(rng.randint(1, 9)), key=STRANGER)
    mine = msgspec.structs.replace(invitation(), join_key=rng.choice((JOIN, STRANGER)).expose())
    forged = msgspec.structs.replace(header(), joining=mine.join(rng.choice((PERSON, STRANGER))))
    if forged == header() or forged.joining == invitation().join(STRANGER):
        forged = msgspec.structs.replace(forged, joining=rng.randbytes(200))
    return parcel_of(body, forged, key=STRANGER)


def _moved(rng: random.Random) -> bytes:
    """Return a body under another head than it was sealed for."""
    body = body_of(zlib.compress(encode_rows(rows())))
    return parcel_of(body, header(rng.randint(1, 2**31 - 1)), bound_to=header(0))


def _head(rng: random.Random) -> bytes:
    """Return one whose head is another's, or none."""
    wrong: list[dict[str, Any]] = [
        {"study": "slides"}, {"participant": PARTICIPANT[::-1]}, {"participant": "+"}, {"study": "a/#"}, {"version": 2},
        {"n": rng.choice((-1, 2**31, 2**63))}, {"previous": rng.randbytes(32)}, {"previous": b""}, {"joining": None},
        {"joining": rng.randbytes(rng.choice((0, 300, 5000)))},
    ]  # fmt: skip
    head = msgspec.structs.replace(header(), **rng.choice(wrong))
    return parcel_of(body_of(zlib.compress(encode_rows(rows()))), head)


def _other_reader(_: random.Random) -> bytes:
    """Return one that nobody can open."""
    return parcel_of(body_of(zlib.compress(encode_rows(rows()))), reader=ReaderKey(b"?" * 32))


def _sealed(rng: random.Random) -> bytes:
    box = rng.randbytes(rng.choice((0, 39, 40, 40 + PADDING, 40 + 7, 40 + 8 * PADDING)))
    keys = tuple(rng.randbytes(80) for _ in range(rng.choice((1, 2, 8))))
    return write_signed(DocumentKind.PARCEL, Parcel(header=header(), sealed=Sealed(keys=keys, box=box)), PERSON)


def _padding(rng: random.Random) -> bytes:
    """Return a body whose length or padding is not what it says."""
    packed = zlib.compress(encode_rows(rows()))
    full = body_of(packed)
    return parcel_of(
        rng.choice(
            (
                body_of(packed, length=rng.choice((0, 1, len(packed) - 1, len(packed) + 1, 2**32 - 1))),
                full[:-1] + bytes([rng.randint(1, 255)]), full + bytes(PADDING * rng.randint(1, 9)), full + b"x", b"",
                bytes(PADDING), bytes(3),
            ),
        ),
    )  # fmt: skip


def _bomb(rng: random.Random) -> bytes:
    return parcel_of(body_of(bomb(rng.choice((b"\x91", b"\xc0")))))


def _compressed(rng: random.Random) -> bytes:
    """Return what is compressed otherwise, cut off, or twice."""
    packed = zlib.compress(encode_rows(rows()))
    raw = rng.choice(
        (packed[:-1], packed[2:], packed * 2, zlib.compress(packed), rng.randbytes(300), b"", packed + b"x")
    )
    return parcel_of(body_of(raw))


def _rows(rng: random.Random) -> bytes:
    """Return rows in which one thing is another, in a way that no row allows."""
    plain = msgspec.msgpack.decode(encode_rows(rows()))
    while True:
        item = changed(rng, plain)
        try:
            raw = msgspec.msgpack.encode(item)
        except (OverflowError, ValueError, RecursionError, UnicodeEncodeError, TypeError):
            continue
        if not _is_honest(raw):
            return parcel_of(body_of(zlib.compress(raw)))


def _is_honest(raw: bytes) -> bool:
    """Whether the change left rows that may travel, such as another minute."""
    try:
        found = msgspec.msgpack.decode(raw, type=list[Row])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return msgspec.msgpack.encode(found, order="deterministic") == raw and len(raw) <= 1_000_000


def _nested(rng: random.Random) -> bytes:
    """Return msgpack that is deep, or claims to be long."""
    raw = rng.choice(
        (
            b"\x91" * rng.choice((50, 5_000, 900_000)) + b"\x01",
            b"\x81\xa1a" * 5_000 + b"\x01",
            b"\xdd\xff\xff\xff\xff" * rng.choice((1, 1_000)),
            b"\xdc\xff\xff" + b"\x90" * 65_535,
            b"\x91\xdf\xff\xff\xff\xff",
            b"\xc9\xff\xff\xff\xff\x01",
            b"\xc1",
            encode([1, "x", None]),
        )
    )
    return parcel_of(body_of(zlib.compress(raw)))


def _too_large(rng: random.Random) -> bytes:
    return parcel_of(rng.randbytes(MAX_PARCEL_BYTES // PADDING * PADDING + PADDING))


def _other_kind(rng: random.Random) -> bytes:
    raw = rng.choice((invitation_bytes(), invitation().join(PERSON)))
    return raw if rng.random() < 0.5 else DocumentKind.PARCEL.line + raw.partition(b"\n")[2]


_MAKERS = (
    _damaged, _flipped, _cut, _noise, _stranger, _moved, _head, _other_reader, _sealed, _padding, _bomb, _compressed,
    _rows, _nested, _too_large, _other_kind,
)  # fmt: skip
FAMILIES: Mapping[str, Callable[[random.Random], bytes]] = {make.__name__.removeprefix("_"): make for make in _MAKERS}


def hostile_parcel(seed: int) -> tuple[str, bytes]:
    """Return a family and a parcel of it; the same for the same seed, but for keys of seals."""
    name = list(FAMILIES)[seed % len(FAMILIES)]
    return name, FAMILIES[name](random.Random(seed))
