"""What is excluded leaves no pixel, event or title on a real X server; a search that finds nothing can find it."""

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from storage.records import Box, Dropped, EventKind, Focus, Frame, InputEvent, KeyClass, Switch, SwitchName, WindowEvent
from tests.fakes.desktop.painter import GREEN, MAGENTA, Painter, capturing, own_pid

pytestmark = pytest.mark.display

EDITOR = Box(50, 60, 500, 400)
SECRET = Box(400, 200, 300, 300)
TITLE = "hunter2 is not a good password"
CORNER = Box(1000, 720, 20, 20)
"""Where a program shows a first window before capture begins: of one that is new, nothing is kept for a moment."""

APPS = pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Harmless", False)])


@APPS
def test_a_partly_covered_excluded_window(
    bare_desktop: VirtualDesktop, painter: Painter, app: str, *, hidden: bool
) -> None:
    """With the editor over a part of it, nothing of an excluded window is kept, nor how many keys went there.

    Of another one everything is found.
    """
    painter.window(app, CORNER)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        secret = painter.window(app, SECRET, colour=MAGENTA, title=TITLE)
        editor = painter.window("Editor", EDITOR)
        painter.activate(editor)
        capture.keyboard_at("Editor")
        painter.key("a")
        capture.until(lambda: capture.keys() == 1, "receiving a key")
        painter.click(650, 450)
        painter.activate(secret)
        capture.keyboard_at("" if hidden else app)
        for letter in "secret":
            painter.key(letter)
        capture.until(lambda: hidden or capture.keys() == 7, "receiving the other keys")
        painter.activate(editor)
        capture.keyboard_at("Editor")
        for shade in (0x2080A0, 0x20A080, 0x8080A0):
            before = len(capture.of(Frame))
            painter.fill(editor, shade)
            capture.frame_after(before)
        painter.key("d")
        painter.click(100, 100)  # once these two arrived, everything before them has
        capture.until(lambda: any(e.x == 100 for e in capture.of(InputEvent)), "receiving the last click")
        capture.until(lambda: capture.keys() == (2 if hidden else 8), "receiving the last key")
    clicks = [e for e in capture.of(InputEvent) if e.kind is EventKind.BUTTON_DOWN and e.x == 650]
    assert bool(capture.of(Frame)[-1].covered) is hidden
    assert (capture.shows(MAGENTA) == 0) is hidden
    assert (not any(TITLE in (focus.title or "") for focus in capture.of(Focus))) is hidden
    assert (not any(o.app == app for o in capture.of(WindowEvent))) is hidden
    assert (not clicks) is hidden
    assert (not any(f.app == app for f in capture.of(Focus))) is hidden
    assert {dropped.count for dropped in capture.of(Dropped)} == ({10} if hidden else set())
    assert any(s.name is SwitchName.EXCLUDED and s.on for s in capture.of(Switch)) is hidden


@APPS
def test_keys_typed_into_a_new_window_while_nobody_looked(
    bare_desktop: VirtualDesktop, painter: Painter, app: str, *, hidden: bool
) -> None:
    """A window that opened, was typed into and left before capture had time to look keeps its keys if excluded."""
    painter.window(app, CORNER)
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        capture.keyboard_at("Editor")
        with capture.held(lambda: painter.key("a")):
            secret = painter.window(app, Box(600, 100, 300, 300), title=TITLE)
            painter.activate(secret)
            for letter in "secret":
                painter.key(letter)
            painter.activate(editor)
        capture.until(
            lambda: any(o.app == app for o in capture.of(WindowEvent)) or capture.of(Switch), "seeing the window"
        )
        capture.keyboard_at("Editor")
        painter.key("Return")
        capture.until(
            lambda: any(e.key_class is KeyClass.ENTER for e in capture.of(InputEvent)), "receiving the last key"
        )
    assert any(dropped.reason == "excluded" for dropped in capture.of(Dropped)) is hidden
    assert not hidden or capture.keys() == 2


@APPS
def test_a_window_that_came_and_went_between_two_pictures(
    bare_desktop: VirtualDesktop, painter: Painter, app: str, *, hidden: bool
) -> None:
    """A short-lived excluded window is covered whenever a picture could hold it, and for a moment afterwards."""
    painter.window(app, CORNER)
    editor = painter.window("Editor", Box(0, 0, 900, 700))
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        for number in range(12):
            frames = len(capture.of(Frame))
            place = Box(100 + 60 * number, 200, 300, 300)
            secret = painter.window(app, place, colour=MAGENTA, title=TITLE, popup=number % 2 == 0)
            if number % 3:
                painter.click(20, 680)  # causes a picture at once
                capture.frame_after(frames)
            painter.destroy(secret)
            painter.fill(editor, 0x208000 + 16 * number)  # never as before, or there is nothing to take
        before = len(capture.of(Frame))
        painter.fill(editor, GREEN)
        capture.frame_after(before)
    assert (capture.shows(MAGENTA) == 0) is hidden


def test_nothing_is_taken_while_the_gate_is_closed(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """After closing, nothing arrives, whatever happens; after opening the next picture shows how it looks now."""
    editor = painter.window("Editor", EDITOR)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        capture.gate.close()
        closed_ns = capture.clock.now_ns()
        capture.wait_closed()
        taken, pictures = len(capture.records), len(capture.pictures)
        painter.fill(editor, MAGENTA)
        painter.key("a")
        painter.click(100, 100)
        secret = painter.window("Other", SECRET)
        painter.activate(secret)
        capture.thread._stopping.wait(0.7)
        assert (len(capture.records), len(capture.pictures)) == (taken, pictures)
        frames = capture.of(Frame)
        assert all(frame.t_ns < closed_ns for frame in frames)
        painter.fill(editor, 0x2080A0)
        capture.gate.open()
        capture.frame_after(len(frames))
    assert capture.shows(0x2080A0)
    assert capture.shows(MAGENTA) == 0
    assert not capture.of(InputEvent)


def test_our_own_repainting_window_changes_nothing(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """A window of ours that repaints all the time on a still desktop yields no frame; of another program it does."""
    painter.window("Editor", EDITOR)
    kairos = Painter(bare_desktop)
    ours = kairos.window("kairos", Box(600, 100, 300, 200), colour=MAGENTA, pid=own_pid())
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)

        def repaints_unseen() -> bool:
            before = len(capture.of(Frame))
            for number in range(40):
                kairos.fill(ours, 0x101010 * (number % 15))
                capture.thread._stopping.wait(0.05)
            kairos.fill(ours, MAGENTA)
            return len(capture.of(Frame)) == before

        # a window manager that is late still paints titles in the first of these; who sees our window does in all
        assert any(repaints_unseen() for _ in range(3))
        frames = len(capture.of(Frame))
        other = painter.window("Other", Box(600, 400, 100, 100))
        capture.frame_after(frames)
        painter.fill(other, 0x2080A0)
    kairos.close()
    assert capture.shows(MAGENTA) == 0
    assert all(frame.own for frame in capture.of(Frame))


@APPS
def test_with_a_compositor_the_same_holds(desktop: VirtualDesktop, app: str, *, hidden: bool) -> None:
    """Windows that a compositor draws late, and may draw see-through, leave nothing either."""
    painter = Painter(desktop)
    editor = painter.window("Editor", Box(0, 0, 900, 700))
    with capturing(desktop) as capture:
        capture.frame_after(0)
        for number in range(6):
            frames = len(capture.of(Frame))
            secret = painter.window(app, Box(100 + 60 * number, 200, 300, 300), colour=MAGENTA, title=TITLE)
            capture.frame_after(frames)
            # the first picture after it may show what was there until the compositor drew it
            capture.until(lambda: hidden or capture.shows(MAGENTA), "seeing the window")
            painter.raise_above(editor)
            painter.fill(editor, GREEN if number % 2 else 0x2080A0)
            painter.destroy(secret)
        frames = len(capture.of(Frame))
        painter.fill(editor, 0x208020)
        capture.frame_after(frames)
    painter.close()
    assert (capture.shows(MAGENTA) == 0) is hidden
    assert (not any(TITLE in (focus.title or "") for focus in capture.of(Focus))) is hidden
