"""What every capture backend keeps to, whatever desktop it is of: called where nothing happens meanwhile."""

import numpy as np

from daemon.capture.backend import CaptureBackend, NotNow
from daemon.capture.diff import Pixels
from daemon.capture.scene import contains, intersection
from demo.virtual_desktop.windows import poll
from storage.capabilities import Level
from storage.records import Box


def check_backend(backend: CaptureBackend) -> None:
    """Try the whole Protocol but input; the backend was just opened, and is closed in the end."""
    assert backend.capabilities.desktop
    assert all(limited.reason for limited in backend.capabilities.limited.values())
    has_frames = backend.capabilities.frames.level is not Level.NONE
    assert backend.damaged is has_frames
    assert backend.fileno() >= 0
    first_ms = backend.event_time_ms()
    scenes = backend.take_scenes()
    assert scenes
    assert [scene.t_ns for scene in scenes] == sorted(scene.t_ns for scene in scenes)
    for window in scenes[-1].windows:
        assert window.client in scenes[-1].clients
    backend.sync()
    assert backend.take_scenes() == ()  # nothing changed
    assert 0 <= (backend.event_time_ms() - first_ms) % (1 << 32) < 1 << 31
    monitors = backend.monitors()
    assert bool(monitors) is has_frames
    backend.follow_damage(on=True)
    for monitor in monitors:
        part = Box(monitor.box.x + 3, monitor.box.y + 2, 20, 10)
        pixels = grabbed(backend, part)
        assert pixels.shape == (10, 20, 4)
        assert pixels.dtype == np.uint8
        pixels[...] = 0  # it is the caller's: the fence overwrites it
        assert grabbed(backend, part).shape == pixels.shape
        asked = backend.ask(part)
        backend.sync()
        assert np.array_equal(asked, backend.grab(part))
    painted = backend.take_damage()
    assert all(any(intersection(box, monitor.box) for monitor in monitors) for box in painted)
    assert not backend.damaged
    backend.follow_damage(on=False)
    assert not monitors or contains([monitor.box for monitor in monitors], *backend.pointer())
    backend.close()


def grabbed(backend: CaptureBackend, part: Box) -> Pixels:
    def grab() -> Pixels | None:
        try:
            return backend.grab(part)
        except NotNow:
            backend.read()
            backend.follow_damage(on=True)
            backend.take_damage()
            return None

    return poll(grab, what="a picture")
