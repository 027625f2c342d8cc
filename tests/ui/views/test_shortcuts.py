"""Keyboard shortcuts as people write them."""

import pytest

from storage.settings import InterfaceSettings
from ui.translation.language import speak
from ui.views.shortcuts import (
    TAKEN,
    UNKNOWN,
    Modifier,
    Shortcut,
    ShortcutCommand,
    parse_shortcut,
    texts_of,
    view_offered,
    view_unusable,
    view_welcome,
)
from ui.views.text import _KEYS, keys_text


@pytest.mark.parametrize(
    ("text", "modifiers", "key"),
    [
        ("Ctrl+Alt+K", {Modifier.CTRL, Modifier.ALT}, "k"),
        (" control + shift + f5 ", {Modifier.CTRL, Modifier.SHIFT}, "F5"),
        ("Strg+Umschalt+A", {Modifier.CTRL, Modifier.SHIFT}, "a"),
        ("Super+Esc", {Modifier.SUPER}, "Escape"),
        ("Meta+7", {Modifier.SUPER}, "7"),
        ("Alt+PageUp", {Modifier.ALT}, "Prior"),
    ],
)
def test_one_key_with_others_held(text: str, modifiers: set[Modifier], key: str) -> None:
    assert parse_shortcut(text) == Shortcut(frozenset(modifiers), key)


@pytest.mark.parametrize(
    "text", ["k", "F12", "Shift+k", "Ctrl", "Ctrl+", "+", "Ctrl+Alt", "Hyper+K", "Ctrl+ß", "Ctrl+KK"]
)
def test_what_would_take_typing_from_programs_is_no_shortcut(text: str) -> None:
    assert parse_shortcut(text) is None


def test_all_are_off_until_they_are_set() -> None:
    assert texts_of(InterfaceSettings()) == {}
    assert texts_of(InterfaceSettings(shortcut_ask="Ctrl+Alt+K", shortcut_card=" ")) == {
        ShortcutCommand.ASK: "Ctrl+Alt+K"
    }


def test_a_shortcut_that_does_not_work_is_named_with_its_setting() -> None:
    settings = InterfaceSettings(shortcut_ask="Ctrl+Alt+K", shortcut_dismiss="<b>K</b>")
    taken = view_unusable(TAKEN, [ShortcutCommand.ASK], settings)
    assert taken.text.startswith("Ctrl+Alt+K (Shortcut to ask). The desktop or another program already has")
    assert "<b>K</b> (Shortcut to dismiss). " in view_unusable(UNKNOWN, [ShortcutCommand.DISMISS], settings).text


@pytest.mark.usefixtures("qapp")  # German comes from Qt
def test_keys_are_called_by_what_stands_on_them() -> None:
    speak("de")
    try:
        said = [view.text for view in (view_offered("Ctrl+Alt+Space"), view_welcome("Ctrl+Alt+Space"))]
        assert all("Strg+Alt+Leertaste" in text for text in said)
        for key in set(_KEYS) - {"Ctrl", "Shift"}:  # what is shown can be typed
            shown, english = keys_text(f"Ctrl+Alt+{key}"), f"Ctrl+Alt+{key}"
            assert parse_shortcut(shown) == parse_shortcut(english) is not None, shown
    finally:
        speak("en")
    assert keys_text("Ctrl+Alt+Space") == "Ctrl+Alt+Space"
