"""Pixels that an excluded window leaves over a hung program stay covered until somebody paints over them."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from Xlib import X

from daemon.capture.fence.rules import LINGER_NS
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import poll
from storage.records import Box, Frame
from tests.fakes.painter import GREEN, MAGENTA, Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

EDITOR = Box(50, 60, 700, 500)
SECRET = Box(300, 200, 250, 200)
INSIDE = Box(320, 240, 200, 140)
ELSEWHERE = Box(950, 300, 250, 200)
TICKER = Box(1000, 640, 60, 60)


def _pass_the_linger(capture: RunningCapture, painter: Painter, ticker: Any) -> None:
    """Wait until what is closed by time alone has opened, and until two frames have shown so."""
    left_ns = capture.clock.now_ns()
    shade = 0
    while sum(frame.t_ns > left_ns + 2 * LINGER_NS for frame in capture.of(Frame)) < 2:
        frames = len(capture.of(Frame))
        shade = (shade + 40) % 256
        painter.fill(ticker, 0x101010 + shade)
        capture.frame_after(frames)


def _is_covered(capture: RunningCapture, place: Box = INSIDE) -> bool:
    return any(
        box.x < place.x + place.w and place.x < box.x + box.w and box.y < place.y + place.h and place.y < box.y + box.h
        for box in capture.of(Frame)[-1].covered
    )


def _leave_by_destroying(painter: Painter, secret: Any, _: Any) -> None:
    painter.destroy(secret)


def _leave_by_unmapping(painter: Painter, secret: Any, _: Any) -> None:
    secret.unmap()
    secret.get_geometry()


def _leave_by_minimising(painter: Painter, secret: Any, _: Any) -> None:
    painter.minimise(secret)


def _leave_by_moving(painter: Painter, secret: Any, _: Any) -> None:
    secret.configure(x=ELSEWHERE.x, y=ELSEWHERE.y)
    secret.get_geometry()


def _leave_behind(painter: Painter, secret: Any, editor: Any) -> None:
    painter.raise_above(editor)


def _leave_by_dragging(painter: Painter, secret: Any, _: Any) -> None:
    for x in range(SECRET.x, ELSEWHERE.x, 35):
        secret.configure(x=x)
        secret.get_geometry()
    painter.destroy(secret)


LEAVING = pytest.mark.parametrize(
    "leave",
    [
        _leave_by_destroying,
        _leave_by_unmapping,
        _leave_by_minimising,
        _leave_by_moving,
        _leave_behind,
        _leave_by_dragging,
    ],
    ids=lambda function: function.__name__.removeprefix("_leave_"),
)


@LEAVING
@pytest.mark.parametrize("popup", [False, True], ids=["managed", "unmanaged"])
def test_stale_pixels_over_a_hung_program_stay_covered(
    bare_desktop: VirtualDesktop,
    painter: Painter,
    leave: Callable[[Painter, Any, Any], None],
    *,
    popup: bool,
) -> None:
    """They are still on the screen, and neither stored nor open; once the program paints there, the place is open."""
    if popup and leave is _leave_by_minimising:
        pytest.skip("nobody minimises a window that no window manager knows")
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None, popup=popup)
    painter.fill(editor, GREEN)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA, popup=popup)
        frames = len(capture.of(Frame))
        painter.fill(secret, MAGENTA)
        painter.fill(ticker, 0)
        capture.frame_after(frames)
        leave(painter, secret, editor)
        _pass_the_linger(capture, painter, ticker)
        assert (painter.on_screen(INSIDE) == MAGENTA).any()
        assert capture.shows(MAGENTA) == 0
        assert _is_covered(capture)
        painter.fill(editor, 0x2080A0)
        capture.until(lambda: not _is_covered(capture), "opening what was painted over")
    assert capture.shows(0x2080A0)
    assert capture.shows(MAGENTA) == 0


@pytest.mark.parametrize("below", ["root", "background", "alive"])
@LEAVING
def test_what_is_painted_at_once_opens_after_a_moment(
    bare_desktop: VirtualDesktop,
    painter: Painter,
    leave: Callable[[Painter, Any, Any], None],
    below: str,
) -> None:
    """The server paints the background of the screen or of a window, a program its window: nobody paints again."""
    if below == "root" and leave is _leave_behind:
        pytest.skip("nothing lies behind which it could go")
    ticker = painter.window("Ticker", TICKER)
    place = Box(800, 600, 50, 50) if below == "root" else EDITOR
    editor = painter.window("Editor", place, colour=None if below == "alive" else GREEN)
    painter.fill(editor, GREEN)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA)
        frames = len(capture.of(Frame))
        painter.fill(secret, MAGENTA)
        painter.fill(ticker, 0)
        capture.frame_after(frames)
        painter.fill(secret, MAGENTA)
        leave(painter, secret, editor)
        if below == "alive":
            painter.fill(editor, GREEN)
        _pass_the_linger(capture, painter, ticker)
        capture.until(lambda: not _is_covered(capture), "opening what was painted")
    assert capture.shows(MAGENTA) == 0


def test_stale_pixels_that_move_with_a_hung_window_stay_covered(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """The server copies a window's pixels when it is moved, those that another one left with them."""
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None)
    painter.fill(editor, GREEN)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA)
        painter.destroy(secret)
        _pass_the_linger(capture, painter, ticker)
        editor.configure(x=EDITOR.x + 300, y=EDITOR.y + 40)
        poll(lambda: (painter.on_screen(Box(600, 300, 100, 50)) == MAGENTA).any(), what="moving a window")
        _pass_the_linger(capture, painter, ticker)
        assert capture.shows(MAGENTA) == 0
        assert _is_covered(capture, Box(600, 300, 100, 50))
        painter.fill(editor, 0x2080A0)
        capture.until(lambda: not capture.of(Frame)[-1].covered, "opening everything")
    assert capture.shows(MAGENTA) == 0


def test_a_window_above_that_goes_reveals_no_stale_pixels(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """Another window over them was painted and is seen; under it they are where they were."""
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None)
    painter.fill(editor, GREEN)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA)
        painter.destroy(secret)
        above = painter.window("Ticker", Box(340, 260, 100, 80), colour=0x2080A0)
        _pass_the_linger(capture, painter, ticker)
        assert capture.shows(0x2080A0)
        painter.destroy(above)
        _pass_the_linger(capture, painter, ticker)
        assert (painter.on_screen(INSIDE) == MAGENTA).any()
    assert capture.shows(MAGENTA) == 0


@contextmanager
def _stopped(program: subprocess.Popen[bytes]) -> Iterator[None]:
    program.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.send_signal(signal.SIGCONT)


def test_a_real_program_that_hangs(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """Mousepad, stopped under an excluded window, keeps its pixels on the screen; going on it paints itself."""
    ticker = painter.window("Ticker", TICKER)
    program = bare_desktop.spawn(["mousepad"], "mousepad")
    found = bare_desktop.windows.wait_for("mousepad") if hasattr(bare_desktop.windows, "wait_for") else None
    del found
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA)
        with _stopped(program):
            painter.destroy(secret)
            _pass_the_linger(capture, painter, ticker)
            assert (painter.on_screen(INSIDE) == MAGENTA).any()
            assert _is_covered(capture)
        capture.until(lambda: not _is_covered(capture), "opening what was painted over")
    assert capture.shows(MAGENTA) == 0


def test_a_hung_compositor_shows_its_last_picture(desktop: VirtualDesktop) -> None:
    """The excluded window is gone and still on the screen; once the compositor paints anything, all is open."""
    painter = Painter(desktop)
    painter.window("Editor", EDITOR)
    with capturing(desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", SECRET, colour=MAGENTA)
        painter.root.change_attributes(event_mask=X.NoEventMask)
        painter.destroy(secret)
    painter.close()
