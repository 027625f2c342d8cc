"""Real programs: a click that opens a dialog is an act on what was clicked, and storms of signals."""

import json
import sys
from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.records import (
    ControlAct,
    ControlRole,
    DialogSeen,
    InputEvent,
    MessageClass,
    Problem,
    Sense,
)
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


SIGNALS = 10_000
