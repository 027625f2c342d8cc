"""The service `kairos-input`: reads keyboards and mice, and says which class a key is of, buttons, wheel; nothing else.

It runs as a user of its own with the group `input` (packaging/deb/kairos-input.service), opens devices only while
somebody listens, and says nothing to anybody but the user whose session is on the screen. Nothing is written or logged.
Who listens says `layout NAMES` (`xkb.SYMBOLS`) first, and may say it again, and `group N`.

A line it sends: `devices 1 0` (a mouse is there, a touchpad is there), `MS key CLASS US_CLASS PLAIN` (`US_CLASS` in
programs that fall back on a US keyboard; 1 for Enter by itself), `MS button NAME DOWN`, `MS wheel DX DY`. MS is when it
happened, by the clock that sessions use.

A layout is the listener's word, so it must not tell letters or digits apart: what writes is `character`, whatever the
layout says, until Ctrl, Alt or the key with the logo is held down on the keyboard itself, or a Caps Lock that is Ctrl.
"""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import NamedTuple

assert sys.platform == "linux"  # nothing else has a kernel of this kind

from daemon.capture.evdev.xkb import WRITING, XkbKeyboard
from daemon.capture.keys import Fallback, class_of_press
from storage.clock import NS_PER_MS, NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import KeyClass

SOCKET = "/run/kairos-input/socket"
AGAIN_S = 5.0
"""How often devices are looked for while somebody listens: one that is plugged in is heard by then."""

MAX_LINE, MAX_LISTENERS = 200, 8
_EVENT = struct.Struct("llHHi")
_SYNC, _KEY, _RELATIVE, _ABSOLUTE, _OTHER = 0, 1, 2, 3, 4
_DROPPED, _REPEAT = 3, 2
_WHEEL = {8: (0, 1), 6: (1, 0)}
"""The kernel's axes of the wheel, as what a step of them scrolls."""

_BUTTONS = {0x110: "left", 0x111: "right", 0x112: "middle", **dict.fromkeys(range(0x113, 0x118), "other")}
_LEFT, _FINGER = 0x110, 0x145
_KEYS_END = 0x100
"""The kernel's numbers below are keys of keyboards."""

_KEYPAD = dict.fromkeys((71, 72, 73, 75, 77, 79, 80, 81), KeyClass.NAVIGATION) | {
    76: KeyClass.OTHER,
    82: KeyClass.OTHER,
    83: KeyClass.DELETE,
}
"""Digits of the keypad, and what they are without NumLock."""

_CHORDS = frozenset({29, 97, 56, 125, 126})
"""Ctrl, Alt and the keys with the logo; AltGr writes."""

_NUM_LOCK, _CAPS_LOCK = 69, 58
_LIGHTS = {0: _NUM_LOCK, 1: _CAPS_LOCK}
"""Lights of a keyboard, and the keys that switch them."""

_READ_LIGHTS = 0x80014519  # EVIOCGLED, one byte
_SET_CLOCK = 0x400445A0  # EVIOCSCLOCKID
_SET_MASK = 0x40104593  # EVIOCSMASK: what a device need not wake us for


@cache
def _logind() -> ctypes.CDLL:
    return ctypes.CDLL("libsystemd.so.0")


def active_user() -> int | None:
    """Return the user whose session is on the screen; None if there is none, or logind does not answer."""
    uid = ctypes.c_uint()
    with contextlib.suppress(OSError):
        if _logind().sd_seat_get_active(b"seat0", None, ctypes.byref(uid)) >= 0:
            return uid.value
    return None


class Device(NamedTuple):
    """An open device: its name, its keys and buttons as bits, whether it has lights and says when things happened."""

    name: str
    keys: int
    has_lights: bool
    is_timed: bool


class Devices:
    """The input devices of the first seat that are open, by descriptor."""

    def __init__(
        self,
        folder: Path = Path("/dev/input"),
        about: Path = Path("/sys/class/input"),
        seats: Path = Path("/run/udev/data"),
    ) -> None:
        """Prepare; `about` says what each device has, `seats` whose it is."""
        self._folder, self._about, self._seats = folder, about, seats
        self._refused: set[str] = set()
        self.open: dict[int, Device] = {}

    @property
    def kinds(self) -> str:
        """Return what there is, in a line."""
        touchpads = [device.keys >> _FINGER & 1 for device in self.open.values() if device.keys >> _LEFT & 1]
        return f"devices {0 in touchpads:d} {1 in touchpads:d}"

    def look(self) -> list[int]:
        """Open what is new and has keys or buttons, and return it."""
        present, new = {path.name for path in self._folder.glob("event*")}, []
        self._refused &= present
        for name in sorted(present - self._refused - {device.name for device in self.open.values()}):
            keys = self._bits(name, "key")
            if not (keys & (1 << _KEYS_END) - 1 or keys >> _LEFT & 1) or self._is_elsewhere(name):
                self._refused.add(name)
                continue
            with contextlib.suppress(OSError):  # just gone
                new.append(os.open(self._folder / name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
                self.open[new[-1]] = Device(name, keys, bool(self._bits(name, "led")), _quieten(new[-1]))
        return new

    def _bits(self, name: str, kind: str) -> int:
        """Return what a device has of a kind, as bits; the kernel says them in words of 64, the highest first."""
        with contextlib.suppress(OSError, ValueError):
            words = (self._about / name / "device" / "capabilities" / kind).read_text("ascii").split()
            return sum(int(word, 16) << 64 * at for at, word in enumerate(reversed(words)))
        return 0

    def _is_elsewhere(self, name: str) -> bool:
        """Return whether a device is of another seat than the first."""
        with contextlib.suppress(OSError):
            number = (self._folder / name).stat().st_rdev
            told = (self._seats / f"c{os.major(number)}:{os.minor(number)}").read_text("utf-8", "replace")
            return any(line.startswith("E:ID_SEAT=") and line != "E:ID_SEAT=seat0" for line in told.splitlines())
        return False

    def close(self, device: int) -> None:
        """Close one."""
        del self.open[device]
        os.close(device)


def _quieten(device: int) -> bool:
    """Have a device say when things happen by the session's clock, and nothing of motion; return whether it does."""
    wheel = (ctypes.c_uint8 * 2)(0b0100_0000, 0b1)  # axes 6 and 8
    with contextlib.suppress(OSError):
        for kind, size, codes in ((_RELATIVE, 2, ctypes.addressof(wheel)), (_ABSOLUTE, 0, 0), (_OTHER, 0, 0)):
            fcntl.ioctl(device, _SET_MASK, struct.pack("IIQ", kind, size, codes))
    with contextlib.suppress(OSError):
        fcntl.ioctl(device, _SET_CLOCK, struct.pack("i", time.CLOCK_BOOTTIME))
        return True
    return False


class Decoder:
    """Makes lines of what devices say. It holds which keys are down, as every keyboard does, and nothing else."""

    def __init__(self, keyboard: XkbKeyboard) -> None:
        """Begin with no key held."""
        self.keyboard = keyboard
        self._held: set[int] = set()
        self._num_lock = self._knows_locks = False

    def note_lights(self, device: int) -> None:
        """Take over which locks are on, from the first keyboard that has lights."""
        lights = bytearray(1)
        if not self._knows_locks:
            with contextlib.suppress(OSError):
                fcntl.ioctl(device, _READ_LIGHTS, lights)
                self._knows_locks = True
            for light, code in _LIGHTS.items():
                if lights[0] >> light & 1:
                    self._change(code, 1)
                    self._change(code, 0)

    def release(self) -> None:
        """Forget which keys are held: some may have been let go unseen."""
        self._held.clear()
        self.keyboard.release()

    def lines(self, events: Iterable[tuple[int, int, int]]) -> Iterator[str]:
        """Yield what there is to say of kinds, codes and values, without times."""
        for kind, code, value in events:
            if kind == _SYNC:
                self.release()
            elif kind == _RELATIVE:
                dx, dy = (step * value for step in _WHEEL[code])
                yield f"wheel {dx} {dy}"
            elif code in _BUTTONS:
                if value != _REPEAT:
                    yield f"button {_BUTTONS[code]} {value}"
            else:
                if value:
                    groups, us, is_plain = self._classes(code)
                    if value != _REPEAT or groups is not KeyClass.MODIFIER:
                        yield f"key {groups} {us} {is_plain:d}"
                self._change(code, value)

    def _classes(self, code: int) -> tuple[KeyClass, KeyClass, bool]:
        """Return what a key is for, the same in programs that fall back on a US keyboard, whether it is Enter alone."""
        press = self.keyboard.press(code)
        is_chord = self._held & _CHORDS or (_CAPS_LOCK in self._held and press.ctrl)
        if not is_chord and (code in WRITING or code in _KEYPAD):
            writes = code in WRITING or self._num_lock
            return (KeyClass.CHARACTER, KeyClass.CHARACTER, False) if writes else (_KEYPAD[code], _KEYPAD[code], False)
        groups, us = (class_of_press(press, fallback) for fallback in (Fallback.GROUPS, Fallback.US))
        return groups, us, groups is KeyClass.ENTER and not press.ctrl

    def _change(self, code: int, value: int) -> None:
        if value == _REPEAT:
            return
        if code == _NUM_LOCK and value:
            self._num_lock = not self._num_lock
        (self._held.add if value else self._held.discard)(code)
        if code not in WRITING:  # on some layouts these lock or latch, and the next key would tell
            self.keyboard.change(code, down=bool(value))


@dataclass(slots=True)
class Listener:
    """Somebody who listens."""

    connection: socket.socket
    uid: int
    said: bytes = b""
    decoder: Decoder | None = None

    def obey(self, lights: Iterable[int]) -> bool:
        """Do what it says; return whether it is there, and says what is known. `lights` are devices that have some."""
        try:
            new = self.connection.recv(MAX_LINE)
        except OSError:
            return False
        *lines, self.said = (self.said + new).split(b"\n")
        for line in lines:
            what, _, value = line.decode("latin-1").partition(" ")
            if what == "layout":
                try:
                    self.decoder = Decoder(XkbKeyboard(value))
                except ValueError:  # none of this system's
                    self.decoder = Decoder(XkbKeyboard())
                self.note_lights(lights)
            elif what == "group" and value in {"0", "1", "2", "3"}:
                if self.decoder is not None:
                    self.decoder.keyboard.choose_group(int(value))
            else:
                return False
        return bool(new) and len(self.said) <= MAX_LINE

    def note_lights(self, lights: Iterable[int]) -> None:
        """Take over which locks are on."""
        if self.decoder is not None:
            for device in lights:
                self.decoder.note_lights(device)


class DeviceService:
    """Tells all who may listen what devices say."""

    def __init__(
        self, listening: socket.socket, devices: Devices, user: Callable[[], int | None] = active_user
    ) -> None:
        """Prepare; `user` says whose session is on the screen."""
        self._listening, self._devices, self._user = listening, devices, user
        self._clock = SystemClock()
        self._all = DefaultSelector()
        self._all.register(listening, EVENT_READ, self._admit)
        self._listeners: dict[int, Listener] = {}
        self._look_ns = 0

    def serve(self) -> None:
        """Go on until the process is ended, or listening fails: `OSError`."""
        while True:
            for key, _ in self._all.select(AGAIN_S if self._listeners else None):
                if self._all.get_map().get(key.fd) is key:  # one before may have closed it, and another have its number
                    key.data(key.fd)
            if self._listeners and self._clock.now_ns() >= self._look_ns:
                self._look_ns = self._clock.now_ns() + round(AGAIN_S * NS_PER_S)
                for device in (new := self._devices.look()):
                    self._all.register(device, EVENT_READ, self._pass_on)
                for listener in list(self._listeners.values()) if new else ():
                    listener.note_lights(self._lights())
                    self._tell(listener, [self._devices.kinds])

    def _admit(self, _: int) -> None:
        connection, _ = self._listening.accept()
        connection.setblocking(False)
        uid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        if uid != self._user() or len(self._listeners) >= MAX_LISTENERS:
            connection.close()
            return
        self._listeners[connection.fileno()] = listener = Listener(connection, uid)
        self._all.register(connection, EVENT_READ, self._obey)
        if self._devices.open:
            self._tell(listener, [self._devices.kinds])
        self._look_ns = 0

    def _lights(self) -> list[int]:
        return [number for number, device in self._devices.open.items() if device.has_lights]

    def _obey(self, connection: int) -> None:
        if not self._listeners[connection].obey(self._lights()):
            self._dismiss(connection)

    def _dismiss(self, connection: int) -> None:
        """Close a connection, and with the last all devices."""
        self._all.unregister(connection)
        self._listeners.pop(connection).connection.close()
        for device in list(self._devices.open) if not self._listeners else ():
            self._close(device)

    def _close(self, device: int) -> None:
        self._all.unregister(device)
        self._devices.close(device)
        for listener in self._listeners.values():
            if listener.decoder is not None:
                listener.decoder.release()

    def _pass_on(self, device: int) -> None:
        """Tell what a device says to those whose session is on the screen; the others know no key that is held."""
        try:
            read = os.read(device, 64 * _EVENT.size)
        except OSError:
            read = b""
        if not read:
            self._close(device)
            for listener in list(self._listeners.values()):
                self._tell(listener, [self._devices.kinds])
            return
        events = [event for event in _EVENT.iter_unpack(read) if _counts(*event[2:4])]
        if not events:
            return
        if self._devices.open[device].is_timed:
            at = events[-1][0] * 1000 + events[-1][1] // 1000
        else:
            at = self._clock.now_ns() // NS_PER_MS
        user = self._user()
        for listener in list(self._listeners.values()):
            if listener.decoder is None:
                continue
            if listener.uid == user:
                lines = listener.decoder.lines(event[2:] for event in events)
                self._tell(listener, [f"{at} {line}" for line in lines])
            else:
                listener.decoder.release()

    def _tell(self, listener: Listener, lines: Iterable[str]) -> None:
        """Send lines; a listener that falls behind is dismissed."""
        text = "".join(f"{line}\n" for line in lines).encode()
        with contextlib.suppress(OSError):
            if listener.connection.send(text) == len(text):
                return
        self._dismiss(listener.connection.fileno())


def _counts(kind: int, code: int) -> bool:
    """Return whether there is anything to do for an event."""
    if kind == _KEY:
        return code < _KEYS_END or code in _BUTTONS
    return (kind == _RELATIVE and code in _WHEEL) or (kind == _SYNC and code == _DROPPED)


def main() -> int:
    """Serve until the process is ended; return 3 if there is no library to do it with, 1 for another fault."""
    try:
        XkbKeyboard()
        with socket.socket(socket.AF_UNIX) as listening:
            Path(SOCKET).unlink(missing_ok=True)
            listening.bind(SOCKET)
            Path(SOCKET).chmod(0o666)  # who may listen is decided for each, by its user
            listening.listen(4)
            DeviceService(listening, Devices()).serve()
    except EnvironmentFault as fault:
        print(f"kairos-input: {fault}", file=sys.stderr)
        return 3
    except OSError as fault:
        print(f"kairos-input: {fault}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
