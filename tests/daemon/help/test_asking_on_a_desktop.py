"""A real editor and the real daemon: the field finds commands of the editor, and the ring is on the menu."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, open_display, poll, ringed
from lab.benchmarks.grounding.ring_truth import LEAST_OVERLAP, overlap
from storage.db.codec import encode
from storage.ports import ASK_TITLE
from storage.records import Element, Elements, Focus, HelpFound, NeedReport, Offer, Record
from storage.session.log import SessionReader, list_sessions
from tests.fakes.ui.interface_process import is_held, press

pytestmark = pytest.mark.display

SETTINGS = {
    "policy.quiet_start_s": "0",
    "capture.understand_controls": "on",
    "interface.shortcut_ask": "Ctrl+Alt+K",
}
ASK = ("Control_L", "Alt_L", "k")


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    with VirtualDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running_desktop:
        yield running_desktop


def rows_of(kairos: DaemonProcess) -> list[Record]:
    with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
        return list(reader)


@contextmanager
def beside_mousepad(desktop: VirtualDesktop, folder: Path) -> Iterator[tuple[DaemonProcess, Windows]]:
    """Run Kairos without documentation; Mousepad is in front."""
    kairos = DaemonProcess(desktop, folder, settings=SETTINGS)
    kairos.start()
    display = open_display(desktop.env)
    windows = Windows(display)
    try:
        desktop.spawn(["mousepad"], "mousepad")
        windows.wait("mousepad")
        poll(lambda: any(isinstance(row, Focus) and row.app for row in rows_of(kairos)) or None, what="the editor")
        yield kairos, windows
    finally:
        kairos.quit()
        display.close()


def is_ringed(kairos: DaemonProcess, windows: Windows, name: str) -> bool:
    """Tell whether the ring lies around a control of this name, where it was read last."""
    elements: list[Element] = [
        element for row in rows_of(kairos) if isinstance(row, Elements) for element in row.elements
    ]
    boxes = [element.box for element in elements if element.name == name]
    return bool(boxes) and overlap(boxes[-1], ringed(windows)) >= LEAST_OVERLAP


def test_a_command_is_found_in_the_field_and_ringed(desktop: VirtualDesktop, tmp_path: Path) -> None:
    with beside_mousepad(desktop, tmp_path) as (kairos, windows):
        editor = windows.wait("mousepad")
        poll(lambda: is_held(desktop, "k") or None, what="the shortcut")
        press(desktop, *ASK)
        windows.wait("kairos", ASK_TITLE)
        poll(lambda: not windows.is_active(editor) or None, what="the keyboard in the field")
        for letter in "undo":
            press(desktop, letter)
        # The list of commands comes a moment after the program was in front for the first time.
        desktop.screenshot(tmp_path / "field.png")
        press(desktop, "Return")
        poll(lambda: windows.card() or None, what="the card", timeout_s=20)
        poll(lambda: windows.is_active(editor) or None, what="the keyboard in the editor")
        poll(lambda: is_ringed(kairos, windows, "Edit") or None, what="the ring around the menu", timeout_s=20)
        desktop.screenshot(tmp_path / "card.png")
        found = [row for row in rows_of(kairos) if isinstance(row, HelpFound)][-1]
        assert (found.asked, found.steps, found.app) == (True, 1, "Mousepad")
        assert found.page_id.startswith("command/")
        answers = kairos.command("ask", "undo")
        assert answers["candidates"][0]["path"] == ["Edit", "Undo"]
        assert kairos.command("ask", "brew", "coffee")["candidates"] == []
        nothing = poll(
            lambda: next((row for row in rows_of(kairos) if isinstance(row, HelpFound) and not row.page_id), None),
            what="a search that found nothing",
        )
    assert nothing.asked
    rows = rows_of(kairos)
    assert [row.by for row in rows if isinstance(row, NeedReport)] == ["asked"] * 3
    assert len([row for row in rows if isinstance(row, Offer)]) == 3
    assert not [row for row in rows if b"coffee" in encode(row)]
    assert "coffee" not in json.dumps(answers)
    result = replay(list_sessions(kairos.sessions)[-1], check=True)
    assert result.identical, result.reason
