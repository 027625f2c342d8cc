"""What is sensed of a real desktop reaches the log once for each change, and holds offers."""

from itertools import pairwise
from typing import Any

import pytest
from dbus_fast import Variant
from Xlib.protocol import event

from daemon.engine.context import ContextFold
from demo.virtual_desktop.desktop import VirtualDesktop
from policies.gates.availability import check_availability
from storage.records import Box, Environment
from storage.settings import PolicySettings
from tests.fakes.accessibility.private_bus import Answers, FakeService
from tests.fakes.commands.background import in_a_thread
from tests.fakes.desktop.painter import Painter, capturing

pytestmark = pytest.mark.display

DUNST = ("org.dunstproject.cmd0", "paused")


def test_full_screen_and_do_not_disturb_are_reported_on_change_and_hold_offers(
    bare_desktop: VirtualDesktop, painter: Painter
) -> None:
    """A window fills the screen and lets go of it, a dialog over it changes nothing, notifications are turned off."""
    film = painter.window("Film", Box(50, 60, 500, 400))
    paused: Answers = {DUNST: ("v", [Variant("b", True)])}
    address = bare_desktop.env["DBUS_SESSION_BUS_ADDRESS"]
    with (
        in_a_thread(lambda: FakeService(address, "org.freedesktop.Notifications", paused)),
        capturing(bare_desktop, pictures=False) as capture,
    ):

        def last() -> Environment:
            return capture.of(Environment)[-1]

        capture.until(
            lambda: bool(capture.of(Environment)) and last().do_not_disturb is True, "reporting do-not-disturb"
        )
        assert last().full_screen is False
        _full_screen(painter, film, on=True)
        capture.until(lambda: last().full_screen is True, "reporting full screen")
        dialog = painter.window("Film", Box(300, 300, 200, 100))
        painter.activate(dialog)
        painter.key("a")
        _full_screen(painter, film, on=False)
        capture.until(lambda: last().full_screen is False, "reporting its end")
        rows = capture.of(Environment)
    assert [row.full_screen for row in rows if row.do_not_disturb] == [False, True, False]
    assert all(one != other for one, other in pairwise(rows))
    assert [_reason(row) for row in rows if row.do_not_disturb] == ["do_not_disturb", "full_screen", "do_not_disturb"]


def _reason(row: Environment) -> str | None:
    fold = ContextFold()
    fold.add(row)
    stop = check_availability(fold.context(0, None), PolicySettings(), 0)
    return None if stop is None else stop.reason


def _full_screen(painter: Painter, window: Any, *, on: bool) -> None:
    state, full = (painter.display.intern_atom(f"_NET_WM_STATE{name}") for name in ("", "_FULLSCREEN"))
    message = event.ClientMessage(window=window, client_type=state, data=(32, [int(on), full, 0, 1, 0]))
    painter.root.send_event(message, event_mask=0x180000)  # as the specification of such messages says
    painter.display.sync()
