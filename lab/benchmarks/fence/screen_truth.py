"""What is really on the screen of a campaign, sampled."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, open_display
from lab.benchmarks.fence.cast import Labels, labels
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box

STRIDE = 8
SAMPLES_PER_S = 10
_HOLD_NS = NS_PER_S
"""A sample counts for no longer than this: the machine may have kept the sampler waiting."""


@dataclass(frozen=True, slots=True)
class ScreenSample:
    """The screen from `start_ns` on, seen like this until `end_ns`; `grid` has shape (height / 8, width / 8).

    `places` are the windows that were on the screen at its beginning, by the names that the campaign gives them.
    """

    start_ns: int
    end_ns: int
    grid: Labels
    places: Mapping[str, Box] = field(default_factory=dict)

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """Return which cells of the grid lie in a rectangle of the screen; one that is cut counts."""
        cells = np.zeros(self.grid.shape, np.bool_)
        bottom, right = -(-(box.y + box.h) // STRIDE), -(-(box.x + box.w) // STRIDE)
        cells[max(0, box.y) // STRIDE : max(0, bottom), max(0, box.x) // STRIDE : max(0, right)] = True
        return cells


class ScreenTruth:
    """Samples the screen in a thread of its own."""

    def __init__(self, desktop: VirtualDesktop, xids: Mapping[str, int]) -> None:
        """Begin at once; `xids` are the windows that should be there, by name, and change meanwhile."""
        self.samples: list[ScreenSample] = []
        self._desktop = desktop
        self._xids = xids
        self._clock = SystemClock()
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="screen truth")
        self._thread.start()

    def stop(self) -> list[ScreenSample]:
        """End, and return all samples in their order."""
        self._over.set()
        self._thread.join()
        if self._failed is not None:
            raise self._failed
        return self.samples

    def _run(self) -> None:
        try:
            self._sample()
        except BaseException as error:  # noqa: BLE001  # told by `stop`, in the thread of who asks
            self._failed = error

    def _sample(self) -> None:
        import mss

        with self._desktop.entered():
            grabber = mss.MSS()
        display = open_display(self._desktop.env)
        windows = Windows(display)
        with grabber:
            monitor = grabber.monitors[0]
            last: ScreenSample | None = None
            while not self._over.wait(1 / SAMPLES_PER_S):
                names = {xid: name for name, xid in list(self._xids.items())}
                places = {names[found.xid]: found.box for found in windows.describe(list(names))}
                now_ns = self._clock.now_ns()
                shot = grabber.grab(monitor)
                pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
                fresh = labels(pixels[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE, 2::-1])
                is_same = last is not None and places == last.places and np.array_equal(fresh, last.grid)
                if last is not None and is_same and now_ns - last.start_ns <= _HOLD_NS:
                    continue
                self._end(last, now_ns)
                last = ScreenSample(now_ns, now_ns, fresh, places)
            self._end(last, self._clock.now_ns())
        display.close()

    def _end(self, sample: ScreenSample | None, now_ns: int) -> None:
        if sample is not None:
            self.samples.append(replace(sample, end_ns=min(now_ns, sample.start_ns + 2 * _HOLD_NS)))
