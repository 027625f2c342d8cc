"""Keys leave as classes: by the letter of the layout, by its Latin neighbour, by name."""

from dataclasses import dataclass

import pytest

from daemon.capture.keys import KeyReader
from storage.records import KeyClass


@dataclass(frozen=True)
class Named:
    """Stands for pynput's `Key`."""

    name: str


@dataclass(frozen=True)
class Code:
    """Stands for pynput's `KeyCode`."""

    char: str | None = None
    vk: int | None = None
    is_dead: bool = False


CTRL, ALT, SHIFT, CMD, ALT_GR = Named("ctrl_l"), Named("alt_l"), Named("shift"), Named("cmd"), Named("alt_gr")


@pytest.mark.parametrize(
    ("held", "key", "expected"),
    [
        ([], Code("a", 97), KeyClass.CHARACTER),
        ([SHIFT], Code("A", 65), KeyClass.CHARACTER),
        ([ALT_GR], Code("€", 0x20AC), KeyClass.CHARACTER),
        ([], Named("space"), KeyClass.CHARACTER),
        ([], Code("^", 0xFE52, is_dead=True), KeyClass.CHARACTER),
        ([], Named("enter"), KeyClass.ENTER),
        ([], Named("page_down"), KeyClass.NAVIGATION),
        ([CTRL], Named("left"), KeyClass.NAVIGATION),
        ([], Named("backspace"), KeyClass.BACKSPACE),
        ([ALT], Named("backspace"), KeyClass.UNDO),
        ([CTRL], Code("z", 122), KeyClass.UNDO),
        ([CMD], Code("z", 122), KeyClass.UNDO),
        ([CTRL, SHIFT], Code("Z", 90), KeyClass.REDO),
        ([CTRL], Code("y", 121), KeyClass.REDO),
        ([CTRL], Code("c", 99), KeyClass.COPY),
        ([CTRL], Named("insert"), KeyClass.COPY),
        ([SHIFT], Named("insert"), KeyClass.PASTE),
        ([SHIFT], Named("delete"), KeyClass.CUT),
        ([CTRL], Code("v", 118), KeyClass.PASTE),
        ([CTRL], Code("x", 120), KeyClass.CUT),
        ([CTRL], Code("s", 115), KeyClass.SAVE),
        ([CTRL], Code("f", 102), KeyClass.FIND),
        ([CTRL], Code("a", 97), KeyClass.SELECT_ALL),
        ([CTRL], Code("k", 107), KeyClass.SHORTCUT),
        ([CTRL, ALT], Code("z", 122), KeyClass.SHORTCUT),
        ([ALT], Code("f", 102), KeyClass.MENU),
        ([ALT], Named("tab"), KeyClass.SHORTCUT),
        ([], Named("f1"), KeyClass.HELP),
        ([], Named("f5"), KeyClass.FUNCTION),
        ([], Named("f10"), KeyClass.MENU),
        ([], Code(None, 0xFF65), KeyClass.UNDO),
        ([], Named("media_next"), KeyClass.OTHER),
        ([], Code(None, 0x1008FF11), KeyClass.OTHER),
        ([], None, KeyClass.OTHER),
    ],
)
def test_what_a_press_was_for(held: list[Named], key: Code | Named | None, expected: KeyClass) -> None:
    """A key's class follows from what it is and what is held with it."""
    reader = KeyReader()
    for modifier in held:
        assert reader.press(modifier) is KeyClass.MODIFIER
    assert reader.press(key) is expected


def test_undo_on_a_layout_without_latin_letters() -> None:
    """Where the key of Z enters another letter, the shortcut still goes by its key."""
    reader = KeyReader()
    cyrillic_ya = 0x6D1
    reader.press(CTRL)
    assert reader.press(Code("я", cyrillic_ya)) is KeyClass.SHORTCUT
    reader.use_layout({cyrillic_ya: "z"})
    assert reader.press(Code("я", cyrillic_ya)) is KeyClass.UNDO


def test_undo_where_z_and_y_change_places() -> None:
    """On a German layout the symbol counts, not the place of the key."""
    reader = KeyReader()
    reader.use_layout({ord("z"): "z", ord("y"): "y"})
    reader.press(CTRL)
    assert reader.press(Code("z", ord("z"))) is KeyClass.UNDO


def test_a_modifier_counts_until_its_release_or_a_reset() -> None:
    """After the release, and after a reset, a letter is a letter."""
    reader = KeyReader()
    reader.press(CTRL)
    reader.release(CTRL)
    assert reader.press(Code("z", 122)) is KeyClass.CHARACTER
    reader.press(CTRL)
    reader.reset()
    assert reader.press(Code("z", 122)) is KeyClass.CHARACTER
