"""What a program writes by itself after a command, in a part without the keyboard: where it says how a run went.

After a command, and until the person writes again, it is the program that writes. Only then a text is read, once
nothing was written for a moment: what was written in one go, in a part of many lines that has not the keyboard, was
never typed into, and writes nothing without a command. Nothing is handed on but a line that names an error, once for a
command, and that a part which showed one shows none any more.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.program import BusProgram
from daemon.capture.accessibility.atspi.protocol import MULTI_LINE
from daemon.capture.accessibility.atspi.signals import Signal
from daemon.capture.message_texts import MAX_REPORT, error_in, has_failed, went_well
from storage.clock import NS_PER_S

ANSWERED_NS = 20 * NS_PER_S
"""What is written later after a command, or after what it brought last, is no answer to it."""

LIKELY_NS = 300 * NS_PER_S
"""How long after a command another one is likely. The program may answer it at once, so it must be heard before."""

QUIET_NS = 2 * NS_PER_S // 5
"""A text is read once nothing was written for this long; the next time for twice as long, as a build takes its time."""

HEARD_NS = NS_PER_S
"""What was written this shortly before a click is known to run something may answer it."""

KEY_NS = NS_PER_S // 5
"""A program may have answered a key before this is known of it."""

OWN_NS = 10 * NS_PER_S
"""A part that wrote this shortly before a command without one is a log, and answers nobody."""

DONE_NS = 3 * NS_PER_S
"""A part that wrote nothing for this long has said how a run went, unless it is a slow one."""

MAX_READ = 6
"""How many texts are read after one command: some programs write all the time."""

MAX_PARTS = 8
"""How many parts of a program are known; an output is one, or a few."""

MAX_TYPED = 64

Report = Callable[[str | None, int, int], None]
"""Takes the line of an error, None where there is none any more, and when and in which epoch of the gate that was."""


@dataclass(slots=True)
class _Part:
    """One part that a program wrote into."""

    epoch: int = 0
    start: int = 0
    end: int = 0
    began_ns: int = 0
    """What was written last in one go, from where to where, and since when."""
    written_ns: int = 0
    is_unread: bool = False
    own_ns: int = -OWN_NS
    """When it was last written into without a command."""
    is_failing: bool = False
    """Whether it showed an error when it was last read after a command, or a run failed there."""
    is_clean: bool = False
    """Whether it was read since and showed none."""
    first_row: int | None = None
    """The first row that was added since the command, if it is a list."""


class Outputs:
    """Follows what one program writes from a command until the person writes again."""

    def __init__(self, program: BusProgram, report: Report) -> None:
        self._program = program
        self._report = report
        self._command = 0
        """Counts commands and ends: what was begun under another number counts no more."""
        self._began_ns = 0
        self._until_ns = self._likely_until_ns = 0
        self._reads = 0
        self._reading = False
        self._has_failed = False
        self._parts: OrderedDict[str, _Part] = OrderedDict()
        self._typed: OrderedDict[str, None] = OrderedDict()
        """Parts that were typed into."""
        self._keyboard: Sequence[str] = ()
        """Texts that had the keyboard before the command, the last one first."""

    @property
    def is_expected(self) -> bool:
        """Whether what is written now may answer a command."""
        return self._reads < MAX_READ and self._program.clock.now_ns() < self._until_ns

    @property
    def is_likely(self) -> bool:
        """Whether commands were given lately, so that what the program writes should be heard."""
        return self._program.clock.now_ns() < self._likely_until_ns

    def begin(self, since_ns: int | None, keyboard: Sequence[str] = ()) -> None:
        """A command was given at a time, or just now: what is written since then may answer it.

        `keyboard` are texts that have the keyboard, or had it, the last one first. The first of many lines is
        what the person works in, also where a field of a dialog has the keyboard, and is not read.
        """
        now_ns = self._program.clock.now_ns()
        since_ns = now_ns - KEY_NS if since_ns is None else since_ns
        self._conclude(now_ns)
        self._command += 1
        self._began_ns = since_ns
        self._until_ns, self._likely_until_ns = now_ns + ANSWERED_NS, now_ns + LIKELY_NS
        self._reads, self._has_failed = 0, False
        self._keyboard = keyboard
        for part in self._parts.values():
            part.first_row = None
            part.is_unread = part.is_unread and part.began_ns >= since_ns >= now_ns - HEARD_NS
        self._read_soon()

    def end(self) -> None:
        """The person writes: what was not read will not be."""
        self._command += 1
        self._until_ns = 0
        for part in self._parts.values():
            part.is_unread = False

    def forget(self) -> None:
        """Nobody knows any more who writes."""
        self._command += 1
        self._until_ns = self._likely_until_ns = 0
        self._parts.clear()

    def note_typed(self, path: str) -> None:
        """Take in that the person typed into a part: it is theirs, and is never read."""
        self._typed[path] = None
        self._typed.move_to_end(path)
        if len(self._typed) > MAX_TYPED:
            self._typed.popitem(last=False)

    def note(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in that something was written into a part without the keyboard; elsewhere it begins another piece."""
        part = self._part(signal.path)
        start, end = signal.detail, signal.detail + signal.length
        if not part.is_unread or start != part.end or epoch != part.epoch:
            part.start, part.began_ns, part.epoch = start, now_ns, epoch
        part.end, part.written_ns, part.is_unread, part.is_clean = end, now_ns, True, False
        if self.is_expected:
            self._until_ns = now_ns + ANSWERED_NS
            self._read_soon()
        elif now_ns - self._began_ns > ANSWERED_NS:
            part.own_ns = now_ns

    def note_row(self, path: str, row: int) -> None:
        """Take in that a row was added to a list."""
        part = self._part(path)
        part.first_row = row if part.first_row is None else min(part.first_row, row)

    def first_row(self, path: str, row: int) -> int:
        """Return the first row of a list, down to one that was added, that was added since the command."""
        part = self._part(path)
        return row if part.first_row is None else min(row, part.first_row)

    def take_lines(self, path: str, lines: Sequence[str], now_ns: int, epoch: int) -> bool:
        """Take in lines that were added to a list; return whether the last one says how a run went, in words."""
        part = self._part(path)
        if not self.is_expected or not lines:
            return False
        if has_failed(lines[-1]):
            return self._fail(part, error_in("\n".join(lines)), now_ns, epoch)
        if went_well(lines[-1]):
            self._succeed(part, now_ns, epoch)
            return True
        return False

    def _part(self, path: str) -> _Part:
        part = self._parts.setdefault(path, _Part())
        self._parts.move_to_end(path)
        if len(self._parts) > MAX_PARTS:
            self._parts.popitem(last=False)
        return part

    def _conclude(self, now_ns: int) -> None:
        """Hand on that parts show no error any more that have said all by now: what a run writes comes bit by bit."""
        for part in self._parts.values():
            if part.is_failing and part.is_clean and now_ns - part.written_ns >= DONE_NS:
                self._succeed(part, now_ns, part.epoch)

    def _succeed(self, part: _Part, now_ns: int, epoch: int) -> None:
        was_failing, part.is_failing, part.is_clean = part.is_failing, False, False
        if was_failing and not self._has_failed:
            self._report(None, now_ns, epoch)

    def _fail(self, part: _Part, error: str | None, now_ns: int, epoch: int) -> bool:
        part.is_failing, part.is_clean = True, False
        if error is not None and not self._has_failed:
            self._has_failed = True
            self._report(error.strip(), now_ns, epoch)
        return error is not None

    # ------------------------------------------------------------ reading

    def _read_soon(self) -> None:
        if not self._reading and any(part.is_unread for part in self._parts.values()):
            self._reading = True
            self._program.begin(self._read())

    async def _read(self) -> None:
        try:
            while self.is_expected and (unread := [item for item in self._parts.items() if item[1].is_unread]):
                newest_ns = max(part.written_ns for _, part in unread)
                left_ns = newest_ns + (QUIET_NS << self._reads) - self._program.clock.now_ns()
                if left_ns > 0:
                    await asyncio.sleep(left_ns / NS_PER_S)
                    continue
                command = self._command
                for path, part in unread:
                    if not part.is_unread or command != self._command:
                        continue
                    part.is_unread = False
                    if self._may_answer(path, part):
                        self._reads += 1
                        with contextlib.suppress(Unanswered):
                            await self._look(path, part, command)
        finally:
            self._reading = False

    def _may_answer(self, path: str, part: _Part) -> bool:
        return path not in self._typed and part.began_ns >= self._began_ns and self._began_ns - part.own_ns >= OWN_NS

    async def _is_worked_in(self, path: str) -> bool:
        """Return whether no other text of many lines had the keyboard since this one had it."""
        if path not in self._keyboard:
            return False
        for other in self._keyboard[: self._keyboard.index(path)]:
            if await self._program.has(other, MULTI_LINE):
                return False
        return True

    async def _look(self, path: str, part: _Part, command: int) -> None:
        """Read what was written into a part, as long as the command is the last one and the program may be asked."""
        start, end, epoch = max(part.start, part.end - MAX_REPORT), part.end, part.epoch

        async def may() -> bool:
            is_allowed = await self._program.may(epoch)
            return is_allowed and self._program.is_active and command == self._command

        if await self._is_worked_in(path) or not await may():
            return
        text = await self._program.written_in(path, (start, end), may)
        now_ns = self._program.clock.now_ns()
        if not text or not await may():
            return
        if has_failed(text):
            self._fail(part, error_in(text), now_ns, epoch)
        elif went_well(text):
            self._succeed(part, now_ns, epoch)
        else:
            part.is_clean = not part.is_unread
