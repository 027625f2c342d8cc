"""A number for each of several collectors on one data folder, by which the broker knows them again after a restart."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import EnvironmentFault
from storage.paths import PRIVATE_FILE, private_folder

_HAS_SESSION = b"session\n"
"""What a lock file holds while the broker may keep a session of that name, with a share of what arrives."""


@contextmanager
def abandoned_place(data: Path, *, most: int) -> Iterator[int | None]:
    """Hold the lowest number whose collector is gone and whose session nobody has ended; None if there is none.

    Once the block is left without an error, that session counts as ended.

    Raises:
        EnvironmentFault: a lock file cannot be read.
    """
    for number in range(1, most + 1):
        path = data / f"collector-{number}.lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise EnvironmentFault(f"{path} cannot be read: {error.strerror}", remedy="see who may read it") from error
        try:
            if _is_left(descriptor):
                yield number
                os.ftruncate(descriptor, 0)
                return
        finally:
            os.close(descriptor)
    yield None


def _is_left(descriptor: int) -> bool:
    """Lock a file; return whether that is possible, and a session stands in it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # its collector is running
        return False
    return bool(os.pread(descriptor, len(_HAS_SESSION), 0))


@contextmanager
def take_place(data: Path, *, most: int) -> Iterator[int]:
    """Hold the lowest number from 1 on that no other collector of this folder holds; a killed one's is free at once.

    Raises:
        EnvironmentFault: `most` collectors are running, or the folder cannot be used.
    """
    private_folder(data)
    for number in range(1, most + 1):
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(data / f"collector-{number}.lock", flags, PRIVATE_FILE)
        except OSError as error:
            raise EnvironmentFault(
                f"{data} cannot be used: {error.strerror}", remedy="see who may write there"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        try:
            os.pwrite(descriptor, _HAS_SESSION, 0)
            yield number
        finally:
            os.close(descriptor)
        return
    raise EnvironmentFault(f"{most} collectors are running on {data}", remedy="end one of them")
