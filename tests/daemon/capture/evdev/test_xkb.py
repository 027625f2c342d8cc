"""What keys mean by libxkbcommon: as X servers and programs have it."""

import pytest

from daemon.capture.evdev.xkb import XkbKeyboard
from daemon.capture.keys import class_of_press
from demo.virtual_desktop.input_devices import CODES
from storage.records import KeyClass


def pressed(symbols: str, *keys: str, group: int = 0) -> KeyClass:
    keyboard = XkbKeyboard(symbols)
    keyboard.choose_group(group)
    for key in keys[:-1]:
        keyboard.change(CODES[key], down=True)
    return class_of_press(keyboard.press(CODES[keys[-1]]))


@pytest.mark.parametrize(
    ("symbols", "keys", "group", "expected"),
    [
        ("pc+us+inet(evdev)", ("ctrl", "z"), 0, KeyClass.UNDO),
        ("pc+us+inet(evdev)", ("ctrl", "shift", "z"), 0, KeyClass.REDO),
        ("pc+de+inet(evdev)", ("ctrl", "y"), 0, KeyClass.UNDO),  # where others have Y
        ("pc+de+inet(evdev)", ("ctrl", "z"), 0, KeyClass.REDO),
        ("pc+fr+inet(evdev)", ("ctrl", "w"), 0, KeyClass.UNDO),
        ("pc+us(dvorak)+inet(evdev)", ("ctrl", "i"), 0, KeyClass.COPY),
        ("pc+us+de:2+inet(evdev)", ("ctrl", "y"), 0, KeyClass.REDO),
        ("pc+us+de:2+inet(evdev)", ("ctrl", "y"), 1, KeyClass.UNDO),
        ("pc+ru+de:2+inet(evdev)", ("ctrl", "y"), 0, KeyClass.UNDO),  # the first group that has a letter
        ("pc+ru+inet(evdev)", ("ctrl", "z"), 0, KeyClass.SHORTCUT),
        ("pc+us+de:2+inet(evdev)", ("ctrl", "y"), 3, KeyClass.REDO),  # there is no such group
        ("pc+de+inet(evdev)", ("altgr", "q"), 0, KeyClass.CHARACTER),
        ("pc+us+inet(evdev)", ("alt", "f"), 0, KeyClass.MENU),
        ("pc+us+inet(evdev)", ("logo", "q"), 0, KeyClass.SHORTCUT),
        ("pc+us+inet(evdev)", ("f1",), 0, KeyClass.HELP),
        ("pc+us+inet(evdev)", ("keypad_4",), 0, KeyClass.NAVIGATION),
        ("pc+us+inet(evdev)", ("shift",), 0, KeyClass.MODIFIER),
    ],
)
def test_what_a_key_is_for_goes_by_layout_and_group(
    symbols: str, keys: tuple[str, ...], group: int, expected: KeyClass
) -> None:
    assert pressed(symbols, *keys, group=group) == expected


@pytest.mark.parametrize(
    "symbols",
    ["", "pc+nowhere", "../../home/mine", 'pc+us"; include "/home/mine', "pc + us", "pc+us:5", "/home/mine", "%S/us"],
)
def test_only_names_of_the_systems_layouts_are_read(symbols: str) -> None:
    with pytest.raises(ValueError, match=r"no (names of layouts|such layout)"):
        XkbKeyboard(symbols)


def test_what_is_held_can_be_forgotten() -> None:
    keyboard = XkbKeyboard("pc+us+de:2+inet(evdev)")
    keyboard.choose_group(1)
    keyboard.change(CODES["ctrl"], down=True)
    keyboard.release()
    assert class_of_press(keyboard.press(CODES["y"])) == KeyClass.CHARACTER
    keyboard.change(CODES["ctrl"], down=True)
    assert class_of_press(keyboard.press(CODES["y"])) == KeyClass.UNDO
