"""Input devices that a script writes to: pipes, and what the kernel says of each in its own words."""

import os
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

assert sys.platform == "linux"  # nothing else has a kernel of this kind

from daemon.capture.evdev.service import Devices, DeviceService

_EVENT = struct.Struct("llHHi")
_KEY, _RELATIVE = 1, 2
CODES = {
    **{letter: 16 + at for at, letter in enumerate("qwertyuiop")},
    **{letter: 30 + at for at, letter in enumerate("asdfghjkl")},
    **{letter: 44 + at for at, letter in enumerate("zxcvbnm")},
    "ctrl": 29,
    "shift": 42,
    "alt": 56,
    "altgr": 100,
    "logo": 125,
    "caps": 58,
    "enter": 28,
    "backspace": 14,
    "esc": 1,
    "f1": 59,
    "up": 103,
    "keypad_4": 75,
}
"""The kernel's numbers of keys, by what is printed on a US keyboard."""

KEYBOARD, MOUSE, TOUCHPAD = (1 << 200) - 1, 0x1F << 0x110, 1 << 0x110 | 1 << 0x145
SWITCH = 1 << 0x160
CLICK = ((_KEY, 0x110, 1), (_KEY, 0x110, 0))
"""Keys and buttons of a keyboard, a mouse, a touchpad; of something that is neither."""


class InputDevices:
    """A folder of devices, with a service that reads them."""

    def __init__(self, folder: Path) -> None:
        self.user: int | None = os.getuid()
        self.asked = 0
        """How often the service asked for `user`."""
        self.socket = str(folder / "s")
        self._folder, self._about, self._seats = folder / "dev", folder / "about", folder / "seats"
        self._folder.mkdir(parents=True)
        self._seats.mkdir()
        self._pipes: dict[str, int] = {}
        self.devices = Devices(self._folder, self._about, self._seats)
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.socket)
        self.listening.listen(4)
        self.service = DeviceService(self.listening, self.devices, self._whose)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _whose(self) -> int | None:
        found = self.user
        self.asked += 1  # from here on `user` may be changed
        return found

    def _serve(self) -> None:
        with suppress(OSError):  # it no longer listens
            self.service.serve()
        for connection in list(self.service._listeners):  # noqa: SLF001  # as its process's end would do
            self.service._dismiss(connection)  # noqa: SLF001  # same
        self.service._all.close()  # noqa: SLF001  # same

    def plug(self, name: str, keys: int, *, seat: str = "") -> None:
        """Add a device; pipes have no numbers of devices, so all are of the seat that is named last."""
        (self._seats / "c0:0").write_text(f"I:1\nE:ID_SEAT={seat}\n" if seat else "I:1\n")
        told = self._about / name / "device" / "capabilities"
        told.mkdir(parents=True)
        words = [keys >> 64 * at & (1 << 64) - 1 for at in reversed(range(12))]
        (told / "key").write_text(" ".join(f"{word:x}" for word in words).lstrip("0 ") + "\n")
        os.mkfifo(self._folder / name)
        self._pipes[name] = os.open(self._folder / name, os.O_RDWR)

    def unplug(self, name: str) -> None:
        """Take a device away."""
        (self._folder / name).unlink()
        os.close(self._pipes.pop(name))

    def send(self, name: str, *events: tuple[int, int, int]) -> None:
        """Have a device say this, with the report that ends it."""
        os.write(self._pipes[name], b"".join(_EVENT.pack(1, 2, *event) for event in (*events, (0, 0, 0))))

    def close(self) -> None:
        """End the service, and take all away."""
        self.listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        for name in list(self._pipes):
            self.unplug(name)
        self.listening.close()


def tapped(*keys: str | int) -> list[tuple[int, int, int]]:
    """Return the events of keys (what is printed on them, or numbers) that are pressed one by one, and let go."""
    codes = [key if isinstance(key, int) else CODES[key] for key in keys]
    return [(_KEY, code, 1) for code in codes] + [(_KEY, code, 0) for code in reversed(codes)]


@contextmanager
def input_devices(folder: Path) -> Iterator[InputDevices]:
    """Yield a folder of devices with a service."""
    made = InputDevices(folder)
    try:
        yield made
    finally:
        made.close()
