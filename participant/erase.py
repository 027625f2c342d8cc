"""Destroys private files of a study: overwritten, then removed; what a file system keeps elsewhere is beyond reach."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from storage.errors import EnvironmentFault, os_words
from storage.translation import translatable


def destroy_file(path: Path) -> None:
    """Overwrite a plain file with zeros and remove it; a link is removed alone. Nothing there is fine.

    Raises:
        EnvironmentFault: it cannot be removed.
    """
    with suppress(OSError):  # what cannot be overwritten is removed all the same
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode):
                os.pwrite(descriptor, bytes(found.st_size), 0)
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be removed: {why}", path=path, why=os_words(error)),
            remedy=translatable("remove it yourself"),
        ) from error


def destroy_folder(folder: Path) -> None:
    """Destroy a folder with all that is in it; links are not followed. Nothing there is fine.

    Raises:
        EnvironmentFault: something in it cannot be removed.
    """
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            destroy_file(Path(place) / name)
        for name in folders:
            inner = Path(place) / name
            try:
                inner.unlink() if inner.is_symlink() else inner.rmdir()
            except OSError as error:
                raise EnvironmentFault(
                    translatable("{path} cannot be removed: {why}", path=inner, why=os_words(error))
                ) from error
    try:
        folder.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be removed: {why}", path=folder, why=os_words(error))
        ) from error


def sync_folder(folder: Path) -> None:
    """Wait until names made or removed in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
