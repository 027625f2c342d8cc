"""What a fence closes on the desktop of a campaign, and for which windows: the causes behind lost seconds.

A fence of the campaign's own follows the same windows under the same settings as the daemon's. It is there to explain
alone: what leaked and what was recorded is judged without it (`evidence`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daemon.capture.backend import open_backend
from daemon.capture.fence.rules import Fence, Visibility
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
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
