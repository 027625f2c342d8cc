"""The one connection over which the display server is asked."""

import pytest
from PySide6.QtWidgets import QApplication
from Xlib.error import ConnectionClosedError

from storage.settings import InterfaceSettings
from tests.fakes.narrowing import as_a
from ui.desktop.current import current_desktop
from ui.desktop.protocol import Desktop
from ui.desktop.x11 import desktop
from ui.desktop.x11.desktop import X11Desktop


class FakeDisplay:
    """A connection that counts how often one was opened, and can be lost."""

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.events = ["a keyboard has another layout"] * 3
        self.lost = False

    def pending_events(self) -> int:
        if self.lost:
            raise ConnectionClosedError("server")
        return len(self.events)

    def next_event(self) -> str:
        return self.events.pop()

    def get_default_screen(self) -> int:
        return 0

    def intern_atom(self, name: str) -> str:
        return name

    def get_selection_owner(self, atom: str) -> int:
        return int(atom == "_NET_WM_CM_S0")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> X11Desktop:
    FakeDisplay.opened = 0
    monkeypatch.setattr(desktop, "Display", FakeDisplay)
    return X11Desktop()


def test_questions_share_one_connection_on_which_nothing_piles_up(asked: X11Desktop) -> None:
    """A card asks three times before it is there."""
    assert [asked.is_translucent(), asked.has_tray(), asked.is_translucent()] == [True, False, True]
    display = as_a(FakeDisplay, asked._connection())
    assert (FakeDisplay.opened, display.events) == (1, [])


def test_a_lost_connection_is_opened_again(asked: X11Desktop) -> None:
    """The server, or somebody in between, ended it."""
    assert asked.is_translucent()
    display = as_a(FakeDisplay, asked._connection())
    display.lost = True
    assert asked.is_translucent()
    assert FakeDisplay.opened == 2


def test_without_an_x11_server_nothing_is_asked_of_one(qapp: QApplication) -> None:  # offscreen
    """The tests run without a screen: windows are Qt's to place and to activate, no key is taken."""
    other = current_desktop()
    assert type(other) is Desktop
    assert (other.is_translucent(), other.can_point, other.active_window(), other.open_dialogs()) == (
        True,
        False,
        None,
        (),
    )
    assert not other.activate(1, ours=True)
    assert other.shortcuts(InterfaceSettings()).start() == ()
    assert not other.is_shortcut_taken("Ctrl+Alt+K")
