"""Every key in every group is of the class that a real X server's map gives it."""

import subprocess

import pytest

from daemon.capture.evdev.xkb import XkbKeyboard
from daemon.capture.keys import Fallback, class_of_press
from daemon.capture.wayland.keyboard import options_of
from daemon.capture.x11.keymap import Keymap, query_keymap
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.input_devices import CODES
from demo.virtual_desktop.windows import open_display
from storage.records import KeyClass

pytestmark = pytest.mark.display

LAYOUTS = ("us", "de,us", "fr,ru", "us,gr,de", "ch,ara", "cz", "jp", "tr,il", "us(dvorak)")
HELD = {(): 0, ("shift",): 1, ("ctrl",): 4, ("ctrl", "shift"): 5, ("alt",): 8, ("ctrl", "alt"): 12, ("logo",): 64}
"""Keys, and the bits of an X server's state that they set."""

OPTIONS = (
    ("us", "ctrl:nocaps,grp:alt_shift_toggle", ("caps",), 4),
    ("de,us", "caps:ctrl_modifier", ("caps",), 4),
    ("de,us", "caps:swapescape,grp:alt_shift_toggle", (), 0),
    ("us", "caps:backspace", (), 0),
    ("fr,ru", "altwin:swap_lalt_lwin,grp:toggle", ("alt",), 64),
    ("us", "altwin:swap_lalt_lwin", ("logo",), 8),
)
"""Layouts, options as settings of a desktop have them, keys, and the bits that they set by these."""

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


def chosen(desktop: VirtualDesktop, layouts: str, options: str) -> tuple[str, Keymap, bytes]:
    """Choose a layout; return the files that it is of, without options, and the server's map, also as text."""
    name, _, variant = layouts.rstrip(")").partition("(")
    argv = ["setxkbmap", "-layout", name, "-variant", variant, "-option", ""]

    def run(*words: str) -> bytes:
        return subprocess.run(words, env=desktop.env, check=True, capture_output=True).stdout

    run(*argv)
    (line,) = (line for line in run("setxkbmap", "-print").decode().splitlines() if "xkb_symbols" in line)
    run(*argv, *(("-option", options) if options else ()))
    display = open_display(desktop.env)
    keymap = query_keymap(display)
    display.close()
    return line.split('"')[1], keymap, run("xkbcomp", "-w0", "-xkb", desktop.env["DISPLAY"], "-")


def test_classes_are_those_of_the_servers_map(bare_desktop: VirtualDesktop) -> None:
    differing = []
    for layouts in LAYOUTS:
        symbols, keymap, _ = chosen(bare_desktop, layouts, "")
        for group in range(layouts.count(",") + 1):
            for held, bits in HELD.items():
                ours, theirs = by_service(symbols, group, held), by_server(keymap, group, bits)
                differing += [(layouts, group, held, code) for code in KEYS if ours[code] != theirs[code]]
    assert differing == []
    assert by_service("pc+de+inet(evdev)", 0, ("ctrl",)) != by_service("pc+us+inet(evdev)", 0, ("ctrl",))


def test_options_are_found_in_the_servers_map(bare_desktop: VirtualDesktop) -> None:
    """Without them some keys would be of another class (the control)."""
    for layouts, options, held, bits in OPTIONS:
        symbols, keymap, text = chosen(bare_desktop, layouts, options)
        theirs = by_server(keymap, 0, bits)
        assert by_service(symbols + options_of(text, symbols), 0, held) == theirs, options
        assert by_service(symbols, 0, held) != theirs, options
