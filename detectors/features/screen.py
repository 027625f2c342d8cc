"""How the screen responds: document states, background changes, and clicks without a response.

Carets, clocks and spinners change on their own, so a change counts as a response to a click only if it shows something
else than before and is larger than a caret or a clock, near the click, or in two places apart before anything is typed
(a count and a status line); and is not in a region that keeps changing without input. Pages load slowly: who does
nothing else is waiting, and a large change then still is the response. Changed boxes lie on a grid of 64 x 32 pixels,
so the smallest change is one tile.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from detectors.acts import ANSWER_NS, DOUBLE_NS, WAITED_NS, is_near
from detectors.features.fading import remember
from storage.clock import NS_PER_S
from storage.records import Box, Frame

QUIET_NS = 2 * NS_PER_S  # a change this long after the last input is no response
TINY = (128, 64)  # two tiles of the change detector: a caret or a clock, never more
NEAR_PX = 48
MARK = (64, 16)  # pixels; the coarse grid of marks
DRAG_PX = 8
SAME_PLACE = (16, 12)  # repeated clicks at one place scatter less than this; pixels
SAME_PLACE_NS = 20 * NS_PER_S
BACKGROUND_NS = 30 * NS_PER_S
BACKGROUND_TIMES = 3
MAX_BOXES = 48  # looked at per frame, the largest of them
SUMMARIZED_BOXES = 24  # the largest; more of them are a whole new view anyway
MAX_STATES = 128
MAX_REGIONS = 64


@dataclass(slots=True)
class Click:
    """One click (or drag), and what the screen did after it."""

    t_ns: int
    x: int
    y: int
    state: int
    drag: bool = False
    answered: bool = False
    opened: bool = False
    inside: bool = False
    edits: int = 0


@dataclass(frozen=True, slots=True)
class ClickOutcome:
    """What became of a click, once it is decided."""

    click: Click
    dead: bool
    same_place: bool
    returned: bool


class ChangeSummary(NamedTuple):
    """Changed area in pixels, its center, and whether it was more than a caret or a clock."""

    area: float
    x: float
    y: float
    wide: bool


class ScreenStates:
    """Follows frames, clicks and edits; bounded memory.

    Frames are assigned to document states: one that no act caused (a caret, a clock) belongs to the state before it,
    and a repeated picture to the state that came back; `known` is whether the last picture was a repeated one.
    """

    def __init__(self) -> None:
        self.frames = 0
        self.frame_ns = -QUIET_NS
        self.boxes: list[Box] = []
        self.state = 0
        self.act_state = 0
        self.known = False
        self._digest = ""
        self._newest = 0
        self._states: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._edits_at: OrderedDict[int, int] = OrderedDict()
        self._edits = 0
        self._reported_edits = 0
        self._edit_weight = 0.0
        self._acted = False
        self._act_ns = 0
        self._lag_ns = 0
        self._regions: OrderedDict[tuple[int, int, int, int], tuple[int, int]] = OrderedDict()
        self._pending: deque[Click] = deque()
        self._before: Click | None = None

    def on_act(self, t_ns: int, edit_weight: float | None) -> None:
        """Take in a key, button or scroll step with its weight as an edit, None if it edits nothing."""
        self._acted = True
        self._act_ns = t_ns
        self.act_state = self.state
        if edit_weight is not None:
            self._edits += 1
        self._edit_weight = edit_weight or 0.0

    def on_frame(self, frame: Frame, last_input_ns: int) -> tuple[list[Box], float]:
        """Take a frame in.

        Returns:
            Its changed boxes that are not background, and the weight of the edit that brought an earlier document state
            back (0 if none did).
        """
        t_ns = frame.t_ns
        self.frames += 1
        unprompted = t_ns - last_input_ns > QUIET_NS and not any(self._awaits(click, t_ns) for click in self._pending)
        boxes = _largest(frame.changed, MAX_BOXES)
        if unprompted or self._regions:
            kinds = [(x // 64, y // 64, w // 64, h // 64) for x, y, w, h in boxes]
            if unprompted or not self._regions.keys().isdisjoint(kinds):
                known = zip(boxes, kinds, strict=True)
                boxes = [box for box, kind in known if not self._is_background(kind, t_ns, unprompted)]
        before = self.state
        self._digest = frame.digest
        self.state = self._state_of(frame, boxes)
        self._acted = False
        self.frame_ns, self.boxes = t_ns, boxes
        self._lag_ns = min(max(0, frame.at_ns - t_ns), WAITED_NS)  # a suspend may lie between
        large, apart = any(not is_tiny(box) for box in boxes), bool(boxes) and _are_apart(boxes)
        for click in self._pending:
            if not self._awaits(click, t_ns):
                continue
            if t_ns - click.t_ns > ANSWER_NS:
                click.answered = large
            elif click.state != self.state:
                near = (is_beside(box, click.x, click.y) for box in boxes)
                click.answered = large or (apart and click.edits == self._edits) or any(near)
        came_back = self.state != before and self._edits_at.get(self.state, self._edits) < self._edits
        remember(self._edits_at, self.state, self._edits, MAX_STATES)
        if not came_back or self._reported_edits == self._edits:
            return boxes, 0.0
        self._reported_edits = self._edits
        return boxes, self._edit_weight

    def _state_of(self, frame: Frame, boxes: Sequence[Box]) -> int:
        known = self._states.get(frame.digest)
        self.known = known is not None
        if known is not None:
            self._states.move_to_end(frame.digest)
            return known[0]
        if self._acted or not (frame.t_ns - self._act_ns > ANSWER_NS or all(is_tiny(box) for box in boxes)):
            self._newest += 1
            state = self._newest
        else:
            state = self.state
        remember(self._states, frame.digest, (state, frame.t_ns), MAX_STATES)
        return state

    def on_press(self, t_ns: int, x: int, y: int, *, inside: bool = False) -> None:
        """Take in a button press (`inside` a menu or dialog); double clicks count once."""
        last = self._pending[-1] if self._pending else None
        if last is not None and not last.drag and t_ns - last.t_ns < DOUBLE_NS and _is_at(last, x, y):
            return
        self._pending.append(Click(t_ns, x, y, self.act_state, inside=inside, edits=self._edits))

    def on_release(self, x: int, y: int) -> None:
        """Take in a button release: far from its press it was a drag."""
        if self._pending:
            click = self._pending[-1]
            click.drag = click.drag or max(abs(x - click.x), abs(y - click.y)) > DRAG_PX

    def on_window_change(self, t_ns: int) -> None:
        """Take in a change of window, menu or focus: it is a response to the clicks just before."""
        for click in self._pending:
            if 0 <= t_ns - click.t_ns <= self._limit_ns(click):
                click.answered = click.opened = True

    def settle(self, now_ns: int) -> list[ClickOutcome]:
        """Return the clicks whose time for a response is over, oldest first, each once."""
        outcomes: list[ClickOutcome] = []
        while self._pending:
            click = self._pending[0]
            if now_ns - click.t_ns <= (ANSWER_NS if click.answered else self._limit_ns(click) + self._lag_ns):
                break
            self._pending.popleft()
            before, self._before = self._before, click
            same = before is not None and click.t_ns - before.t_ns <= SAME_PLACE_NS and _is_at(before, click.x, click.y)
            seen_ns = self._states.get(self._digest, (0, now_ns))[1]
            returned = click.answered and seen_ns < click.t_ns
            outcomes.append(ClickOutcome(click, not click.answered and self.frames > 0, same, returned))
        return outcomes

    def _awaits(self, click: Click, t_ns: int) -> bool:
        return not click.answered and 0 <= t_ns - click.t_ns <= self._limit_ns(click)

    def _limit_ns(self, click: Click) -> int:
        """Return how long after a click its response may come; the second press of a double click belongs to it."""
        return ANSWER_NS if self._act_ns - click.t_ns > DOUBLE_NS else WAITED_NS

    def forget_clicks(self) -> None:
        """Drop clicks whose response cannot be observed (pause, suspend, another application)."""
        self._pending.clear()
        self._before = None

    def _is_background(self, key: tuple[int, int, int, int], t_ns: int, unprompted: bool) -> bool:
        count, last_ns = self._regions.get(key, (0, 0))
        if t_ns - last_ns > BACKGROUND_NS:
            count = 0
        if unprompted:
            count += 1
            remember(self._regions, key, (count, t_ns), MAX_REGIONS)
        return count >= BACKGROUND_TIMES


def is_tiny(box: Box) -> bool:
    """Whether a change is no larger than a caret or a clock."""
    return box.w <= TINY[0] and box.h <= TINY[1]


def _are_apart(boxes: Sequence[Box]) -> bool:
    """Whether changes lie further apart than one caret or clock reaches."""
    across = max(box.x + box.w for box in boxes) - min(box.x for box in boxes)
    return across > TINY[0] or max(box.y + box.h for box in boxes) - min(box.y for box in boxes) > TINY[1]


def is_beside(box: Box, x: int, y: int) -> bool:
    """Whether a change is at a point, or next to it."""
    return box.x - NEAR_PX <= x <= box.x + box.w + NEAR_PX and box.y - NEAR_PX <= y <= box.y + box.h + NEAR_PX


def summarize(boxes: Sequence[Box]) -> ChangeSummary:
    """Summarize changed boxes, the largest `SUMMARIZED_BOXES` of them."""
    area, across, down, wide = 0, 0, 0, False
    for x, y, w, h in _largest(boxes, SUMMARIZED_BOXES):
        size = w * h
        area += size
        across += (2 * x + w) * size
        down += (2 * y + h) * size
        wide = wide or w > TINY[0] or h > TINY[1]
    halved = 0.5 / (area or 1)
    return ChangeSummary(float(area), across * halved, down * halved, wide)


def _largest(boxes: Sequence[Box], many: int) -> list[Box]:
    """Return the largest boxes; where some are left out, the order of `boxes` decides nothing."""
    if len(boxes) <= many:
        return list(boxes)
    return sorted(boxes, key=lambda box: (-box.w * box.h, box))[:many]


def marks_of(boxes: Sequence[Box]) -> set[tuple[int, int]]:
    """Return the origins of boxes on a coarse grid: the same field gives the same marks."""
    return {(x // MARK[0], y // MARK[1]) for x, y, _, _ in boxes}


def _is_at(click: Click, x: int, y: int) -> bool:
    return is_near((x, y), (click.x, click.y), SAME_PLACE)
