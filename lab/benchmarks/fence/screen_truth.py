"""What is really on the screen of a campaign, sampled, and what a fence closes there for which windows.

A fence of the campaign's own follows the same windows under the same settings as the daemon's. It only explains lost
seconds: what leaked and what was recorded is judged without it.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from daemon.capture.backend import open_backend
from daemon.capture.fence.rules import Fence, Visibility
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, open_display
from lab.benchmarks.fence.cast import Labels, labels
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box
from storage.settings import FenceSettings

Mask = NDArray[np.bool_]

NOBODY = 0
_CLOSED = {
    Visibility.COVERED: "a window that is excluded",
    Visibility.UNKNOWN: "a browser's that may be private",
    Visibility.UNSETTLED: "one not yet known",
}
"""How windows are called whose pixels are not recorded; where several lie, the first of these counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """A window on the screen: its rectangle with the frame, its title and those in it, and how the fence treats it."""

    box: Box
    titles: tuple[str, ...]
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class Closure:
    """What is closed from `t_ns` on: `places` from the bottom to the top; `covered` and `veiled` as in `Zones`."""

    t_ns: int
    places: tuple[Place, ...] = ()
    covered: frozenset[Box] = frozenset()
    veiled: frozenset[Box] = frozenset()

    def causes(self, seen: Mask, is_own: Callable[[str], bool], inside: Callable[[Box], Mask]) -> Counter[str]:
        """Return why what could be seen of a window was closed, with how much of it.

        Args:
            seen: where it could be seen.
            is_own: whether a title is that of the window.
            inside: where a rectangle lies, in the shape of `seen`.
        """
        found: Counter[str] = Counter()
        left = seen.copy()

        def take(cause: str, boxes: Sequence[Box]) -> None:
            for box in boxes:
                part = left & inside(box)
                found[cause] += int(part.sum())
                left[part] = False

        own = [number for number, place in enumerate(self.places) if any(map(is_own, place.titles))]
        for state, name in _CLOSED.items():
            take(f"itself {name}", [self.places[n].box for n in own if self.places[n].visibility is state])
        closed = [(n, place) for n, place in enumerate(self.places) if place.visibility in _CLOSED]
        for state, name in _CLOSED.items():
            for where in ("over", "below"):
                take(
                    f"{where} {name}",
                    [
                        place.box
                        for n, place in closed
                        if place.visibility is state and (n < max(own, default=-1)) is (where == "over")
                    ],
                )
        present = {place.box for _, place in closed}
        take("where one was a moment before", sorted(self.covered - present))
        take("where one was, until something is painted", sorted(self.veiled - present))
        found["in nothing that is closed"] = int(left.sum())
        return +found


class ClosureWatch:
    """Follows what is closed; used by one thread."""

    def __init__(self, desktop: VirtualDesktop, settings: Mapping[str, str]) -> None:
        """Connect to the desktop; of the daemon's `settings` those of the fence count."""
        self.closures: list[Closure] = []
        self._clock = SystemClock()
        with desktop.entered():
            self._backend = open_backend(self._clock, desktop.env)
        self._fence = Fence(
            FenceSettings(
                excluded_apps=_listed(settings.get("fence.excluded_apps", "")),
                excluded_titles=_listed(settings.get("fence.excluded_titles", "")),
                cover_unknown_browsers=settings.get("fence.cover_unknown_browsers") != "false",
            ),
            own_pid=NOBODY,
        )

    def look(self) -> None:
        """Take in what changed since the last look."""
        self._backend.read()
        self._fence.update(self._backend.take_scenes(), self._clock.now_ns())
        self._backend.watch_painting(on=self._fence.needs_painting, inside=self._fence.needs_painting_inside)
        places = tuple(
            Place(
                window.box,
                (window.title, *(part.title for part in window.embedded)),
                self._fence.visibilities[window.client],
            )
            for window in self._fence.scene.windows
        )
        zones = self._fence.zones
        last = self.closures[-1] if self.closures else None
        if last is None or (last.places, last.covered, last.veiled) != (places, zones.covered, zones.veiled):
            self.closures.append(Closure(self._clock.now_ns(), places, zones.covered, zones.veiled))

    def close(self) -> None:
        """End the connection."""
        self._backend.close()


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part for part in value.split(",") if part)


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

    def __init__(self, desktop: VirtualDesktop, settings: Mapping[str, str], xids: Mapping[str, int]) -> None:
        """Begin at once.

        Args:
            desktop: what is sampled.
            settings: those of the daemon.
            xids: the windows that should be there, by name; it changes meanwhile.
        """
        self.samples: list[ScreenSample] = []
        self._desktop = desktop
        self._xids = xids
        self._watch = ClosureWatch(desktop, settings)
        self._clock = SystemClock()
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="screen truth")
        self._thread.start()

    @property
    def closures(self) -> list[Closure]:
        """What a fence closed meanwhile, and why."""
        return self._watch.closures

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
        finally:
            self._watch.close()

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
                self._watch.look()
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
