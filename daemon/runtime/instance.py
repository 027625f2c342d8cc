"""One running Kairos per data folder, ensured by a lock file."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from daemon.runtime.control_client import socket_file
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
        if held is None or _answers():
            raise EnvironmentFault(
                translatable("Kairos is already running with {folder}", folder=path.parent),
                remedy=translatable("talk to it: kairos status, kairos quit"),
            )
        yield


def _answers() -> bool:
    """Tell whether a Kairos listens on the control socket: its lock file may have been deleted."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.connect(str(socket_file()))
        return True
    return False
