"""Password fields: keys wait until it is known where they went, and one span stands for all that go into one. Pure.

A key waits for a tenth of a second, or, while it is asked where the keyboard moved to, until that is answered. Where
that takes too long one span stands for all keys until then: they may be a password typed ahead. Pictures wait less:
they go on without the windows of a program that has yet to answer. Of a protected field there is no count and no time
of any key; its rectangle is covered.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from daemon.capture.accessibility.covered_fields import CoveredFields
from daemon.capture.control_source import (
    AnswerAwaited,
    AnswerGiven,
    FieldSeen,
    FocusMoved,
    FocusMoving,
    Observation,
)
from daemon.capture.input import MOVES
from daemon.capture.scene import Scene
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole, EventKind, InputEvent

HOLD_NS = NS_PER_S // 10
"""How long a key waits for the news that the keyboard had moved before it (measured: 54 ms at most, with the role)."""

LONGEST_NS = NS_PER_S
"""How long pictures and other input wait while the program has yet to say to what it moved; pictures then go on without
its windows."""

HANGS_NS = 15 * NS_PER_S
"""How long keys wait for that; then the program hangs, and a span stands for them. A program that starts on a busy
machine was measured to take 9 s."""

AROUND_NS = NS_PER_S
"""How long after it was the active one a program may still get keys."""

KEPT_NS = HANGS_NS + 5 * NS_PER_S
"""No key or picture is on its way longer."""

_NEVER_NS = 1 << 62
_UNKNOWN = -1
"""Stands for the number of the news in a span of keys of which it is not known where they go."""


@dataclass(slots=True)
class _Span:
    """Since when a field may have had the keyboard, and until when."""

    start_ns: int
    number: int
    key: Hashable = None
    end_ns: int | None = None
    logged: bool = False
    waits: bool = False
    """Whether keys that may be in it still wait."""
    is_plain: bool | None = None
    """Whether all that its program has said of it since is plain; None if it has said nothing."""


@dataclass(slots=True)
class _Program:
    """Where the keyboard is in one program: the newest signal about it, since when that is a question, and fields.

    `awaited_ns` is since when it has not said that it took in what may have moved its keyboard.
    """

    number: int = 0
    is_plain: bool | None = None
    """Whether what has its keyboard is plain; None while it has not said so. What cannot say it may be gone by then."""
    is_doubtful: bool = False
    """Whether its keyboard was meanwhile in what is not plain, or is gone, while it is not known where it is now."""
    unanswered: set[int] = field(default_factory=set)
    """The numbers of its signals of which it has not said what got the keyboard."""
    moved_ns: int = 0
    """When the newest of them came."""
    asked_ns: int | None = None
    awaited_ns: int | None = None
    spans: list[_Span] = field(default_factory=list)

    @property
    def question_ns(self) -> int | None:
        """Since when it is not known where its keyboard is; None if it is."""
        return min((t_ns for t_ns in (self.asked_ns, self.awaited_ns) if t_ns is not None), default=None)

    @property
    def open(self) -> _Span | None:
        """The span that goes on, if there is one."""
        return self.spans[-1] if self.spans and self.spans[-1].end_ns is None else None


class FieldProtection:
    """Follows where the keyboard is, by what the sense reports, and holds input back accordingly."""

    def __init__(self) -> None:
        self._held: deque[InputEvent] = deque()
        self._programs: dict[int, _Program] = {}
        self._active: dict[int, int] = {}
        self._active_now = self._front = self._front_since_ns = 0
        self._moves: deque[int] = deque(maxlen=16)
        self._passed_ns = 0
        self._fields = CoveredFields()

    @property
    def due_ns(self) -> int | None:
        """When the oldest input that is held back should be looked at again."""
        return self._held[0].t_ns + HOLD_NS if self._held else None

    @property
    def waiting(self) -> int:
        """How much input is held back."""
        return sum(event.count for event in self._held)

    def use_active(self, pid: int, now_ns: int) -> None:
        """Note which program is active; it gets keys from a moment before to a moment after that."""
        if pid != self._active_now:
            self._active[self._active_now] = now_ns  # it was that until now
            self._active_now = pid
            if pid not in (0, self._front):
                self._front, self._front_since_ns = pid, now_ns
        if len(self._active) > 1 or pid not in self._active:
            since_ns = now_ns - HANGS_NS - AROUND_NS
            self._active = {pid: t_ns for pid, t_ns in self._active.items() if t_ns > since_ns}
        self._active[pid] = now_ns

    def follow(self, scene: Scene, now_ns: int) -> None:
        """Take in where windows are now."""
        self._fields.follow(scene, now_ns)

    def covered(self, since_ns: int) -> frozenset[Box]:
        """Return the rectangles of fields that had the keyboard, and were not empty or gone since then."""
        return self._fields.covered(since_ns)

    def placeless(self, since_ns: int) -> set[int]:
        """Return the programs with such a field of which nobody said where it is, or where keys went and that hang."""
        unknown = {
            pid
            for pid, program in self._programs.items()
            for span in program.spans
            if span.number == _UNKNOWN
            and (span.logged or span.waits)
            and (span.end_ns is None or span.end_ns >= since_ns)
        }
        return self._fields.placeless(since_ns) | unknown

    def clear(self) -> None:
        """Drop what is held back: the gate was closed. Where the keyboard is stays known, and fields stay covered.

        What was asked before that is not answered any more.
        """
        self._held.clear()
        self._moves.clear()
        for program in self._programs.values():
            program.asked_ns = program.awaited_ns = None
            program.unanswered.clear()
            if program.open is not None and program.open.number == _UNKNOWN:
                program.spans.pop()

    def release(self, events: Sequence[InputEvent], *, forget_fields: bool = True) -> list[InputEvent]:
        """Return all input at once and forget where the keyboard is: nobody says so any more.

        What has yet to be answered never will be. Unless fields are forgotten they stay covered.
        """
        passed = self.apply(events, _NEVER_NS)
        self._programs.clear()
        if forget_fields:
            self._fields.clear()
        else:
            self._fields.lose()
        return passed

    def acted(self, events: Sequence[InputEvent]) -> None:
        """Take in what may move the keyboard; before what it did is noted, or the next field would begin before it."""
        for event in events:
            is_move = event.kind is EventKind.BUTTON_DOWN or event.key_class in MOVES
            if is_move and event.t_ns not in self._moves:
                self._moves.append(event.t_ns)

    def note(self, observations: Sequence[Observation]) -> None:
        """Take in what was observed of the keyboard."""
        for seen in observations:
            if isinstance(seen, FieldSeen):
                self._fields.seen(seen)
            elif isinstance(seen, AnswerAwaited):
                program = self._programs.setdefault(seen.pid, _Program())
                program.awaited_ns = seen.t_ns if program.awaited_ns is None else program.awaited_ns
            elif isinstance(seen, AnswerGiven):
                program = self._programs.setdefault(seen.pid, _Program())
                program.awaited_ns = None
                if program.asked_ns is None:
                    self._end_unknown(program, seen.pid, seen.t_ns)
            elif isinstance(seen, FocusMoving | FocusMoved):
                program = self._programs.setdefault(seen.pid, _Program())
                (program.unanswered.add if isinstance(seen, FocusMoving) else program.unanswered.discard)(seen.number)
                if seen.number < program.number:  # a slower answer about where it was before
                    self._note_left(program, seen)
                    continue
                is_answer = seen.number == program.number
                program.number, program.moved_ns = seen.number, seen.t_ns
                program.asked_ns = seen.t_ns if isinstance(seen, FocusMoving) else None
                if isinstance(seen, FocusMoved):
                    self._moved(program, seen, is_answer=is_answer)
        for program in self._programs.values():
            program.is_doubtful = program.is_doubtful and program.question_ns is not None

    def is_waiting(self, now_ns: int) -> bool:
        """Return whether it is not known yet where the keyboard is, and a picture should wait for that."""
        return self._is_asked(now_ns, now_ns - LONGEST_NS)

    def apply(self, events: Sequence[InputEvent], now_ns: int, *, is_untold: bool = False) -> list[InputEvent]:
        """Return the input that may be handed on by now; keys of protected fields as one span for each.

        While it is `is_untold` whether a program has yet to answer no key is handed on; that may be late.
        It is in order, but nothing else waits for longer than a second behind keys that do.
        """
        self.acted(events)
        self._held.extend(events)
        for program in self._programs.values():
            self._begin_unknown(program, now_ns)
        passed: list[InputEvent] = []
        while self._held and not self._must_wait(self._held[0], now_ns, is_untold=is_untold):
            event = self._held.popleft()
            span = self._span_at(event.t_ns) if event.kind is EventKind.KEY else None
            if span is None:
                passed.append(event)
                self._passed_ns = max(self._passed_ns, event.t_ns)
            elif not span.logged:
                span.logged = True
                t_ns = max(span.start_ns, self._passed_ns)  # never before what was handed on already
                passed.append(InputEvent(t_ns=t_ns, kind=EventKind.PROTECTED))
        late = [e for e in self._held if e.kind is not EventKind.KEY and now_ns >= e.t_ns + LONGEST_NS]
        if late:
            self._held = deque(event for event in self._held if event not in late)
            self._passed_ns = max(self._passed_ns, late[-1].t_ns)
            passed += late
        for program in self._programs.values():
            program.spans = [s for s in program.spans if s.end_ns is None or s.end_ns > now_ns - KEPT_NS]
        return passed

    def _must_wait(self, event: InputEvent, now_ns: int, *, is_untold: bool) -> bool:
        if event.kind is not EventKind.KEY or now_ns >= event.t_ns + HANGS_NS:
            return False
        return is_untold or now_ns < event.t_ns + HOLD_NS or self._is_asked(event.t_ns, now_ns - HANGS_NS)

    def _is_asked(self, t_ns: int, since_ns: int) -> bool:
        """Return whether a program that may have got the keys of a time is asked, later than `since_ns`, where to."""
        questions = [program.question_ns for program in self._receiving(t_ns)]
        return any(asked_ns is not None and asked_ns > since_ns for asked_ns in questions)

    def _receiving(self, t_ns: int) -> list[_Program]:
        """Return the programs that may have got the keys of a time; all while it is not known which one was active."""
        active = {pid for pid, active_ns in self._active.items() if active_ns > t_ns - AROUND_NS} | {self._active_now}
        if 0 in active:
            return list(self._programs.values())
        return [program for pid, program in self._programs.items() if pid in active]

    def _moved(self, program: _Program, moved: FocusMoved, *, is_answer: bool) -> None:
        control, before = moved.control, program.open
        is_protected = control is not None and control.role is ControlRole.PASSWORD
        program.is_plain = not is_protected if control is not None else False if is_answer else None
        span = _Span(self._start_ns(program, moved.t_ns), moved.number)
        if before is not None:
            is_same = control is not None and is_protected and before.key == control.key
            if before.number == moved.number or is_same:
                before.number = moved.number
                return  # the same answer, with more in it, or the same field once more
            if before.number != _UNKNOWN:
                before.end_ns = moved.t_ns
                self._fields.left(moved.pid, before.key, moved.t_ns)
            elif is_protected:
                span = program.spans.pop()  # that is where they went
                span.number = moved.number
            else:
                if program.is_plain is not None and before.is_plain is not False:
                    before.is_plain = program.is_plain
                if program.awaited_ns is None:
                    self._end_unknown(program, moved.pid, self._held[-1].t_ns + 1 if self._held else before.start_ns)
        if control is not None and is_protected:
            span.key = control.key
            program.spans.append(span)
            self._fields.entered(moved.pid, control.key, control.box)

    def _note_left(self, program: _Program, seen: FocusMoving | FocusMoved) -> None:
        """Take in what had the keyboard before; a field that is known too late to have been one is covered.

        What is gone by then may have been one.
        """
        if not isinstance(seen, FocusMoved):
            return
        control = seen.control
        if control is not None and control.role is not ControlRole.PASSWORD:
            return
        if program.question_ns is not None:
            program.is_doubtful = True
        if program.open is not None:
            program.open.is_plain = False
        if control is not None:
            span = _Span(self._start_ns(program, seen.t_ns), seen.number, control.key, end_ns=program.moved_ns)
            program.spans.insert(len(program.spans) - (program.open is not None), span)
            self._fields.entered(seen.pid, control.key, control.box)
            self._fields.left(seen.pid, control.key, seen.t_ns)

    def _begin_unknown(self, program: _Program, now_ns: int) -> None:
        """Have a span stand for keys of a program that has not said for too long where its keyboard is.

        While they wait they may yet turn out to have gone elsewhere.
        """
        since_ns = program.question_ns
        if since_ns is not None and now_ns >= since_ns + LONGEST_NS and program.open is None:
            ended_ns = program.spans[-1].end_ns if program.spans else None
            start_ns = max(self._start_ns(program, since_ns), ended_ns or 0)
            is_plain = False if program.is_doubtful else program.is_plain if program.asked_ns is None else None
            program.spans.append(_Span(start_ns, _UNKNOWN, is_plain=is_plain))
        span = program.open
        if span is not None and span.number == _UNKNOWN and not span.waits:
            keys = [event.t_ns for event in self._held if event.kind is EventKind.KEY and event.t_ns >= span.start_ns]
            span.waits = any(program is other for t_ns in keys for other in self._receiving(t_ns))

    def _end_unknown(self, program: _Program, pid: int, t_ns: int) -> None:
        """End the span of keys of which it was not known where they went; drop it where they went to nothing protected.

        That is certain only where all that the program was asked since is answered and plain, and nothing has moved the
        keyboard since it is in front: it may answer before it has worked off the keys that wait for it.
        """
        span = program.open
        if span is None or span.number != _UNKNOWN:
            return
        has_moved = any(act_ns >= self._front_since_ns - AROUND_NS for act_ns in self._moves)
        is_plain = span.is_plain and pid == self._front and not has_moved and not program.unanswered
        program.unanswered.clear()
        span.end_ns = span.start_ns if is_plain else t_ns

    def _start_ns(self, program: _Program, moved_ns: int) -> int:
        """Return since when keys may have gone into a field: since the act that moved the keyboard, if it is known.

        A program that hung has moved it late.
        """
        hung_ns = program.awaited_ns
        acts = [t_ns for t_ns in self._moves if moved_ns - HOLD_NS <= t_ns <= moved_ns]
        if hung_ns is not None:
            acts = [max((t_ns for t_ns in self._moves if t_ns <= hung_ns), default=hung_ns - HOLD_NS)]
        return max(acts) + 1 if acts else moved_ns - HOLD_NS

    def _span_at(self, t_ns: int) -> _Span | None:
        for program in self._receiving(t_ns):
            for span in reversed(program.spans):
                if span.start_ns <= t_ns and (span.end_ns is None or t_ns < span.end_ns):
                    return span
        return None
