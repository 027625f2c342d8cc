"""Global shortcuts on a real desktop, pressed as a keyboard would: they work in any program and take nothing else."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from queue import Empty

import pytest
from Xlib import XK, X
from Xlib.ext import xtest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.ports import ASK_TITLE, CARD_TITLE
from tests.fakes.ui.interface_process import Puppet, click, find_button, is_held, open_editor, press

pytestmark = pytest.mark.display

HELD_S = 1.5
"""Long enough for a key to repeat."""

APART_S = 0.02
"""Between two presses: X tells times in milliseconds, and a press in that of the release is one that repeats."""

SHORTCUTS = {"shortcut_ask": "Ctrl+Alt+K", "shortcut_card": "Ctrl+Alt+J", "shortcut_dismiss": "Super+Shift+F5"}
ASK = ("Control_L", "Alt_L", "k")
CARD = ("Control_L", "Alt_L", "j")
DISMISS = ("Super_L", "Shift_L", "F5")


@pytest.fixture
def puppet(desktop: VirtualDesktop) -> Iterator[Puppet]:
    with Puppet(desktop, **SHORTCUTS) as made:
        yield made


def let_ask(puppet: Puppet) -> None:
    """Say that Kairos watches, and wait until the interface knows: before that nobody can ask."""
    puppet.order("status", state="watching")
    puppet.ask("look")


def test_keys_ask_for_help_whatever_lock_is_on(desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path) -> None:
    """They open the field, which has the keyboard until Escape."""
    path = tmp_path / "typed.txt"
    editor = open_editor(desktop, path)
    poll(lambda: is_held(desktop, "k"), what="the shortcut")  # the interface takes it once it has started
    let_ask(puppet)
    for lock in ("", "Caps_Lock", "Num_Lock"):
        if lock:
            press(desktop, lock)
        press(desktop, *ASK)
        assert puppet.hear() == {"call": "find_help", "words": ""}
        poll(lambda: not desktop.windows.is_active(editor), what="taking the keyboard")
        press(desktop, "Escape")
        desktop.windows.wait_gone("kairos", ASK_TITLE)
        poll(lambda: desktop.windows.is_active(editor), what="giving the keyboard back")
        SystemClock().sleep_s(APART_S)
    press(desktop, "Caps_Lock")
    code = desktop.display.keysym_to_keycode(XK.string_to_keysym("k"))
    modifiers = [desktop.display.keysym_to_keycode(XK.string_to_keysym(name)) for name in ASK[:2]]
    for held in (*modifiers, code):
        xtest.fake_input(desktop.display, X.KeyPress, held)
    desktop.display.sync()
    SystemClock().sleep_s(HELD_S)
    for held in (code, *modifiers):
        xtest.fake_input(desktop.display, X.KeyRelease, held)
    desktop.display.sync()
    assert puppet.hear() == {"call": "find_help", "words": ""}  # once, however long it is held
    press(desktop, "Escape")
    poll(lambda: desktop.windows.is_active(editor), what="giving the keyboard back")
    for letter in "kjk":
        press(desktop, letter)
    press(desktop, "Control_L", "s")
    poll(lambda: path.read_text().strip() == "kjk", what="saving")
    assert desktop.windows.is_active(editor)
    with pytest.raises(Empty):
        puppet.heard.get_nowait()


def test_what_is_typed_into_the_field_goes_nowhere_else(
    desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path
) -> None:
    """Enter asks, and what is typed then is for the editor again."""
    path = tmp_path / "typed.txt"
    editor = open_editor(desktop, path)
    let_ask(puppet)
    poll(lambda: is_held(desktop, "k"), what="the shortcut")
    press(desktop, *ASK)
    assert puppet.hear() == {"call": "find_help", "words": ""}
    poll(lambda: not desktop.windows.is_active(editor), what="taking the keyboard")
    for length, letter in enumerate("bold", start=1):
        press(desktop, letter)
        assert puppet.hear() == {"call": "find_help", "words": "bold"[:length]}
    press(desktop, "Return")
    assert puppet.hear() == {"call": "ask_help", "words": "bold", "page_id": "", "ring": True}
    poll(lambda: desktop.windows.is_active(editor), what="giving the keyboard back")
    press(desktop, "x")
    press(desktop, "Control_L", "s")
    poll(lambda: path.read_text().strip() == "x", what="saving")


def test_the_field_goes_when_somebody_goes_on_to_another_window(
    desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path
) -> None:
    editor = open_editor(desktop, tmp_path / "typed.txt")
    let_ask(puppet)
    poll(lambda: is_held(desktop, "k"), what="the shortcut")
    press(desktop, *ASK)
    poll(lambda: not desktop.windows.is_active(editor), what="taking the keyboard")
    click(desktop, (100, 650))
    desktop.windows.wait_gone("kairos", ASK_TITLE)
    poll(lambda: desktop.windows.is_active(editor), what="the editor")


def test_the_card_is_reached_used_and_left_by_keyboard(desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path) -> None:
    editor = open_editor(desktop, tmp_path / "typed.txt")

    editor_is_active = partial(desktop.windows.is_active, editor)
    poll(lambda: not is_held(desktop, "j"), what="the end of the trial of all keys")
    puppet.order("offer", offer_id="o-1")
    desktop.windows.wait("kairos", CARD_TITLE)
    poll(lambda: is_held(desktop, "j"), what="taking the keys of the card")
    for last in ("Escape", "Return"):
        press(desktop, *CARD)
        poll(lambda: not editor_is_active(), what="taking the keyboard")
        poll(lambda: puppet.ask("look")["armed"], what="counting answers")
        press(desktop, last)
        if last == "Escape":
            poll(editor_is_active, what="giving the keyboard back")
    assert puppet.hear() == {"call": "answer", "offer_id": "o-1", "kind": "accepted"}
    assert desktop.windows.card() is not None
    press(desktop, *DISMISS)
    desktop.windows.wait_gone("kairos", CARD_TITLE)
    poll(editor_is_active, what="giving the keyboard back")
    poll(lambda: not is_held(desktop, "j"), what="giving the keys of the card back")


def test_keys_that_somebody_else_has_are_a_named_problem(desktop: VirtualDesktop) -> None:
    code = desktop.display.keysym_to_keycode(XK.string_to_keysym("k"))
    desktop.display.screen().root.grab_key(code, X.ControlMask | X.Mod1Mask, False, X.GrabModeAsync, X.GrabModeAsync)
    desktop.display.sync()
    with Puppet(desktop, **SHORTCUTS) as puppet:
        desktop.windows.wait("kairos", "Kairos notice")
        text = puppet.ask("look")["notice"]
        assert "Ctrl+Alt+K (Shortcut to ask)" in text
        assert "Ctrl+Alt+J" not in text
        puppet.order("offer", offer_id="o-1")
        desktop.windows.wait("kairos", CARD_TITLE)
        poll(lambda: puppet.ask("look")["armed"], what="counting answers")
        press(desktop, *DISMISS)
        assert puppet.hear() == {"call": "answer", "offer_id": "o-1", "kind": "dismissed"}
        click(desktop, find_button(puppet, "close"))
        desktop.windows.wait_gone("kairos", "Kairos notice")
