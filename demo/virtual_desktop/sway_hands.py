"""Hands in a session of sway, by virtual devices that it offers to any program."""

import os
import random
import sys
from collections.abc import Mapping

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from demo.virtual_desktop.hands import ScriptLog
from demo.virtual_desktop.input_devices import InputDevices
from demo.virtual_desktop.told_hands import ToldHands
from storage.clock import NS_PER_MS, SystemClock
from storage.wayland import WaylandConnection

_KEYMAP = b"""xkb_keymap {
    xkb_keycodes { include "evdev+aliases(qwerty)" };
    xkb_types { include "complete" };
    xkb_compat { include "complete" };
    xkb_symbols { include "pc+us+inet(evdev)" };
};\0"""
SIZE = (1280, 800)
_MODIFIERS = {29: 1 << 2, 42: 1 << 0, 56: 1 << 3}
_STEP = 15 << 8
"""How far a step of the wheel scrolls, as a fixed-point number."""


class SwayHands(ToldHands):
    """Two hands in a session of sway; its display is XWayland's, and nothing is done by it."""

    def __init__(
        self, env: Mapping[str, str], devices: InputDevices, log: ScriptLog, rng: random.Random, clock: SystemClock
    ) -> None:
        """Plug a keyboard and a mouse into the session, and others into `devices`."""
        super().__init__(devices, log, rng, clock)
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

    def move_to(self, x: int, y: int) -> None:
        """Put the pointer at a place of a screen of `SIZE`."""
        self._connection.request(self._mouse, 1, self._now_ms, x, y, *SIZE)
        self._end_of_frame()

    def press_key(self, code: int, *, down: bool) -> None:
        """Press a key, or let go of it."""
        self._connection.request(self._keyboard, 1, self._now_ms, code, down)
        if mask := _MODIFIERS.get(code, 0):
            self._held = self._held | mask if down else self._held & ~mask
            self._connection.request(self._keyboard, 2, self._held, 0, 0, 0)

    def press_button(self, code: int, *, down: bool) -> None:
        """Press a button, or let go of it."""
        self._connection.request(self._mouse, 2, self._now_ms, code, down)
        self._end_of_frame()

    def turn_wheel(self, way: int) -> None:
        """Turn the wheel by one step."""
        self._connection.request(self._mouse, 5, 0)
        self._connection.request(self._mouse, 7, self._now_ms, 0, way * _STEP, way)
        self._end_of_frame()

    @property
    def _now_ms(self) -> int:
        return self._clock.now_ns() // NS_PER_MS & 0xFFFFFFFF

    def _end_of_frame(self) -> None:
        self._connection.request(self._mouse, 4)

    def _sync(self) -> None:
        self._connection.round_trip()
