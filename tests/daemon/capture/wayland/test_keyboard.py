"""The layout of the keyboard from the map that a compositor sends: names that libxkbcommon itself writes."""

import ctypes
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.capture.evdev.xkb import LIBRARY, XkbKeyboard
from daemon.capture.wayland import desktop
from daemon.capture.wayland.capabilities import NO_PIXELS
from daemon.capture.wayland.keyboard import KeyboardLayout, options_of, symbols_of
from storage.clock import SystemClock
from storage.errors import EnvironmentFault


class _Names(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


def keymap(layouts: str, variants: str, options: str = "") -> bytes:
    """Return the map of a keyboard as compositors make and send it."""
    xkb = ctypes.CDLL(LIBRARY)
    for name in ("xkb_context_new", "xkb_keymap_new_from_names"):
        getattr(xkb, name).restype = ctypes.c_void_p
    xkb.xkb_keymap_get_as_string.restype = ctypes.c_char_p
    context = ctypes.c_void_p(xkb.xkb_context_new(0))
    names = _Names(b"evdev", b"pc105", layouts.encode(), variants.encode(), options.encode())
    made = ctypes.c_void_p(xkb.xkb_keymap_new_from_names(context, ctypes.byref(names), 0))
    text: bytes = xkb.xkb_keymap_get_as_string(made, 1)
    return text


class Compositor:
    """What a compositor with one seat says to a program that asks for its keyboard."""

    def __init__(self) -> None:
        self.on_file: Callable[[int], None] = os.close
        self.objects: list[Mapping[int, Any]] = []
        self.asked = 0

    def offers(self, interface: str) -> list[int]:
        return [7] if interface == "wl_seat" else []

    def bind(self, _number: int, _version: int, events: Mapping[int, Any]) -> int:
        return self.create(events)

    def create(self, events: Mapping[int, Any]) -> int:
        self.objects.append(events)
        return len(self.objects)

    def request(self, *_: int) -> None:
        self.asked += 1

    def say_devices(self, kinds: int) -> None:
        self.objects[0][0][1](kinds)

    def say_map(self, text: bytes) -> None:
        with TemporaryFile() as file:
            file.write(text)
            file.flush()
            self.on_file(os.dup(file.fileno()))
        self.objects[1][0][1](1, len(text))


@pytest.mark.parametrize(
    ("layouts", "variants", "options", "expected"),
    [
        ("us", "", "", "pc+us+inet(evdev)"),
        ("us", "", "ctrl:nocaps", "pc+us+inet(evdev)+ctrl(nocaps)"),
        ("us", "", "caps:ctrl_modifier,compose:ralt", "pc+us+inet(evdev)+capslock(ctrl_modifier)"),
        ("de,us", ",", "grp:toggle,caps:swapescape", "pc+de+us:2+inet(evdev)+group(toggle)+capslock(swapescape)"),
        ("de,us", "nodeadkeys,", "", "pc+de(nodeadkeys)+us:2+inet(evdev)"),
        ("fr,ru,gr", "oss,phonetic_winkeys,", "", "pc+fr(oss)+ru(phonetic_winkeys):2+gr:3+inet(evdev)"),
        ("us", "dvorak-alt-intl", "", "pc+us(dvorak-alt-intl)+inet(evdev)"),
    ],
)
def test_the_map_names_files_of_the_system(layouts: str, variants: str, options: str, expected: str) -> None:
    compositor = Compositor()
    told: list[str] = []
    KeyboardLayout(compositor, told.append)  # type: ignore[arg-type]  # what it uses of a connection
    compositor.say_devices(1)
    assert compositor.asked == 0, "there is no keyboard yet"
    compositor.say_devices(3)
    compositor.say_devices(3)
    assert compositor.asked == 1
    compositor.say_map(keymap(layouts, variants, options))
    assert told == [expected]
    XkbKeyboard(expected)
    compositor.say_map(keymap("fi", ""))
    assert told[1:] == ["pc+fi+inet(evdev)"]
    for kinds in (1, 3):
        compositor.say_devices(kinds)
    assert compositor.asked == 2, "the keyboard was pulled out, and another is there"


def test_a_map_that_says_nothing_changes_nothing() -> None:
    compositor = Compositor()
    told: list[str] = []
    KeyboardLayout(compositor, told.append)  # type: ignore[arg-type]  # what it uses of a connection
    compositor.say_devices(2)
    for text in (b"", b'xkb_symbols { name[Group1]="Nobody\'s layout"; };', b"\xff" * 100):
        compositor.say_map(text)
    assert told == []


def test_without_the_systems_list_nothing_is_concluded(tmp_path: Path) -> None:
    assert symbols_of(["German"], tmp_path / "none") is None
    assert symbols_of([]) is None
    assert options_of(keymap("us", "", "ctrl:nocaps"), "pc+us", tmp_path / "none") == ""
    assert options_of(b"no map", "pc+us") == ""


def test_nothing_stays_open_where_the_keyboard_cannot_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []

    def part(name: str) -> SimpleNamespace:
        return SimpleNamespace(
            close=lambda: closed.append(name), offers=lambda _: [], compositor=0, is_there=True, tell_layout=None
        )

    def fails(*_: object) -> None:
        raise EnvironmentFault("the compositor is gone", code="display_gone")

    for name in ("WaylandConnection", "ProgramWindows", "InputService"):
        monkeypatch.setattr(desktop, name, lambda *_, name=name, **__: part(name))
    monkeypatch.setattr(desktop, "KeyboardLayout", fails)
    monkeypatch.setattr(desktop.WaylandBackend, "_find_windows", lambda *_: NO_PIXELS)
    with pytest.raises(EnvironmentFault, match="is gone"):
        desktop.WaylandBackend(SystemClock())
    assert closed == ["ProgramWindows", "InputService", "WaylandConnection"]
