"""The layout of the keyboard, from the map that a compositor gives every program.

The map says what its groups are called and not where they come from; the system's list of layouts says that. Nor does
it name options (Caps Lock as Ctrl): those of the system are taken that do to keys what the map does.
"""

import contextlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from daemon.capture.evdev.xkb import WRITING, XkbKeyboard
from storage.errors import EnvironmentFault
from storage.wayland import WaylandConnection

_KEYBOARD = 2
_GROUP = re.compile(rb'(?<!_)name\[(?:Group)?([1-4])\]\s*=\s*"([^"\n]{1,100})"')
_LISTED = Path("/usr/share/X11/xkb/rules/evdev.lst")
_RULES = Path("/usr/share/X11/xkb/rules/evdev")
_OPTION = re.compile(r"(\w+):\S+\s*=\s*\+(\w+\(\w+\))\s*")
_KINDS = ("caps", "ctrl", "altwin", "grp", "shift")
"""Options that change what a key is for; the others are about characters."""
_MAX_KEYMAP = 1 << 20


class KeyboardLayout:
    """Calls back with the names of the layout, at once and whenever they change."""

    def __init__(self, connection: WaylandConnection, on_change: Callable[[str], None]) -> None:
        """Ask for the keyboard of the first seat; `on_change` is called as events are read."""
        self._connection, self._on_change = connection, on_change
        connection.on_file = self._keep
        self._text = b""
        self._has_keyboard = False
        for number in connection.offers("wl_seat")[:1]:
            self._seat = connection.bind(number, 1, {0: ("u", self._note_devices)})

    def _note_devices(self, kinds: int) -> None:
        had_keyboard, self._has_keyboard = self._has_keyboard, bool(kinds & _KEYBOARD)
        if self._has_keyboard and not had_keyboard:  # the last keyboard may be pulled out, and another plugged in
            keyboard = self._connection.create({0: ("uu", self._note_keymap)})
            self._connection.request(self._seat, 1, keyboard)

    def _keep(self, descriptor: int) -> None:
        try:
            self._text = os.pread(descriptor, _MAX_KEYMAP, 0)
        except OSError:
            self._text = b""
        finally:
            os.close(descriptor)

    def _note_keymap(self, _format: int, _size: int) -> None:
        names = [name.decode("utf-8", "replace") for _, name in sorted(set(_GROUP.findall(self._text)))]
        text, self._text = self._text, b""
        if (symbols := symbols_of(names)) is not None:
            self._on_change(symbols + options_of(text, symbols))


def symbols_of(names: Sequence[str], listed: Path = _LISTED) -> str | None:
    """Return the files of the groups of these names, as in `pc+de(nodeadkeys)+us:2+inet(evdev)`; None if not listed."""
    try:
        lines = listed.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    files: dict[str, str] = {}
    section = ""
    for line in lines:
        first, _, rest = line.strip().partition(" ")
        if first == "!":
            section = rest.strip()
        elif section == "layout":
            files.setdefault(rest.strip(), first)
        elif section == "variant" and ": " in rest:
            layout, name = rest.strip().split(": ", 1)
            files.setdefault(name, f"{layout}({first})")
    if not names or any(name not in files for name in names):
        return None
    first, *others = (files[name] for name in names)
    return "+".join(("pc", first, *(f"{file}:{at}" for at, file in enumerate(others, 2)), "inet(evdev)"))


@lru_cache(maxsize=8)
def options_of(text: bytes, symbols: str, rules: Path = _RULES) -> str:
    """Return the files of the options by which a map differs from that of its layouts, as in `+ctrl(nocaps)`."""
    found = ""
    with contextlib.suppress(EnvironmentFault, OSError, ValueError):
        given, plain = _meanings(XkbKeyboard(text=text.rstrip(b"\0"))), _meanings(XkbKeyboard(symbols))
        lines = rules.read_text(encoding="utf-8").splitlines() if given != plain else []
        options = [option for line in lines if (option := _OPTION.fullmatch(line.strip())) and option[1] in _KINDS]
        for part in dict.fromkeys(option[2] for option in options):
            with contextlib.suppress(ValueError):  # a rule without its file
                changed = _meanings(XkbKeyboard(f"{symbols}+{part}")) - plain
                if changed and changed <= given:
                    found, plain = f"{found}+{part}", plain | changed
    return found


def _meanings(keyboard: XkbKeyboard) -> frozenset[tuple[object, ...]]:
    return frozenset((code, *keyboard.meaning(code)) for code in range(1, 128) if code not in WRITING)
