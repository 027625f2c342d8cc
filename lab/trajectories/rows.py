"""Reads rows from outside: bounded in size, each fault with file and row, and nothing of a row quoted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from storage.errors import BadFile
from storage.files import decode_text, open_regular, read_lines

MAX_FILE_BYTES = 128 << 20
MAX_LINE_BYTES = 64 << 20
"""A row of Mind2Web holds its page's source."""

DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Their messages may quote the row, so none of them is passed on."""

_T = TypeVar("_T")


def read_whole(path: Path) -> bytes:
    """Return the content of a plain file as UTF-8, else as it is.

    Raises:
        BadFile: it is none, or larger than `MAX_FILE_BYTES`.
    """
    with open_regular(path) as file:
        raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        raise BadFile(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB")
    try:
        return decode_text(raw).encode()
    except UnicodeDecodeError:
        return raw


def raw_rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each row of a JSON file (one object or a list) or of JSON lines, with its place in words for an error.

    Raises:
        BadFile: the file cannot be read, or holds no list of rows.
    """
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(read_lines(path, longest=MAX_LINE_BYTES), start=1):
            if line.strip():
                yield f"{path}: line {number}", line
        return
    raw = read_whole(path)
    if not raw.lstrip().startswith(b"["):
        yield f"{path}: row 1", raw
        return
    try:
        rows = msgspec.json.decode(raw, type=list[msgspec.Raw])
    except DECODE_ERRORS:
        raise BadFile(f"{path} is not JSON") from None
    for number, row in enumerate(rows, start=1):
        yield f"{path}: row {number}", bytes(row)


def decode_row(decoder: "msgspec.json.Decoder[_T]", raw: bytes, where: str, what: str) -> _T:
    """Return a row.

    Raises:
        BadFile: it does not fit; says where and what was expected, and quotes nothing.
    """
    try:
        return decoder.decode(raw)
    except DECODE_ERRORS:
        raise BadFile(f"{where} is not {what}") from None


def decode_inside(raw: str, kind: Any, where: str, what: str) -> Any:
    """Return a value that a row holds as JSON in a string.

    Raises:
        BadFile: it does not fit.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except DECODE_ERRORS:
        raise BadFile(f"{where}: its {what} does not fit") from None
