"""The settings window on a real desktop: clicked, typed at and read back through the accessibility bus."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from Xlib import X

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.grounding.reader import Reader
from storage.errors import EnvironmentFault
from storage.files import config_file
from storage.ports import ASK_TITLE
from storage.records import Element
from storage.settings_file import load_settings
from tests.fakes.ui.interface_process import TIMEOUT_S, click, open_editor
from tests.fakes.ui.window_process import WindowProcess, named, reading

pytestmark = pytest.mark.display

TITLE = "Kairos: Settings"
NEAR = 60
"""How close to the corner of the screen, in pixels."""

RECORDED = "Shortcut to ask: none. Press keys"
SEARCH_S = 10.0
"""How long a search may take before it is typed again."""


@pytest.fixture
def editor(desktop: VirtualDesktop, tmp_path: Path) -> WindowInfo:
    found = open_editor(desktop, tmp_path / "typed.txt")
    desktop.display.create_resource_object("window", found.xid).configure(x=0, y=0)
    desktop.display.sync()

    def in_corner() -> WindowInfo | None:
        now = desktop.windows.refresh(found)
        return now if now is not None and now.box.x < NEAR else None

    return poll(in_corner, what="the editor in the corner")


@pytest.fixture
def window(desktop: VirtualDesktop) -> Iterator[WindowProcess]:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("# mine\n")
    desktop.turn_accessibility_on()
    made = WindowProcess(desktop, "settings_puppet.py")
    made.until("reply")
    yield made
    assert made.end() == 0


def is_grabbed(desktop: VirtualDesktop) -> bool:
    way = X.GrabModeAsync
    status = desktop.display.screen().root.grab_keyboard(False, way, way, X.CurrentTime)
    desktop.display.ungrab_keyboard(X.CurrentTime)
    desktop.display.sync()
    return bool(status != X.GrabSuccess)


def test_a_program_is_excluded_by_pointing_at_its_window(editor: WindowInfo, window: WindowProcess) -> None:
    """Escape cancels; a click says what would be excluded, reaches no program, and counts only after a yes."""
    desktop = window.desktop
    info = desktop.windows.wait(title=TITLE)
    with reading(desktop, info) as reader:
        point = named(reader, "Point at a window to exclude").box
        window.click(point)
        poll(lambda: is_grabbed(desktop), what="the cross", timeout_s=TIMEOUT_S)
        window.press("Escape")
        poll(lambda: not is_grabbed(desktop), what="the pointer free again", timeout_s=TIMEOUT_S)
        window.click(point)
        poll(lambda: is_grabbed(desktop), what="the cross", timeout_s=TIMEOUT_S)
        click(desktop, (editor.box.x + NEAR, editor.box.y + editor.box.h // 2))
        question = desktop.windows.wait(title="Kairos: Exclude this program?")
        poll(lambda: desktop.windows.is_active(question), what="the question with the keyboard")
        assert load_settings().fence.excluded_apps == ()
        window.press("Alt_L", "e")
        excluded = window.until("excluded")
        assert isinstance(excluded, list)
        assert excluded[0].lower() == (editor.app or "").lower()
        assert list(load_settings().fence.excluded_apps) == excluded
        named(reader, f"Remove: {excluded[0]}")


def begins_recording(window: WindowProcess, reader: Reader) -> bool:
    """Tell whether the field takes keys; clicks on it if not, since it moves while the search goes on."""
    if is_grabbed(window.desktop):
        return True
    window.click(named(reader, RECORDED).box)
    return False


def searched(window: WindowProcess, reader: Reader, words: str, name: str) -> Element:
    """Return what a search finds; types again where a busy desktop gave the keys to what had them before the click."""

    def search() -> Element | None:
        window.click(named(reader, "Search the settings").box)
        window.press("Control_L", "a")
        window.type(words)
        with suppress(EnvironmentFault):
            return named(reader, name, SEARCH_S)
        return None

    return poll(search, what=f"{name!r} among what was found", timeout_s=TIMEOUT_S)


def test_a_shortcut_that_was_pressed_works_at_once(window: WindowProcess) -> None:
    desktop = window.desktop
    info = desktop.windows.wait(title=TITLE)
    with reading(desktop, info) as reader:
        searched(window, reader, "shortcut", RECORDED)
        poll(lambda: begins_recording(window, reader), what="the recording of keys", timeout_s=TIMEOUT_S)
        window.press("Control_L", "Alt_L", "k")
        named(reader, "Shortcut to ask: Ctrl+Alt+K")
    assert load_settings().interface.shortcut_ask == "Ctrl+Alt+K"
    window.press("Escape")
    window.until("closed")
    window.press("Control_L", "Alt_L", "k")
    desktop.windows.wait(title=ASK_TITLE)
