"""Input between a backend's threads and the capture thread: callbacks check the gate, stamp, append and wake once.

They must not do more: every microsecond here is taken from the user's own programs. A callback may come long after its
event, so the time that the display server stamped decides whether the event falls into a pause.
"""

import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from daemon.capture.gate import Gate
from daemon.capture.keys import Fallback, KeyPress, cell_end, class_of_press
from storage.clock import NS_PER_S, Clock
from storage.records import EventKind, InputEvent, KeyClass

MAX_PENDING = 200_000
OVERLOAD = 500
_TIMES = 1 << 32
_COMMANDS = frozenset({KeyClass.FUNCTION, KeyClass.SHORTCUT, KeyClass.MENU, KeyClass.SAVE, KeyClass.ENTER})
"""Keys that may run something."""

MOVES = frozenset(
    {KeyClass.TAB, KeyClass.ENTER, KeyClass.ESCAPE, KeyClass.NAVIGATION, KeyClass.SHORTCUT, KeyClass.MENU}
)
"""Keys that may move the keyboard to another control."""

_WRITES = frozenset({KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.DELETE, KeyClass.PASTE, KeyClass.CUT})


@dataclass(slots=True)
class _Motion:
    """Pointer motion that is still growing."""

    t_ns: int
    x: int
    y: int
    path: float


class InputQueue:
    """Holds events between a backend's threads and the capture thread: in order, bounded, motion already merged."""

    def __init__(
        self,
        clock: Clock,
        gate: Gate,
        wake: Callable[[], None],
        on_activity: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Stamp with `clock`; pass each stamp, of a key the end of its cell, to `on_activity`; `wake` the thread."""
        self._clock = clock
        self._gate = gate
        self._wake = wake
        self._on_activity = on_activity
        self._lock = threading.Lock()
        self._pending: deque[InputEvent | _Motion] = deque()
        self._lost = self._cell_end_ns = 0
        self._position: tuple[int, int] | None = None
        self._drain_expected = False
        self._accept_from: tuple[int, int] | None = None
        self.urgent = False
        """Whether a click is pending: the picture of its answer should not come late."""
        self.flush_requested = False
        """Whether somebody waits for what is pending."""
        self.fallback = Fallback.GROUPS
        """How the program in front finds shortcuts on a keyboard without Latin letters."""
        self.on_press: Callable[[int, int, int], None] | None = None
        """Called with time and place when the main button goes down, in a thread of the backend's; must not block."""
        self.on_key: Callable[[], None] | None = None
        """Called in the same way for each key."""
        self.on_command: Callable[[bool], None] | None = None
        """Called in the same way for a key that may run something, with whether it is Enter by itself."""
        self.on_writing: Callable[[], None] | None = None
        """Called in the same way for the first key after such a one, or after a click, that writes or erases."""
        self.on_typing: Callable[[], None] | None = None
        """Called in the same way for the first key that writes after an act that may have moved the keyboard."""
        self.has_moved = True
        """Whether the keyboard may be elsewhere than when a key last wrote."""
        self._is_writing = False
        self.is_hidden: Callable[[], bool] = lambda: False
        """Called in the same way for each key: whether the program in front hides what is typed."""
        self._hides = False

    def accept_from(self, epoch: int, event_ms: int) -> None:
        """Discard what is pending; accept events stamped after `event_ms` while the gate is in `epoch`."""
        self.clear()
        self._accept_from = (epoch, event_ms)

    def accepts(self, event_ms: int) -> bool:
        """Return whether an event of this server time, which overflows after 50 days, may be taken in."""
        if self._accept_from is None:
            return False
        epoch, from_ms = self._accept_from
        return self._gate.passed(epoch) and 0 < (event_ms - from_ms) % _TIMES < _TIMES // 2

    def press(self, press: KeyPress) -> None:
        """Take in a key press; repeats of a key held down count as presses."""
        if self._gate.is_open:
            self.key(class_of_press(press, self.fallback), is_plain=not press.ctrl)

    def key(self, key_class: KeyClass, *, is_plain: bool, at_ns: int | None = None) -> None:
        """Take in a key whose class is known, whether it was pressed without Ctrl, and when; None: just now."""
        if self._gate.is_open:
            now_ns = self._clock.now_ns()
            self._put_key(key_class, now_ns if at_ns is None else min(at_ns, now_ns))
            if self.on_key is not None:
                self.on_key()
            if key_class in _WRITES and not self._is_writing and self.on_writing is not None:
                self._is_writing = True
                self.on_writing()
            elif key_class in _COMMANDS and self.on_command is not None:
                self._is_writing = False
                self.on_command(key_class is KeyClass.ENTER and is_plain)
            if key_class in MOVES:
                self.has_moved = True
            elif key_class in _WRITES and self.has_moved and self.on_typing is not None:
                self.has_moved = False
                self.on_typing()

    def _put_key(self, key_class: KeyClass, now_ns: int) -> None:
        """Take in a key; where what is typed is hidden, one span for all keys up to Enter."""
        if not self.is_hidden():
            self._hides = False
            self._put(InputEvent(t_ns=now_ns, kind=EventKind.KEY, key_class=key_class))
            return
        if not self._hides:
            self._put(InputEvent(t_ns=now_ns, kind=EventKind.PROTECTED))
        self._hides = key_class is not KeyClass.ENTER

    def presence(self, *, active: bool) -> None:
        """Take in that somebody began to be active, or ended: all that some desktops tell of input."""
        if self._gate.is_open:
            kind = EventKind.ACTIVE if active else EventKind.IDLE
            self._put(InputEvent(t_ns=self._clock.now_ns(), kind=kind))

    def click(self, x: int | None, y: int | None, button: str, pressed: bool) -> None:
        """Take in a press or release of `left`, `middle`, `right` or `other`, with its place where that is known."""
        if self._gate.is_open:
            kind = EventKind.BUTTON_DOWN if pressed else EventKind.BUTTON_UP
            event = InputEvent(t_ns=self._clock.now_ns(), kind=kind, button=button, x=x, y=y)
            self._put(event, urgent=True)
            if pressed:
                self._is_writing, self.has_moved = False, True  # what is typed next may go elsewhere
            if pressed and button == "left" and x is not None and y is not None and self.on_press is not None:
                self.on_press(event.t_ns, x, y)

    def scroll(self, x: int | None, y: int | None, dx: int, dy: int) -> None:
        """Take in a scroll step."""
        if self._gate.is_open:
            now_ns = self._clock.now_ns()
            self._put(InputEvent(t_ns=now_ns, kind=EventKind.SCROLL, x=x, y=y, dx=dx, dy=dy))

    def move(self, x: int, y: int) -> None:
        """Take in motion: it extends the pending motion, unless another event came in between."""
        if not self._gate.is_open:
            return
        now_ns = self._clock.now_ns()
        with self._lock:
            last_x, last_y = self._position or (x, y)
            self._position = (x, y)
            step = math.hypot(x - last_x, y - last_y)
            last = self._pending[-1] if self._pending else None
            if isinstance(last, _Motion):
                self._on_activity(now_ns)
                last.t_ns, last.x, last.y, last.path = now_ns, x, y, last.path + step
                return
        self._put(_Motion(now_ns, x, y, step))

    @property
    def due_ns(self) -> int:
        """When to drain at the earliest if only keys are pending, so that `at_ns` tells no more than `t_ns`; 0: now."""
        with self._lock:
            first = self._pending[0] if self._pending else None
        return self._cell_end_ns if isinstance(first, InputEvent) and first.kind is EventKind.KEY else 0

    @property
    def has_pending(self) -> bool:
        """Whether any event is pending."""
        return bool(self._pending)

    def request_flush(self) -> bool:
        """Have what is pending handed over soon, from any thread; return whether there is anything."""
        with self._lock:
            if not self._pending:
                return False
            was_requested, self.flush_requested = self.flush_requested, True
        if not was_requested:
            self._wake()
        return True

    def drain(self) -> tuple[list[InputEvent], int]:
        """Return all pending events and how many were lost; after some, drain again: only a click wakes until then."""
        with self._lock:
            pending, self._pending = self._pending, deque()
            self.urgent = self.flush_requested = False
            lost, self._lost = self._lost, 0
            self._drain_expected = bool(pending)
        return [_finished(event) if isinstance(event, _Motion) else event for event in pending], lost

    def clear(self) -> None:
        """Discard what is pending: the gate was closed."""
        with self._lock:
            self._pending.clear()
            self._lost = 0
            self._position = None
            self._drain_expected = self.urgent = self.flush_requested = False
        self.has_moved = True

    def _put(self, event: InputEvent | _Motion, *, urgent: bool = False) -> None:
        with self._lock:
            if len(self._pending) >= MAX_PENDING:
                self._lost += 1
                return
            if not self._pending:
                self._cell_end_ns = cell_end(self._clock.now_ns())  # it may have come late, past the cell of its press
            self._pending.append(event)
            is_key = isinstance(event, InputEvent) and event.kind is EventKind.KEY
            self._on_activity(cell_end(event.t_ns) if is_key else event.t_ns)
            must_wake = (len(self._pending) == 1 and not self._drain_expected) or (urgent and not self.urgent)
            self.urgent = self.urgent or urgent
        if must_wake:
            self._wake()


class MotionMerger:
    """Merges motion further, across drains, so that few events a second remain; it holds back one event."""

    def __init__(self, motion_per_s: float) -> None:
        """Let at most `motion_per_s` out; before any other event the motion held back comes out, to keep the order."""
        self._slot_ns = round(NS_PER_S / motion_per_s)
        self._held: InputEvent | None = None
        self._last_ns = -self._slot_ns

    @property
    def due_ns(self) -> int | None:
        """When the motion held back should come out even if nothing follows."""
        return None if self._held is None else self._last_ns + self._slot_ns

    def merge(self, events: list[InputEvent], now_ns: int) -> list[InputEvent]:
        """Return the events with motion merged and, under overload, equal neighbours merged as well."""
        merged: list[InputEvent] = []
        for event in events:
            if event.kind is EventKind.MOTION:
                path = event.path + (self._held.path if self._held else 0)
                self._held = replace(event, path=path)
                if event.t_ns >= self._last_ns + self._slot_ns:
                    self._flush(merged)
            else:
                self._flush(merged)
                merged.append(event)
        if self.due_ns is not None and now_ns >= self.due_ns:
            self._flush(merged)
        return _condensed(merged) if len(merged) > OVERLOAD else merged

    def clear(self) -> None:
        """Discard the motion held back."""
        self._held = None

    def _flush(self, merged: list[InputEvent]) -> None:
        if self._held is not None:
            merged.append(self._held)
            self._last_ns, self._held = self._held.t_ns, None


def _finished(motion: _Motion) -> InputEvent:
    return InputEvent(t_ns=motion.t_ns, kind=EventKind.MOTION, x=motion.x, y=motion.y, path=round(motion.path))


def _condensed(events: list[InputEvent]) -> list[InputEvent]:
    """Merge equal neighbours into one event with a count; presses and releases of buttons stay single."""
    merged: list[InputEvent] = []
    last_key = None
    for event in events:
        key = _merge_key(event)
        if key is None or key != last_key:
            merged.append(event)
        else:
            last = merged[-1]
            total = {name: getattr(last, name) + getattr(event, name) for name in ("dx", "dy", "path", "count")}
            merged[-1] = replace(last, t_ns=event.t_ns, x=event.x, y=event.y, **total)
        last_key = key
    return merged


def _merge_key(event: InputEvent) -> tuple[object, ...] | None:
    """Return what neighbours must share to be merged; None for an event that stays single."""
    if event.kind is EventKind.KEY:
        return event.kind, event.own, event.key_class
    if event.kind is EventKind.SCROLL:
        return event.kind, event.own, event.dx > 0, event.dx < 0, event.dy > 0, event.dy < 0
    return (event.kind, event.own) if event.kind is EventKind.MOTION else None
