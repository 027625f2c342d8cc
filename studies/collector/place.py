"""A number for each of several collectors on one data folder, by which the broker knows them again after a restart."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import EnvironmentFault
from storage.paths import PRIVATE_FILE, private_folder


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
            yield number
        finally:
            os.close(descriptor)
        return
    raise EnvironmentFault(f"{most} collectors are running on {data}", remedy="end one of them")
