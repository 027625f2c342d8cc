"""Pictures in memory: they are gone once a pause or private time has begun, whatever capture was doing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.capture.gate import Gate
from daemon.capture.picture_ring import PictureRing
from daemon.capture.thread import CaptureSession, CaptureThread
from daemon.runtime.sensing import Reason, SensingControl
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.records import Box
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.scripted_backend import SCREEN, Paint, ScriptedBackend

SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0, store_width=SCREEN.w))


@contextmanager
def capturing(gate: Gate, ring: PictureRing) -> Iterator[ScriptedBackend]:
    """Run the capture thread over a scripted desktop, with pictures in memory alone."""
    backend = ScriptedBackend(SystemClock())
    capture = CaptureThread(
        clock=SystemClock(),
        settings=SETTINGS,
        gate=gate,
        session=CaptureSession(key=b"k" * 32, record_titles=False),
        on_records=lambda records: None,
        ring=ring,
        open_backend=lambda _: backend,
    )
    capture.start()
    try:
        yield backend
    finally:
        assert capture.stop(5.0)


def test_an_emptied_ring_holds_no_picture_and_no_number() -> None:
    """It takes new pictures as before."""
    ring = PictureRing(CaptureSettings())
    ring.put(1, b"old")
    ring.name(100, 1)
    ring.clear()
    assert (ring.jpeg(100), ring.size_bytes) == (None, 0)
    ring.put(2, b"new")
    ring.name(101, 2)
    assert (ring.jpeg(100), ring.jpeg(101), ring.size_bytes) == (None, b"new", 3)


@pytest.mark.parametrize("begin", [lambda sensing: sensing.pause(None), lambda sensing: sensing.set_private(True)])
def test_a_pause_and_private_time_empty_the_ring(begin: Callable[[SensingControl], None], tmp_path: Path) -> None:
    """Once the call has returned no picture is left; afterwards only new ones come in."""
    sensing = SensingControl(SystemClock(), folder=tmp_path, call=lambda action: None, submit=lambda switch: None)
    ring = PictureRing(SETTINGS.capture)
    with capturing(sensing.gate, ring) as backend:
        sensing.open(Reason.STARTING)
        poll(lambda: ring.size_bytes > 0, what="the first picture")
        begin(sensing)
        assert ring.size_bytes == 0
        sensing.open(Reason.PAUSED)
        sensing.open(Reason.PRIVATE)
        backend.play(Paint(Box(0, 0, 64, 64), 200))
        poll(lambda: ring.size_bytes > 0, what="the first picture afterwards")


def test_a_picture_that_was_on_its_way_is_not_kept_either() -> None:
    """The gate closes in the midst of putting a picture in: capture empties the ring once more."""
    gate, late = Gate(), []

    class SlowRing(PictureRing):
        def put(self, t_ns: int, jpeg: bytes, area: Box | None = None) -> None:
            gate.close()
            super().put(t_ns, jpeg, area)
            late.append(self.size_bytes)

    ring = SlowRing(SETTINGS.capture)
    with capturing(gate, ring) as backend:
        gate.open()
        backend.play(Paint(Box(0, 0, 64, 64), 200))
        poll(lambda: late != [] and ring.size_bytes == 0, what="the end of the late picture")
    assert late[0] > 0
