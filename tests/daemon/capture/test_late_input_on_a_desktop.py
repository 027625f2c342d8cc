"""Input that comes late, as on a machine with too much to do: what was typed in a pause stays out whenever it comes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from evaluation.stage.desktop import VirtualDesktop
from storage.records import Box, EventKind, Frame, InputEvent, KeyClass
from tests.fakes.painter import Painter, Watch, watching

pytestmark = pytest.mark.display

EDITOR = Box(50, 60, 500, 400)
PAUSED = pytest.mark.parametrize("paused", [True, False])


class Post:
    """What stands between the X server and the callbacks: it can be kept from delivering."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()
        self._waiting = threading.Event()

    def wait(self) -> None:
        """Called in a listener's thread, before each delivery."""
        if not self._free.is_set():
            self._waiting.set()
            self._free.wait()

    @contextmanager
    def held(self, watch: Watch) -> Iterator[None]:
        """Deliver nothing; at the end something must have been waiting."""
        self._waiting.clear()
        self._free.clear()
        try:
            yield
            watch.until(self._waiting.is_set, "holding something back")
        finally:
            self._free.set()


@pytest.fixture
def post(bare_desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch) -> Post:
    """Return the post of every listener that starts from now on."""
    with bare_desktop.entered():  # pynput looks for a display when it is imported
        from pynput._util.xorg import ListenerMixin
    made, deliver = Post(), ListenerMixin._handler

    def late(listener: Any, events: Any) -> None:
        made.wait()
        deliver(listener, events)

    monkeypatch.setattr(ListenerMixin, "_handler", late)
    return made


def type_secret(painter: Painter) -> None:
    """Six keys and a click."""
    for letter in "secret":
        painter.key(letter)
    painter.click(300, 300)


def look(watch: Watch, painter: Painter, editor: Any, colour: int) -> None:
    """Paint, and wait until capture has looked: by then it has noticed all that was switched."""
    frames = len(watch.of(Frame))
    painter.fill(editor, colour)
    watch.frame_after(frames)


def heard(watch: Watch, painter: Painter) -> tuple[int, int]:
    """Return how many keys and clicks were kept, once the last ones typed now were heard."""
    painter.click(100, 100)
    painter.key("Return")
    watch.until(lambda: any(e.key_class is KeyClass.ENTER for e in watch.of(InputEvent)), "hearing the last key")
    watch.until(lambda: any(e.x == 100 for e in watch.of(InputEvent)), "hearing the last click")
    clicks = [e for e in watch.of(InputEvent) if e.kind is EventKind.BUTTON_DOWN]
    return watch.keys() - 1, len(clicks) - 1


@PAUSED
def test_what_was_typed_in_a_pause_and_comes_after_it_is_not_kept(
    bare_desktop: VirtualDesktop, painter: Painter, post: Post, *, paused: bool
) -> None:
    """Keys and clicks that are delivered once everything is open again are dropped; without a pause all are kept."""
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    with watching(bare_desktop, pictures=False) as watch:
        watch.keyboard_at("Editor")
        with post.held(watch):
            if paused:
                watch.gate.close()
            type_secret(painter)
            if paused:
                watch.gate.open()
            look(watch, painter, editor, 0x2080A0)
        assert heard(watch, painter) == ((0, 0) if paused else (6, 1))


@PAUSED
def test_a_pause_that_capture_had_no_time_to_notice_holds_all_the_same(
    bare_desktop: VirtualDesktop, painter: Painter, post: Post, *, paused: bool
) -> None:
    """The gate closes and opens while the capture thread is busy, and the keys come while it still is."""
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    with watching(bare_desktop, pictures=False) as watch:
        watch.keyboard_at("Editor")
        with watch.held(lambda: painter.fill(editor, 0x208020)):
            with post.held(watch):
                if paused:
                    watch.gate.close()
                type_secret(painter)
                if paused:
                    watch.gate.open()
            watch.thread._stopping.wait(0.3)  # time to deliver them
        look(watch, painter, editor, 0x2080A0)
        assert heard(watch, painter) == ((0, 0) if paused else (6, 1))


def test_what_was_typed_before_the_start_and_comes_after_it_is_not_kept(
    bare_desktop: VirtualDesktop, painter: Painter, post: Post
) -> None:
    """Listeners are there before anything may be taken: when consent was just given, or between two sessions."""
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    watch = Watch(pictures=False)
    with bare_desktop.entered():
        watch.thread.start()
        try:
            with post.held(watch):
                type_secret(painter)
                watch.gate.open()
                look(watch, painter, editor, 0x2080A0)
            watch.keyboard_at("Editor")
            assert heard(watch, painter) == (0, 0)
        finally:
            assert watch.thread.stop(5.0)
