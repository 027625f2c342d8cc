"""What switchers, panels and notifications show of an excluded window, on a real X server with real programs.

Each window has an icon of one colour, which is nowhere else on the screen. The controls find it in what is recorded.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import simplejpeg
from numpy.typing import NDArray
from Xlib import XK, X, Xatom
from Xlib.ext import xtest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import Box, Focus, Frame
from tests.fakes.desktop.painter import MAGENTA, Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

SCREEN = (1024, 768)
SECRET = Box(100, 100, 300, 200)
TITLE = "hunter2 is not a good password"
ICON = 48
FEW = 50
"""Pixels of the icon's colour on the screen that show that a program has painted it."""

APPS = pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Harmless", False)])
PANELS = ("tint2", "lxpanel", "xfce4-panel", "plank")
NOTIFIERS = (
    "dunst",
    "/usr/lib/mate-notification-daemon/mate-notification-daemon",
    "/usr/lib/notification-daemon/notification-daemon",
    "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd",
)


@contextmanager
def painting(wm: str = "openbox") -> Iterator[tuple[VirtualDesktop, Painter]]:
    with VirtualDesktop(SCREEN, wm=wm, compositor=False, tray="none") as desktop:
        painter = Painter(desktop)
        try:
            yield desktop, painter
        finally:
            painter.close()


def show_secret(painter: Painter, app: str) -> None:
    secret = painter.window(app, SECRET, title=TITLE)
    icon = [ICON, ICON, *([0xFF000000 | MAGENTA] * ICON * ICON)]
    secret.change_property(painter.display.intern_atom("_NET_WM_ICON"), Xatom.CARDINAL, 32, icon)
    hints = painter.display.intern_atom("_MOTIF_WM_HINTS")
    secret.change_property(hints, hints, 32, [2, 0, 0, 0, 0])  # no title bar: it would show the icon too
    painter.fill(secret, 0x205080)
    painter.activate(secret)


def places(painter: Painter) -> NDArray[np.bool_]:
    pixels: NDArray[np.uint32] = painter.on_screen(Box(0, 0, *SCREEN))
    return np.asarray((pixels >> 16 > 240) & (pixels >> 8 & 255 < 16) & (pixels & 255 > 240), np.bool_)


def shown(painter: Painter) -> int:
    return int(np.count_nonzero(places(painter)))


def alt(painter: Painter, *, down: bool) -> None:
    code = painter.display.keysym_to_keycode(XK.string_to_keysym("Alt_L"))
    xtest.fake_input(painter.display, X.KeyPress if down else X.KeyRelease, code)
    painter.display.sync()


def assert_kept(capture: RunningCapture, *, hidden: bool) -> None:
    assert (capture.shows(MAGENTA) == 0) is hidden
    assert any(TITLE in (focus.title or "") for focus in capture.of(Focus)) is not hidden


@APPS
@pytest.mark.parametrize("wm", ["openbox", *(pytest.param(wm, marks=pytest.mark.slow) for wm in ("metacity", "xfwm4"))])
def test_the_switcher_of_a_window_manager(wm: str, app: str, *, hidden: bool) -> None:
    """What Alt-Tab shows is covered while an excluded window is there."""
    with painting(wm) as (desktop, painter), capturing(desktop) as capture:
        painter.window("Editor", Box(500, 300, 300, 200))
        show_secret(painter, app)
        capture.keyboard_at("" if hidden else app)
        alt(painter, down=True)

        def is_shown() -> bool:
            painter.key("Tab")  # a window manager that has just begun misses one
            capture.clock.sleep_s(0.5)
            return shown(painter) > FEW

        poll(is_shown, what="the switcher's icon")
        look_twice(painter, capture)
        alt(painter, down=False)
        assert_kept(capture, hidden=hidden)


@pytest.mark.slow
@APPS
@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_and_its_tips(panel: str, app: str, *, hidden: bool) -> None:
    """A task bar is covered, with the tip of an entry, until the entry of a window that has gone is gone."""
    with painting() as (desktop, painter), capturing(desktop) as capture:
        desktop.spawn([panel], "panel")
        painter.window("Editor", Box(500, 300, 300, 200))
        show_secret(painter, app)

        def first() -> list[int] | None:
            found: list[list[int]] = np.argwhere(places(painter)).tolist()
            return found[0] if len(found) > FEW else None

        y, x = poll(first, what="the panel's icon")  # a dock's moves
        painter.move(x + 2, y + 2)
        capture.clock.sleep_s(2.0)  # a tip waits for a second
        look_twice(painter, capture)
        painter.program(app).close()
        painter._programs.pop(app)
        poll(lambda: shown(painter) == 0, what="the entry's end")
        look_twice(painter, capture)
        assert_kept(capture, hidden=hidden)


@pytest.mark.slow
@pytest.mark.parametrize("fenced", [True, False])
@pytest.mark.parametrize("notifier", NOTIFIERS, ids=lambda path: Path(path).name)
def test_a_notification(notifier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fenced: bool) -> None:
    """It is covered whoever sent it, with nothing else excluded on the screen."""
    icon = tmp_path / "icon.jpg"
    square = np.full((ICON, ICON, 3), (255, 0, 255), np.uint8)
    icon.write_bytes(simplejpeg.encode_jpeg(square, quality=100, colorsubsampling="444"))
    if not fenced:
        monkeypatch.setattr("daemon.capture.fence.traits._NOTIFIERS", [])
        monkeypatch.setattr("daemon.capture.x11.properties._KINDS", {})
    with painting() as (desktop, painter), capturing(desktop) as capture:
        desktop.spawn([notifier], "notifier")
        painter.window("Editor", Box(500, 300, 300, 200))
        capture.frame_after(0)
        send = ["notify-send", "-i", str(icon), "-t", "6000", "Somebody", TITLE]

        def is_shown() -> bool:
            subprocess.run(send, env=desktop.env, check=False, capture_output=True)
            capture.clock.sleep_s(0.5)
            return shown(painter) > FEW

        poll(is_shown, what="a notification")
        look_twice(painter, capture)
        assert (capture.shows(MAGENTA) == 0) is fenced


def look_twice(painter: Painter, capture: RunningCapture) -> None:
    for number in range(2):
        before = len(capture.of(Frame))
        marker = painter.window("Marker", Box(850 + 60 * number, 20, 40, 40), colour=0x208000 + 64 * number)
        capture.frame_after(before)
        capture.clock.sleep_s(0.6)
        painter.destroy(marker)
