"""A real editor and the real daemon: the field finds commands of the editor, and the ring is on the menu."""

import json
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.windows import Windows, poll
from storage.db.codec import encode
from storage.ports import ASK_TITLE
from storage.records import HelpFound, NeedReport, Offer
from storage.session.log import list_sessions
from tests.fakes.help.beside_editor import beside_editor, elements_of, is_ringed, rows_of
from tests.fakes.ui.interface_process import is_held, press

pytestmark = pytest.mark.display

ASK = ("Control_L", "Alt_L", "k")


def is_edit_ringed(kairos: DaemonProcess, windows: Windows) -> bool:
    boxes = [element.box for element in elements_of(rows_of(kairos)) if element.name == "Edit"]
    return bool(boxes) and is_ringed(windows, boxes[-1])


def test_a_command_is_found_in_the_field_and_ringed(tmp_path: Path) -> None:
    with beside_editor(tmp_path, {"interface.shortcut_ask": "Ctrl+Alt+K"}) as (desktop, kairos, windows):
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
        poll(lambda: windows.card() or None, what="the card")
        poll(lambda: windows.is_active(editor) or None, what="the keyboard in the editor")
        poll(lambda: is_edit_ringed(kairos, windows) or None, what="the ring around the menu")
        desktop.screenshot(tmp_path / "card.png")
        found = poll(
            lambda: next((row for row in rows_of(kairos) if isinstance(row, HelpFound)), None), what="the row of it"
        )
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
