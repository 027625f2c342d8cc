"""A minute of records of one application, sorted by when things happened."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from detectors.acts import is_act, is_inside
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Focus,
    Frame,
    InputEvent,
    MessageSeen,
    UndoLabel,
    WindowEvent,
)
from storage.settings import CaptureSettings

SPAN_NS = 60 * NS_PER_S
EFFECT_S = 2.0  # what changes within this time after an act may be its effect: frames may come every second on battery
MARGIN_PX = 6  # what a pressed control may draw around its box: shadow, focus ring
IN_VAIN = 3  # presses in a row without an effect from which on an offer names them
RELEASE_NS = NS_PER_S  # how long a frame may wait for its release; an act is judged only when it is older
Timed = ControlAct | DialogSeen | MessageSeen | DocumentLoaded | UndoLabel | InputEvent | Frame | Focus | WindowEvent
_Kind = TypeVar("_Kind", bound=Timed)


class RecentSpan:
    """What happened up to `now_ns`, in order of `t_ns`, in one application and elsewhere."""

    def __init__(
        self, here: Iterable[Timed], elsewhere: Iterable[Timed], lost_ns: Sequence[int], now_ns: int, effect_ns: int
    ) -> None:
        self.here = sorted(here, key=_time_of)
        self.now_ns = now_ns
        self._all = sorted([*self.here, *elsewhere], key=_time_of)
        self._lost_ns = lost_ns
        self._effect_ns = effect_ns

    def of_kind(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Yield the records of a kind that happened here within the last minute, oldest first."""
        return (row for row in self.here if isinstance(row, kind) and row.t_ns >= self.now_ns - SPAN_NS)

    @property
    def last_input_ns(self) -> int | None:
        """When the person last pressed a key or button or scrolled, anywhere; None if that is too long ago."""
        return next((row.t_ns for row in reversed(self._all) if isinstance(row, InputEvent)), None)

    def between(self, from_ns: int, to_ns: int) -> Sequence[Timed]:
        """Return what happened anywhere after a time and up to another."""
        first = bisect_right(self._all, from_ns, key=_time_of)
        return self._all[first : bisect_right(self._all, to_ns, key=_time_of)]

    def acted_between(self, from_ns: int, to_ns: int) -> bool:
        """Return whether the person acted from one time on and before another."""
        first = bisect_left(self._all, from_ns, key=_time_of)
        last = bisect_left(self._all, to_ns, key=_time_of)
        return any(is_act(record) for record in self._all[first:last])

    def is_without_effect(self, t_ns: int, within: Box | None = None) -> bool:
        """Return whether nothing was seen to come of an act, but for changes of the screen inside a box.

        False while that cannot be told yet, and where something was not seen.
        """
        end_ns = t_ns + self._effect_ns
        known_ns = end_ns + RELEASE_NS
        if known_ns > self.now_ns or any(t_ns <= at_ns <= known_ns for at_ns in self._lost_ns):
            return False
        return not any(_is_effect(record, within) for record in self.between(t_ns, end_ns))


def effect_ns(capture: CaptureSettings) -> int:
    """Return after what time an effect on the screen would have been seen, at half the rate as on battery."""
    stays_active = capture.input_recent_s >= EFFECT_S
    gap_s = 2.0 / (capture.active_fps if stays_active else capture.passive_fps)
    return round(max(EFFECT_S, gap_s + 0.5) * NS_PER_S)


def seconds(from_ns: int, to_ns: int) -> float:
    """Return the whole seconds that a span of time fits into, at least one."""
    return float(max(1, math.ceil((to_ns - from_ns) / NS_PER_S)))


def _time_of(record: Timed) -> int:
    return record.t_ns


def _is_effect(record: Timed, within: Box | None) -> bool:
    match record:
        case Frame(changed=changed):
            return not all(within is not None and is_inside(box, within, MARGIN_PX) for box in changed)
        case ControlAct(what=what):
            return what in ("toggled", "chosen")
        case InputEvent():
            return False
        case _:
            return True
