"""One recording of a person, as our records; and how files are read."""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from storage.errors import BadFile
from storage.records import Record

LARGEST = 1 << 28
"""Characters of one file once unpacked; the largest published one has four million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A part of a recording that is a file of its own in the publication, such as one form filled in."""

    file: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording: `sources` are session times and records in the order of time."""

    name: str
    person: str
    sources: Sequence[tuple[int, Record]]
    end_ns: int
    task: str = ""
    demos: tuple[Demo, ...] = ()


def read_text(path: Path) -> str:
    """Return the text of a file, unpacked where its name ends in `.gz`.

    Raises:
        BadFile: it cannot be read, or is far larger than any published one.
    """
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BadFile(f"{path} is larger than any published recording")
        return content.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadFile(f"{path} cannot be read ({type(error).__name__})") from error
