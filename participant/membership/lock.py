"""One lock for all that changes joined studies: joining, packing and sending, review, leaving.

The sender may wait for a network for a minute. Who cannot wait that long, such as a person who leaves, ends it: it
loses nothing however it ends. The lock file names the sender while it runs, with the time at which it began, so that
no other process of the same number is ended.
"""

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from participant.membership.folder import studies_folder
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.files import lock, open_file, private_folder

FILE = "lock"
WAIT_S = 10.0
_KILL_AFTER_S = 3.0
_STEP_S = 0.02
_START_FIELD = 19  # of /proc/PID/stat, counted from after the name


class BusyError(EnvironmentFault):
    """Another process works on the studies."""


class Lock:
    """The lock, held; `descriptor` keeps it held by a child that inherits it."""

    def __init__(self, descriptor: int) -> None:
        """Take the open, locked file."""
        self.descriptor = descriptor

    def name_sender(self, pid: int | None) -> None:
        """Note which process may be ended by somebody who cannot wait; None: none.

        Raises:
            EnvironmentFault: the disk is full.
        """
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        try:
            os.ftruncate(self.descriptor, 0)
            if pid is not None:
                os.pwrite(self.descriptor, f"{pid} {_started(pid)}".encode(), 0)
        except OSError as error:
            raise _unusable(studies_folder() / FILE, error.strerror or type(error).__name__) from error


@contextmanager
def study_lock(*, wait_s: float = WAIT_S, end_sender: bool = True) -> Iterator[Lock]:
    """Hold the lock.

    Args:
        wait_s: how long to wait for whoever holds it.
        end_sender: whether a sender that runs is ended.

    Raises:
        BusyError: somebody else still holds it.
        EnvironmentFault: the file cannot be written, or is no plain file.
    """
    path = private_folder(studies_folder()) / FILE
    try:
        descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unusable(path, error.strerror or type(error).__name__) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unusable(path, "it is no plain file")
        _acquire(descriptor, path, wait_s=wait_s, end_sender=end_sender)
        held = Lock(descriptor)
        held.name_sender(None)
        try:
            yield held
        finally:
            held.name_sender(None)
    finally:
        os.close(descriptor)


def _unusable(path: Path, why: str) -> EnvironmentFault:
    return EnvironmentFault(f"{path} cannot be used: {why}", remedy="free some disk space, or remove this one file")


def _acquire(descriptor: int, path: Path, *, wait_s: float, end_sender: bool) -> None:
    clock = SystemClock()
    begun_ns = clock.now_ns()
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    while True:
        if lock(descriptor):
            return
        waited = (clock.now_ns() - begun_ns) / NS_PER_S
        if waited >= wait_s:
            raise BusyError(f"another Kairos works on the studies in {path.parent}", remedy="try again in a minute")
        if end_sender:
            _end_named(descriptor, signal.SIGTERM if waited < _KILL_AFTER_S else signal.SIGKILL)
        clock.sleep_s(_STEP_S)


def _end_named(descriptor: int, number: int) -> None:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    words = os.pread(descriptor, 64, 0).split()
    if len(words) == 2 and all(word.isdigit() for word in words):  # noqa: PLR2004  # process and time
        pid = int(words[0])
        if int(words[1]) == _started(pid) != 0:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _started(pid: int) -> int:
    """Return when a process began, in clock ticks since the machine did; 0 where nobody says."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return int(line.rpartition(")")[2].split()[_START_FIELD])
    except (OSError, ValueError, IndexError):
        return 0
