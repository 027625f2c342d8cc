"""Pictures that the X server writes into memory of ours: how long each stays, and what is done where it cannot."""

import numpy as np
import pytest
from Xlib.display import Display

from daemon.capture.x11 import desktop as backend_module
from daemon.capture.x11.desktop import X11Backend
from daemon.capture.x11.shared_memory import NotSharedError, SharedPictures
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from tests.fakes.desktop.painter import Painter

pytestmark = pytest.mark.display

WINDOW, PLACE = Box(0, 0, 700, 500), Box(150, 160, 300, 200)
WHITE = 0xFFFFFF


def test_a_picture_stays_as_it_is_until_the_next_begin(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """The fence judges a picture after it was taken: what is looked at meanwhile must not be written over it."""
    window = painter.window("Editor", WINDOW)
    painter.fill(window, WHITE)
    with bare_desktop.entered():
        display = Display()
    shared = SharedPictures(display, PLACE.w * PLACE.h)
    first = shared.ask(PLACE)
    shared.finish()
    painter.fill(window, 0)
    later = [shared.ask(PLACE) for _ in range(3)]  # there is room for one
    shared.finish()
    assert first[..., :3].min() == 0xFF
    assert [picture[..., :3].max() for picture in later] == [0, 0, 0]
    shared.begin()
    assert shared.ask(PLACE).ctypes.data == first.ctypes.data
    shared.finish()
    assert first[..., :3].max() == 0
    shared.close()
    display.close()
    assert first[..., :3].max() == 0, "memory is there for as long as a picture in it"


@pytest.mark.parametrize("asked", [0, 1], ids=["with room", "without room"])
def test_a_place_that_is_not_on_the_screen_is_said_as_a_fault(bare_desktop: VirtualDesktop, asked: int) -> None:
    """As right after the resolution changed; anything else would end capture for good."""
    with bare_desktop.entered():
        backend = X11Backend(SystemClock())
    (monitor,) = backend.monitors()
    for _ in range(asked):
        backend.ask(monitor.box)
    with pytest.raises(EnvironmentFault) as found:
        backend.grab(Box(monitor.box.w - 1, 0, 100, 100))
    assert found.value.code == "screen_unreadable"
    assert backend.grab(PLACE).shape == (PLACE.h, PLACE.w, 4)
    backend.close()


def test_without_shared_memory_the_same_is_read(
    bare_desktop: VirtualDesktop, painter: Painter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server on another machine cannot write into ours."""

    def refuse(*_: object) -> None:
        raise NotSharedError

    painter.fill(painter.window("Editor", WINDOW), 0x123456)
    with bare_desktop.entered():
        sharing = X11Backend(SystemClock())
        sharing.monitors()
        monkeypatch.setattr(backend_module, "SharedPictures", refuse)
        asking = X11Backend(SystemClock())
        asking.monitors()
        assert np.array_equal(sharing.grab(PLACE), asking.grab(PLACE))
        sharing.close()
        asking.close()


def test_a_server_without_the_extension_shares_nothing(
    bare_desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bare_desktop.entered():
        display = Display()
    monkeypatch.setattr(display, "query_extension", lambda _: None)
    with pytest.raises(NotSharedError):
        SharedPictures(display, 1)
    display.close()
