"""The service `kairos-input`: reads keyboards and mice, and says which class a key is of, buttons, wheel; nothing else.

It runs as a user of its own with the group `input` (packaging/deb/kairos-input.service), opens devices only while
somebody listens, and answers none but the user whose session is on the screen, asked of logind before every line.
Nothing is remembered, written or logged. Who listens says `layout NAMES` (`xkb.SYMBOLS`) before anything is read, and
may say it again, and `group N`.

A line it sends: `devices 1 0` (a mouse is there, a touchpad is there), `MS key CLASS US_CLASS PLAIN` (`US_CLASS` in
programs that fall back on a US keyboard; 1 for Enter by itself), `MS button NAME DOWN`, `MS wheel DX DY`. MS is of the
clock that sessions use.
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from daemon.capture.evdev.xkb import XkbKeyboard
from daemon.capture.keys import Fallback, class_of_press
from storage.clock import NS_PER_MS, SystemClock
from storage.errors import EnvironmentFault
from storage.records import KeyClass

SOCKET = "/run/kairos-input/socket"
AGAIN_S = 5.0
"""How often devices are looked for while somebody listens: one that is plugged in is heard by then."""

MAX_LINE, MAX_DEVICES = 200, 64
_EVENT = struct.Struct("llHHi")
_KEY, _RELATIVE = 1, 2
_REPEAT = 2
_WHEEL = {8: (0, 1), 6: (1, 0)}
"""The kernel's axes of the wheel, as what a step of them scrolls."""

_BUTTONS = {0x110: "left", 0x111: "right", 0x112: "middle", **dict.fromkeys(range(0x113, 0x118), "other")}
_LEFT, _FINGER = 0x110, 0x145
_KEYS_END = 0x100
"""The kernel's numbers below are keys of keyboards."""

_LOCKS = {0: 69, 1: 58, 2: 70}
"""Lights of a keyboard, and the keys that switch them: NumLock, CapsLock, ScrollLock."""

_READ_LIGHTS = 0x80014519  # EVIOCGLED, one byte


def active_user() -> int | None:
    """Return the user whose session is on the screen; None if there is none, or logind does not answer."""
    uid = ctypes.c_uint()
    with contextlib.suppress(OSError):
        if ctypes.CDLL("libsystemd.so.0").sd_seat_get_active(b"seat0", None, ctypes.byref(uid)) >= 0:
            return uid.value
    return None


class Devices:
    """The input devices that are open, by descriptor: name, keys and buttons as bits."""

    def __init__(self, folder: Path = Path("/dev/input"), about: Path = Path("/sys/class/input")) -> None:
        """Prepare; `about` says what each device has."""
        self._folder, self._about = folder, about
        self.open: dict[int, tuple[str, int]] = {}

    @property
    def kinds(self) -> str:
        """Return what there is, in a line."""
        touchpads = [keys >> _FINGER & 1 for _, keys in self.open.values() if keys >> _LEFT & 1]
        return f"devices {0 in touchpads:d} {1 in touchpads:d}"

    def look(self) -> list[int]:
        """Open what is new and has keys or buttons, and return it."""
        known, new = {name for name, _ in self.open.values()}, []
        for name in sorted({path.name for path in self._folder.glob("event*")} - known)[:MAX_DEVICES]:
            with contextlib.suppress(OSError, ValueError):  # just gone
                words = (self._about / name / "device" / "capabilities" / "key").read_text("ascii").split()
                keys = sum(int(word, 16) << 64 * at for at, word in enumerate(reversed(words)))
                if keys & (1 << _KEYS_END) - 1 or keys >> _LEFT & 1:
                    new.append(os.open(self._folder / name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
                    self.open[new[-1]] = name, keys
        return new

    def close(self, device: int) -> None:
        """Close one."""
        del self.open[device]
        os.close(device)


class Decoder:
    """Makes lines of what devices say. It holds which keys are down, as every keyboard does, and nothing else."""

    def __init__(self, keyboard: XkbKeyboard) -> None:
        """Begin with no key held."""
        self.keyboard = keyboard
        self._knows_locks = False

    def note_lights(self, device: int) -> None:
        """Take over which locks are on, from the first keyboard."""
        lights = bytearray(1)
        if self._knows_locks:
            return
        with contextlib.suppress(OSError):
            fcntl.ioctl(device, _READ_LIGHTS, lights)
            self._knows_locks = True
        for light, code in _LOCKS.items():
            if lights[0] >> light & 1:
                self.keyboard.change(code, down=True)
                self.keyboard.change(code, down=False)

    def lines(self, events: bytes) -> Iterator[str]:
        """Yield what there is to say, without times; a part of an event at the end is left out."""
        dx = dy = 0
        for _, _, kind, code, value in _EVENT.iter_unpack(events[: len(events) // _EVENT.size * _EVENT.size]):
            if kind == _KEY and code in _BUTTONS and value != _REPEAT:
                yield f"button {_BUTTONS[code]} {value}"
            elif kind == _KEY and code < _KEYS_END:
                press = self.keyboard.press(code)
                groups, us = (class_of_press(press, fallback) for fallback in (Fallback.GROUPS, Fallback.US))
                if value == 1 or (value == _REPEAT and groups is not KeyClass.MODIFIER):
                    yield f"key {groups} {us} {groups is KeyClass.ENTER and not press.ctrl:d}"
                if value != _REPEAT:
                    self.keyboard.change(code, down=bool(value))
            elif kind == _RELATIVE and code in _WHEEL:
                dx, dy = (total + step * value for total, step in zip((dx, dy), _WHEEL[code], strict=True))
        if dx or dy:
            yield f"wheel {dx} {dy}"


class DeviceService:
    """Tells one listener what devices say: the newest of the user whose session is on the screen."""

    def __init__(
        self, listening: socket.socket, devices: Devices, user: Callable[[], int | None] = active_user
    ) -> None:
        """Prepare; `user` says whose session is on the screen."""
        self._listening, self._devices, self._user = listening, devices, user
        self._all = DefaultSelector()
        self._all.register(listening, EVENT_READ, self._admit)
        self._listener: socket.socket | None = None
        self._decoder: Decoder | None = None
        self._uid, self._said = -1, b""

    def serve(self) -> None:
        """Go on until the process is ended, or listening fails: `OSError`."""
        while True:
            for key, _ in self._all.select(None if self._listener is None else AGAIN_S):
                if key.fd in self._all.get_map():  # one before may have closed it
                    key.data(key.fd)
            if self._decoder is not None and (new := self._devices.look()):
                for device in new:
                    self._all.register(device, EVENT_READ, self._pass_on)
                    self._decoder.note_lights(device)
                self._tell([self._devices.kinds])

    def _admit(self, _: int) -> None:
        connection, _ = self._listening.accept()
        connection.setblocking(False)
        uid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        if uid != self._user():
            connection.close()
            return
        self._dismiss()
        self._listener, self._uid, self._said = connection, uid, b""
        self._all.register(connection, EVENT_READ, self._obey)

    def _dismiss(self) -> None:
        """Close what is open for the listener."""
        if self._listener is not None:
            self._all.unregister(self._listener)
            self._listener.close()
            self._listener = self._decoder = None
        for device in list(self._devices.open):
            self._close(device)

    def _close(self, device: int) -> None:
        self._all.unregister(device)
        self._devices.close(device)

    def _obey(self, listener: int) -> None:
        """Do what the listener says; who says anything else is dismissed."""
        try:
            *lines, self._said = (self._said + os.read(listener, MAX_LINE)).split(b"\n")
        except OSError:
            lines, self._said = [], b""
        if (not lines and not self._said) or len(self._said) > MAX_LINE or not all(map(self._obeyed, lines)):
            self._dismiss()

    def _obeyed(self, line: bytes) -> bool:
        what, _, value = line.decode("latin-1").partition(" ")
        if what == "layout":
            try:
                self._decoder = Decoder(XkbKeyboard(value))
            except ValueError:  # none of this system's
                self._decoder = Decoder(XkbKeyboard())
            for device in self._devices.open:
                self._decoder.note_lights(device)
        elif what == "group" and value in {"0", "1", "2", "3"} and self._decoder is not None:
            self._decoder.keyboard.choose_group(int(value))
        return what in {"group", "layout"}

    def _pass_on(self, device: int) -> None:
        """Tell what a device says, while the listener's session is on the screen."""
        try:
            events = os.read(device, 64 * _EVENT.size)
        except OSError:
            events = b""
        if not events or self._decoder is None:
            self._close(device)
        elif self._user() == self._uid:
            at = SystemClock().now_ns() // NS_PER_MS
            self._tell(f"{at} {line}" for line in self._decoder.lines(events))
        else:
            self._decoder.keyboard.release()

    def _tell(self, lines: Iterable[str]) -> None:
        """Send lines; a listener that falls behind is dismissed."""
        text = "".join(f"{line}\n" for line in lines).encode()
        with contextlib.suppress(OSError):
            if self._listener is not None and self._listener.send(text) == len(text):
                return
        self._dismiss()


def main() -> int:
    """Serve until the process is ended; return 3 if that cannot be."""
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            Path(SOCKET).unlink(missing_ok=True)
            listening.bind(SOCKET)
            Path(SOCKET).chmod(0o666)  # who may listen is decided for each, by its user
            listening.listen(4)
            DeviceService(listening, Devices()).serve()
    except (EnvironmentFault, OSError) as fault:
        print(f"kairos-input: {fault}", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
