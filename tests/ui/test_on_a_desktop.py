"""The interface on a real desktop: nothing of ours takes a key or the focus, and everything of ours is recognised."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from Xlib import X
from Xlib.ext import xtest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import SystemClock
from storage.ports import ACCEPT_POINT, CARD_TITLE
from storage.records import Box
from tests.fakes.desktop.ring_process import overlap
from tests.fakes.ui.interface_process import Puppet, click, find_button, open_editor, popups_of, press

pytestmark = pytest.mark.display

KEYS = 1200
KEY_S = 0.007
SAVING_S = 20.0
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LINE = 60
"""Keys in a line: in one long line each key would have the editor lay out, and scroll, all before it."""


@pytest.fixture
def puppet(desktop: VirtualDesktop) -> Iterator[Puppet]:
    with Puppet(desktop) as made:
        yield made


def accept_point(card: WindowInfo) -> tuple[int, int]:
    return card.box.x + ACCEPT_POINT[0], card.box.y + card.box.h - ACCEPT_POINT[1]


def type_keys(desktop: VirtualDesktop, count: int, meanwhile: Callable[[int], None]) -> tuple[str, set[int]]:
    random, clock, active = Random(7), SystemClock(), set()
    text = "".join("\n" if number % LINE == LINE // 2 else random.choice(LETTERS) for number in range(count))
    for number, letter in enumerate(text):
        press(desktop, "Return" if letter == "\n" else letter)
        meanwhile(number)
        window = desktop.windows.active()
        active.add(0 if window is None else window.xid)
        clock.sleep_s(KEY_S)
    return text, active


def saved(desktop: VirtualDesktop, path: Path, expected: str) -> str:
    """Save with ctrl+s and return what the file holds once it is as long as expected, or after a long while."""
    press(desktop, "Control_L", "s")
    clock = SystemClock()
    deadline_ns = clock.now_ns() + int(SAVING_S * 1e9)
    while len(path.read_text().strip()) < len(expected) and clock.now_ns() < deadline_ns:
        clock.sleep_s(0.05)
    return path.read_text().strip()


WINDOW_MANAGERS = (
    "openbox",
    pytest.param("xfwm4", marks=pytest.mark.slow),
    pytest.param("metacity", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("wm", WINDOW_MANAGERS)
def test_the_card_takes_no_key_and_no_focus(wm: str, tmp_path: Path) -> None:
    """While all of ours comes and goes, 1,200 typed keys reach the editor, and it stays the active window."""
    with VirtualDesktop((1280, 800), wm=wm) as desktop:
        puppet = Puppet(desktop)
        path = tmp_path / "typed.txt"
        editor = open_editor(desktop, path)
        stayed: list[bool] = []

        def show_and_hide(number: int) -> None:
            offer_id, asked = f"o-{number // 80}", number // 80 % 2 == 1
            match number % 80:
                case 0:
                    puppet.order("offer", offer_id=offer_id, asked=asked, model="a-model" if asked else "")
                case 20:
                    desktop.windows.wait("kairos", CARD_TITLE)
                case part if asked and 20 < part < 40:
                    phase = "done" if part == 39 else "streaming"
                    puppet.order("answer", offer_id=offer_id, phase=phase, text="some words " * part)
                case 40:
                    stayed.append(desktop.windows.card() is not None)
                    puppet.order("dismiss" if asked else "close", offer_id=offer_id)
                    puppet.order("problem", code="disk_full", over=number % 160 != 40)
                case 50:
                    puppet.order("question", question_id=offer_id)
                case 60:
                    desktop.windows.wait_gone("kairos", CARD_TITLE)
                    puppet.order("close_question", question_id=offer_id)

        try:
            text, active = type_keys(desktop, KEYS, show_and_hide)
            assert stayed == [True] * (KEYS // 80)
            assert active == {editor.xid}
            assert saved(desktop, path, text) == text
        finally:
            puppet.end()


def test_a_dialog_that_closes_above_the_card_gives_the_keys_back(
    desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path
) -> None:
    """The card came up while the dialog had the focus, so the window manager thinks of it before the editor."""
    editor = open_editor(desktop, tmp_path / "typed.txt")
    press(desktop, "Control_L", "r")
    dialog = desktop.windows.wait("mousepad", "Find and Replace")
    poll(partial(desktop.windows.is_active, dialog), what="the dialog")
    puppet.order("offer", offer_id="o-1")
    desktop.windows.wait("kairos", CARD_TITLE)
    press(desktop, "Escape")
    desktop.windows.wait_gone("mousepad", "Find and Replace")
    poll(partial(desktop.windows.is_active, editor), what="the editor")


@pytest.mark.parametrize("wm", WINDOW_MANAGERS)
def test_a_card_comes_up_off_an_open_dialog(wm: str, tmp_path: Path) -> None:
    """The dialog stands where the card would; as a control the same place is covered once it is no dialog."""
    with VirtualDesktop((1280, 800), wm=wm, tray="none") as desktop, Puppet(desktop) as puppet:
        editor = open_editor(desktop, tmp_path / "typed.txt")
        press(desktop, "Control_L", "r")
        dialog = desktop.windows.wait("mousepad", "Find and Replace")
        corner = Box(1280 - dialog.box.w - 20, 800 - dialog.box.h - 20, dialog.box.w, dialog.box.h)
        desktop.windows.place(dialog, corner)
        dialog = poll(lambda: _in_corner(desktop.windows.refresh(dialog)), what="moving the dialog")
        for front in (dialog, editor):  # also while the person goes on in the window below it
            desktop.windows.activate(front)
            poll(partial(desktop.windows.is_active, front), what="going there")
            puppet.order("offer", offer_id=f"o-{front.xid}")
            card = desktop.windows.wait("kairos", CARD_TITLE)
            assert not overlap(card.box, dialog.box)
            puppet.order("close", offer_id=f"o-{front.xid}")
            desktop.windows.wait_gone("kairos", CARD_TITLE)
        desktop.windows.close(dialog)
        desktop.windows.wait_gone("mousepad", "Find and Replace")
        puppet.order("offer", offer_id="o-control")
        assert overlap(desktop.windows.wait("kairos", CARD_TITLE).box, dialog.box)


def test_a_window_that_takes_the_focus_is_noticed(desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path) -> None:
    """The control of the test above: with an ordinary window the same check sees keys and focus go astray."""
    path = tmp_path / "typed.txt"
    editor = open_editor(desktop, path)

    def steal(number: int) -> None:
        if number == 19:
            assert puppet.ask("steal") == {"stolen": True}
            desktop.windows.wait("kairos", "Thief")
            poll(lambda: not desktop.windows.is_active(editor), what="taking the focus")

    text, active = type_keys(desktop, 120, steal)
    assert active > {editor.xid}
    click(desktop, (1000, 600))  # into the editor, so that what it did get can be saved
    poll(partial(desktop.windows.is_active, editor), what="giving the focus back")
    assert saved(desktop, path, text[:20]) == text[:20]


def test_a_click_on_the_card_answers_in_the_middle_of_typing(
    desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path
) -> None:
    path = tmp_path / "typed.txt"
    editor = open_editor(desktop, path)
    puppet.order("offer", offer_id="o-1")
    card = desktop.windows.wait("kairos", CARD_TITLE)

    def accept(number: int) -> None:
        if number == 150:
            click(desktop, accept_point(card))

    text, active = type_keys(desktop, 200, accept)
    assert puppet.hear() == {"call": "answer", "offer_id": "o-1", "kind": "accepted"}
    assert active == {editor.xid}
    assert saved(desktop, path, text) == text
    assert desktop.windows.card() is not None
    click(desktop, find_button(puppet, "close"))
    desktop.windows.wait_gone("kairos", CARD_TITLE)


def _in_corner(window: WindowInfo | None) -> WindowInfo | None:
    """Return a window once its middle is at the bottom right, where the card comes up first."""
    if window is None or window.box.x + window.box.w < 1180 or window.box.y + window.box.h < 700:
        return None
    return window


def pixel(desktop: VirtualDesktop, x: int, y: int) -> tuple[int, int, int]:
    image = desktop.display.screen().root.get_image(x, y, 1, 1, X.ZPixmap, 0xFFFFFFFF)
    blue, green, red = bytes(image.data)[:3]
    return red, green, blue


def test_every_window_of_ours_says_that_it_is_ours(desktop: VirtualDesktop, puppet: Puppet) -> None:
    puppet.order("offer", offer_id="o-1")
    puppet.order("problem", code="disk_full")
    puppet.order("menu")
    assert puppet.hear()["menu"]
    desktop.windows.wait("kairos", CARD_TITLE)
    desktop.windows.wait("kairos", "Kairos notice")
    poll(lambda: bool(popups_of(desktop, puppet)), what="opening the menu")
    ours = [w for w in desktop.windows.list_all() if w.pid == puppet.process.pid]
    assert len(ours) >= 3
    assert {w.app for w in ours} == {"kairos"}
    assert {w.title for w in ours} >= {CARD_TITLE, "Kairos notice"}
    assert puppet.ask("close_menu") == {"closed": True}


def test_a_tool_tip_of_ours_says_that_it_is_ours(desktop: VirtualDesktop, puppet: Puppet) -> None:
    puppet.order("offer", offer_id="o-1")
    desktop.windows.wait("kairos", CARD_TITLE)
    x, y = puppet.ask("button", name="more")["button"]
    xtest.fake_input(desktop.display, X.MotionNotify, x=x - 3, y=y)
    desktop.display.sync()
    xtest.fake_input(desktop.display, X.MotionNotify, x=x, y=y)
    desktop.display.sync()
    poll(lambda: bool(popups_of(desktop, puppet)), what="opening the tool tip")
    assert [w.app for w in popups_of(desktop, puppet)] == ["kairos"]


def test_a_question_takes_keys_only_after_a_click_on_it(
    desktop: VirtualDesktop, puppet: Puppet, tmp_path: Path
) -> None:
    path = tmp_path / "typed.txt"
    editor = open_editor(desktop, path)

    def show(number: int) -> None:
        if number == 20:
            puppet.order("question", question_id="r1/0")

    text, active = type_keys(desktop, 120, show)
    assert active == {editor.xid}
    assert saved(desktop, path, text) == text
    card = desktop.windows.wait("kairos", "Kairos question")
    click(desktop, (card.box.x + card.box.w // 2, card.box.y + 4))
    for key in ("3", "2", "1"):
        SystemClock().sleep_s(2.0)  # a person reads; a click or key too soon is no answer
        press(desktop, key)
    answer = puppet.hear()
    assert answer["choices"] == {"stuck": 2, "hint": 1, "bad_moment": 0}
    desktop.windows.wait_gone("kairos", "Kairos question")
    poll(partial(desktop.windows.is_active, editor), what="the editor is active")


@pytest.mark.parametrize("wm", WINDOW_MANAGERS)
def test_a_follow_up_takes_the_keyboard_and_gives_it_back(wm: str, tmp_path: Path) -> None:
    """Before a click on the field, and after Enter or Escape in it, every key reaches the editor; between, the field.

    The person waits until they see who has the keyboard, as people do; no key is typed while it changes hands.
    """
    with VirtualDesktop((1280, 800), wm=wm, tray="none") as desktop, Puppet(desktop) as puppet:
        path = tmp_path / "typed.txt"
        editor = open_editor(desktop, path)

        def stream(number: int) -> None:
            match number % 60:
                case 0:
                    puppet.order("offer", offer_id="o-1", asked=True, model="a-model")
                case 10:
                    desktop.windows.wait("kairos", CARD_TITLE)
                case part if part < 50:
                    phase = "streaming" if part < 49 else "done"
                    puppet.order("answer", offer_id="o-1", phase=phase, text="word " * part)

        typed, active = type_keys(desktop, 180, stream)
        assert active == {editor.xid}
        for key, expected in (
            ("Return", [{"call": "ask_model", "offer_id": "o-1", "question": "why so"}]),
            ("Escape", []),
        ):
            if key == "Escape":
                puppet.order("offer", offer_id="o-1", asked=True, model="a-model")
                puppet.order("answer", offer_id="o-1", phase="done", text="words")
            click(desktop, find_button(puppet, "question"))
            poll(lambda: not desktop.windows.is_active(editor), what="taking the keyboard")
            for letter in ("w", "h", "y", "space", "s", "o"):
                press(desktop, letter)
            poll(lambda: puppet.ask("look")["field"] == "why so", what="typing into the field")
            press(desktop, key)
            poll(partial(desktop.windows.is_active, editor), what="giving the keyboard back")
            for call in expected:
                assert puppet.hear() == call
            more, active = type_keys(desktop, 60, lambda _: None)
            assert active == {editor.xid}
            typed += more
        assert saved(desktop, path, typed) == typed
        assert desktop.windows.card() is not None


@pytest.mark.parametrize("compositor", [True, False])
def test_the_card_looks_right_with_and_without_a_compositor(compositor: bool, tmp_path: Path) -> None:
    with VirtualDesktop((1280, 800), compositor=compositor, tray="none") as desktop, Puppet(desktop) as puppet:
        puppet.order("problem", code="no_tray", over=True)
        puppet.order("offer", offer_id="o-1")
        card = desktop.windows.wait("kairos", CARD_TITLE)
        left, top, width, height = card.box
        poll(lambda: pixel(desktop, left + 30, top + 6) == (255, 255, 255), what="painting the card")
        poll(
            lambda: pixel(desktop, left + width - 30, top + height - 6) == (255, 255, 255),
            what="painting all of the card",
        )
        poll(
            lambda: pixel(desktop, left, top) == pixel(desktop, left - 3, top - 3),
            what="showing what is below the corner",
        )


def _placed(point: list[int] | None) -> list[int] | None:
    return point if point is not None and point[1] > 400 else None
