"""Whether a camera is in use: the kernel tells when its device is opened or closed, and then one look says by whom.

A program that only asks what a camera can do opens and closes it at once, so the look waits a moment. Nothing of who
holds it is kept. Cameras of other users' programs cannot be told.
"""

import asyncio
import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from daemon.capture.surroundings.source import Kind, SourceUnavailable, Tell

_OPEN, _CLOSE, _CREATE, _DELETE, _IGNORED = 0x20, 0x18, 0x100, 0x200, 0x8000
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 16
_SETTLE_S = 0.5
_REST_S = 2.0
"""A look at all open files costs some 30 ms, so there is one in so many seconds at most; a guess."""


class Cameras:
    """All video devices of the machine, those plugged in later included."""

    tells: Sequence[tuple[Kind, str]] = ((Kind.CAMERA, "the camera's device"),)

    def __init__(self, devices: Path = Path("/dev"), processes: Path = Path("/proc")) -> None:
        """Take where devices and processes are."""
        self._devices = devices
        self._processes = processes

    async def watch(self, tell: Tell) -> None:
        """Tell whether a camera is in use, and each change.

        Raises:
            Gone: the kernel does not tell.
        """
        changed = asyncio.Event()
        with _inotify() as fd:
            _add(fd, self._devices, _CREATE | _DELETE)
            watched: dict[Path, int] = {}

            def read() -> None:
                for number, name in _events(os.read(fd, _BUFFER)):
                    if number in watched.values() or name.startswith("video"):
                        changed.set()

            loop = asyncio.get_running_loop()
            loop.add_reader(fd, read)
            try:
                while True:
                    changed.clear()
                    found = set(self._devices.glob("video*"))
                    watched = {device: _add(fd, device, _OPEN | _CLOSE) for device in found}
                    tell(*self.tells[0], self._in_use(found))
                    await asyncio.sleep(_REST_S)
                    await changed.wait()
                    await asyncio.sleep(_SETTLE_S)
            finally:
                loop.remove_reader(fd)

    def _in_use(self, devices: set[Path]) -> bool:
        wanted = {str(device) for device in devices}
        return bool(wanted) and any(target in wanted for target in _open_files(self._processes))


def _open_files(processes: Path) -> Iterator[str]:
    """Yield what the processes that we may look at have open."""
    for process in processes.iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError), os.scandir(process / "fd") as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        yield os.readlink(entry.path)  # noqa: PTH115  # thousands of them: no object each


@contextlib.contextmanager
def _inotify() -> Iterator[int]:
    fd = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise SourceUnavailable
    try:
        yield fd
    finally:
        os.close(fd)


def _add(fd: int, path: Path, mask: int) -> int:
    """Watch a path; the same one twice is one watch. Return its number, -1 if that cannot be."""
    return int(ctypes.CDLL(None).inotify_add_watch(fd, os.fsencode(path), mask))


def _events(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the number of the watch and the name in the folder for each event."""
    place = 0
    while place < len(data):
        number, mask, _, length = _HEAD.unpack_from(data, place)
        name = data[place + _HEAD.size : place + _HEAD.size + length].rstrip(b"\0")
        place += _HEAD.size + length
        if not mask & _IGNORED:
            yield number, os.fsdecode(name)
