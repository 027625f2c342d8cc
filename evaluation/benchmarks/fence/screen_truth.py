"""What was really on the screen and when: samples of the raw screen, taken without anything of Kairos.

Each sample is a grid of labels (`palette`), one for every eighth pixel; only samples that differ are kept.
"""

import threading
from dataclasses import dataclass

import numpy as np

from evaluation.benchmarks.fence.palette import Labels, labels
from evaluation.stage.desktop import VirtualDesktop
from storage.clock import NS_PER_S, SystemClock

STRIDE = 8
SAMPLES_PER_S = 10
_HOLD_NS = NS_PER_S
"""A sample counts for no longer than this: the machine may have kept the sampler waiting."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The screen from `start_ns` on, seen like this until `end_ns`; `grid` has shape (height / 8, width / 8)."""

    start_ns: int
    end_ns: int
    grid: Labels


class ScreenTruth:
    """Samples the screen in a thread of its own."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        """Begin at once."""
        self.samples: list[Sample] = []
        self._desktop = desktop
        self._clock = SystemClock()
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="screen truth")
        self._thread.start()

    def stop(self) -> list[Sample]:
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
        with grabber:
            monitor = grabber.monitors[0]
            start_ns, grid = 0, np.zeros((0, 0), np.uint8)
            while not self._over.wait(1 / SAMPLES_PER_S):
                now_ns = self._clock.now_ns()
                shot = grabber.grab(monitor)
                pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
                fresh = labels(pixels[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE, 2::-1])
                if grid.size and (not np.array_equal(fresh, grid) or now_ns - start_ns > _HOLD_NS):
                    self.samples.append(Sample(start_ns, min(now_ns, start_ns + 2 * _HOLD_NS), grid))
                    start_ns, grid = now_ns, fresh
                elif not grid.size:
                    start_ns, grid = now_ns, fresh
            if grid.size:
                self.samples.append(Sample(start_ns, self._clock.now_ns(), grid))
