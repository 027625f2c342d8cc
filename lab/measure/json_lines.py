"""Reads rows that people wrote as JSON lines; a line that does not fit is named, and never quoted."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from storage.errors import BadFile
from storage.files import read_lines

MAX_ROWS = 200_000
MAX_LINE_BYTES = 1 << 16

_T = TypeVar("_T")


def decoded_lines(path: Path, decoder: "msgspec.json.Decoder[_T]", what: str) -> Iterator[tuple[int, _T]]:
    """Yield the number of each line that is not empty, and what it holds; `what` says of which kind that is.

    Raises:
        BadFile: a line does not fit, or there are too many; says which.
    """
    for number, line in enumerate(read_lines(path, longest=MAX_LINE_BYTES), start=1):
        if number > MAX_ROWS:
            raise BadFile(f"{path} has more than {MAX_ROWS} lines")
        if not line.strip():
            continue
        try:
            yield number, decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # its message may quote the line
            raise BadFile(f"{path}: line {number} is not {what}") from None
