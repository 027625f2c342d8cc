"""What a program writes by itself after a command, in a part without the keyboard: where it says how a run went.

Signals about text say where something was written; who wrote it follows from what the person does: after a command, and
until the next letter is typed, it is the program. Only then is a text read, once nothing was written for a moment, and
only one of many lines that does not have the keyboard. A line that names an error is handed on, once for a command. If
a part that showed an error shows none the next time, that is handed on too; nothing else is.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence

from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.events import Signal
from daemon.capture.accessibility.atspi.program import Program
from daemon.capture.accessibility.atspi.queries import written_in
from daemon.capture.accessibility.reports import MAX_REPORT, error_in, has_failed, went_well
from daemon.capture.accessibility.source import Access
from storage.clock import NS_PER_S

ANSWERED_NS = 20 * NS_PER_S
"""What is written so long after a command, or after what it brought last, is no answer to it."""

LIKELY_NS = 300 * NS_PER_S
"""So long after a command another one is likely. The program may answer at once, so it must be heard before that."""

QUIET_NS = 2 * NS_PER_S // 5
"""A text is read once nothing was written for so long; the next time for twice as long, as a build takes its time."""

MAX_READ = 6
"""After so many texts that were read after one command no more are: some programs write all the time."""

MAX_PARTS = 4
"""So many parts of a window are followed at a time; an output is one, or a few."""

Report = Callable[[str | None, int, int], None]
"""Takes the line of an error, None where there is none any more, and when and in which epoch of the gate that was."""


class Outputs:
    """Follows what one program writes from a command to the next letter that is typed."""

    def __init__(self, program: Program, report: Report) -> None:
        """Take the program, and who hears how a run went."""
        self._program = program
        self._report = report
        self._until_ns = self._likely_until_ns = self._likely_before_ns = 0
        self._written: dict[str, tuple[int, int]] = {}
        self._newest_ns = 0
        self._reads = 0
        self._reading = False
        self._has_failed = False
        self._failing: set[str] = set()
        """Parts that showed an error when they were last read."""
        self._clean: dict[str, int] = {}
        """Parts that were read since the command and showed none, and in which epoch."""

    @property
    def is_expected(self) -> bool:
        """Whether what is written now may answer a command."""
        return self._reads < MAX_READ and self._program.clock.now_ns() < self._until_ns

    @property
    def is_likely(self) -> bool:
        """Whether commands were given lately, so that what programs write should be heard."""
        return self._program.clock.now_ns() < self._likely_until_ns

    def begin(self, now_ns: int) -> None:
        """A command was given: what is written from now on may answer it."""
        self._conclude(now_ns)
        self._likely_before_ns = self._likely_until_ns
        self._until_ns, self._likely_until_ns = now_ns + ANSWERED_NS, now_ns + LIKELY_NS
        self._reads, self._has_failed = 0, False

    def cancel(self, now_ns: int) -> None:
        """It was none: a click on what runs nothing."""
        self.end(now_ns)
        self._likely_until_ns = self._likely_before_ns

    def end(self, now_ns: int) -> None:
        """The person writes: what was not read will not be."""
        self._conclude(now_ns)
        self._until_ns = 0

    def forget(self) -> None:
        """Nobody knows any more who writes."""
        self._until_ns = self._likely_until_ns = self._likely_before_ns = 0
        self._written.clear()
        self._failing.clear()
        self._clean.clear()

    def note(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in that something was written into a part without the keyboard."""
        if self._has_failed:
            return
        if signal.path not in self._written and len(self._written) >= MAX_PARTS:
            return
        start, end = signal.detail, signal.detail + signal.length
        before = self._written.get(signal.path, (start, end))
        self._written[signal.path] = min(start, before[0]), max(end, before[1])
        self._newest_ns, self._until_ns = now_ns, now_ns + ANSWERED_NS
        if not self._reading:
            self._reading = True
            self._program.begin(self._read(epoch))

    def take_lines(self, part: str, lines: Sequence[str], now_ns: int, epoch: int) -> bool:
        """Take in the lines of a list down to one that was added; return whether that one says how a run went."""
        if has_failed(lines[-1]):
            self._fail(part, error_in("\n".join(lines)), now_ns, epoch)
            return True
        if went_well(lines[-1]):
            self._clean[part] = epoch
            return True
        return False

    def _conclude(self, now_ns: int) -> None:
        """Hand on that a part shows no error any more: what a run writes comes bit by bit, and is all there by now."""
        mended = self._failing & self._clean.keys()
        self._failing -= mended
        if mended and not self._has_failed:
            self._report(None, now_ns, min(self._clean[part] for part in mended))
        self._written.clear()
        self._clean.clear()

    def _fail(self, part: str, error: str | None, now_ns: int, epoch: int) -> None:
        self._failing.add(part)
        self._clean.pop(part, None)
        if error is not None and not self._has_failed:
            self._has_failed = True
            self._report(error.strip(), now_ns, epoch)

    async def _read(self, epoch: int) -> None:
        try:
            quiet_ns = QUIET_NS << self._reads
            while (left_ns := self._newest_ns + quiet_ns - self._program.clock.now_ns()) > 0:  # noqa: ASYNC110  # until quiet
                await asyncio.sleep(left_ns / NS_PER_S)
            written, self._written = self._written, {}
            for path, (start, end) in written.items():
                if not await self._program.may(epoch, Access.ALL) or not self._program.is_active:
                    return
                self._reads += 1
                with contextlib.suppress(Unanswered):
                    await self._look(path, max(start, end - MAX_REPORT), end, epoch)
        finally:
            self._reading = False

    async def _look(self, path: str, start: int, end: int, epoch: int) -> None:
        text = await written_in(self._program.connection, self._program.name, path, start, end)
        if has_failed(text):
            self._fail(path, error_in(text), self._program.clock.now_ns(), epoch)
        elif text:
            self._clean[path] = epoch
