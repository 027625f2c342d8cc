"""Input by pynput: callbacks ask the gate, stamp and append, and wake the capture thread once; nothing else.

pynput's threads must not do more: at thousands of events a second every microsecond here is taken from the person's
own programs. Keys arrive here and leave as classes (`daemon.capture.keys`). A callback may come long after its event:
whether that falls into a pause is told by the time that the X server gave it, not by the time of the callback.
"""

import contextlib
import logging
import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from daemon.capture.keys import Key, KeyReader
from daemon.gate import Gate
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault
from storage.records import EventKind, InputEvent

logger = logging.getLogger(__name__)

MAX_PENDING = 200_000
OVERLOAD = 500
_READY_S = 5.0
_TIMES = 1 << 32
_BUTTONS = frozenset({"left", "middle", "right"})


class SeenMark(Protocol):
    """Where the time of the last thing seen is kept so that it outlives a kill (`storage.session.heartbeat`)."""

    def seen(self, t_ns: int) -> None:
        """Note that something was seen at `t_ns`; called from callbacks, so it must cost next to nothing."""
        ...


@dataclass(slots=True)
class _Motion:
    """Pointer motion that is still growing."""

    t_ns: int
    x: int
    y: int
    path: float


class InputQueue:
    """Holds events between pynput's threads and the capture thread: in order, bounded, motion already merged."""

    def __init__(self, clock: Clock, gate: Gate, wake: Callable[[], None], pulse: SeenMark | None = None) -> None:
        """Stamp with `clock`, tell `pulse` of all; call `wake` for the first that waits and for the first click."""
        self._clock = clock
        self._gate = gate
        self._wake = wake
        self._pulse = pulse
        self._lock = threading.Lock()
        self._pending: deque[InputEvent | _Motion] = deque()
        self._lost = 0
        self._place: tuple[int, int] | None = None
        self._expected = False
        self._heard_from: tuple[int, int] | None = None
        self.urgent = False
        """Whether a click waits: the picture of its answer should not come late."""
        self.keys = KeyReader()

    def hear(self, epoch: int, server_ms: int) -> None:
        """Forget what waits, and hear what the server stamps after `server_ms`, while the gate is in `epoch`."""
        self.clear()
        self._heard_from = (epoch, server_ms)

    def hears(self, server_ms: int) -> bool:
        """Tell whether an event of this server time may be taken in; whoever delivers events asks before each.

        Times run over after 50 days and are compared to half of that, far longer than any session.
        """
        if self._heard_from is None:
            return False
        epoch, from_ms = self._heard_from
        return self._gate.passed(epoch) and 0 < (server_ms - from_ms) % _TIMES < _TIMES // 2

    def press(self, key: Key | None) -> None:
        """Take a key press in; repeats of a key held down count as presses."""
        if self._gate.is_open:
            self._put(InputEvent(t_ns=self._clock.now_ns(), kind=EventKind.KEY, key_class=self.keys.press(key)))

    def release(self, key: Key | None) -> None:
        """Take a key release in: only modifiers matter."""
        if self._gate.is_open:
            self.keys.release(key)

    def click(self, x: int, y: int, button: Any, pressed: bool) -> None:  # pynput's signature
        """Take a button press or release in."""
        if self._gate.is_open:
            kind = EventKind.BUTTON_DOWN if pressed else EventKind.BUTTON_UP
            name = button.name if button.name in _BUTTONS else "other"
            event = InputEvent(t_ns=self._clock.now_ns(), kind=kind, button=name, x=int(x), y=int(y))
            self._put(event, urgent=True)

    def scroll(self, x: int, y: int, dx: int, dy: int) -> None:
        """Take a scroll step in."""
        if self._gate.is_open:
            now_ns = self._clock.now_ns()
            self._put(InputEvent(t_ns=now_ns, kind=EventKind.SCROLL, x=int(x), y=int(y), dx=int(dx), dy=int(dy)))

    def move(self, x: int, y: int) -> None:
        """Take motion in: it grows the motion that waits, unless something else came in between."""
        if not self._gate.is_open:
            return
        now_ns = self._clock.now_ns()
        with self._lock:
            last_x, last_y = self._place or (x, y)
            self._place = (x, y)
            step = math.hypot(x - last_x, y - last_y)
            last = self._pending[-1] if self._pending else None
            if isinstance(last, _Motion):
                if self._pulse is not None:
                    self._pulse.seen(now_ns)
                last.t_ns, last.x, last.y, last.path = now_ns, int(x), int(y), last.path + step
                return
        self._put(_Motion(now_ns, int(x), int(y), step))

    @property
    def waits(self) -> bool:
        """Whether anything waits."""
        return bool(self._pending)

    def drain(self) -> tuple[list[InputEvent], int]:
        """Return all that waits, in order, and how much was lost because too much did.

        Whoever got something must come again by itself: until a drain finds nothing, only a click wakes.
        """
        with self._lock:
            pending, self._pending, self.urgent = self._pending, deque(), False
            lost, self._lost = self._lost, 0
            self._expected = bool(pending)
        return [_finished(event) if isinstance(event, _Motion) else event for event in pending], lost

    def clear(self) -> None:
        """Forget what waits: the gate was closed."""
        with self._lock:
            self._pending.clear()
            self._lost = 0
            self._place = None
            self._expected = self.urgent = False
        self.keys.reset()

    def _put(self, event: InputEvent | _Motion, *, urgent: bool = False) -> None:
        with self._lock:
            if len(self._pending) >= MAX_PENDING:
                self._lost += 1
                return
            self._pending.append(event)
            if self._pulse is not None:
                self._pulse.seen(event.t_ns)
            wanted = (len(self._pending) == 1 and not self._expected) or (urgent and not self.urgent)
            self.urgent = self.urgent or urgent
        if wanted:
            self._wake()


class MotionMerger:
    """Merges motion further, so that at most so many a second remain, across drains; bounded by one event kept."""

    def __init__(self, motion_per_s: float) -> None:
        """Keep at most `motion_per_s`; before another event what was kept comes out, for the order's sake."""
        self._slot_ns = round(NS_PER_S / motion_per_s)
        self._kept: InputEvent | None = None
        self._last_ns = -self._slot_ns

    @property
    def due_ns(self) -> int | None:
        """When the motion kept should come out even if nothing follows."""
        return None if self._kept is None else self._last_ns + self._slot_ns

    def merge(self, events: list[InputEvent], now_ns: int) -> list[InputEvent]:
        """Return the events with motion merged and, under overload, equal neighbours merged as well."""
        merged: list[InputEvent] = []
        for event in events:
            if event.kind is EventKind.MOTION:
                path = event.path + (self._kept.path if self._kept else 0)
                self._kept = replace(event, path=path)
                if event.t_ns >= self._last_ns + self._slot_ns:
                    self._flush(merged)
            else:
                self._flush(merged)
                merged.append(event)
        if self.due_ns is not None and now_ns >= self.due_ns:
            self._flush(merged)
        return _condensed(merged) if len(merged) > OVERLOAD else merged

    def clear(self) -> None:
        """Forget the motion kept."""
        self._kept = None

    def _flush(self, merged: list[InputEvent]) -> None:
        if self._kept is not None:
            merged.append(self._kept)
            self._last_ns, self._kept = self._kept.t_ns, None


class Listeners:
    """pynput's two listeners for keys and pointer, feeding a queue."""

    def __init__(self, queue: InputQueue) -> None:
        """Start both, and return when they hear.

        Raises:
            EnvironmentFault: they cannot listen here.
        """
        try:
            from pynput import keyboard, mouse
        except ImportError as fault:
            raise EnvironmentFault(
                "keys and pointer cannot be listened to on this display", remedy="see kairos doctor", code="no_input"
            ) from fault
        self._listeners = [
            _quiet(keyboard.Listener, queue.hears)(on_press=queue.press, on_release=queue.release),
            _quiet(mouse.Listener, queue.hears)(on_move=queue.move, on_click=queue.click, on_scroll=queue.scroll),
        ]
        for listener, name in zip(self._listeners, ("keys", "pointer"), strict=True):
            listener.name = name
            listener.start()
            waiting = threading.Thread(target=listener.wait, name=f"{name}-ready", daemon=True)
            waiting.start()
            waiting.join(_READY_S)  # pynput itself would wait for ever for a listener that died
            if waiting.is_alive() or not listener.is_alive():
                self.stop()
                raise EnvironmentFault(
                    f"listening to {name} did not start", remedy="see kairos doctor", code="no_input"
                )

    @property
    def alive(self) -> bool:
        """Whether both still listen."""
        return all(listener.is_alive() for listener in self._listeners)

    def stop(self) -> None:
        """End both; nothing happens to one that is gone."""
        for listener in self._listeners:
            with contextlib.suppress(Exception):  # whatever a dead X connection raises here
                if listener.is_alive():
                    listener.stop()
        for listener in self._listeners:
            if listener.is_alive():
                threading.Thread.join(listener, 1.0)


def _quiet(kind: Any, hears: Callable[[int], bool]) -> Any:
    """Return a listener class that asks `hears` about the server time of each event before it looks at it.

    It ends silently when the X server goes; the capture thread tells of that.
    """

    class Quiet(kind):  # type: ignore[misc]  # pynput is untyped
        def run(self) -> None:
            try:
                super().run()
            except Exception as fault:  # noqa: BLE001  # the boundary of a thread that is not ours
                logger.debug("a listener ended: %s", type(fault).__name__)
            finally:
                for display in (getattr(self, "_display_stop", None), getattr(self, "_display_record", None)):
                    if display is not None:
                        display.display.socket.close()  # pynput leaves it open when the server is gone

        def _handle_message(self, display: Any, event: Any, injected: bool) -> None:
            if hears(event.time):
                super()._handle_message(display, event, injected)

        def _stop_platform(self) -> None:
            """Disable recording over a connection of its own; pynput's own way ends only with the next event."""
            from Xlib.display import Display

            display = Display(self._display_record.get_display_name())
            try:
                display.record_disable_context(self._context)
                display.sync()
            finally:
                display.display.socket.close()

    return Quiet


def _finished(motion: _Motion) -> InputEvent:
    return InputEvent(t_ns=motion.t_ns, kind=EventKind.MOTION, x=motion.x, y=motion.y, path=round(motion.path))


def _condensed(events: list[InputEvent]) -> list[InputEvent]:
    """Merge equal neighbours into one event with a count; presses and releases of buttons stay single."""
    merged: list[InputEvent] = []
    for event in events:
        last = merged[-1] if merged else None
        if last is None or not _alike(last, event):
            merged.append(event)
        else:
            merged[-1] = replace(
                last,
                t_ns=event.t_ns,
                x=event.x,
                y=event.y,
                dx=last.dx + event.dx,
                dy=last.dy + event.dy,
                path=last.path + event.path,
                count=last.count + event.count,
            )
    return merged


def _alike(last: InputEvent, event: InputEvent) -> bool:
    if last.kind is not event.kind or last.own != event.own:
        return False
    if event.kind is EventKind.KEY:
        return last.key_class is event.key_class
    if event.kind is EventKind.SCROLL:
        return (last.dx > 0, last.dx < 0, last.dy > 0, last.dy < 0) == (
            event.dx > 0,
            event.dx < 0,
            event.dy > 0,
            event.dy < 0,
        )
    return event.kind is EventKind.MOTION
