"""Hands on Wayland: what a compositor's own devices do, and the same told by pretended devices of the kernel.

A program has keys and clicks from the compositor. Kairos has them from `kairos-input`, which reads devices of the
kernel; a virtual desktop has none, so the service reads pipes into which the hands write what a keyboard would say.
"""

import random
import sys
from abc import abstractmethod

assert sys.platform == "linux"  # nothing else has a kernel of this kind

from Xlib import X

from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.input_devices import KEYBOARD, MOUSE, InputDevices
from demo.virtual_desktop.windows import WindowInfo, Windows
from storage.clock import SystemClock

_ROWS = {2: "1234567890-=", 16: "qwertyuiop[]", 30: "asdfghjkl;'`", 43: "\\zxcvbnm,./", 57: " "}
_SHIFTED = {2: "!@#$%^&*()_+", 16: "QWERTYUIOP{}", 30: 'ASDFGHJKL:"~', 43: "|ZXCVBNM<>?"}
_NAMED = {
    "Escape": 1, "BackSpace": 14, "Tab": 15, "Return": 28, "Control_L": 29, "Shift_L": 42, "Alt_L": 56,
    "Home": 102, "Up": 103, "Page_Up": 104, "Left": 105, "Right": 106, "End": 107, "Down": 108, "Page_Down": 109,
    "Delete": 111,
}  # fmt: skip
_CODES = {
    **{name: (code, False) for name, code in _NAMED.items()},
    **{key: (first + at, False) for first, row in _ROWS.items() for at, key in enumerate(row)},
    **{key: (first + at, True) for first, row in _SHIFTED.items() for at, key in enumerate(row)},
}
"""The kernel's number of a key on a US keyboard, and whether Shift is held."""

_KEY, _RELATIVE, _WHEEL = 1, 2, 8
_BUTTON_LEFT, _WHEEL_UP, _WHEEL_DOWN = 0x110, 4, 5
KEYBOARD_NAME, MOUSE_NAME = "event0", "event1"


class CalledWindows(Windows):
    """The windows of XWayland, where a new one need not get the keyboard by itself."""

    def is_active(self, window: WindowInfo) -> bool:
        """Return whether a window has the keyboard; where it has not, ask for it."""
        if super().is_active(window):
            return True
        self.activate(window)
        return False


class ToldHands(Hands):
    """Two hands whose keys, buttons and wheel the service for input is told, through `devices`."""

    def __init__(self, devices: InputDevices, log: ScriptLog, rng: random.Random, clock: SystemClock) -> None:
        """Plug a keyboard and a mouse into `devices`."""
        super().__init__(None, log, rng, clock)
        self._devices = devices
        devices.plug(KEYBOARD_NAME, KEYBOARD)
        devices.plug(MOUSE_NAME, MOUSE)

    @abstractmethod
    def move_to(self, x: int, y: int) -> None:
        """Have the compositor put the pointer at a place."""

    @abstractmethod
    def press_key(self, code: int, *, down: bool) -> None:
        """Have it press a key of the kernel's number, or let go of it."""

    @abstractmethod
    def press_button(self, code: int, *, down: bool) -> None:
        """Have it press a button of the kernel's number, or let go of it."""

    @abstractmethod
    def turn_wheel(self, way: int) -> None:
        """Have it turn the wheel by one step: 1 is down."""

    def _code(self, key: str) -> tuple[int, bool]:
        return _CODES[key]

    def _sync(self) -> None:
        """Leave it: each act is done when it returns."""

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        is_down = kind in (X.KeyPress, X.ButtonPress)
        if kind == X.MotionNotify:
            self.move_to(x, y)
        elif kind in (X.KeyPress, X.KeyRelease):
            self.press_key(detail, down=is_down)
            self._devices.send(KEYBOARD_NAME, (_KEY, detail, is_down))
        elif detail not in (_WHEEL_UP, _WHEEL_DOWN):
            self.press_button(_BUTTON_LEFT, down=is_down)
            self._devices.send(MOUSE_NAME, (_KEY, _BUTTON_LEFT, is_down))
        elif is_down:
            way = 1 if detail == _WHEEL_DOWN else -1
            self.turn_wheel(way)
            self._devices.send(MOUSE_NAME, (_RELATIVE, _WHEEL, -way))
