"""Files that are made of a session's rows and lie beside them: deletion takes them along, and no export holds them."""

import os
from collections.abc import Iterable
from pathlib import Path

from storage.errors import BadFile
from storage.files import open_regular, write_whole
from storage.session.heartbeat import is_recording
from storage.session.log import DATABASE, DIAGNOSIS, GOALS

DERIVED = (DIAGNOSIS, GOALS)

COPIES = "copies.txt"
"""Names the folders into which parts of a session were exported, a line each, so that its deletion can name them."""

_MAX_COPIES = 1 << 16


def read_derived(folder: Path, name: str, max_bytes: int) -> bytes | None:
    """Return what such a file holds; None where it is missing, no plain file, unreadable or longer than `max_bytes`."""
    try:
        with open_regular(folder / name) as file:
            raw = file.read(max_bytes + 1)
    except (BadFile, OSError):
        return None
    return raw if len(raw) <= max_bytes else None


def write_derived(folder: Path, name: str, content: bytes) -> bool:
    """Write such a file, whole or not at all; return whether it was written.

    A session that is being recorded, was deleted meanwhile, or cannot be written to gets none.
    """
    if is_recording(folder):
        return False
    try:
        written_ns = (folder / DATABASE).stat().st_mtime_ns
        write_whole(folder / name, content, mtime_ns=written_ns)  # by its files' times others see how old a session is
    except OSError:  # a full disk, a folder of somebody else, or one that was deleted meanwhile: not ours to mend
        return False
    return True


def note_copy(folder: Path, copy: Path) -> None:
    """Note where a copy of something of a session lies."""
    lines = dict.fromkeys([*copies_of([folder]), str(copy.absolute())])
    write_derived(folder, COPIES, "\n".join(lines).encode("utf-8", "surrogateescape"))


def copies_of(folders: Iterable[Path]) -> list[str]:
    """Return where copies of sessions lie that are still there."""
    raw = (read_derived(folder, COPIES, _MAX_COPIES) or b"" for folder in folders)
    names = (line for text in raw for line in text.decode("utf-8", "surrogateescape").splitlines())
    return [name for name in dict.fromkeys(names) if os.path.lexists(name)]
