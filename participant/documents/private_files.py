"""Private files of a study: written whole, replaced at once, appended to, and destroyed.

A file is overwritten before it is removed; what a file system or disk keeps elsewhere is beyond reach.
"""

import os
import stat
from pathlib import Path

from storage.errors import EnvironmentFault, os_words
from storage.files import open_file
from storage.files import sync_folder as sync_folder  # noqa: PLC0414  # taken from here too
from storage.translation import translatable

_CHUNK = 1 << 20


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only this user can read, whatever the umask, and wait until it is on the disk.

    Raises:
        EnvironmentFault: there is such a file already, or it cannot be written.
    """
    try:
        descriptor = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise EnvironmentFault(f"{path} exists already", remedy="nothing is overwritten; choose another name") from None
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        _write_and_close(descriptor, data)
    except OSError as error:  # a disk that is full, say
        path.unlink(missing_ok=True)
        raise _unwritable(path, error) from error


def replace_private(path: Path, data: bytes) -> None:
    """Write a private file in place of the one before, which stays whole until then, and wait for the disk.

    Raises:
        EnvironmentFault: it cannot be written; the former one is as it was.
    """
    new = path.with_name(f".{path.name}.new")
    try:
        new.unlink(missing_ok=True)  # of a run that was cut off
        write_private(new, data)
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


def append_private(path: Path, data: bytes) -> None:
    """Append to a private file, which is made if there is none, and wait until it is on the disk.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    try:
        _write_and_close(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), data)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_and_close(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _unwritable(path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"{path} cannot be written: {error.strerror}", remedy="see who may write there, and the free space"
    )


def destroy_file(path: Path, *, must_overwrite: bool = False) -> None:
    """Overwrite a plain file and remove it; a link is removed alone. Nothing there is fine.

    Args:
        path: the file.
        must_overwrite: fail where it cannot be overwritten; otherwise it is removed all the same.

    Raises:
        EnvironmentFault: it cannot be removed, or not overwritten where it must be.
    """
    try:
        _overwrite(path)
    except FileNotFoundError:
        return
    except OSError as error:
        if must_overwrite:
            raise _unremovable(path, error) from error
    try:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)  # or a power cut could bring the name back
    except OSError as error:
        raise _unremovable(path, error) from error


def _overwrite(path: Path) -> None:
    descriptor = open_file(path, os.O_WRONLY)
    try:
        found = os.fstat(descriptor)
        left = found.st_size if stat.S_ISREG(found.st_mode) else 0
        while left > 0:
            left -= os.write(descriptor, os.urandom(min(left, _CHUNK)))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unremovable(path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        translatable("{path} cannot be removed: {why}", path=path, why=os_words(error)),
        remedy=translatable("remove it yourself"),
    )


def destroy_folder(folder: Path, *, must_overwrite: bool = False) -> None:
    """Destroy a folder with all that is in it; links are not followed. Nothing there is fine."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            destroy_file(Path(place) / name, must_overwrite=must_overwrite)
        for name in folders:
            _remove_folder(Path(place) / name)
    _remove_folder(folder)


def _remove_folder(folder: Path) -> None:
    try:
        folder.unlink() if folder.is_symlink() else folder.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unremovable(folder, error) from error
