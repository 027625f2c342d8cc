"""Private files of a study: written whole, replaced at once, and destroyed.

A file is overwritten before it is removed; what a file system or disk keeps elsewhere is beyond reach.
"""

import os
import stat
from pathlib import Path

from storage.errors import EnvironmentFault, os_words
from storage.files import create_file, open_file, sync_folder, write_whole, writing_remedy
from storage.translation import translatable

_CHUNK = 1 << 20


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only this user can read, whatever the umask, and wait until it is on the disk.

    Raises:
        EnvironmentFault: there is such a file already, or it cannot be written.
    """
    try:
        with create_file(path) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError:  # a disk that is full, say
                path.unlink(missing_ok=True)
                raise
    except FileExistsError:
        raise EnvironmentFault(f"{path} exists already", remedy="nothing is overwritten; choose another name") from None
    except OSError as error:
        raise unwritable(path, error) from error


def replace_private(path: Path, data: bytes) -> None:
    """Write a private file in place of the one before, which stays whole until then, and wait for the disk.

    Raises:
        EnvironmentFault: it cannot be written; the former one is as it was.
    """
    try:
        write_whole(path, data)
        sync_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> EnvironmentFault:
    """Return what is said of a file or folder that cannot be written."""
    return EnvironmentFault(f"{path} cannot be written: {error.strerror}", remedy=writing_remedy(error))


def destroy_file(path: Path, *, must_overwrite: bool = False) -> None:
    """Overwrite a plain file and remove it; a link is removed alone. Nothing there is fine.

    Raises:
        EnvironmentFault: it cannot be removed, or, where it `must_overwrite`, not overwritten.
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
    with os.fdopen(open_file(path, os.O_WRONLY), "wb", buffering=0) as file:
        found = os.fstat(file.fileno())
        left = found.st_size if stat.S_ISREG(found.st_mode) else 0
        while left > 0:
            left -= file.write(os.urandom(min(left, _CHUNK)))
        os.fsync(file.fileno())


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
