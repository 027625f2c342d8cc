"""Where the keyboard is in one program, and what is typed there.

Whether a password field has it must be known before its first key is stored, so that is asked at once, and the rest
then.
"""

import asyncio
import contextlib
from collections import deque
from itertools import count

from daemon.capture.accessibility.atspi.browser import Browser
from daemon.capture.accessibility.atspi.connection import Refused, Unanswered
from daemon.capture.accessibility.atspi.fields import HeldFields
from daemon.capture.accessibility.atspi.messages import DialogReader
from daemon.capture.accessibility.atspi.outputs import Outputs
from daemon.capture.accessibility.atspi.program import GTK4, BusProgram
from daemon.capture.accessibility.atspi.protocol import FIELDS, HOLDS_WORK, PASSWORD, PLAIN_TEXT, ROOT, role_of
from daemon.capture.accessibility.atspi.recent import PLACES
from daemon.capture.accessibility.atspi.signals import Signal
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    AnswerAwaited,
    AnswerGiven,
    Control,
    FieldSeen,
    FocusMoved,
    FocusMoving,
)
from daemon.capture.programs.processes import is_any_hung, page_times
from storage.clock import NS_PER_S
from storage.records import ControlRole

ELSEWHERE = 8
"""After this many letters elsewhere than where the keyboard is there will be none there."""

SHORT = 8
"""After this many letters in one place it is not heard that there are more. What ends sooner, as in a cell, is not
worth the two questions to the bus."""

MAX_TEXTS = 6
"""How many texts that had the keyboard are known: a document, and the fields of a dialog over it."""

PASSING_S = 0.1
"""How long it is waited whether the keyboard goes on from a place before its name is asked: a sheet and LibreOffice's
editor of a cell each hand it to the text in them."""

ASK_AGAIN_S = (0.02, 0.05, 0.1, 0.2)
"""Pauses after a refusal before what has the keyboard is asked again."""

MAX_ASKING = 8
"""How many questions may be on their way before those are given up about what has it no more."""

PATIENCE_S = 1.0
"""Pause between questions to a program that hangs."""

SOON_S = 0.03
"""An answer that takes no longer than this is not waited for: keys wait longer anyway."""

HANGING_S = 0.1
"""After this time without an answer a program may have moved its keyboard long after the act that did so."""

SETTLE_S = 0.3
"""How long it may take such a program to work off what was typed meanwhile."""

PAGE_S = 0.7
"""For how long a page may move the keyboard after a key: a browser answers while the process of the page is busy. Where
that process hangs, it is waited for. Shorter than keys wait, so that those of a page that is well are counted."""

JUST_NS = 3 * NS_PER_S // 10
"""A move of the keyboard so long ago is the one that a key made just now."""

READY_S = 0.4
"""How long a busy program is waited for before it is asked that again."""

_ALWAYS_PLAIN = frozenset({ControlRole.TEXT, ControlRole.ENTRY, ControlRole.DOCUMENT, ControlRole.TERMINAL})
"""What has the keyboard and such a role is neither disabled nor on or off, so its states are not asked."""

_PASSED = PLACES | {ControlRole.TEXT}
"""What may have had the keyboard for a moment, on its way to a part of it."""

_TAKES_ENTER = frozenset({ControlRole.TEXT, *PLACES})
"""Where Enter is a letter."""

_numbers = count(1)


class Keyboard:
    """Follows the keyboard by signals of focus and of typed text."""

    def __init__(
        self, program: BusProgram, browser: Browser, dialogs: DialogReader, outputs: Outputs, fields: HeldFields
    ) -> None:
        self._program = program
        self._fields = fields
        self._browser = browser
        self._dialogs = dialogs
        self._outputs = outputs
        self.focus: Control | None = None
        """The control that has it, where that is known."""
        self.refocused = asyncio.Event()
        """Pulses when `focus` has become known."""
        self.opened_text = False
        """Whether a text got it since this was last reset."""
        self._path = self._part = ""
        """What has it, and the part of that which is typed into."""
        self._role_number = 0
        self._texts: deque[str] = deque(maxlen=MAX_TEXTS)
        """Texts that had it, the last one first."""
        self._asked_part = ""
        self._entered = False
        self._is_unasked = False
        """Whether nobody could ask what has it: its window was not known yet, or it did not answer."""
        self._typed_here = self._typed_elsewhere = 0
        self._last: Control | None = None
        self._confirming = self._confirm_again = False
        self._asking = 0
        self._passed: set[str] = set()
        """What a page wrote into while it is not known whether the program answers."""
        self._moved_ns = 0
        self._moved = asyncio.Event()
        """How many questions about what has it, or had it, are on their way."""

    def forget(self) -> None:
        """Forget where it is; the next thing typed tells."""
        self._begin_at("")
        self._role_number, self._last, self._is_unasked, self.opened_text = 0, None, False, False

    def take_focus(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in that a control got it or lost it."""
        if signal.detail:
            self._moved_ns = now_ns
            self._moved.set()
            self._begin_at(signal.path)
            self._ask_focus(signal, now_ns, epoch)
        elif signal.path == self._path:
            self._path, self.focus = "", None
            number = next(_numbers)
            self._program.report(FocusMoved(t_ns=now_ns, pid=self._program.pid, epoch=epoch, number=number))

    def confirm(self, now_ns: int, epoch: int) -> None:
        """Find out whether the program answers: keys were typed after what may have moved the keyboard.

        One that hangs has not moved it, and says so much later.
        """
        self._confirm_again = self._confirming
        if not self._confirming:
            self._confirming = True
            self._passed.clear()
            self._program.begin(self._confirm(now_ns, epoch))

    def has(self, path: str) -> bool:
        """Return whether a control has it, or had it last: a menu closes before its item is toggled."""
        return path == self._path or (self._last is not None and self._last.key == path)

    def texts_for_command(self, *, is_enter: bool) -> tuple[str, ...] | None:
        """Return the texts that had it, newest first; None where nothing is run: in documents, by Enter in texts."""
        writes = self.focus is None or self.focus.role in _TAKES_ENTER
        return None if self._role_number in HOLDS_WORK or (is_enter and writes) else tuple(self._texts)

    @property
    def needs_text(self) -> bool:
        """Whether it matters that something is typed: little was yet where the keyboard is, or a page writes.

        Where a document has the keyboard and its paragraphs are typed into, nobody learns more by another letter; where
        nobody knows who has it, the first one says so. After commands the program may write how they went.
        """
        if self._browser.may_have_pages or not self._path or self._outputs.is_likely:
            return True
        return not ((self._entered and self._typed_here >= SHORT) or self._typed_elsewhere >= ELSEWHERE)

    def take_typed(self, signal: Signal, now_ns: int, epoch: int) -> bool:
        """Note the first letter typed into the control that has it; return False where a page may have written it."""
        if not self._path:  # it had the keyboard before anybody listened
            self._begin_at(signal.path)
            self._ask_focus(signal, now_ns, epoch)
            return True
        if self._is_unasked and signal.path == self._path:
            self._ask_focus(signal, now_ns, epoch)
        if signal.path in (self._path, self._part):
            if not self._outputs.is_expected:  # else a key would have said before that the person writes
                self._outputs.note_typed(signal.path)
            self._note_typed(now_ns, epoch)
        elif self._browser.may_have_pages:
            if self._confirming and signal.path not in self._passed and len(self._passed) < MAX_ASKING:
                self._passed.add(signal.path)
                self._program.begin(self._find_passed(signal.path, now_ns, epoch))
            return False
        else:
            self._outputs.note(signal, now_ns, epoch)
            self._typed_elsewhere += 1
            is_list = self.focus is not None and self.focus.role is ControlRole.COMBO_BOX
            if is_list and signal.path != self._asked_part:
                self._asked_part = signal.path
                self._program.begin(self._find_part(signal.path, self._path, now_ns, epoch))
        return True

    def _begin_at(self, path: str) -> None:
        self._path, self._part, self._asked_part = path, "", ""
        self.focus, self._entered = None, False
        self._typed_here = self._typed_elsewhere = 0

    def _note_typed(self, now_ns: int, epoch: int) -> None:
        """Report the first letter that is typed into the control that has it."""
        self._typed_here += 1
        if self._entered or self.focus is None or not self._program.is_active:
            return
        self._entered = True
        if self.focus.role is not ControlRole.PASSWORD:
            pid, what = self._program.pid, ActKind.ENTERED
            self._program.report(Acted(t_ns=now_ns, pid=pid, epoch=epoch, control=self.focus, what=what))

    async def _find_passed(self, path: str, now_ns: int, epoch: int) -> None:
        """Have a password field covered that a page, which hung, typed into and left: nobody says that it passed it."""
        self._asking += 1
        try:
            with contextlib.suppress(Unanswered):
                found = await self._field(path, epoch)
                if found is not None and found.role is ControlRole.PASSWORD:
                    pid, box = self._program.pid, found.box
                    self._program.report(FieldSeen(t_ns=now_ns, pid=pid, epoch=epoch, key=path, holds=True, box=box))
        finally:
            self._asking -= 1

    async def _find_part(self, path: str, above: str, now_ns: int, epoch: int) -> None:
        """Note that a list with an entry was typed into: in Qt the list has the keyboard, and its entry the letters."""
        if not await self._program.may(epoch):
            return
        try:
            found = await self._program.above(path)
        except Unanswered:
            self._asked_part = ""
        else:
            if found == above == self._path:
                self._part, self._typed_elsewhere = path, 0
                self._note_typed(now_ns, epoch)

    # ------------------------------------------------------------ what has it

    def _ask_focus(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Ask what has the keyboard, beside the rest; once at a time."""
        self._is_unasked = False
        self._program.begin(self._on_focus(signal.path, now_ns, epoch, next(_numbers)))

    async def _on_focus(self, path: str, now_ns: int, epoch: int, number: int) -> None:
        program = self._program
        await program.wait_known()
        program.report(FocusMoving(t_ns=now_ns, pid=program.pid, epoch=epoch, number=number))
        self._asking += 1
        try:
            found = await self._field_in_time(path, epoch)
        finally:
            self._asking -= 1
        self._is_unasked = found is None and self._path == path
        program.report(FocusMoved(t_ns=now_ns, pid=program.pid, epoch=epoch, number=number, control=found))
        self.opened_text = self.opened_text or (found is not None and found.role is ControlRole.TEXT)
        if found is not None and found.role is not ControlRole.PASSWORD:
            with contextlib.suppress(Unanswered):  # then its role is all that is known of it
                await self._describe(path, found.role, now_ns, epoch, number)

    async def _confirm(self, now_ns: int, epoch: int) -> None:
        program = self._program
        awaited = asyncio.get_running_loop().call_later(SOON_S, self._await_answer, now_ns, epoch)
        if self._browser.may_have_pages and now_ns - self._moved_ns > JUST_NS:
            self._browser.look()
            await self._wait_for_page(epoch)
        is_first, is_late, is_answered = True, False, False
        while await program.may(epoch, Access.FIELDS):
            if is_answered and not self._confirm_again and not self._asking:
                break
            if is_answered and self._asking:  # what had the keyboard meanwhile must be known by then
                await asyncio.sleep(SOON_S)
                continue
            self._confirm_again = False
            began_ns = program.clock.now_ns()
            is_answered = await self._answers()
            took_s = (program.clock.now_ns() - began_ns) / NS_PER_S
            is_late = is_late or not is_answered or (is_first and took_s > HANGING_S)
            is_first = False
            if is_answered and is_late:  # by the next answer it has taken in what was typed meanwhile
                is_late = is_answered = False
                await asyncio.sleep(SETTLE_S)
        self._confirming = False
        is_awaited = awaited.when() <= asyncio.get_running_loop().time()
        awaited.cancel()
        if is_awaited:
            program.report(AnswerGiven(t_ns=program.clock.now_ns(), pid=program.pid, epoch=epoch))

    async def _wait_for_page(self, epoch: int) -> None:
        """Wait until a page has moved the keyboard, or has had the time for that: one that hangs has not."""
        self._moved.clear()
        clock, pid, was_hung = self._program.clock, self._program.pid, False
        times = page_times(pid) if await self._program.may(epoch, Access.FIELDS) else {}
        first_ns = clock.now_ns()
        while times and await self._program.may(epoch, Access.FIELDS):
            began_ns = clock.now_ns()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAGE_S):
                    await self._moved.wait()
            before, times = times, page_times(pid)
            now_ns = clock.now_ns()
            passed_ns = max(now_ns - began_ns, JUST_NS)
            is_hung = is_any_hung(before, times, passed_ns, waited_ns=now_ns - first_ns)
            has_moved = self._moved.is_set()
            if not is_hung and (
                has_moved or not was_hung
            ):  # one that no longer hangs takes in what was typed meanwhile
                return
            self._moved.clear()  # while it hung it was no page that moved it: a late word from earlier
            was_hung = is_hung

    def _await_answer(self, now_ns: int, epoch: int) -> None:
        self._program.report(AnswerAwaited(t_ns=now_ns, pid=self._program.pid, epoch=epoch))

    async def _answers(self) -> bool:
        """Return whether the program answers; after it should have, it is waited for."""
        try:
            await self._program.role_number(ROOT, urgent=True)
        except Refused:
            if self._program.is_starting:
                await asyncio.sleep(READY_S)
                return False
        except Unanswered:
            await self._program.wait_ready()
            await asyncio.sleep(PATIENCE_S)
            return False
        return True

    async def _describe(self, path: str, role: ControlRole, now_ns: int, epoch: int, number: int) -> None:
        """Report what has the keyboard, unless it was on its way, and the dialog of a page that it is in."""
        await self._wait_for_part(path, role, now_ns)
        if self._path != path and role in _PASSED:
            return  # what it says is late, and nobody needs it any more
        if not await self._program.may(epoch):
            return
        found = await self._described(path, role, now_ns)
        if self._path != path:
            return
        self.focus = found
        self.refocused.set()
        self.refocused.clear()
        pid = self._program.pid
        self._program.report(FocusMoved(t_ns=now_ns, pid=pid, epoch=epoch, number=number, control=found))
        if self._browser.has_pages:
            await self._dialogs.find_in_page(path, now_ns, epoch, lambda: self._path == path)

    async def _wait_for_part(self, path: str, role: ControlRole, now_ns: int) -> None:
        """Wait whether it goes on from a new place to a part of it; not in pages, where each step may find a dialog."""
        is_known = self._program.known_controls.find(path, now_ns, role) is not None
        if role in PLACES and not self._browser.may_have_pages and not is_known:
            await asyncio.sleep(PASSING_S)

    async def _described(self, path: str, role: ControlRole, now_ns: int) -> Control:
        """Return what a control is. One that was asked about a moment ago is not asked again.

        Qt gives the keyboard to an item of a menu anew with each movement of the pointer, and the questions would use
        up those about the dialog that follows; a sheet has it back after each cell.
        """
        known = self._program.known_controls.find(path, now_ns, role)
        if known is None:
            known = await self._program.describe(path, role, is_plain=role in _ALWAYS_PLAIN)
            self._program.known_controls.add(known, self._program.clock.now_ns())
        self._last = known
        return known

    async def _field_in_time(self, path: str, epoch: int) -> Control | None:
        """Return what has the keyboard; a program that does not say so at once is asked again, and keys wait as long.

        One that has just started is late, and GTK 4 signals what has the keyboard before it knows of it when asked. The
        first thing that it shows may ask for a password. One that hangs is asked until it answers, although the
        keyboard went on: what was typed ahead may be in there.
        """
        pauses = iter(ASK_AGAIN_S)
        while True:
            pause_s = next(pauses, None)
            try:
                return await self._field(path, epoch)
            except Refused:
                if self._program.is_starting:
                    await asyncio.sleep(pause_s or READY_S)
                    continue
                if pause_s is None:
                    return None
                await asyncio.sleep(pause_s)
            except Unanswered:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(READY_S if pause_s is not None else None):
                        await self._program.wait_ready()
                if pause_s is None:
                    await asyncio.sleep(PATIENCE_S)
                if self._asking > MAX_ASKING and self._path != path:
                    return None
                continue
            if self._path != path:
                return None

    async def _field(self, path: str, epoch: int) -> Control | None:
        if not await self._program.may(epoch, Access.FIELDS):
            return None
        if self._fields.knows(path):  # it stays one when its text is shown
            self._role_number = PASSWORD if path == self._path else self._role_number
            return Control(key=path, role=ControlRole.PASSWORD, box=await self._fields.enter(path))
        number, toolkit = await asyncio.gather(self._role(path), self._toolkit())
        if path == self._path:
            self._role_number = number
            if number == PLAIN_TEXT and path not in list(self._texts)[:1]:
                self._texts.appendleft(path)
        role = role_of(number)
        may_be_secret = role in FIELDS and toolkit in (None, GTK4)
        if number != PASSWORD and not (may_be_secret and await self._program.is_called_secret(path)):
            is_shown = role in FIELDS and await self._fields.has_at_place_of(path)
            if not is_shown:
                return Control(key=path, role=role)
        return Control(key=path, role=ControlRole.PASSWORD, box=await self._fields.enter(path))

    async def _toolkit(self) -> str | None:
        """Return what the program is built with; None if it does not say so in time."""
        with contextlib.suppress(Unanswered):
            return await self._program.toolkit(urgent=True)
        return None

    async def _role(self, path: str) -> int:
        """Return the number of a role, asked each time but for places: nobody types a password into a sheet.

        LibreOffice gives the keyboard to two of them after each cell. A part of a page may become anything.
        """
        known = self._program.known_role(path)
        if known is not None and role_of(known) in PLACES and not self._browser.may_have_pages:
            return known
        number = await self._program.role_number(path, urgent=True)
        self._program.note_role(path, number)
        return number
