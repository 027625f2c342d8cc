"""The commands of real programs, read on a virtual desktop: what is in the lists, and what never is."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.accessibility.walk_rate import WalkRate
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, Windows, poll
from storage.errors import EnvironmentFault
from storage.ports import CommandList
from storage.records import ControlRole, ControlState, WindowEvent
from tests.fakes.desktop.painter import Painter, RunningCapture, running, walking

pytestmark = pytest.mark.display

MARKER = "marker letters"


def read(capture: RunningCapture) -> CommandList | None:
    sense = capture.thread._sense
    assert isinstance(sense, ControlSense)
    sense._command_rate = WalkRate(gap_ns=0, per_minute=1_000)
    answered, taken = threading.Event(), list[CommandList | None]()

    def take(found: CommandList | None) -> None:
        taken.append(found)
        answered.set()

    sense._commands.clear()
    capture.thread.request_commands(take)
    assert answered.wait(15)
    return taken[0]


def found_in(capture: RunningCapture, painter: Painter, app: str, least: int) -> CommandList:
    """Wait until a program is in front and has told its commands, all of them and at least so many; return them."""
    Windows(painter.display).wait(app)
    found: list[CommandList] = []

    def is_told() -> bool:
        listed = read(capture)
        commands = listed.commands if listed is not None and listed.complete else ()
        # a busy program may not be through with its list when its time is up, nor have its keys yet
        if listed is not None and len(commands) >= least and any(command.keys for command in commands):
            found.append(listed)
        return bool(found)

    poll(lambda: is_told() or None, what="the commands", timeout_s=60)
    return found[0]


def window_of(painter: Painter, app: str) -> WindowInfo:
    return Windows(painter.display).wait(app)


def test_an_editor_tells_its_commands_and_never_what_was_opened_lately(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and tips come from two sources; nothing opens by it. Without the filter the recent file is found."""
    document = tmp_path / f"{MARKER}.txt"
    document.write_text("some words\n")
    with running(walking(), desktop) as capture:
        desktop.spawn(["mousepad", str(document)], "mousepad")
        found = found_in(capture, painter, "mousepad", 150)
        by_path = {command.path: command for command in found.commands}
        assert (found.app, found.complete) == ("Mousepad", True)
        find = by_path["Search", "Find and Replace"]
        assert (find.keys, find.state, find.hint) == ("Ctrl+R", ControlState.PLAIN, "Search for and replace text")
        assert by_path["Edit", "Undo"].state is ControlState.DISABLED
        assert by_path["Document", "Word Wrap"].role is ControlRole.CHECK_BOX
        assert not any(isinstance(event, WindowEvent) and event.popup for event in capture.records)
        box = window_of(painter, "mousepad").box
        painter.click(box.x + 200, box.y + 200)
        open_recent(capture, painter)
        painter.key("Escape")
        painter.key("Escape")
        assert MARKER not in repr(found_in(capture, painter, "mousepad", 150))
        monkeypatch.setattr(
            "daemon.capture.accessibility.atspi.commands.reading.without_personal", lambda entries, *_: list(entries)
        )
        assert MARKER in repr(found_in(capture, painter, "mousepad", 150))


def open_recent(capture: RunningCapture, painter: Painter) -> None:
    """Press the keys of File > Open Recent, which fills it; anew where a busy editor has not taken one."""
    for _ in range(4):
        before = len(_popups(capture))
        painter.chord("Alt_L", "f")
        if _comes(capture, before):
            painter.key("e")
            if _comes(capture, before + 1):
                return
        painter.key("Escape")
        painter.key("Escape")
    pytest.fail("the menu was never opened")


def _comes(capture: RunningCapture, menus: int) -> bool:
    with suppress(EnvironmentFault):
        capture.until(lambda: len(_popups(capture)) > menus, "one more menu", timeout_s=8)
        return True
    return False


def _popups(capture: RunningCapture) -> list[WindowEvent]:
    return [event for event in capture.records if isinstance(event, WindowEvent) and event.popup and not event.gone]


@pytest.mark.slow
def test_a_spreadsheet_tells_a_thousand_commands_without_its_sheet(
    desktop: VirtualDesktop, painter: Painter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was opened lately and the window's own name stay out; without the filter they are found."""
    document = tmp_path / f"{MARKER}.csv"
    document.write_text("a;b\nmarker cell;2\n")
    argv = ["soffice", "--calc", "--norestore", "--nologo", "--nofirststartwizard"]
    with running(walking(), desktop) as capture:
        desktop.spawn([*argv, "--infilter=CSV:59,34,76,1", str(document)], "calc")
        found = found_in(capture, painter, "libreoffice-calc", 500)
        by_path = {command.path: command for command in found.commands}
        freeze = ("View", "Freeze Cells", "Freeze First Row")
        assert {freeze, ("Format", "Text", "Bold"), ("File", "Export as PDF"), ("Data", "Sort")} <= set(by_path)
        undo = by_path["Edit", "Undo"]
        assert (undo.keys, undo.state) == ("Ctrl+Z", ControlState.DISABLED)
        assert "marker" not in repr(found)
        box = window_of(painter, "libreoffice-calc").box
        painter.click(box.x + box.w // 2, box.y + box.h // 2)
        for key in ("m", "a", "r", "k", "e", "r", "Return"):
            painter.key(key)

        def undo_state() -> bool:
            listed = read(capture)
            states = {command.path: command.state for command in listed.commands} if listed is not None else {}
            return states.get(("Edit", "Undo")) is ControlState.PLAIN and "marker" not in repr(listed)

        poll(lambda: undo_state() or None, what="what can be undone", timeout_s=30)
        assert not _popups(capture)
        monkeypatch.setattr(
            "daemon.capture.accessibility.atspi.commands.reading.without_personal", lambda entries, *_: list(entries)
        )
        assert MARKER in repr(found_in(capture, painter, "libreoffice-calc", 500))
