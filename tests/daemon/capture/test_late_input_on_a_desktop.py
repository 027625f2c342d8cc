"""Input that comes late, as on a machine with too much to do: what was typed in a pause stays out whenever it comes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from daemon.capture.x11.input import InputListener
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

EDITOR = Box(50, 60, 500, 400)


class DeliveryGate:
    """Holds events between the X server and the callbacks."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()
        self._waiting = threading.Event()

    def wait(self) -> None:
        if not self._free.is_set():
            self._waiting.set()
            self._free.wait()

    @contextmanager
    def held(self, capture: RunningCapture) -> Iterator[None]:
        """Deliver nothing; at the end something must have been waiting."""
        self._waiting.clear()
        self._free.clear()
        try:
            yield
            capture.until(self._waiting.is_set, "holding something back")
        finally:
            self._free.set()


@pytest.fixture
def delivery(monkeypatch: pytest.MonkeyPatch) -> DeliveryGate:
    gate, deliver = DeliveryGate(), InputListener._take

    def late(listener: InputListener, reply: Any) -> None:
        gate.wait()
        deliver(listener, reply)

    monkeypatch.setattr(InputListener, "_take", late)
    return gate


def type_secret(painter: Painter) -> None:
    for letter in "secret":
        painter.key(letter)
    painter.click(300, 300)


def wait_for_frame(capture: RunningCapture, painter: Painter, editor: Any, colour: int) -> None:
    """Paint, and wait until capture has looked: by then it has noticed all that was switched."""
    frames = len(capture.of(Frame))
    painter.fill(editor, colour)
    capture.frame_after(frames)


def counts(capture: RunningCapture, painter: Painter) -> tuple[int, int]:
    """Return how many letters and left clicks were kept, once a key and a right click of now have arrived.

    A busy look may drop one of these, or leave out its place, so they come again until one was taken.
    """

    def are_taken() -> bool:
        painter.menu(100, 100)
        painter.key("Return")
        capture.clock.sleep_s(0.3)
        events = capture.of(InputEvent)
        return any(e.key_class is KeyClass.ENTER for e in events) and any(e.button == "right" for e in events)

    capture.until(are_taken, "receiving the last key and click")
    events = capture.of(InputEvent)
    keys = sum(e.count for e in events if e.kind is EventKind.KEY and e.key_class is not KeyClass.ENTER)
    return keys, sum(e.kind is EventKind.BUTTON_DOWN and e.button == "left" for e in events)


@pytest.mark.parametrize(("paused", "is_busy"), [(True, False), (True, True), (False, True)])
def test_what_was_typed_in_a_pause_and_comes_after_it_is_not_kept(
    bare_desktop: VirtualDesktop, painter: Painter, delivery: DeliveryGate, *, paused: bool, is_busy: bool
) -> None:
    """Keys and clicks that are delivered once everything is open again are dropped; without a pause all are kept.

    Also where the gate closes and opens while the capture thread is busy, and the keys come while it still is.
    """
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    with capturing(bare_desktop, pictures=False) as capture:
        capture.keyboard_at("Editor")
        with capture.held(lambda: painter.fill(editor, 0x208020)) if is_busy else nullcontext():
            with delivery.held(capture):
                if paused:
                    capture.gate.close()
                type_secret(painter)
                if paused:
                    capture.gate.open()
                if not is_busy:
                    wait_for_frame(capture, painter, editor, 0x208020)
            capture.thread._stopping.wait(0.3)  # time to deliver them
        wait_for_frame(capture, painter, editor, 0x2080A0)
        assert counts(capture, painter) == ((0, 0) if paused else (6, 1))


def test_what_was_typed_before_the_start_and_comes_after_it_is_not_kept(
    bare_desktop: VirtualDesktop, painter: Painter, delivery: DeliveryGate
) -> None:
    """Listeners are there before anything may be taken: when consent was just given, or between two sessions."""
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    capture = RunningCapture(pictures=False)
    with bare_desktop.entered():
        capture.thread.start()
        try:
            with delivery.held(capture):
                type_secret(painter)
                capture.gate.open()
                wait_for_frame(capture, painter, editor, 0x2080A0)
            capture.keyboard_at("Editor")
            assert counts(capture, painter) == (0, 0)
        finally:
            assert capture.thread.stop(5.0)


@pytest.mark.parametrize(("flushed", "controls"), [(True, False), (True, True), (False, False)])
def test_what_is_collected_comes_at_once_to_who_waits_for_it(
    bare_desktop: VirtualDesktop, painter: Painter, *, flushed: bool, controls: bool
) -> None:
    """Keys that would be collected for a minute, also where they wait to know in which field they went; else none."""
    painter.activate(painter.window("Editor", EDITOR))
    if controls:
        bare_desktop.turn_accessibility_on()
    settings = Settings(capture=CaptureSettings(drain_s=60.0))
    with capturing(bare_desktop, settings, pictures=False, controls=controls) as capture:
        thread = capture.thread
        capture.until(lambda: any(seen.app == "Editor" for seen in capture.of(Focus)), "reporting the focus")
        painter.key("a")
        if flushed:
            capture.until(lambda: not thread.request_flush() and capture.keys() == 1, "taking in the first key")
        thread._stopping.wait(0.3)
        before = capture.keys()
        painter.key("b")
        if flushed:  # a change of the windows hands it over too, also before this looks
            capture.until(lambda: not thread.request_flush() and capture.keys() > before, "handing it over")
        else:
            capture.until(lambda: capture.observer._queue.has_pending, "the second key")
            thread._stopping.wait(0.5)
        assert capture.keys() - before == (1 if flushed else 0)
        assert thread.request_flush() is not flushed
