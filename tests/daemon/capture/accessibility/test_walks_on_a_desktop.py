"""Walks of a real program through the capture thread: names for who asked, none of an excluded or hanging one."""

import os
import signal

import pytest

from daemon.capture.accessibility.budget import WalkRate
from daemon.capture.accessibility.thread import ControlSense
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo
from storage.records import Elements, Sense
from storage.settings import FenceSettings, Settings
from tests.fakes.desktop.painter import RunningCapture, running

pytestmark = pytest.mark.display

MENUS = ["File", "Edit", "Search", "View", "Document", "Help"]


def capture_of(settings: Settings | None = None, *, recording: bool = True) -> RunningCapture:
    """Return a capture thread that walks as often as it is asked."""
    capture = RunningCapture(settings, pictures=False, controls=True, record_titles=recording)
    sense = capture.thread._sense
    assert isinstance(sense, ControlSense)
    sense._rate = WalkRate(gap_ns=0, per_minute=1_000)
    return capture


def opened(desktop: VirtualDesktop, capture: RunningCapture) -> WindowInfo:
    """Open the editor, and wait until it is active and the sense works."""
    capture.until(lambda: capture.of(Sense), "the sense")
    desktop.spawn(["mousepad"], "mousepad")
    window = desktop.windows.wait("mousepad")
    desktop.windows.activate(window)
    return window


def walked(capture: RunningCapture) -> Elements | None:
    """Have the active window walked, and return what came of it."""
    answers: list[Elements | None] = []
    capture.thread.request_elements(answers.append)
    capture.until(lambda: answers, "an answer")
    return answers[0]


def names(found: Elements) -> list[str | None]:
    """Return the names of controls."""
    return [element.name for element in found.elements]


@pytest.mark.parametrize("recording", [True, False])
def test_a_real_window_is_walked(desktop: VirtualDesktop, *, recording: bool) -> None:
    """Its menus are there, where they are on the screen; a record has their names only with the recording."""
    with running(capture_of(recording=recording), desktop) as capture:
        window = opened(desktop, capture)
        capture.until(lambda: walked(capture), "the walk", timeout_s=20.0)
        capture.until(lambda: capture.of(Elements), "a record")
        found = walked(capture)
    assert found is not None
    assert found.app == "Mousepad"
    assert names(found)[: len(MENUS)] == MENUS
    for element in found.elements:
        assert window.box.x <= element.box.x < window.box.x + window.box.w
    assert names(capture.of(Elements)[0])[: len(MENUS)] == (MENUS if recording else [None] * len(MENUS))


def test_an_excluded_window_is_never_walked(desktop: VirtualDesktop) -> None:
    """Nor asked anything: whoever wants its controls gets none, and no record is made."""
    settings = Settings(fence=FenceSettings(excluded_apps=("mousepad",)))
    with running(capture_of(settings), desktop) as capture:
        opened(desktop, capture)
        capture.until(capture.is_excluding, "the fence")
        assert [walked(capture) for _ in range(3)] == [None] * 3
    assert capture.of(Elements) == []


def test_a_program_that_hangs_costs_only_its_result(desktop: VirtualDesktop) -> None:
    """Stopped it gives nothing, in time; the capture goes on, and when the program does, it is walked again."""
    with running(capture_of(), desktop) as capture:
        window = opened(desktop, capture)
        capture.until(lambda: walked(capture), "the walk", timeout_s=20.0)
        os.kill(window.pid, signal.SIGSTOP)
        try:
            began_ns = capture.clock.now_ns()
            assert walked(capture) is None
            assert capture.clock.now_ns() - began_ns < 5_000_000_000
        finally:
            os.kill(window.pid, signal.SIGCONT)
        capture.until(lambda: walked(capture), "the walk afterwards", timeout_s=20.0)
