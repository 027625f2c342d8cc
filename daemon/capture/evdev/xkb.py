"""What a key means on a keyboard, by libxkbcommon and the system's own layouts: one state, as a compositor keeps it."""

import ctypes
import os
import re

from daemon.capture.keys import KeyPress, with_letters
from storage.errors import EnvironmentFault

LIBRARY = "libxkbcommon.so.0"
LAYOUTS = "/usr/share/X11/xkb"
_PART = r"[a-zA-Z][a-zA-Z0-9-]*(?:\([a-zA-Z0-9_.-]+\))?(?::[1-4])?"
SYMBOLS = re.compile(rf"{_PART}(?:\+{_PART})*")
"""Names of a layout's parts, files of the system alone: `pc+de(nodeadkeys)+us:2+inet(evdev)`."""

WRITING = frozenset((*range(2, 14), *range(16, 28), *range(30, 42), *range(43, 54), 57, 86))
"""Keys that write, on every layout."""

DEFAULT_SYMBOLS = "pc+us+inet(evdev)"
_EVDEV_OFFSET = 8
"""Keycodes of xkb are those of the kernel and this."""

_LOCKED, _EFFECTIVE, _GROUP = 1 << 2, 1 << 3, 1 << 7
"""Parts of a state, in the words of libxkbcommon: locked and effective modifiers, the effective group."""

_REAL = 0xFF
"""The modifiers that are the same in all maps."""

_NO_DEFAULT_INCLUDES, _NO_ENVIRONMENT = 1, 2
_CRITICAL = 10
_KEYMAP = """\
xkb_keymap {{
    xkb_keycodes {{ include "evdev+aliases(qwerty)" }};
    xkb_types {{ include "complete" }};
    xkb_compat {{ include "complete" }};
    xkb_symbols {{ include "{symbols}" }};
}};
"""
_POINTERS = (
    *("xkb_context_new", "xkb_keymap_new_from_string", "xkb_state_new"),
    *("xkb_context_unref", "xkb_keymap_unref", "xkb_state_unref"),
)


class XkbKeyboard:
    """A keyboard of one layout, and what is held on it. Used by one thread."""

    def __init__(self, symbols: str = DEFAULT_SYMBOLS, *, layouts: str = LAYOUTS, text: bytes = b"") -> None:
        """Read the layout: by its names, or `text`, a whole map that a compositor has made.

        Raises:
            EnvironmentFault: libxkbcommon is not there.
            ValueError: there is no such layout.
        """
        if not SYMBOLS.fullmatch(symbols):
            raise ValueError("no names of layouts")
        try:
            self._xkb = xkb = ctypes.CDLL(LIBRARY)
        except OSError:
            raise EnvironmentFault(f"{LIBRARY} is not there", remedy="install libxkbcommon0", code="no_xkb") from None
        for name in _POINTERS:
            getattr(xkb, name).restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(xkb.xkb_context_new(_NO_DEFAULT_INCLUDES | _NO_ENVIRONMENT))
        xkb.xkb_context_set_log_level(self._context, _CRITICAL)
        xkb.xkb_context_include_path_append(self._context, os.fsencode(layouts))
        text = text or _KEYMAP.format(symbols=symbols).encode()
        self._keymap = ctypes.c_void_p(xkb.xkb_keymap_new_from_string(self._context, text, 1, 0))
        if self._keymap.value is None:
            raise ValueError("no such layout")
        self._state = ctypes.c_void_p(xkb.xkb_state_new(self._keymap))
        self._groups = int(xkb.xkb_keymap_num_layouts(self._keymap))

    def __del__(self) -> None:
        """Free what libxkbcommon holds."""
        for name, held in (("state", "_state"), ("keymap", "_keymap"), ("context", "_context")):
            if hasattr(self, held):  # each takes NULL as well
                getattr(self._xkb, f"xkb_{name}_unref")(getattr(self, held))

    def release(self) -> None:
        """Forget what is held; locks and the group stay."""
        xkb, old = self._xkb, self._state
        locked, group = xkb.xkb_state_serialize_mods(old, _LOCKED), xkb.xkb_state_serialize_layout(old, _GROUP)
        self._state = ctypes.c_void_p(xkb.xkb_state_new(self._keymap))
        xkb.xkb_state_unref(old)
        xkb.xkb_state_update_mask(self._state, 0, 0, locked, 0, 0, group)

    def choose_group(self, group: int) -> None:
        """Make a group the active one, as a compositor says; one that the layout does not have is ignored."""
        if group < self._groups:
            held = [self._xkb.xkb_state_serialize_mods(self._state, 1 << bit) for bit in range(3)]
            self._xkb.xkb_state_update_mask(self._state, *held, 0, 0, group)

    def change(self, code: int, *, down: bool) -> None:
        """Take in that a key of the kernel's number went down or up."""
        self._xkb.xkb_state_update_key(self._state, code + _EVDEV_OFFSET, int(down))

    def press(self, code: int) -> KeyPress:
        """Return what a key would be now."""
        xkb, key = self._xkb, code + _EVDEV_OFFSET
        keysym = int(xkb.xkb_state_key_get_one_sym(self._state, key))
        press = KeyPress(
            keysym,
            shift=self._holds(b"Shift"),
            ctrl=self._holds(b"Control"),
            alt=self._holds(b"Mod1"),
            logo=self._holds(b"Mod4"),
        )
        active = int(xkb.xkb_state_key_get_layout(self._state, key))
        firsts = [self._symbol(key, at) for at in range(xkb.xkb_keymap_num_layouts_for_key(self._keymap, key))]
        if not 0 <= active < len(firsts):
            return press
        level = int(xkb.xkb_state_key_get_level(self._state, key, active))
        return with_letters(press, level, firsts[active], firsts, code)

    def meaning(self, code: int) -> tuple[object, ...]:
        """Return all that a key does, to be compared: its symbols, and the modifiers and the group while it is held."""
        xkb, key, state = self._xkb, code + _EVDEV_OFFSET, ctypes.c_void_p(self._xkb.xkb_state_new(self._keymap))
        xkb.xkb_state_update_key(state, key, 1)
        held = xkb.xkb_state_serialize_mods(state, _EFFECTIVE) & _REAL, xkb.xkb_state_serialize_layout(state, _GROUP)
        xkb.xkb_state_unref(state)
        levels = [
            (group, level)
            for group in range(xkb.xkb_keymap_num_layouts_for_key(self._keymap, key))
            for level in range(xkb.xkb_keymap_num_levels_for_key(self._keymap, key, group))
        ]
        return *held, *(self._symbol(key, *level) for level in levels)

    def _holds(self, modifier: bytes) -> bool:
        return bool(self._xkb.xkb_state_mod_name_is_active(self._state, modifier, _EFFECTIVE) == 1)

    def _symbol(self, key: int, group: int, level: int = 0) -> int:
        """Return the symbol of a key in a group; 0 where there is none, or several."""
        found = ctypes.POINTER(ctypes.c_uint32)()
        count = self._xkb.xkb_keymap_key_get_syms_by_level(self._keymap, key, group, level, ctypes.byref(found))
        return int(found[0]) if count == 1 else 0
