"""Pixels that an excluded window leaves over a hung program stay covered until somebody paints over them."""

import itertools
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from Xlib import X, error

from daemon.capture.fence.rules import LINGER_NS
from daemon.capture.scene import intersection
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import open_display, poll
from storage.records import Box, Frame
from tests.fakes.desktop.painter import GREEN, MAGENTA, Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

EDITOR = Box(50, 60, 900, 560)
PLACES = {
    "destroyed": Box(80, 100, 100, 100),
    "unmapped": Box(230, 100, 100, 100),
    "minimised": Box(380, 100, 100, 100),
    "moved": Box(530, 100, 100, 100),
    "lowered": Box(680, 100, 100, 100),
    "dragged": Box(100, 320, 100, 100),
}
"""Where excluded windows are, by what happens to them; each in a place of its own."""

SECRET = PLACES["destroyed"]
TICKER = Box(1000, 640, 60, 60)


def _over_hung_editor(painter: Painter) -> tuple[Any, Any]:
    """Show a window that is painted now and then, and one that was painted once, which nobody paints again."""
    ticker, editor = painter.window("Ticker", TICKER), painter.window("Editor", EDITOR, colour=None)
    painter.fill(editor, GREEN)
    return ticker, editor


def _inside(place: Box) -> Box:
    return Box(place.x + 20, place.y + 30, place.w - 40, place.h - 40)


def _pass_the_linger(capture: RunningCapture, painter: Painter, ticker: Any) -> None:
    """Wait until what is closed by time alone has opened, and a frame has shown so."""
    left_ns = capture.clock.now_ns()
    shades = itertools.cycle(range(0, 256, 40))

    def is_passed() -> bool:
        """Paint again each time: what is painted while a compositor comes or goes may be on no screen."""
        painter.fill(ticker, 0x101010 + next(shades))
        return any(frame.t_ns > left_ns + LINGER_NS * 3 // 2 for frame in capture.of(Frame))

    capture.until(is_passed, "a frame after the linger")


def _is_covered(capture: RunningCapture, place: Box) -> bool:
    covered = capture.of(Frame)[-1].covered
    return any(intersection(box, place) is not None for box in covered)


def _is_on_screen(painter: Painter, place: Box) -> bool:
    return bool((painter.on_screen(_inside(place)) == MAGENTA).any())


def _is_on_top(painter: Painter, window: Any) -> bool:
    """Return whether no other window, nor a frame that is left of one, hides a part of this one."""
    for top in reversed(painter.root.query_tree().children):
        try:
            place = top.get_geometry()
            box = Box(place.x, place.y, place.width, place.height)
            if top.get_attributes().map_state == X.IsViewable and intersection(box, EDITOR) is not None:
                return any(child.id == window.id for child in top.query_tree().children)
        except (error.BadWindow, error.BadDrawable):
            continue  # it went in this moment
    return False


def _leave(painter: Painter, secrets: dict[str, Any], editor: Any) -> None:
    for how, secret in secrets.items():
        place = PLACES[how]
        if how == "destroyed":
            painter.destroy(secret)
        elif how == "unmapped":
            secret.unmap()
        elif how == "minimised":
            painter.minimise(secret)
        elif how == "moved":
            secret.configure(x=place.x + 320, y=place.y + 250)
        elif how == "lowered":
            painter.raise_above(editor)
        else:
            for x in range(place.x, place.x + 300, 35):
                secret.configure(x=x)
                secret.get_geometry()
            painter.destroy(secret)
        if how in ("unmapped", "moved"):
            secret.get_geometry()


def _show(capture: RunningCapture, painter: Painter, ticker: Any, names: list[str], *, popup: bool) -> dict[str, Any]:
    secrets = {how: painter.window("KeePassXC", PLACES[how], colour=MAGENTA, popup=popup) for how in names}
    frames = len(capture.of(Frame))
    for secret in secrets.values():
        painter.fill(secret, MAGENTA)
    painter.fill(ticker, 0)
    capture.frame_after(frames)
    return secrets


@pytest.mark.parametrize("popup", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["managed", "unmanaged"])
def test_stale_pixels_over_a_hung_program_stay_covered(
    bare_desktop: VirtualDesktop, painter: Painter, *, popup: bool
) -> None:
    """They are still on the screen, and neither stored nor open; once the program paints there, the place is open."""
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None, popup=popup)
    painter.fill(editor, GREEN)
    ways = [how for how in PLACES if not (popup and how == "minimised")]  # no window manager, nobody to minimise it
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secrets = _show(capture, painter, ticker, ways, popup=popup)
        _leave(painter, {how: secrets[how] for how in ways if how != "lowered"}, editor)
        _leave(painter, {"lowered": secrets["lowered"]}, editor)
        _pass_the_linger(capture, painter, ticker)
        assert [how for how in ways if not _is_on_screen(painter, PLACES[how])] == []
        assert [how for how in ways if not _is_covered(capture, _inside(PLACES[how]))] == []
        assert capture.shows(MAGENTA) == 0
        painter.fill(editor, 0x2080A0)
        capture.until(lambda: not _is_covered(capture, EDITOR), "opening what was painted over")
        capture.until(lambda: capture.shows(0x2080A0), "seeing what was painted")
    assert capture.shows(MAGENTA) == 0


@pytest.mark.parametrize(
    "below", [*(pytest.param(item, marks=pytest.mark.slow) for item in ("root", "background")), "alive"]
)
def test_what_is_painted_at_once_opens_after_a_moment(
    bare_desktop: VirtualDesktop, painter: Painter, below: str
) -> None:
    """The server paints the background of the screen or of a window, a program its window: nobody paints again."""
    ticker = painter.window("Ticker", TICKER)
    place = Box(1100, 640, 50, 50) if below == "root" else EDITOR
    editor = painter.window("Editor", place, colour=None if below == "alive" else GREEN)
    painter.fill(editor, GREEN)
    ways = [how for how in PLACES if how != "lowered" or below != "root"]
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secrets = _show(capture, painter, ticker, ways, popup=False)
        for secret in secrets.values():
            painter.fill(secret, MAGENTA)  # what it painted itself, just before, does not count
        moved = secrets["moved"]
        _leave(painter, secrets, editor)
        painter.destroy(moved)
        if below == "alive":
            poll(lambda: _is_on_top(painter, editor), what="tidying up by the window manager")
            painter.fill(editor, GREEN)
        _pass_the_linger(capture, painter, ticker)
        capture.until(lambda: not _is_covered(capture, EDITOR), "opening what was painted")
    assert capture.shows(MAGENTA) == 0


def test_stale_pixels_that_move_with_a_hung_window_stay_covered(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """The server copies a window's pixels when it is moved, those that another one left with them."""
    ticker, editor = _over_hung_editor(painter)
    arrived = SECRET._replace(x=SECRET.x + 150, y=SECRET.y + 60)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        painter.destroy(_show(capture, painter, ticker, ["destroyed"], popup=False)["destroyed"])
        _pass_the_linger(capture, painter, ticker)
        editor.configure(x=EDITOR.x + 150, y=EDITOR.y + 60)
        editor.get_geometry()
        poll(lambda: _is_on_screen(painter, arrived), what="moving a window")
        _pass_the_linger(capture, painter, ticker)
        assert _is_covered(capture, _inside(arrived))
        assert capture.shows(MAGENTA) == 0
        painter.fill(editor, 0x2080A0)
        capture.until(lambda: not capture.of(Frame)[-1].covered, "opening everything")
    assert capture.shows(MAGENTA) == 0


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_the_border_of_a_hung_window_paints_nothing_over(
    bare_desktop: VirtualDesktop, painter: Painter, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    """The server paints it and reports a rectangle around all of it; the control takes that for painting."""
    if not known:
        monkeypatch.setattr("daemon.capture.x11.windows._may_be_border", lambda *_: False)
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None, popup=True)
    editor.configure(border_width=6)
    painter.fill(editor, GREEN)
    corner = Box(EDITOR.x - 20, EDITOR.y - 20, 100, 100)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window("KeePassXC", corner, colour=MAGENTA, popup=True)
        painter.fill(secret, MAGENTA)
        painter.fill(ticker, 0)
        capture.frame_after(len(capture.of(Frame)))
        painter.destroy(secret)
        _pass_the_linger(capture, painter, ticker)
        assert _is_on_screen(painter, corner)
        if known:
            painter.fill(editor, 0x2080A0)
            capture.until(lambda: capture.shows(0x2080A0), "seeing what was painted")
            capture.until(lambda: not _is_covered(capture, _inside(corner)), "opening what was painted over")
    assert bool(capture.shows(MAGENTA)) == (not known)


@pytest.mark.slow
def test_a_window_above_that_goes_reveals_no_stale_pixels(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """Another window over a part of them was painted and is seen; the others are still covered when it is gone."""
    ticker, _ = _over_hung_editor(painter)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        painter.destroy(_show(capture, painter, ticker, ["destroyed"], popup=False)["destroyed"])
        half = painter.window("Ticker", Box(SECRET.x - 20, SECRET.y, 70, 90), colour=0x2080A0, popup=True)
        _pass_the_linger(capture, painter, ticker)
        assert capture.shows(0x2080A0)
        painter.destroy(half)
        _pass_the_linger(capture, painter, ticker)
        assert _is_on_screen(painter, SECRET)
    assert capture.shows(MAGENTA) == 0


@contextmanager
def _stopped(program: subprocess.Popen[bytes]) -> Iterator[None]:
    program.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_real_program_that_hangs(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """Mousepad, stopped under an excluded window, keeps its pixels on the screen; going on it paints itself."""
    ticker = painter.window("Ticker", TICKER)
    program = bare_desktop.spawn(["mousepad"], "mousepad")
    bare_desktop.windows.place(bare_desktop.windows.wait("mousepad"), Box(60, 80, 600, 400))
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        with _stopped(program):
            painter.destroy(_show(capture, painter, ticker, ["dragged"], popup=False)["dragged"])
            _pass_the_linger(capture, painter, ticker)
            assert _is_on_screen(painter, PLACES["dragged"])
            assert _is_covered(capture, _inside(PLACES["dragged"]))
        capture.until(lambda: not _is_covered(capture, PLACES["dragged"]), "opening what was painted over")
    assert capture.shows(MAGENTA) == 0


class _Compositor:
    """A compositor that begins when it is told to, and draws every window as it is."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._display = open_display(desktop.env)
        self._display.set_error_handler(lambda *_: None)  # a window may go while it is drawn
        self._root = self._display.screen().root
        self._display.composite_query_version()
        owner = self._root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        owner.set_selection_owner(self._display.intern_atom("_NET_WM_CM_S0"), X.CurrentTime)
        self._display.sync()

    def begin(self) -> None:
        self._root.composite_redirect_subwindows(1)  # manual: what windows show is no more on the screen by itself
        self._display.sync()

    def draw(self) -> None:
        context = self._root.create_gc(subwindow_mode=X.IncludeInferiors)
        for window in self._root.query_tree().children:
            try:
                attributes, place = window.get_attributes(), window.get_geometry()
            except (error.BadWindow, error.BadDrawable):
                continue  # it went in this moment
            if attributes.map_state == X.IsViewable and attributes.win_class == X.InputOutput:
                picture = window.composite_name_window_pixmap()
                self._root.copy_area(context, picture, 0, 0, place.width, place.height, place.x, place.y)
                picture.free()
        context.free()
        self._display.sync()

    def end(self) -> None:
        self._display.close()


def _draw_twice(
    capture: RunningCapture, compositor: _Compositor, painter: Painter, ticker: Any, first: int = 0x2080A0
) -> None:
    """Let the compositor draw after the time that things linger, and again; wait for frames that show it."""
    for shade in (first, first ^ 0xFFFFFF):
        left_ns = capture.clock.now_ns()
        poll(lambda: capture.clock.now_ns() > left_ns + LINGER_NS * 3 // 2, what="passing the linger")  # noqa: B023
        painter.fill(ticker, shade)
        compositor.draw()
        capture.until(lambda: capture.shows(shade), "seeing what was painted")  # noqa: B023


@pytest.mark.parametrize(
    "goes",
    ["while it has only announced itself", pytest.param("before it begins", marks=pytest.mark.slow), "once it draws"],
)
def test_what_a_starting_compositor_takes_over_from_the_screen_stays_covered(
    bare_desktop: VirtualDesktop, painter: Painter, goes: str
) -> None:
    """Over a hung program, which paints nothing into the picture that its window then gets."""
    ticker, editor = _over_hung_editor(painter)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        compositor = _Compositor(bare_desktop)
        secret = _show(capture, painter, ticker, ["destroyed"], popup=False)["destroyed"]
        if goes == "once it draws":
            compositor.begin()
            compositor.draw()
        painter.destroy(secret)
        if goes == "while it has only announced itself":
            _pass_the_linger(capture, painter, ticker)
            assert _is_covered(capture, _inside(SECRET))
        if goes != "once it draws":
            compositor.begin()
        compositor.draw()
        _draw_twice(capture, compositor, painter, ticker)
        assert _is_on_screen(painter, SECRET)
        assert capture.shows(MAGENTA) == 0
        compositor.end()
        _pass_the_linger(capture, painter, ticker)
        assert _is_on_screen(painter, SECRET)
        painter.fill(editor, 0x2080A0)
        capture.until(lambda: not _is_covered(capture, EDITOR), "opening what was painted over")
    assert capture.shows(MAGENTA) == 0


def test_what_a_program_paints_for_a_compositor_opens(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """It paints once, at the moment in which the compositor begins; where it did not, the place stays covered."""
    ticker, editor = _over_hung_editor(painter)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        compositor = _Compositor(bare_desktop)
        secrets = _show(capture, painter, ticker, ["destroyed", "unmapped"], popup=False)
        compositor.begin()
        painter.fill(editor, 0x1060C0, Box(0, 0, 165, 5000))  # the first one's place as a whole, nothing of the other
        compositor.draw()
        for secret in secrets.values():
            painter.destroy(secret)
        _draw_twice(capture, compositor, painter, ticker)
        assert not _is_covered(capture, _inside(PLACES["destroyed"]))
        assert _is_on_screen(painter, PLACES["unmapped"])
        assert _is_covered(capture, _inside(PLACES["unmapped"]))
        assert capture.shows(0x1060C0)
        painter.fill(editor, 0x1060C0)
        _draw_twice(capture, compositor, painter, ticker, 0x208040)
        assert not _is_covered(capture, EDITOR)
        compositor.end()
    assert capture.shows(MAGENTA) == 0


@pytest.mark.slow
@pytest.mark.parametrize("renewed", [True, False])
@pytest.mark.parametrize("how", ["moved", "resized"])
def test_what_the_server_copies_in_a_picture_opens_nothing(
    bare_desktop: VirtualDesktop, painter: Painter, monkeypatch: pytest.MonkeyPatch, how: str, *, renewed: bool
) -> None:
    """It reports that like painting when a hung window moves or gets another size; the control takes it for that."""
    if not renewed:
        monkeypatch.setattr("daemon.capture.x11.reports.PaintReports.renew", lambda *_: None)
    ticker = painter.window("Ticker", TICKER)
    editor = painter.window("Editor", EDITOR, colour=None, popup=True)
    editor.change_attributes(bit_gravity=X.NorthWestGravity)  # as of most programs: their pixels are kept
    painter.fill(editor, GREEN)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        compositor = _Compositor(bare_desktop)
        secret = _show(capture, painter, ticker, ["destroyed"], popup=True)["destroyed"]
        compositor.begin()
        compositor.draw()
        _draw_twice(capture, compositor, painter, ticker)
        if how == "moved":
            editor.configure(x=EDITOR.x - 20, y=EDITOR.y - 20)
        else:
            editor.configure(width=EDITOR.w + 40, height=EDITOR.h + 20)
        editor.get_geometry()
        painter.destroy(secret)
        _draw_twice(capture, compositor, painter, ticker, 0x208040)
        assert _is_on_screen(painter, Box(SECRET.x, SECRET.y, SECRET.w - 30, SECRET.h - 30))
        compositor.end()
    assert bool(capture.shows(MAGENTA)) == (not renewed)


@pytest.mark.slow
def test_what_picom_takes_over_from_the_screen_stays_covered(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """As above, with a real compositor; and what is opened over the hung program later opens its place again."""
    ticker, editor = _over_hung_editor(painter)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = _show(capture, painter, ticker, ["destroyed"], popup=False)["destroyed"]
        bare_desktop.spawn(["picom", "--backend", "xrender", "--no-fading-openclose", "--config", "/dev/null"], "picom")
        poll(lambda: bare_desktop.windows.owns_selection("_NET_WM_CM_S0"), what="starting the compositor")
        _pass_the_linger(capture, painter, ticker)
        painter.destroy(secret)
        poll(lambda: _is_on_top(painter, editor), what="tidying up by the window manager")
        _pass_the_linger(capture, painter, ticker)
        assert _is_on_screen(painter, SECRET)
        assert _is_covered(capture, _inside(SECRET))
        assert capture.shows(MAGENTA) == 0
        later = _show(capture, painter, ticker, ["dragged"], popup=False)["dragged"]
        painter.destroy(later)
        _pass_the_linger(capture, painter, ticker)  # on a busy machine the compositor was done before anybody looked
        capture.until(lambda: not _is_covered(capture, _inside(PLACES["dragged"])), "opening the place of another")
        painter.fill(editor, GREEN)
        painter.minimise(editor)
        shades = iter(range(0x101010, 0x400000, 0x000804))

        def is_open() -> bool:
            painter.fill(ticker, next(shades))  # it opens with what the compositor paints half a second later
            return not _is_covered(capture, EDITOR)

        capture.until(is_open, "opening what is no more on the screen")
    assert capture.shows(MAGENTA) == 0


@contextmanager
def _stopped_while_the_server_answers(compositor: subprocess.Popen[bytes], painter: Painter) -> Iterator[None]:
    """A compositor that is stopped within its grab of the server lets it answer nobody: stop it at another time."""
    while True:
        with _stopped(compositor):
            asking = threading.Thread(target=painter.display.sync, daemon=True)
            asking.start()
            asking.join(2)
            if not asking.is_alive():
                yield
                return
        asking.join()


def test_a_hung_compositor_shows_its_last_picture(desktop: VirtualDesktop) -> None:
    """The excluded window is gone and still on the screen; once the compositor paints again, everything is open."""
    painter = Painter(desktop)
    painter.window("Editor", EDITOR)
    ticker = painter.window("Ticker", TICKER)
    compositor = next(child for child in desktop._infrastructure if "picom" in str(child.args))
    with capturing(desktop) as capture:
        capture.frame_after(0)
        secret = _show(capture, painter, ticker, ["destroyed"], popup=False)["destroyed"]
        poll(lambda: _is_on_screen(painter, SECRET), what="composing the excluded window")
        with _stopped_while_the_server_answers(compositor, painter):
            painter.destroy(secret)
            left_ns = capture.clock.now_ns()
            poll(lambda: capture.clock.now_ns() > left_ns + 3 * LINGER_NS, what="passing the linger")
            assert _is_on_screen(painter, SECRET)
        painter.fill(ticker, 0x2080A0)
        capture.until(lambda: not _is_covered(capture, EDITOR), "opening what was painted over")
    painter.close()
    assert capture.shows(MAGENTA) == 0
