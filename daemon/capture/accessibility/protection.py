"""Password fields: keys wait until it is known where they went, and one span stands for all that go into one. Pure.

A key waits for a tenth of a second, or, while it is asked where the keyboard moved to, until that is answered. Of a
protected field there is no count and no time of any key; its rectangle is covered.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from daemon.capture.control_source import FocusMoved, FocusMoving, Observation
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole, EventKind, InputEvent, KeyClass

HOLD_NS = NS_PER_S // 10
"""How long a key waits for the news that the keyboard had moved before it (measured: 54 ms at most, with the role)."""

LONGEST_NS = NS_PER_S
"""How long it waits while the program has yet to say to what it moved; then that hangs, and takes no key either."""

MARGIN = 4
"""A field's frame and what it paints around itself, in pixels."""

_MOVES = (KeyClass.TAB, KeyClass.ENTER, KeyClass.ESCAPE, KeyClass.NAVIGATION, KeyClass.SHORTCUT, KeyClass.MENU)


@dataclass(slots=True)
class _Span:
    """Since when a field may have had the keyboard, until when, and where it is."""

    start_ns: int
    number: int
    box: Box | None
    end_ns: int | None = None
    logged: bool = False


@dataclass(slots=True)
class _Program:
    """Where the keyboard is in one program: the newest signal about it, since when that is a question, and fields."""

    number: int = 0
    asked_ns: int | None = None
    spans: list[_Span] = field(default_factory=list)


class FieldProtection:
    """Follows where the keyboard is, by what the sense reports, and holds input back accordingly."""

    def __init__(self) -> None:
        self._held: deque[InputEvent] = deque()
        self._programs: dict[int, _Program] = {}
        self._active: dict[int, int] = {}
        self._moves: deque[int] = deque(maxlen=16)

    @property
    def due_ns(self) -> int | None:
        """When the oldest input that is held back should be looked at again."""
        return self._held[0].t_ns + HOLD_NS if self._held else None

    def use_active(self, pid: int, now_ns: int) -> None:
        """Note which program is active; it gets keys from a moment before to a moment after that."""
        if len(self._active) > 1 or pid not in self._active:
            self._active = {one: t_ns for one, t_ns in self._active.items() if t_ns > now_ns - NS_PER_S}
        self._active[pid] = now_ns

    def covered(self, since_ns: int) -> frozenset[Box]:
        """Return the rectangles of fields that had the keyboard at any time since then."""
        return frozenset(
            Box(span.box.x - MARGIN, span.box.y - MARGIN, span.box.w + 2 * MARGIN, span.box.h + 2 * MARGIN)
            for program in self._programs.values()
            for span in program.spans
            if span.box is not None and (span.end_ns is None or span.end_ns >= since_ns)
        )

    def placeless(self, since_ns: int) -> set[int]:
        """Return the programs with a field that had the keyboard since then, and of which nobody said where it is."""
        return {
            pid
            for pid, program in self._programs.items()
            for span in program.spans
            if span.box is None and (span.end_ns is None or span.end_ns >= since_ns)
        }

    def clear(self) -> None:
        """Drop what is held back: the gate was closed. Where the keyboard is stays known."""
        self._held.clear()
        self._moves.clear()

    def release(self, events: Sequence[InputEvent]) -> list[InputEvent]:
        """Return all input at once and forget where the keyboard is: nobody says so any more."""
        passed = [*self._held, *events]
        self._held.clear()
        self._programs.clear()
        return passed

    def note(self, observations: Sequence[Observation]) -> None:
        """Take in what was observed of the keyboard."""
        for seen in observations:
            if isinstance(seen, FocusMoving | FocusMoved):
                program = self._programs.setdefault(seen.pid, _Program())
                if seen.number < program.number:
                    continue  # a slower answer about where it was before
                program.number = seen.number
                program.asked_ns = seen.t_ns if isinstance(seen, FocusMoving) else None
                if isinstance(seen, FocusMoved):
                    self._moved(program, seen)

    def is_waiting(self, now_ns: int) -> bool:
        """Return whether it is not known yet where the keyboard is."""
        return any(
            program.asked_ns is not None and now_ns < program.asked_ns + LONGEST_NS for program in self._receiving()
        )

    def apply(self, events: Sequence[InputEvent], now_ns: int) -> list[InputEvent]:
        """Return the input that may be handed on by now, in order; keys of protected fields as one span for each."""
        for event in events:
            if event.kind is EventKind.BUTTON_DOWN or event.key_class in _MOVES:
                self._moves.append(event.t_ns)
        self._held.extend(events)
        passed: list[InputEvent] = []
        while self._held and not self._must_wait(self._held[0], now_ns):
            event = self._held.popleft()
            span = self._span_at(event.t_ns) if event.kind is EventKind.KEY else None
            if span is None:
                passed.append(event)
            elif not span.logged:
                span.logged = True
                passed.append(InputEvent(t_ns=span.start_ns, kind=EventKind.PROTECTED))
        for program in self._programs.values():  # no key or picture of these is on its way any more
            program.spans = [s for s in program.spans if s.end_ns is None or s.end_ns > now_ns - 5 * NS_PER_S]
        return passed

    def _must_wait(self, event: InputEvent, now_ns: int) -> bool:
        return event.kind is EventKind.KEY and (now_ns < event.t_ns + HOLD_NS or self.is_waiting(now_ns))

    def _receiving(self) -> list[_Program]:
        """Return the programs that may get keys; all of them while it is not known which one is active."""
        if not self._active or 0 in self._active:
            return list(self._programs.values())
        return [program for pid, program in self._programs.items() if pid in self._active]

    def _moved(self, program: _Program, moved: FocusMoved) -> None:
        if program.spans and program.spans[-1].end_ns is None:
            if program.spans[-1].number == moved.number:
                return  # the same answer, with more in it
            program.spans[-1].end_ns = moved.t_ns
        control = moved.control
        if control is not None and control.role is ControlRole.PASSWORD:
            program.spans.append(_Span(self._start_ns(moved.t_ns), moved.number, control.box))

    def _start_ns(self, moved_ns: int) -> int:
        """Return since when keys may have gone into a field: since the act that moved the keyboard, if it is known."""
        acts = [t_ns for t_ns in self._moves if moved_ns - HOLD_NS <= t_ns <= moved_ns]
        return max(acts) + 1 if acts else moved_ns - HOLD_NS

    def _span_at(self, t_ns: int) -> _Span | None:
        for program in self._receiving():
            for span in reversed(program.spans):
                if span.start_ns <= t_ns and (span.end_ns is None or t_ns < span.end_ns):
                    return span
        return None
