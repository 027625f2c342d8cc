"""Every key in every group is of the class that a real X server's map gives it."""

import subprocess

import pytest

from daemon.capture.evdev.xkb import XkbKeyboard
from daemon.capture.keys import Fallback, class_of_press
from daemon.capture.x11.keymap import Keymap, query_keymap
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.input_devices import CODES
from demo.virtual_desktop.windows import open_display
from storage.records import KeyClass

pytestmark = pytest.mark.display

LAYOUTS = ("us", "de,us", "fr,ru", "us,gr,de", "ch,ara", "cz", "jp", "tr,il", "us(dvorak)")
HELD = {(): 0, ("shift",): 1, ("ctrl",): 4, ("ctrl", "shift"): 5, ("alt",): 8, ("ctrl", "alt"): 12, ("logo",): 64}
"""Keys, and the bits of an X server's state that they set."""

KEYS = range(9, 128)
"""Keycodes of keys that keyboards of today have; the kernel's number and 8."""


def by_service(symbols: str, group: int, held: tuple[str, ...]) -> dict[int, tuple[KeyClass, ...]]:
    keyboard = XkbKeyboard(symbols)
    keyboard.choose_group(group)
    for key in held:
        keyboard.change(CODES[key], down=True)
    return {code: tuple(class_of_press(keyboard.press(code - 8), fallback) for fallback in Fallback) for code in KEYS}


def by_server(keymap: Keymap, group: int, bits: int) -> dict[int, tuple[KeyClass, ...]]:
    state = bits | group << 13
    return {code: tuple(class_of_press(keymap.press(code, state), fallback) for fallback in Fallback) for code in KEYS}


def test_classes_are_those_of_the_servers_map(bare_desktop: VirtualDesktop) -> None:
    differing = []
    for layouts in LAYOUTS:
        name, _, variant = layouts.rstrip(")").partition("(")
        argv = ["setxkbmap", "-layout", name, "-variant", variant, "-option", ""]
        subprocess.run(argv, env=bare_desktop.env, check=True)
        printed = subprocess.run(
            ["setxkbmap", "-print"], env=bare_desktop.env, check=True, capture_output=True, text=True
        )
        (line,) = (line for line in printed.stdout.splitlines() if "xkb_symbols" in line)
        display = open_display(bare_desktop.env)
        keymap = query_keymap(display)
        display.close()
        for group in range(layouts.count(",") + 1):
            for held, bits in HELD.items():
                ours, theirs = by_service(line.split('"')[1], group, held), by_server(keymap, group, bits)
                differing += [(layouts, group, held, code) for code in KEYS if ours[code] != theirs[code]]
    assert differing == []
    assert by_service("pc+de+inet(evdev)", 0, ("ctrl",)) != by_service("pc+us+inet(evdev)", 0, ("ctrl",))
