"""Files of a documentation folder, found and read without trust: no link leads out of it, nothing but files."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.help.library.readers.formats import MAX_BYTES, is_page
from daemon.help.library.readers.parsed import UnreadablePage
from storage.files import open_file

MAX_FILES = 20_000
MAX_FOLDER_DEPTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file that may be a page: its path within the folder, and what tells whether it has changed."""

    path: str
    mtime_ns: int
    size: int


def find_pages(folder: Path) -> Iterator[FoundFile]:
    """Yield the files of a folder that may be pages, in the order of their names, no more than `MAX_FILES`.

    Links to files are taken where they stay in the folder; links to folders, pipes, devices and sockets never are.

    Raises:
        OSError: the folder itself cannot be read.
    """
    root = os.path.realpath(folder)
    os.scandir(root).close()
    count = 0
    for base, folders, files in os.walk(root):
        folders.sort()
        if base.count(os.sep) - root.count(os.sep) >= MAX_FOLDER_DEPTH:
            folders.clear()
        for name in sorted(files):
            if not is_page(name):
                continue
            full = os.path.join(base, name)  # noqa: PTH118  # thousands of files: no object for each
            found = _state(full, root)
            if found is None:
                continue
            count += 1
            if count > MAX_FILES:
                return
            path = os.fsencode(os.path.relpath(full, root)).decode("utf-8", "backslashreplace")  # then it is not found
            yield FoundFile(path=path, mtime_ns=found.st_mtime_ns, size=found.st_size)


def _state(full: str, root: str) -> os.stat_result | None:
    """Return the state of a regular file within the root; None for anything else."""
    try:
        state = os.lstat(full)
        if stat.S_ISLNK(state.st_mode):
            if not os.path.realpath(full).startswith(root + os.sep):
                return None
            state = os.stat(full)  # noqa: PTH116  # same
    except OSError:
        return None
    return state if stat.S_ISREG(state.st_mode) else None


def read_file(folder: Path, path: str) -> bytes:
    """Return the content of a page of the folder.

    Raises:
        UnreadablePage: it is too large, gone, no file, or may not be read.
    """
    root = os.path.realpath(folder)
    full = os.path.realpath(os.path.join(root, path))  # noqa: PTH118  # same
    if not full.startswith(root + os.sep):
        raise UnreadablePage("it lies outside of the folder")
    try:
        handle = open_file(full, os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise UnreadablePage("it is no file")
            if state.st_size > MAX_BYTES:
                raise UnreadablePage("it is too large")
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadablePage("it cannot be read") from error
