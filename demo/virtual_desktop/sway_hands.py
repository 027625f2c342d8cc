"""Hands in a Wayland session: keys and pointer by virtual devices of the compositor, and the same by pretended ones.

A program has keys and clicks from the compositor. Kairos has them from `kairos-input`, which reads devices of the
kernel; a virtual desktop has none, so the service reads pipes into which the hands write what a keyboard would say.
"""

import os
import random
import sys
from collections.abc import Mapping

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from Xlib import X

from daemon.capture.wayland.connection import WaylandConnection
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.input_devices import InputDevices
from storage.clock import NS_PER_MS, SystemClock

_KEYMAP = b"""xkb_keymap {
    xkb_keycodes { include "evdev+aliases(qwerty)" };
    xkb_types { include "complete" };
    xkb_compat { include "complete" };
    xkb_symbols { include "pc+us+inet(evdev)" };
};\0"""
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

SIZE = (1280, 800)
_MODIFIERS = {29: 1 << 2, 42: 1 << 0, 56: 1 << 3}
_KEY, _RELATIVE, _WHEEL = 1, 2, 8
_BUTTON_LEFT, _WHEEL_UP, _WHEEL_DOWN = 0x110, 4, 5
KEYBOARD_NAME, MOUSE_NAME = "event0", "event1"
_STEP = 15 << 8
"""How far a step of the wheel scrolls, as a fixed-point number."""


class SwayHands(Hands):
    """Two hands in a session of sway; its display is XWayland's, and nothing is done by it."""

    def __init__(
        self, env: Mapping[str, str], devices: InputDevices, log: ScriptLog, rng: random.Random, clock: SystemClock
    ) -> None:
        """Plug a keyboard and a mouse into the session, and others into `devices`."""
        super().__init__(None, log, rng, clock)
        self._devices = devices
        self._held = 0
        self._connection = connection = WaylandConnection(env, clock)
        seat = connection.bind(connection.offers("wl_seat")[0], 1)
        keyboards = connection.bind(connection.offers("zwp_virtual_keyboard_manager_v1")[0], 1)
        pointers = connection.bind(connection.offers("zwlr_virtual_pointer_manager_v1")[0], 1)
        self._keyboard, self._mouse = connection.create({}), connection.create({})
        connection.request(keyboards, 0, seat, self._keyboard)
        file = os.memfd_create("keymap", os.MFD_CLOEXEC)
        os.write(file, _KEYMAP)
        connection.request(self._keyboard, 0, 1, len(_KEYMAP), file=file)
        os.close(file)
        connection.request(pointers, 0, seat, self._mouse)
        connection.round_trip()

    def close(self) -> None:
        """Pull the devices out."""
        self._connection.close()

    def _code(self, key: str) -> tuple[int, bool]:
        return _CODES[key]

    def _sync(self) -> None:
        self._connection.round_trip()

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        now = self._clock.now_ns() // NS_PER_MS & 0xFFFFFFFF
        request, is_down = self._connection.request, kind in (X.KeyPress, X.ButtonPress)
        if kind == X.MotionNotify:
            request(self._mouse, 1, now, x, y, *SIZE)
        elif kind in (X.KeyPress, X.KeyRelease):
            request(self._keyboard, 1, now, detail, is_down)
            if mask := _MODIFIERS.get(detail, 0):
                self._held = self._held | mask if is_down else self._held & ~mask
                request(self._keyboard, 2, self._held, 0, 0, 0)
            self._say(KEYBOARD_NAME, _KEY, detail, is_down)
            return
        elif detail in (_WHEEL_UP, _WHEEL_DOWN):
            if not is_down:
                return
            way = 1 if detail == _WHEEL_DOWN else -1
            request(self._mouse, 5, 0)
            request(self._mouse, 7, now, 0, way * _STEP, way)
            self._say(MOUSE_NAME, _RELATIVE, _WHEEL, -way)
        else:
            request(self._mouse, 2, now, _BUTTON_LEFT, is_down)
            self._say(MOUSE_NAME, _KEY, _BUTTON_LEFT, is_down)
        request(self._mouse, 4)

    def _say(self, device: str, kind: int, code: int, value: int) -> None:
        self._devices.send(device, (kind, code, value))
