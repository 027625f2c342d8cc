"""Turns records into JSON rows and back.

Reading is strict, because rows may come from elsewhere; messages name the row and its kind and never quote it. Writing
reads every row back first: what could not be read again (a NaN, say) must never reach a log.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from storage.db.connection import MAX_BODY_BYTES
from storage.errors import BadFile
from storage.records import DERIVED, SOURCE, ControlState, Elements, Record, SessionStart, TileDigests
from storage.translation import translatable

PLACES = 6
"""Decimal places of a float in the canonical form."""

INT64_MAX = 2**63 - 1

_LONG_NUMBER = b" " + b"0" * 19
_AS_DIGITS = bytes(ord("0") if byte in b"0123456789" else byte if byte == ord(".") else ord(" ") for byte in range(256))
"""Tells digits and points from all else, so that many digits before a point are found without a regular expression."""

KINDS: Mapping[str, type[Record]] = {cls.KIND: cls for cls in (*SOURCE, *DERIVED)}
"""Every kind of row, by name."""

_DECODERS: Mapping[str, msgspec.json.Decoder[Record]] = {kind: msgspec.json.Decoder(cls) for kind, cls in KINDS.items()}

_PARTS: dict[type[Record], msgspec.json.Decoder[Record]] = {}


def as_dict(record: Record) -> dict[str, Any]:
    """Return a record as plain JSON values."""
    values: dict[str, Any] = msgspec.to_builtins(record)
    return values


def body_of(record: Record) -> bytes:
    """Return a record as JSON, unchecked: what digests are made of."""
    return msgspec.json.encode(_stated(record) if isinstance(record, Elements | SessionStart | TileDigests) else record)


def encode(record: Record) -> bytes:
    """Return a record as JSON.

    Raises:
        ValueError: the row could not be read again: a float that is no number, an integer beyond 64 bits, too long.
    """
    body = body_of(record)
    try:
        decode(record.KIND, body, seq=record.seq)
    except BadFile as error:
        raise ValueError(f"{error.what}; it was not written") from None
    return body


def _stated(record: Elements | SessionStart | TileDigests) -> dict[str, Any]:
    """Return a row without the fields that say nothing: a window has hundreds of plain elements."""
    values = as_dict(record)
    if isinstance(record, SessionStart):
        if not record.boot:  # as earlier builds wrote it
            del values["boot"]
        return values
    if isinstance(record, TileDigests):
        if not record.patches:
            del values["patches"]
        return values
    if record.complete:
        del values["complete"]
    if not record.by_ocr:
        del values["by_ocr"]
    for element in values["elements"]:
        if element["state"] == ControlState.PLAIN:
            del element["state"]
    return values


def decode(kind: str, body: str | bytes, *, seq: int = 0) -> Record:
    """Return the record of a row; `seq` is only for the message.

    Raises:
        BadFile: the kind is unknown, or the body does not fit it.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise BadFile(translatable("row {seq} is of a kind that this version of Kairos does not know", seq=seq))
    raw = body.encode(errors="replace") if isinstance(body, str) else body
    if len(raw) > MAX_BODY_BYTES:
        raise BadFile(
            translatable(
                "row {seq} ({kind}) is longer than {limit} bytes",
                seq=seq,
                kind=kind,
                limit=MAX_BODY_BYTES,
            )
        )
    try:
        record = decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # its message may quote the row
        raise BadFile(translatable("row {seq} is not a valid {kind} row", seq=seq, kind=kind)) from None
    digits = raw.translate(_AS_DIGITS)
    if _LONG_NUMBER in digits and _has_huge(as_dict(record)):
        raise BadFile(translatable("row {seq} ({kind}) holds a number beyond 64 bits", seq=seq, kind=kind))
    return record


def decode_row(seq: int, at_ns: int, kind: str, body: str | bytes) -> Record:
    """Return the record of a row of the table.

    Raises:
        BadFile: the kind is unknown, or the body does not fit it or the row's other columns.
    """
    record = decode(kind, body, seq=seq)
    if (record.seq, record.at_ns) != (seq, at_ns):
        raise BadFile(translatable("row {seq} contradicts its own number or time", seq=seq))
    return record


def decode_part(part: type[Record], seq: int, at_ns: int, body: str) -> Record:
    """Return as much of a row as `part` has fields for, in a third of the time; its integers may be beyond 64 bits.

    Raises:
        BadFile: the body does not fit it or the row's other columns.
    """
    decoder = _PARTS.get(part)
    if decoder is None:
        decoder = _PARTS[part] = msgspec.json.Decoder(part)
    try:
        record = decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # its message may quote the row
        raise BadFile(translatable("row {seq} is not a valid {kind} row", seq=seq, kind=part.KIND)) from None
    if record.seq != seq or record.at_ns != at_ns:
        raise BadFile(translatable("row {seq} contradicts its own number or time", seq=seq))
    return record


def canonical(record: Record) -> str:
    """Return a record as one line of JSON: its fields and, as "record", its kind (some have a field "kind").

    Keys are sorted, floats have six places. Two replays are equal when these lines are equal. An integer in a float
    field counts as a float, as it does once it was written and read.
    """
    kind = record.KIND
    values = as_dict(decode(kind, msgspec.json.encode(record), seq=record.seq))
    return msgspec.json.encode(_rounded({"record": kind, **values}), order="sorted").decode()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # turns -0.0 into 0.0
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value


def _has_huge(value: Any) -> bool:
    if isinstance(value, int):
        return not -INT64_MAX - 1 <= value <= INT64_MAX
    if isinstance(value, dict):
        return any(_has_huge(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_has_huge(item) for item in value)
    return False
