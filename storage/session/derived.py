"""Files that are made of a session's rows and lie beside them: deletion takes them along, and no export holds them."""

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from storage.errors import BadFile
from storage.files import open_regular, write_whole
from storage.session.heartbeat import is_recording
from storage.session.log import DATABASE, DIAGNOSIS, GOALS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

logger = logging.getLogger(__name__)

DERIVED = (DIAGNOSIS, GOALS)

COPIES = "copies.txt"
"""Names the folders into which parts of a session were exported, a line each, so that its deletion takes them out."""

EXPORTS = "kairos.exports"
"""Entry points: each takes the part of a session out of an export, where it has made that."""

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


def note_copy(folder: Path, copy: Path, part: str = "") -> None:
    """Note where a copy of something of a session lies, and by which name whoever made it can take it out there."""
    noted = {**_noted(folder), str(copy.absolute()): part}
    lines = (f"{copy}\0{part}" for copy, part in noted.items())
    write_derived(folder, COPIES, "\n".join(lines).encode("utf-8", "surrogateescape"))


def _noted(folder: Path) -> dict[str, str]:
    text = (read_derived(folder, COPIES, _MAX_COPIES) or b"").decode("utf-8", "surrogateescape")
    pairs = (line.partition("\0") for line in text.splitlines())
    return {copy: part for copy, _, part in pairs if os.path.lexists(copy)}


def copies_of(folders: Iterable[Path], *, nameless: bool = False) -> list[str]:
    """Return where copies of sessions lie that are still there; `nameless`: of which nothing can be taken out."""
    noted = (pair for folder in folders for pair in _noted(folder).items())
    return list(dict.fromkeys(copy for copy, part in noted if not (nameless and part)))


def take_out_of_copies(folders: Iterable[Path], *, renews: bool = False) -> tuple[list[str], list[str]]:
    """Have what is of sessions taken out of their copies by whoever made these; return where that was done, or not.

    `renews`: what is left of the sessions is written there anew.
    """
    from importlib.metadata import entry_points

    done: dict[str, bool] = {}
    for folder in folders:
        for copy, part in _noted(folder).items():
            left = (folder,) if renews else ()
            exports = entry_points(group=EXPORTS) if part else ()
            is_out = sum(_taken_out(entry, Path(copy), part, *left) for entry in exports) > 0
            done[copy] = is_out and done.get(copy, True)
    return [copy for copy, is_done in done.items() if is_done], [copy for copy, is_done in done.items() if not is_done]


def _taken_out(entry: "EntryPoint", copy: Path, part: str, *left: Path) -> bool:
    try:
        return bool(entry.load()(copy, part, *left))
    except Exception as error:  # noqa: BLE001  # another distribution's code: the session goes all the same
        logger.warning("a copy of a session could not be changed: %s", type(error).__name__)
        return False
