"""The settings window on a real desktop: clicked, typed at and read back through the accessibility bus."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from Xlib import X

from daemon.preferences.autostart import autostart_file
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.grounding.reader import Reader, reading
from storage.files import config_file
from storage.records import Box, Element
from storage.settings_file import load_settings
from tests.fakes.ui.interface_process import TIMEOUT_S, click, open_editor, press

pytestmark = pytest.mark.display

PUPPET = Path(__file__).parents[2] / "fakes" / "ui" / "settings_puppet.py"
TITLE = "Kairos: Settings"
NEAR = 60
"""How close to the corner of the screen, in pixels."""


class Window:
    """The window in a process of its own, over the settings file of this test."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self.desktop = desktop
        own = {name: os.environ[name] for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, str(PUPPET)],
            env=desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path)} | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.heard: Queue[dict[str, Any]] = Queue()
        Thread(target=self._listen, daemon=True).start()
        assert self.hear() == {"ready": True}
        self.order("open")
        self.until("reply")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard.put(json.loads(line))

    def order(self, word: str) -> None:
        """Have something done."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        return self.heard.get(timeout=TIMEOUT_S)

    def until(self, word: str) -> object:
        """Return what it says of one kind, past everything else."""
        while word not in (said := self.hear()):
            pass
        return said[word]

    def click(self, box: Box) -> None:
        """Click into the middle of a box."""
        click(self.desktop, (box.x + box.w // 2, box.y + box.h // 2))

    def type(self, text: str) -> None:
        """Type letters and digits."""
        for letter in text:
            press(self.desktop, letter)

    def end(self) -> int:
        """End it, and return the exit status."""
        if self.process.poll() is None:
            self.order("end")
        try:
            return self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout):
                assert pipe is not None
                pipe.close()


@pytest.fixture
def editor(desktop: VirtualDesktop, tmp_path: Path) -> WindowInfo:
    """Return the window of an editor, in the corner of the screen."""
    found = open_editor(desktop, tmp_path / "typed.txt")
    desktop.display.create_resource_object("window", found.xid).configure(x=0, y=0)
    desktop.display.sync()
    return poll(
        lambda: next(
            (
                window_info
                for window_info in desktop.windows.list_all()
                if window_info.xid == found.xid and window_info.box.x < NEAR
            ),
            None,
        ),
        what="the editor in the corner",
    )


@pytest.fixture
def window(desktop: VirtualDesktop) -> Iterator[Window]:
    """Yield the window, open; the switch of accessibility is on."""
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("# mine\n")
    desktop.turn_accessibility_on()
    made = Window(desktop)
    yield made
    assert made.end() == 0


def named(reader: Reader, name: str) -> Element:
    """Return the control whose name begins so, as soon as it is there."""

    def look() -> Element | None:
        return next((element for element in reader.elements() if (element.name or "").startswith(name)), None)

    return poll(look, what=f"the control {name!r}", timeout_s=TIMEOUT_S)


def is_grabbed(desktop: VirtualDesktop) -> bool:
    """Tell whether somebody has the keyboard for themselves."""
    way = X.GrabModeAsync
    status = desktop.display.screen().root.grab_keyboard(False, way, way, X.CurrentTime)
    desktop.display.ungrab_keyboard(X.CurrentTime)
    desktop.display.sync()
    return bool(status != X.GrabSuccess)


def test_a_program_is_excluded_by_pointing_at_its_window(editor: WindowInfo, window: Window) -> None:
    """Escape cancels; a click says what would be excluded, reaches no program, and counts only after a yes."""
    desktop = window.desktop
    info = desktop.windows.wait(title=TITLE)
    with reading(desktop, info) as reader:
        window.click(named(reader, "Search the settings").box)
        press(desktop, "Tab")  # to the pages, of which the third is that of the fence
        press(desktop, "Down")
        press(desktop, "Down")
        point = named(reader, "Point at a window to exclude").box
        window.click(point)
        poll(lambda: is_grabbed(desktop), what="the cross", timeout_s=TIMEOUT_S)
        press(desktop, "Escape")
        poll(lambda: not is_grabbed(desktop), what="the pointer free again", timeout_s=TIMEOUT_S)
        window.click(point)
        poll(lambda: is_grabbed(desktop), what="the cross", timeout_s=TIMEOUT_S)
        click(desktop, (editor.box.x + NEAR, editor.box.y + editor.box.h // 2))
        desktop.windows.wait(title="Kairos: Exclude this program?")
        assert load_settings().fence.excluded_apps == ()
        press(desktop, "Alt_L", "e")
        excluded = window.until("excluded")
        assert isinstance(excluded, list)
        assert excluded[0].lower() == (editor.app or "").lower()
        assert list(load_settings().fence.excluded_apps) == excluded
        named(reader, f"Remove: {excluded[0]}")


def begins_recording(window: Window, reader: Reader) -> bool:
    """Tell whether the field takes keys; clicks on it if not, since it moves while the search goes on."""
    if is_grabbed(window.desktop):
        return True
    window.click(named(reader, "Shortcut ask: none. Press keys").box)
    return False


def test_a_person_finds_changes_and_takes_back_settings(window: Window) -> None:
    desktop = window.desktop
    info = desktop.windows.wait(title=TITLE)
    with reading(desktop, info) as reader:
        window.click(named(reader, "Start Kairos when I log in").box)
        poll(autostart_file().exists, what="the entry of autostart", timeout_s=TIMEOUT_S)
        window.click(named(reader, "Search the settings").box)
        window.type("hour")
        window.click(named(reader, "Offers per hour").box)  # the label; the field is below
        field = [control for control in reader.elements() if control.name == "Offers per hour"][-1]
        window.click(field.box)
        press(desktop, "Control_L", "a")
        window.type("many")
        press(desktop, "Return")
        press(desktop, "Control_L", "a")
        window.type("2")
        press(desktop, "Return")
        poll(lambda: config_file().read_text() != "# mine\n", what="a change of the file", timeout_s=TIMEOUT_S)
        assert load_settings().policy.offers_per_hour == 2  # the first change is this one: what is no number is none
        assert "# mine" in config_file().read_text()
        window.click(named(reader, "Back to the default: Offers per hour").box)
        poll(lambda: "offers" not in config_file().read_text(), what="the default", timeout_s=TIMEOUT_S)
        press(desktop, "Escape")
    assert window.until("closed") is True


def test_a_shortcut_that_was_pressed_works_at_once(window: Window) -> None:
    desktop = window.desktop
    info = desktop.windows.wait(title=TITLE)
    with reading(desktop, info) as reader:
        window.click(named(reader, "Search the settings").box)
        window.type("shortcut")
        poll(lambda: begins_recording(window, reader), what="the recording of keys", timeout_s=TIMEOUT_S)
        press(desktop, "Control_L", "Alt_L", "k")
        named(reader, "Shortcut ask: Ctrl+Alt+K")
    assert load_settings().interface.shortcut_ask == "Ctrl+Alt+K"
    press(desktop, "Escape")
    window.until("closed")
    press(desktop, "Control_L", "Alt_L", "k")
    assert window.until("asked") is True
