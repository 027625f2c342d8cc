"""Opens files from outside that must be plain files: no links, pipes or devices, no endless lines nor folders.

Imports nothing heavy: the limited child processes that decode videos use it.
"""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from storage.errors import BadFile, os_words
from storage.translation import translatable

_CHUNK = 1 << 20
_CHECK_PATH = translatable("check the path, and whether you may read it")


def open_regular(path: Path, *, follow_links: bool = False) -> BinaryIO:
    """Open a plain file for reading; a link, pipe or device could lead elsewhere or never end.

    Args:
        path: the file.
        follow_links: whether it may be a link to a plain file, as a file of the person's own often is.

    Raises:
        BadFile: it is no plain file, or cannot be opened.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if follow_links else getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise BadFile(
            translatable("{path} cannot be opened as a plain file: {why}", path=path, why=os_words(error)),
            remedy=_CHECK_PATH,
        ) from error
    except ValueError as error:  # a NUL character in it
        raise BadFile(translatable("{path} is no path of a file", path=repr(str(path)))) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadFile(translatable("{path} is not a plain file", path=path), remedy=_CHECK_PATH)
    return os.fdopen(descriptor, "rb")


def list_entries(folder: Path, *, most: int) -> list[Path]:
    """Return what a folder from outside holds, sorted.

    Raises:
        BadFile: it cannot be read, or holds more than `most` entries.
    """
    try:
        found = list(islice(folder.iterdir(), most + 1))
    except OSError as error:
        raise BadFile(translatable("{path} cannot be read: {why}", path=folder, why=os_words(error))) from error
    if len(found) > most:
        raise BadFile(
            translatable("{folder} holds more files than a session or recording has ({most})", folder=folder, most=most)
        )
    return sorted(found)


def read_lines(path: Path, *, longest: int) -> Iterator[bytes]:
    """Yield the lines of a plain file from outside; one longer than `longest` bytes becomes "?", which no parser takes.

    Raises:
        BadFile: it is no plain file.
    """
    with open_regular(path) as file:
        while line := file.readline(longest + 1):
            if len(line) > longest and not line.endswith(b"\n"):
                while (rest := file.readline(_CHUNK)) and not rest.endswith(b"\n"):
                    pass
                yield b"?"
                continue
            yield line
