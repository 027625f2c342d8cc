"""Devices of the machine: whether a camera is in use, and whether it runs on battery.

The kernel reports when a camera's device is opened or closed; then the open files of all processes that we may inspect
are searched for it, a moment later: programs open it only to query it, too.
"""

import asyncio
import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.source import Condition, ConditionSource, Report

_OPEN, _CLOSE, _CREATE, _DELETE, _IGNORED = 0x20, 0x18, 0x100, 0x200, 0x8000
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 16
_SETTLE_S = 0.5
_REST_S = 2.0
"""A search of all open files costs some 30 ms, so this long there is no other; a guess."""

SUPPLIES = Path("/sys/class/power_supply")
CHECK_S = 60.0
"""The battery is read this often, and only while capture is awake."""


class Cameras(ConditionSource):
    """All video devices of the machine, those plugged in later included."""

    provides: Sequence[tuple[Condition, str]] = ((Condition.CAMERA, "the camera's device"),)

    def __init__(self, devices: Path = Path("/dev"), processes: Path = Path("/proc")) -> None:
        self._devices = devices
        self._processes = processes

    async def watch(self, report: Report) -> None:
        """Report whether a camera is in use, and each change."""
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
                    report(*self.provides[0], self._in_use(found))
                    await asyncio.sleep(_REST_S)
                    await changed.wait()
                    await asyncio.sleep(_SETTLE_S)
            finally:
                loop.remove_reader(fd)

    def _in_use(self, devices: set[Path]) -> bool:
        wanted = {str(device) for device in devices}
        return bool(wanted) and any(target in wanted for target in _open_files(self._processes))


def _open_files(processes: Path) -> Iterator[str]:
    """Yield the paths of files open in the processes that we may inspect."""
    for process in processes.iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError), os.scandir(process / "fd") as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        yield os.readlink(entry.path)  # noqa: PTH115  # thousands of them: no object each


@contextlib.contextmanager
def _inotify() -> Iterator[int]:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    fd = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise SourceGone
    try:
        yield fd
    finally:
        os.close(fd)


def _add(fd: int, path: Path, mask: int) -> int:
    """Watch a path and return the watch's number: the same for the same path, -1 if it cannot be watched."""
    return int(ctypes.CDLL(None).inotify_add_watch(fd, os.fsencode(path), mask))


def _events(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the number of the watch and the name in the folder for each event."""
    offset = 0
    while offset < len(data):
        number, mask, _, length = _HEAD.unpack_from(data, offset)
        name = data[offset + _HEAD.size : offset + _HEAD.size + length].rstrip(b"\0")
        offset += _HEAD.size + length
        if not mask & _IGNORED:
            yield number, os.fsdecode(name)


def on_battery(supplies: Path = SUPPLIES) -> bool | None:
    """Return whether a battery of the machine is being drained; None where there is none."""
    try:
        batteries = [supply for supply in supplies.iterdir() if _text(supply / "type") == "Battery"]
    except OSError:
        return None
    internal = [supply for supply in batteries if _text(supply / "scope") != "Device"]  # a wireless mouse has one, too
    return any(_text(supply / "status") == "Discharging" for supply in internal) if internal else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
