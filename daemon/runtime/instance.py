"""One running Kairos per data folder, ensured by a lock file."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from storage.errors import EnvironmentFault
from storage.paths import PRIVATE_FILE, lock_file
from storage.translation import translatable


@contextmanager
def only_instance() -> Iterator[None]:
    """Hold the lock of the data folder; the system releases it however the process ends.

    Raises:
        EnvironmentFault: another Kairos runs with this data folder.
    """
    path = lock_file()
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EnvironmentFault(
                translatable("Kairos is already running with {folder}", folder=path.parent),
                remedy=translatable("talk to it: kairos status, kairos quit"),
            ) from None
        yield
    finally:
        os.close(fd)
