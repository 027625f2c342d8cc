"""The one connection over which the display server is asked."""

import pytest
from PySide6.QtGui import QGuiApplication
from Xlib.error import ConnectionClosedError

from ui import x11


class FakeDisplay:
    """A connection that counts how often one was opened, and can be lost."""

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.events = ["a keyboard has another layout"] * 3
        self.lost = False

    def pending_events(self) -> int:
        """Return how many events wait, as long as there is a server."""
        if self.lost:
            raise ConnectionClosedError("server")
        return len(self.events)

    def next_event(self) -> str:
        """Take one."""
        return self.events.pop()

    def get_default_screen(self) -> int:
        """Return the only screen."""
        return 0

    def intern_atom(self, name: str) -> str:
        """Return the name."""
        return name

    def get_selection_owner(self, atom: str) -> int:
        """Return an owner of one selection."""
        return int(atom == "_NET_WM_CM_S0")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> x11._Kept:
    """Return a connection not yet opened, to a fake server."""
    made = x11._Kept()
    FakeDisplay.opened = 0
    monkeypatch.setattr(x11, "_kept", made)
    monkeypatch.setattr(x11, "Display", FakeDisplay)
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "xcb")
    return made


def test_questions_share_one_connection_on_which_nothing_piles_up(kept: x11._Kept) -> None:
    """A card asks three times before it is there."""
    assert [x11.has_owner(name) for name in ("_NET_WM_CM_S", "_NET_SYSTEM_TRAY_S", "_NET_WM_CM_S")] == [
        True,
        False,
        True,
    ]
    display = kept.open()
    assert isinstance(display, FakeDisplay)
    assert (FakeDisplay.opened, display.events) == (1, [])


def test_a_lost_connection_is_opened_again(kept: x11._Kept) -> None:
    """The server, or somebody in between, ended it."""
    assert x11.has_owner("_NET_WM_CM_S")
    display = kept.open()
    assert isinstance(display, FakeDisplay)
    display.lost = True
    assert x11.has_owner("_NET_WM_CM_S")
    assert FakeDisplay.opened == 2
