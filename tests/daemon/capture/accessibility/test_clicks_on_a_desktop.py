"""Real programs: a click that opens a dialog is an act on what was clicked, and storms of signals."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi.switch import bus_address
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows
from storage.clock import SystemClock
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    DialogSeen,
    Dropped,
    EventKind,
    Frame,
    InputEvent,
    MessageClass,
    Problem,
    Sense,
)
from tests.fakes.accessibility.atspi import flood
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[4]
HELD_S = 0.09
PERSON_S = 0.3


class Form:
    """The form, and where its controls are."""

    def __init__(self, desktop: VirtualDesktop, capture: RunningCapture, painter: Painter) -> None:
        self._log = desktop.directory / "log" / "form.log"
        self._capture = capture
        self._painter = painter
        desktop.spawn(
            [sys.executable, "-m", "tests.fakes.desktop.dialog_form"], "form", env={"PYTHONPATH": str(ROOT)}, cwd=ROOT
        )

    def click(self, name: str) -> None:
        self._capture.until(lambda: name in self._points(), name)
        x, y = self._points()[name]
        for step in range(5, -1, -1):  # Qt ignores the first movement in a menu
            self._painter.move(x - 3 * step, y)
            SystemClock().sleep_s(0.02)
        self._painter.click(x, y, held_s=HELD_S)

    def _points(self) -> dict[str, list[int]]:
        lines = [line for line in self._log.read_text().splitlines() if line.startswith("{")]
        return {name: point for line in lines for name, point in json.loads(line).items()}


def pressed(capture: RunningCapture) -> list[tuple[ControlRole, str | None]]:
    return [(act.role, act.name) for act in capture.of(ControlAct) if act.what == "pressed"]


BUTTON_Y = 205


def test_a_click_that_opens_a_dialog_of_qt_is_an_act_until_controls_are_turned_off(
    desktop: VirtualDesktop, painter: Painter
) -> None:
    """On a button, and on an item of a menu, which loses the focus for a moment when it is pressed.

    After that the same click leaves no trace of its control; the input itself is still recorded.
    """
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        form = Form(desktop, capture, painter)
        form.click("button")
        capture.until(lambda: len(capture.of(DialogSeen)) == 1, "the dialog")
        SystemClock().sleep_s(PERSON_S)
        painter.key("Escape")
        SystemClock().sleep_s(2.5)  # the same dialog sooner would be the same one
        form.click("menu")
        form.click("item")
        capture.until(lambda: len(capture.of(DialogSeen)) == 2, "the dialog again")
        SystemClock().sleep_s(PERSON_S)
        painter.key("Escape")
        SystemClock().sleep_s(2.5)
        capture.thread.turn_controls_off()
        events = len(capture.of(InputEvent))
        form.click("button")
        capture.until(lambda: len(capture.of(InputEvent)) > events, "the click")
        SystemClock().sleep_s(1.0)
    assert [dialog.about for dialog in capture.of(DialogSeen)] == [MessageClass.ERROR] * 2
    assert pressed(capture) == [
        (ControlRole.BUTTON, "Compile"),
        (ControlRole.MENU_ITEM, "File"),
        (ControlRole.MENU_ITEM, "Open the file"),
    ]
    assert [sense.on for sense in capture.of(Sense)] == [True, False]
    assert capture.of(Problem) == []


def test_a_click_in_gtk_4_is_an_act_on_what_lies_below_the_pointer(desktop: VirtualDesktop, painter: Painter) -> None:
    """Also where the window is not in the corner of the desktop, from which GTK 4 seems to count."""
    with capturing(desktop, controls=True) as capture:
        capture.until(lambda: capture.of(Sense), "the sense")
        desktop.spawn(["/usr/bin/python3", str(ROOT / "tests/fakes/desktop/gtk4_form.py"), "entry"], "gtk4form")
        windows = Windows(painter.display)
        box = windows.place(windows.wait(title="Login"), Box(420, 260, 600, 400)).box
        SystemClock().sleep_s(1.5)
        x, y = box.x + box.w // 2, box.y + BUTTON_Y
        painter.move(x - 3, y)
        painter.click(x, y, held_s=HELD_S)
        capture.until(lambda: pressed(capture), "the act")
    act = capture.of(ControlAct)[-1]
    assert (act.role, act.name) == (ControlRole.BUTTON, "Log in")
    assert act.box is not None
    assert act.box.x < x < act.box.x + act.box.w
    assert abs(act.box.y + act.box.h // 2 - y) <= act.box.h // 2


SIGNALS = 10_000


def test_a_storm_of_signals_loses_nothing_but_signals(desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many keys as without a storm are kept, the screen is seen, and one row says how much was not looked at."""
    monkeypatch.setattr("daemon.capture.accessibility.atspi.recent.QUIET_NS", 1_000_000_000)
    painter = Painter(desktop)
    clock = SystemClock()
    try:
        with capturing(desktop, controls=True) as capture:
            capture.until(lambda: capture.of(Sense), "the sense")
            address = asyncio.run(bus_address(desktop.env))
            desktop.spawn(["mousepad"], "mousepad")
            Windows(painter.display).wait("mousepad")
            capture.type_until_seen(painter)
            clock.sleep_s(2.0)
            keys, frames, rows = capture.keys(), len(capture.of(Frame)), len(capture.of(Dropped))
            flood(address, SIGNALS)
            for _ in range(10):
                painter.key("b")
                clock.sleep_s(0.2)
            capture.until(lambda: capture.keys() == keys + 10, "the keys")
            capture.until(lambda: len(capture.of(Frame)) > frames, "a frame")
            capture.until(lambda: len(capture.of(Dropped)) > rows, "the count", 20.0)
            clock.sleep_s(2.0)
            dropped = [row for row in capture.of(Dropped)[rows:] if row.what == "control_signals"]
            assert [sense.on for sense in capture.of(Sense)] == [True]
            assert not capture.of(Problem)
            assert all(event.kind is not EventKind.PROTECTED for event in capture.of(InputEvent))
    finally:
        painter.close()
    assert len(dropped) == 1
    assert SIGNALS // 2 < dropped[0].count <= SIGNALS + 1000
