"""Overwrites files before they are removed, and searches what is left."""

import os
import shutil
from pathlib import Path

from storage.errors import EnvironmentFault

_CHUNK = 1 << 20


def destroy(path: Path) -> None:
    """Overwrite a file and remove it; one that is not there is fine.

    Raises:
        EnvironmentFault: it cannot be overwritten or removed.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _undeletable(path, error) from error
    try:
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            left = os.fstat(descriptor).st_size
            while left > 0:
                left -= file.write(os.urandom(min(left, _CHUNK)))
            os.fsync(descriptor)
        path.unlink()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise _undeletable(path, error) from error


def _undeletable(path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(f"{path} cannot be removed: {error.strerror}", remedy="see who may write there")


def files_with(folder: Path, marker: bytes) -> list[Path]:
    """Return files of a folder whose bytes hold a marker."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        if path.is_file():
            with path.open("rb") as file:
                before = b""
                while chunk := file.read(_CHUNK):
                    if marker in before + chunk:
                        found.append(path)
                        break
                    before = chunk[-len(marker) :]
    return found


def destroy_folder(folder: Path) -> None:
    """Overwrite and remove all files of a folder, and the folder; one that is not there is fine.

    A file that has another name elsewhere is removed and not overwritten: it is in use under that name.

    Raises:
        EnvironmentFault: something cannot be overwritten or removed.
    """
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        if path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1:
            destroy(path)
    shutil.rmtree(folder, ignore_errors=True)
