"""Sixteen bytes in a session's folder that survive a kill: when something was last seen, and last handed over.

The file, `pulse`, is memory-mapped, because input callbacks write it: a store never yields to another thread. While it
is locked the session is being recorded. It is removed when a session ends in order.
"""

import errno
import mmap
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from storage.errors import EnvironmentFault, os_words
from storage.files import lock, open_file, unlock
from storage.translation.sentences import translatable

HEARTBEAT_FILE = "pulse"

_BEAT = struct.Struct("=qq")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """Session times: of the last thing that capture saw, and of the last row that was handed to the recorder."""

    seen_ns: int
    taken_ns: int


class Heartbeat:
    """The writing side; may be set from any thread."""

    def __init__(self, folder: Path) -> None:
        """Create the file and lock it.

        Raises:
            EnvironmentFault: it cannot be written, or another process records this session.
        """
        self._path = folder / HEARTBEAT_FILE
        self._fd: int | None = None
        try:
            fd = self._fd = open_file(self._path, os.O_RDWR | os.O_CREAT)
            if not lock(fd):
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            os.write(fd, bytes(_BEAT.size))  # real bytes, not a hole: a store must find its place on a full disk
            self._map = mmap.mmap(fd, _BEAT.size)
        except OSError as error:
            if self._fd is not None:
                os.close(self._fd)
            raise EnvironmentFault(
                translatable("{path} cannot be written: {why}", path=self._path, why=os_words(error)),
                remedy=translatable("check the free space"),
                code="storage_failed",
            ) from error
        self._times = memoryview(self._map).cast("q")  # one aligned store of eight bytes each: never half written

    def seen(self, t_ns: int) -> None:
        """Note that capture saw something at `t_ns`."""
        self._times[0] = t_ns

    def taken(self, at_ns: int) -> None:
        """Note that rows up to `at_ns` were handed to the recorder."""
        self._times[1] = at_ns

    def close(self, *, in_order: bool) -> None:
        """End; the file stays if something was not written. A second call changes nothing.

        The map lives until nobody refers to it, so that a late callback writes into a file without a name.
        """
        if self._fd is None:
            return
        fd, self._fd = self._fd, None
        if in_order:
            self._path.unlink(missing_ok=True)
        unlock(fd)
        os.close(fd)


def read_heartbeat(folder: Path) -> Beat | None:
    """Return the last beat of a session; None where it ended in order or the file is unusable."""
    fd = _open(folder)
    if fd is None:
        return None
    try:
        raw = os.read(fd, _BEAT.size)
    except OSError:  # a folder
        return None
    finally:
        os.close(fd)
    if len(raw) != _BEAT.size:
        return None
    seen_ns, taken_ns = _BEAT.unpack(raw)
    return Beat(seen_ns=seen_ns, taken_ns=taken_ns)


def is_recording(folder: Path) -> bool:
    """Tell whether a running process is recording this session."""
    fd = _open(folder)
    if fd is None:
        return False
    try:
        return not lock(fd, shared=True)
    finally:
        os.close(fd)


def _open(folder: Path) -> int | None:
    try:
        return open_file(folder / HEARTBEAT_FILE, os.O_RDONLY)
    except OSError:
        return None
