"""One running Kairos per data folder, ensured by a lock file."""

from collections.abc import Iterator
from contextlib import contextmanager

from storage.errors import EnvironmentFault
from storage.files import hold_lock, lock_file
from storage.translation import translatable


@contextmanager
def only_instance() -> Iterator[None]:
    """Hold the lock of the data folder; the system releases it however the process ends.

    Raises:
        EnvironmentFault: another Kairos runs with this data folder.
    """
    path = lock_file()
    with hold_lock(path) as held:
        if held is None:
            raise EnvironmentFault(
                translatable("Kairos is already running with {folder}", folder=path.parent),
                remedy=translatable("talk to it: kairos status, kairos quit"),
            )
        yield
