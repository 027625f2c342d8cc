"""One program on the bus: takes its signals in order, follows the keyboard, and reports acts on its controls.

Its dialogs, messages and browser windows are read in modules of their own. Signals are taken in order, one at a time,
but for the focus: whether a password field has the keyboard must be known before its first key is stored. What shows or
changes in a burst waits a quarter of a second, until it is clear what it is.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from itertools import count

from daemon.capture.accessibility.atspi.browser_windows import BrowserWindows
from daemon.capture.accessibility.atspi.connection import Refused, Unanswered
from daemon.capture.accessibility.atspi.dialogs import Dialogs
from daemon.capture.accessibility.atspi.events import Kind, Signal
from daemon.capture.accessibility.atspi.hit_test import AT_POINT_S, HitTest
from daemon.capture.accessibility.atspi.known_controls import PLACES, KnownControls
from daemon.capture.accessibility.atspi.messages import Messages
from daemon.capture.accessibility.atspi.program import GTK4, Means, Program
from daemon.capture.accessibility.atspi.queries import (
    ACCESSIBLE,
    FIELDS,
    active_window,
    box_of,
    names_secret_of,
    object_path,
    role_number,
)
from daemon.capture.accessibility.atspi.roles import HOLDS_WORK, PASSWORD, PLAIN_TEXT, role_of
from daemon.capture.accessibility.atspi.walk_memory import WalkMemory
from daemon.capture.accessibility.source import Access, Acted, ActKind, Control, FocusMoved, FocusMoving, Lost
from daemon.capture.accessibility.storms import APPEARING_NS, BURST, BURST_NS, Echoes
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole, ControlState

MAX_WAITING = 100
TOUCHED_NS = 3 * NS_PER_S // 2
"""A toggle is the person's if it was pressed so shortly before, or has the keyboard: those of a tool bar follow the
selection, dozens with each click into a text."""

ELSEWHERE = 8
"""After so many letters elsewhere than where the keyboard is there will be none there."""

SHORT = 8
"""After so many letters in one place it is not heard that there are more. What ends sooner, as in a cell, is not worth
the two questions to the bus."""

MANY = 30
"""More than so many controls that show at once are a window, of which hundreds follow: the rest is not even signalled.
A tool bar that changes with each cell shows fewer, and to have them not signalled costs more than to drop them."""

FEW = 3
"""More than so many controls that show together with a new window are parts of it."""

_RETRIED = (Kind.WINDOW_CREATE, Kind.WINDOW_ACTIVATE)
"""A program that makes a window is busy, and slow to answer what it is."""

_WAITING = (Kind.DESCENDANT, Kind.ROW_INSERTED, Kind.TEXT_WRITTEN)
"""Of these and of toggles the latest of an object counts; many come at once."""

_APPEARING = (Kind.SHOWING, Kind.ROW_INSERTED)
"""What comes by the hundred while a window appears."""

_PASSED = PLACES | {ControlRole.TEXT}
"""What may have had the keyboard for a moment, on its way to a part of it."""

MAX_TEXTS = 6
"""So many texts that had the keyboard are known: a document, and the fields of a dialog over it."""

PASSING_S = 0.1
"""So long it is waited whether the keyboard goes on from a place before its name is asked: a sheet and LibreOffice's
editor of a cell each hand it to the text in them."""

_ALWAYS_PLAIN = frozenset({ControlRole.TEXT, ControlRole.ENTRY, ControlRole.DOCUMENT, ControlRole.TERMINAL})
"""What has the keyboard and such a role is neither disabled nor on or off, so its states are not asked."""

_TAKES_ENTER = frozenset({ControlRole.TEXT, *PLACES})
"""Where Enter is a letter."""

ASK_AGAIN_S = (0.02, 0.05, 0.1, 0.2)
"""So long after a refusal what has the keyboard is asked again."""

READY_S = 0.4
"""So long a busy program is waited for before it is asked that again."""

_numbers = count(1)

Handler = Callable[[Signal, int, int], Awaitable[None]]


class Listener:
    """Everything known of one program."""

    def __init__(self, name: str, means: Means) -> None:
        """Take the program's name on the bus; its process is looked up at once."""
        self._program = Program(name, means)
        self.focus: Control | None = None
        """The control with the keyboard, where it is known."""
        self.walks = WalkMemory()
        """What walks of its window have learned."""
        self.browser = BrowserWindows(self._program)
        """Whether it is a browser, and its windows."""
        self._dialogs = Dialogs(self._program)
        self._hit_test = HitTest(self._program, self.browser)
        self._subscriptions = means.subscriptions
        self._focus_path = self._focus_part = ""
        """What has the keyboard, and the part of it that is typed into."""
        self._focus_number = 0
        self._texts: deque[str] = deque(maxlen=MAX_TEXTS)
        """Texts that had the keyboard, the last one first."""
        self._asked_part = ""
        self._entered = False
        self._is_unasked = False
        """Whether nobody could ask what has the keyboard: its window was not known yet, or it did not answer."""
        self._typed_here = self._typed_elsewhere = 0
        self._controls = KnownControls()
        self._sheet = ""
        self._cell: Control | None = None
        """The cell that was chosen last."""
        self._editor_opened = self._cell_edited = False
        """Whether a text got the keyboard since the newest choice; and before it, which was the editor of the cell."""
        self._refocused = asyncio.Event()
        self._last_focus: tuple[Control | None, int] = (None, 0)
        self._pressed: tuple[int, int, int] | None = None
        self._waiting: asyncio.Queue[tuple[Signal, int, int]] = asyncio.Queue(MAX_WAITING)
        self._worker: asyncio.Task[None] | None = None
        self._flushing = False
        self._burst: list[tuple[Signal, int, int]] = []
        self._latest: dict[tuple[Kind, str], tuple[Signal, int, int]] = {}
        self._had_keyboard: set[str] = set()
        self._toggled = Echoes()
        self._lost = 0
        self._appears_until_ns = 0
        self._messages = messages = Messages(self._program, self.browser, self._dialogs)
        self._outputs = messages.outputs
        self._handlers: dict[Kind, Handler] = {
            Kind.WINDOW_ACTIVATE: self._dialogs.on_window,
            Kind.WINDOW_CREATE: self._dialogs.on_window,
            Kind.CHECKED: self._on_checked,
            Kind.INVALID_ENTRY: messages.on_invalid,
            Kind.SHOWING: messages.on_showing,
            Kind.NAME: messages.on_name,
            Kind.ROW_INSERTED: messages.on_row,
            Kind.DESCENDANT: self._on_descendant,
            Kind.TEXT_INSERTED: messages.on_written,
            Kind.TEXT_WRITTEN: messages.on_written,
            Kind.LOADED: messages.on_loaded,
            Kind.ANNOUNCEMENT: messages.on_text,
            Kind.NOTIFICATION: messages.on_text,
        }
        self._program.begin(self._program.introduce())

    @property
    def name(self) -> str:
        """The program's name on the bus."""
        return self._program.name

    @property
    def pid(self) -> int:
        """Its process; 0 while that is not known."""
        return self._program.pid

    def end(self) -> None:
        """The program is gone."""
        self._program.end()
        self._subscriptions.unmute(_APPEARING, self.name)
        self.focus = None
        if self._worker is not None:
            self._worker.cancel()

    async def wait_known(self) -> None:
        """Wait until its process is known, which the bus says."""
        await self._program.wait_known()

    async def is_gtk4(self) -> bool:
        """Return whether it is built with GTK 4; it is not if it does not say so."""
        with contextlib.suppress(Unanswered):
            return await self._program.toolkit() == GTK4
        return False

    def forget_focus(self) -> None:
        """Forget where the keyboard is; the next thing typed tells."""
        self._focus_path, self._focus_part, self._asked_part, self._focus_number = "", "", "", 0
        self.focus, self._last_focus, self._is_unasked = None, (None, 0), False
        self._entered, self._typed_here, self._typed_elsewhere = False, 0, 0
        self._sheet, self._cell, self._editor_opened, self._cell_edited = "", None, False, False
        self._controls.clear()
        self._dialogs.forget_forms()
        self._outputs.forget()

    def note_command(self, *, is_enter: bool = False, since_ns: int | None = None) -> bool:
        """Take in that keys or a click may run something; return whether what is written next may say how that went.

        Not in pages, which are read in other ways, nor in documents and sheets, and Enter in a text is a letter.
        """
        writes = self.focus is None or self.focus.role in _TAKES_ENTER
        if not self._program.guard.reads_outputs:
            return False
        if self.browser.may_have_pages or self._focus_number in HOLDS_WORK or (is_enter and writes):
            return False
        self._outputs.begin(since_ns, tuple(self._texts))
        return True

    def forget_outputs(self) -> None:
        """Forget what was written after a command: not all of it is heard."""
        self._outputs.forget()

    def note_writing(self) -> None:
        """Take in that the person writes, whether the program signals it or not."""
        self._outputs.end()

    def take(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in a signal; costs next to nothing where the program is none of our business."""
        permit = self._program.guard.permit
        if permit.programs.get(self.pid) is Access.NOTHING and self.pid not in permit.settling:
            return
        kind = signal.kind
        if kind in _APPEARING and now_ns < self._appears_until_ns:
            return
        self.browser.take(signal, now_ns, epoch)
        if kind is Kind.FOCUSED:
            if signal.detail:
                self._focus_path, self._focus_part, self._asked_part = signal.path, "", ""
                self._entered, self.focus = False, None
                self._typed_here = self._typed_elsewhere = 0
                self._ask_focus(signal, now_ns, epoch)
            elif signal.path == self._focus_path:
                self._focus_path, self.focus = "", None
                self._program.report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=next(_numbers)))
        elif kind is Kind.TEXT_INSERTED:
            self._on_typed(signal, now_ns, epoch)
        elif kind is Kind.WINDOW_DESTROY:
            self._forget_window(signal.path, now_ns, epoch)
        elif kind is Kind.SHOWING:
            self._on_appearing(signal, now_ns, epoch)
        elif kind in _WAITING or (kind is Kind.CHECKED and not self._has_keyboard(signal.path)):
            self._hold(signal, now_ns, epoch)
        else:
            if kind is Kind.WINDOW_ACTIVATE:
                self._program.window = signal.path
            elif kind is Kind.WINDOW_CREATE:
                self._program.created_ns = now_ns
            self._put(signal, now_ns, epoch)

    @property
    def wants_text(self) -> bool:
        """Whether it matters that something is typed: little was yet where the keyboard is, or a page writes.

        Where a document has the keyboard and its paragraphs are typed into, nobody learns more by another letter; where
        nobody knows who has it, the first one says so. After commands the program may write how they went.
        """
        if self.browser.may_have_pages or not self._focus_path or self._outputs.is_likely:
            return True
        return not ((self._entered and self._typed_here >= SHORT) or self._typed_elsewhere >= ELSEWHERE)

    async def element_at(self, x: int, y: int) -> Control | None:
        """Return the control under a point of the active window. It was pressed just now.

        GTK 4 finds none that nobody has asked about before; one that gets the keyboard by the click is known by that.
        """
        found = await self._find_at(x, y)
        return await self._focused_by_click(x, y) if found is None and await self.is_gtk4() else found

    async def _find_at(self, x: int, y: int) -> Control | None:
        self.browser.look()
        self._pressed = (self._program.clock.now_ns(), x, y)
        asked = self._program.window
        found = await self._hit_test.find(asked, x, y) if asked is not None else None
        if found is not None:
            return self._controls.add(found, self._program.clock.now_ns())
        try:  # Firefox calls a dialog of its page a window, too, and does not say when it is gone
            self._program.window = await active_window(self._program.connection, self.name)
        except Unanswered:
            return None
        window = self._program.window
        if window is None or window == asked:
            return None
        return await self._hit_test.find(window, x, y)

    async def focused_at(self, x: int, y: int) -> Control | None:
        """Return the control with the keyboard if it is at a point, or gets there in a moment. Asks nothing.

        A menu gives the keyboard to the item under the pointer; Qt takes it away and gives it back at each press.
        """
        self._pressed = (self._program.clock.now_ns(), x, y)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AT_POINT_S):
                while self.focus is None or not _may_hold(self.focus, x, y):
                    await self._refocused.wait()
                return self.focus
        return None

    async def _focused_by_click(self, x: int, y: int) -> Control | None:
        """Return what a click at a point gives the keyboard; what has it already if that lies there and keeps it."""

        def is_there() -> bool:
            return self.focus is not None and self.focus.box is not None and _is_in(self.focus.box, x, y)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AT_POINT_S):
                await self._refocused.wait()
                while not is_there():
                    await self._refocused.wait()
        return self.focus if is_there() else None

    def _forget_window(self, path: str, now_ns: int, epoch: int) -> None:
        self._dialogs.forget(path)
        self.browser.forget(path, now_ns, epoch)
        if path == self._program.window:
            self._program.window = None

    # ------------------------------------------------------------ order

    def _put(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if self._waiting.full():
            self._lost += 1  # the program says more than it answers: the newest matter least
            return
        self._waiting.put_nowait((signal, now_ns, epoch))
        if self._worker is None or self._worker.done():
            self._worker = self._program.begin(self._work())

    async def _work(self) -> None:
        await self._program.wait_known()
        while not self._waiting.empty():
            signal, now_ns, epoch = self._waiting.get_nowait()
            for _ in range(1 + (signal.kind in _RETRIED)):
                await self._program.connection.wait_ready(self.name)
                if not await self._program.may(epoch, Access.ALL):
                    break
                with contextlib.suppress(Unanswered):
                    await self._handlers[signal.kind](signal, now_ns, epoch)
                    break
        if self._lost:
            self._program.report(Lost(t_ns=self._program.clock.now_ns(), pid=self.pid, count=self._lost))
            self._lost = 0

    def _on_appearing(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Wait whether it shows alone; a window that appears need not say what else it shows."""
        self._burst.append((signal, now_ns, epoch))
        if len(self._burst) == MANY + 1:  # more of them are on their way
            self._subscriptions.mute(_APPEARING, self.name)
        self._flush_soon()

    def _hold(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Wait a moment: of what comes again the latest counts."""
        if signal.kind is Kind.ROW_INSERTED and self._outputs.is_expected:
            self._outputs.note_row(signal.path, signal.detail)
        if signal.kind is Kind.DESCENDANT:  # a text that has the keyboard from now on is of the next cell
            self._cell_edited, self._editor_opened = self._cell_edited or self._editor_opened, False
        if self._has_keyboard(signal.path):
            self._had_keyboard.add(signal.path)
        self._latest[signal.kind, signal.path] = (signal, now_ns, epoch)
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._flushing:
            self._flushing = True
            self._program.begin(self._flush())

    async def _flush(self) -> None:
        await asyncio.sleep(BURST_NS / NS_PER_S)
        burst, self._burst = self._burst, []
        latest, self._latest = list(self._latest.values()), {}
        had_keyboard, self._had_keyboard = self._had_keyboard, set()
        self._flushing = False
        now_ns = self._program.clock.now_ns()
        if len(burst) > BURST:
            self._appears_until_ns = now_ns + APPEARING_NS
        if len(burst) > MANY:
            self._program.begin(self._listen_again())
        if now_ns < self._appears_until_ns or self._is_of_new_window(burst):
            burst, latest = [], [one for one in latest if self._is_of_person(one[0], had_keyboard)]
        for signal, now_ns, epoch in [*burst, *latest[-BURST:]]:
            self._put(signal, now_ns, epoch)

    def _is_of_new_window(self, burst: Sequence[tuple[Signal, int, int]]) -> bool:
        """Return whether what shows is part of a window that was made at that time, and is read with it.

        Not of a browser's, whose pages show their messages in the same way.
        """
        if len(burst) <= FEW or self.browser.may_have_pages:
            return False
        return abs(self._program.created_ns - burst[0][1]) <= 2 * BURST_NS

    def _is_of_person(self, signal: Signal, had_keyboard: Collection[str]) -> bool:
        """Return whether something that came with a window is not just a part of it, such as what its lists chose.

        A list that has the keyboard then or now chooses for the person: who clicks in it gives it the keyboard, and who
        leaves a cell may have begun with the next one.
        """
        if signal.kind is Kind.DESCENDANT:
            return signal.path in had_keyboard or self._has_keyboard(signal.path)
        return signal.kind not in _APPEARING

    async def _listen_again(self) -> None:
        """Hear what shows once the window has appeared."""
        await asyncio.sleep(APPEARING_NS / NS_PER_S)
        self._subscriptions.unmute(_APPEARING, self.name)

    # ------------------------------------------------------------ the keyboard

    async def _on_focus(self, signal: Signal, now_ns: int, epoch: int, number: int) -> None:
        """Ask first and at once whether it is a password field, then, where that may be asked, what else it is."""
        await self._program.wait_known()
        self._program.report(FocusMoving(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number))
        found = await self._field_in_time(signal.path, epoch)
        self._is_unasked = found is None and self._focus_path == signal.path
        self._program.report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number, control=found))
        self._editor_opened = self._editor_opened or (found is not None and found.role is ControlRole.TEXT)
        if found is not None and found.role is not ControlRole.PASSWORD:
            with contextlib.suppress(Unanswered):  # then its role is all that is known of it
                await self._describe_focus(signal.path, found.role, now_ns, epoch, number)

    async def _describe_focus(self, path: str, role: ControlRole, now_ns: int, epoch: int, number: int) -> None:
        """Report what has the keyboard, unless it was on its way, and the dialog of a page that it is in.

        Raises:
            Unanswered: the program does not say; its dialog may just have closed.
        """
        await self._wait_for_part(path, role, now_ns)
        if self._focus_path != path and role in _PASSED:
            return  # what it says is late, and nobody wants to know any more
        if not await self._program.may(epoch, Access.ALL):
            return
        found = await self._described(path, role, now_ns)
        if self._focus_path != path:
            return
        self.focus = found
        self._refocused.set()
        self._refocused.clear()
        self._program.report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number, control=found))
        if self.browser.has_pages:
            await self._dialogs.find_in_page(path, now_ns, epoch, lambda: self._focus_path == path)

    async def _wait_for_part(self, path: str, role: ControlRole, now_ns: int) -> None:
        """Wait whether the keyboard goes on from a place that is not known yet to a part of it.

        Not in pages, whose dialogs are found by where the keyboard is for a moment.
        """
        if role in PLACES and not self.browser.may_have_pages and self._controls.find(path, now_ns, role) is None:
            await asyncio.sleep(PASSING_S)

    async def _described(self, path: str, role: ControlRole, now_ns: int) -> Control:
        """Return what a control is. One that was asked about a moment ago is not asked again.

        Qt gives the keyboard to an item of a menu anew with each movement of the pointer, and the questions would use
        up those about the dialog that follows; a sheet has it back after each cell.
        """
        known = self._controls.find(path, now_ns, role)
        if known is None:
            is_plain = role in _ALWAYS_PLAIN
            known = await self._program.describe(path, role, is_plain=is_plain)
            self._controls.add(known, self._program.clock.now_ns())
        self._last_focus = (known, now_ns)
        return known

    async def _field_in_time(self, path: str, epoch: int) -> Control | None:
        """Return what has the keyboard; a program that does not say so at once is asked again, and keys wait as long.

        One that has just started is late, and GTK 4 signals what has the keyboard before it knows of it when asked. The
        first thing that it shows may ask for a password.
        """
        for pause_s in ASK_AGAIN_S:
            try:
                return await self._field(path, epoch)
            except Refused:
                await asyncio.sleep(pause_s)
            except Unanswered:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(READY_S):
                        await self._program.connection.wait_ready(self.name)
            if self._focus_path != path:
                return None
        with contextlib.suppress(Unanswered):
            return await self._field(path, epoch)
        return None

    async def _field(self, path: str, epoch: int) -> Control | None:
        if not await self._program.may(epoch, Access.FIELDS):
            return None
        number, toolkit = await asyncio.gather(self._role_with_keyboard(path), self._toolkit())
        if path == self._focus_path:
            self._focus_number = number
            if number == PLAIN_TEXT and path not in list(self._texts)[:1]:
                self._texts.appendleft(path)
        role = role_of(number)
        may_be_secret = role in FIELDS and toolkit in (None, GTK4)
        if number != PASSWORD and not (may_be_secret and await self._is_called_secret(path)):
            return Control(key=path, role=role)
        return Control(key=path, role=ControlRole.PASSWORD, box=await self._place_of_secret(path))

    async def _is_called_secret(self, path: str) -> bool:
        """Return whether it is a password field of GTK 4 by its name: libadwaita's have the role of any entry."""
        return await names_secret_of(self._program.connection, self.name, path)

    async def _toolkit(self) -> str | None:
        """Return what the program is built with; None if it does not say so in time."""
        with contextlib.suppress(Unanswered):
            return await self._program.toolkit(urgent=True)
        return None

    async def _place_of_secret(self, path: str) -> Box | None:
        """Return where a password field is; None where that may be wrong, and all windows of the program are covered.

        GTK 4 counts from the window, and a window that has just opened is not known yet to be the active one.
        """
        with contextlib.suppress(Unanswered):
            if await self._toolkit() not in (None, GTK4):
                return await box_of(self._program.connection, self.name, path, urgent=True)
        return None

    async def _role_with_keyboard(self, path: str) -> int:
        """Return the number of a role, asked each time but for places: nobody types a password into a sheet.

        LibreOffice gives the keyboard to two of them after each cell. A part of a page may become anything.
        """
        known = self._program.known_role(path)
        if known is not None and role_of(known) in PLACES and not self.browser.may_have_pages:
            return known
        number = await role_number(self._program.connection, self.name, path, urgent=True)
        self._program.note_role(path, number)
        return number

    def _on_typed(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Note once that something was typed into the control with the keyboard; the text itself was never read."""
        if not self._focus_path:  # it had the keyboard before anybody listened
            self._focus_path, self._focus_part, self._asked_part, self._entered = signal.path, "", "", False
            self._typed_here = self._typed_elsewhere = 0
            self._ask_focus(signal, now_ns, epoch)
            return
        if self._is_unasked and signal.path == self._focus_path:
            self._ask_focus(signal, now_ns, epoch)
        if signal.path in (self._focus_path, self._focus_part):
            if not self._outputs.is_expected:  # else a key would have said before that the person writes
                self._outputs.note_typed(signal.path)
            self._note_typed(now_ns, epoch)
        elif self.browser.may_have_pages:  # perhaps a message of one
            self._hold(signal, now_ns, epoch)
        else:
            self._outputs.note(signal, now_ns, epoch)
            self._typed_elsewhere += 1
            is_list = self.focus is not None and self.focus.role is ControlRole.COMBO_BOX
            if is_list and signal.path != self._asked_part:
                self._asked_part = signal.path
                self._program.begin(self._find_part(signal.path, self._focus_path, now_ns, epoch))

    def _ask_focus(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Ask what has the keyboard, beside the rest; once at a time."""
        self._is_unasked = False
        self._program.begin(self._on_focus(signal, now_ns, epoch, next(_numbers)))

    def _note_typed(self, now_ns: int, epoch: int) -> None:
        """Report the first letter that is typed into the control with the keyboard."""
        self._typed_here += 1
        if self._entered or self.focus is None or not self._program.is_active:
            return
        self._entered = True
        self._act(ActKind.ENTERED, self.focus, now_ns, epoch)

    async def _find_part(self, path: str, above: str, now_ns: int, epoch: int) -> None:
        """Note that a list with an entry was typed into: in Qt the list has the keyboard, and its entry the letters."""
        if not await self._program.may(epoch, Access.ALL):
            return
        try:
            found = object_path(await self._program.connection.property(self.name, path, ACCESSIBLE, "Parent"))
        except Unanswered:
            self._asked_part = ""
        else:
            if found == above == self._focus_path:
                self._focus_part, self._typed_elsewhere = path, 0
                self._note_typed(now_ns, epoch)

    # ------------------------------------------------------------ acts

    def _act(self, what: ActKind, control: Control, now_ns: int, epoch: int) -> None:
        if control.role is not ControlRole.PASSWORD:
            self._program.report(Acted(t_ns=now_ns, pid=self.pid, epoch=epoch, control=control, what=what))

    async def _on_checked(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not self._program.is_active or not await self._is_touched(signal.path, now_ns):
            return
        found = await self._program.describe(signal.path)
        state = ControlState.ON if signal.detail else ControlState.OFF
        if not self._toggled.is_echo((found.name, state), now_ns):
            self._act(ActKind.TOGGLED, replace(found, state=state), now_ns, epoch)

    async def _is_touched(self, path: str, now_ns: int) -> bool:
        """Return whether a toggle has the keyboard or was pressed a moment ago; asks where it is only after a press."""
        if self._has_keyboard(path):
            return True
        if self._pressed is None or abs(now_ns - self._pressed[0]) > TOUCHED_NS:
            return False
        _, x, y = self._pressed
        box = await self._program.box(path)
        return box is not None and _is_in(box, x, y)

    def _has_keyboard(self, path: str) -> bool:
        """Return whether a control has the keyboard, or had it last: a menu closes before its item is toggled."""
        known, _ = self._last_focus
        return path == self._focus_path or (known is not None and known.key == path)

    async def _on_descendant(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not signal.reference or not self._program.is_active:
            return
        found = self._controls.find(signal.reference, now_ns)
        if found is None:
            role = ControlRole.CELL if signal.path == self._sheet else None
            found = await self._program.describe(signal.reference, role)
            self._controls.add(found, self._program.clock.now_ns())
            self._sheet = signal.path if found.role is ControlRole.CELL else ""  # all that is in it are cells
        self._act(ActKind.CHOSEN, found, now_ns, epoch)
        left, self._cell = self._cell, found if found.role is ControlRole.CELL else None
        edited, self._cell_edited = self._cell_edited, False
        if edited and left is not None and left.key != found.key and not self.browser.may_have_pages:
            await self._messages.on_cell_left(str(left.key), now_ns, epoch)


def _may_hold(control: Control, x: int, y: int) -> bool:
    """Return whether a point is in a control, as far as its place is known."""
    return control.box is None or _is_in(control.box, x, y)


def _is_in(box: Box, x: int, y: int) -> bool:
    """Return whether a point is in a rectangle."""
    return box.x <= x < box.x + box.w and box.y <= y < box.y + box.h
