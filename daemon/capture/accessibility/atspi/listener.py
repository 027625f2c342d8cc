"""One program on the bus: turns its signals into observations, and asks it what they leave open.

Signals are taken in order, one at a time, but for the focus: whether a password field has the keyboard must be known
before its first key is stored. What shows or changes in a burst waits a quarter of a second, until it is clear what it
is.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Self

from daemon.capture.accessibility.atspi.connection import Connection, Unanswered
from daemon.capture.accessibility.atspi.events import Kind, Signal
from daemon.capture.accessibility.atspi.known_controls import PLACES, KnownControls
from daemon.capture.accessibility.atspi.queries import (
    ACCESSIBLE,
    AT_POINT_S,
    ROOT,
    Labels,
    active_window,
    at_point,
    box_of,
    describe,
    labels,
    name_of,
    object_path,
    role_number,
    windows_of,
)
from daemon.capture.accessibility.atspi.roles import PASSWORD, SHOWS_MESSAGES, role_of
from daemon.capture.accessibility.atspi.subscriptions import Subscriptions
from daemon.capture.accessibility.atspi.walk_memory import WalkMemory
from daemon.capture.accessibility.source import (
    Access,
    Acted,
    ActKind,
    BrowserWindowNamed,
    Control,
    DialogOpened,
    FocusMoved,
    FocusMoving,
    Guard,
    Lost,
    MessageShown,
    Observation,
    PageLoaded,
    UndoNamed,
)
from daemon.capture.accessibility.storms import BURST, BURST_NS, Echoes, Restless
from daemon.capture.accessibility.words import class_of_message, undo_label
from storage.clock import NS_PER_S, Clock
from storage.records import Box, ControlRole, ControlState, MessageClass

MAX_WAITING = 100
_DIALOG_ECHO_NS = 2 * NS_PER_S
TOUCHED_NS = 3 * NS_PER_S // 2
"""A toggle is the person's if it was pressed so shortly before, or has the keyboard: those of a tool bar follow the
selection, dozens with each click into a text."""
DIALOG_STEPS = 7
"""So many controls above the one with the focus may be the dialog of a page; an alert() of Chromium is the fifth."""

KNOWN_ROLES = 300
ROLE_NS = 60 * NS_PER_S
"""So long the role of something that shows or changes counts; that of what has the keyboard is asked each time."""

ELSEWHERE = 8
"""After so many letters elsewhere than where the keyboard is there will be none there."""

SHORT = 8
"""After so many letters in one place it is not heard that there are more. What ends sooner, as in a cell, is not worth
the two questions to the bus."""

MANY = 30
"""More than so many controls that show at once are a window, of which hundreds follow: it is not heard what else shows.
A tool bar that changes with each cell shows fewer, and not to hear them would cost more than to drop them."""

FEW = 3
"""More than so many controls that show together with a new window are parts of it."""

FORM_QUESTIONS = 24
"""A dialog that takes more questions to read is a form, with a title of its own, and not a message."""

FORM_NS = 60 * NS_PER_S
"""So long what was read of a form counts for those of its title and size: it is not read each time that it opens."""

APPEARING_S = 1.0
"""So long a window with many controls goes on to appear, and is not asked what else it shows."""

ASK_AGAIN_S = 1.0
"""After so long a program may be asked as much again (`budget.CALLS_PER_S`)."""

_RETRIED = (Kind.WINDOW_CREATE, Kind.WINDOW_ACTIVATE)
"""A program that makes a window is busy, and slow to answer what it is."""

_WAITING = (Kind.DESCENDANT, Kind.ROW_INSERTED, Kind.TEXT_WRITTEN)
"""Of these and of toggles the latest of an object counts; many come at once."""

_APPEARING = (Kind.SHOWING, Kind.ROW_INSERTED)
"""What comes by the hundred while a window appears."""

_PASSED = PLACES | {ControlRole.TEXT}
"""What may have had the keyboard for a moment, on its way to a part of it."""

PASSING_S = 0.1
"""So long it is waited whether the keyboard goes on from a place before its name is asked: a sheet and LibreOffice's
editor of a cell each hand it to the text in them."""

_ALWAYS_PLAIN = frozenset({ControlRole.TEXT, ControlRole.ENTRY, ControlRole.DOCUMENT, ControlRole.TERMINAL})
"""What has the keyboard and such a role is neither disabled nor on or off, so its states are not asked."""

_ABOUT_WINDOWS = (Kind.WINDOW_CREATE, Kind.WINDOW_ACTIVATE, Kind.NAME)
CHROMIUM, FIREFOX = "Chromium", "Gecko"
BROWSER_WINDOW = "BrowserRootView"
"""The class by which Chromium marks the frame of a window with tabs; windows of its web applications have another."""

_numbers = count(1)

Handler = Callable[[Signal, int, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Means:
    """What all listeners share: whom to ask, whether that may be, the time, where tasks and observations go."""

    connection: Connection
    guard: Guard
    clock: Clock
    begin: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None] | None]
    """Does some work beside the rest; drops it where the connection is just ending."""

    report: Callable[[Observation], None]
    subscriptions: Subscriptions

    @classmethod
    def of(
        cls,
        connection: Connection,
        guard: Guard,
        clock: Clock,
        tasks: asyncio.TaskGroup,
        report: Callable[[Observation], None],
    ) -> Self:
        """Run what is done beside the rest in a group of tasks."""

        def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
            try:
                return tasks.create_task(work)
            except RuntimeError:
                work.close()
                return None

        return cls(connection, guard, clock, begin, report, Subscriptions(connection, begin))


class Listener:
    """Everything known of one program."""

    def __init__(self, name: str, means: Means) -> None:
        """Take the program's name on the bus; its process is looked up at once."""
        self.name = name
        self.pid = 0
        self.focus: Control | None = None
        """The control with the keyboard, where it is known."""
        self.walks = WalkMemory()
        """What walks of its window have learned."""
        self._connection = means.connection
        self._guard = means.guard
        self._clock = means.clock
        self._begin = means.begin
        self._report = means.report
        self._subscriptions = means.subscriptions
        self._window: str | None = None
        self._focus_path = ""
        self._entered = False
        self._typed_here = self._typed_elsewhere = 0
        self._controls = KnownControls()
        self._sheet = ""
        self._created_ns = -NS_PER_S
        self._refocused = asyncio.Event()
        self._last_focus: tuple[Control | None, int] = (None, 0)
        self._pressed: tuple[int, int, int] | None = None
        self._known = asyncio.Event()
        self._waiting: asyncio.Queue[tuple[Signal, int, int]] = asyncio.Queue(MAX_WAITING)
        self._worker: asyncio.Task[None] | None = None
        self._flushing = False
        self._burst: list[tuple[Signal, int, int]] = []
        self._latest: dict[tuple[Kind, str], tuple[Signal, int, int]] = {}
        self._dialogs = Echoes(_DIALOG_ECHO_NS)
        self._open: set[str] = set()
        self._is_browser: bool | None = None
        self._has_pages = False
        self._browser_windows: set[str] = set()
        self._echoes = Echoes()
        self._restless = Restless()
        self._roles: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._forms: dict[tuple[str, tuple[int, int] | None], tuple[Labels, int]] = {}
        self._ended = False
        self._lost = 0
        self._handlers: dict[Kind, Handler] = {
            Kind.WINDOW_ACTIVATE: self._on_window,
            Kind.WINDOW_CREATE: self._on_window,
            Kind.CHECKED: self._on_checked,
            Kind.INVALID_ENTRY: self._on_invalid,
            Kind.SHOWING: self._on_showing,
            Kind.NAME: self._on_name,
            Kind.ROW_INSERTED: self._on_row,
            Kind.DESCENDANT: self._on_descendant,
            Kind.TEXT_INSERTED: self._on_written,
            Kind.TEXT_WRITTEN: self._on_written,
            Kind.LOADED: self._on_loaded,
            Kind.ANNOUNCEMENT: self._on_text,
            Kind.NOTIFICATION: self._on_text,
        }
        self._begin(self._introduce())

    def end(self) -> None:
        """The program is gone."""
        self._ended = True
        self._subscriptions.unmute(_APPEARING, self.name)
        self.focus = None
        if self._worker is not None:
            self._worker.cancel()

    async def wait_known(self) -> None:
        """Wait until its process is known, which the bus says."""
        await self._known.wait()

    def forget_focus(self) -> None:
        """Forget where the keyboard is; the next thing typed tells."""
        self._focus_path, self.focus, self._last_focus = "", None, (None, 0)
        self._entered, self._typed_here, self._typed_elsewhere = False, 0, 0
        self._sheet = ""
        self._controls.clear()
        self._forms.clear()

    def take(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in a signal; costs next to nothing where the program is none of our business."""
        permit = self._guard.permit
        if permit.programs.get(self.pid) is Access.NOTHING and self.pid not in permit.settling:
            return
        kind = signal.kind
        if kind in _ABOUT_WINDOWS and self._may_name_browser(signal):
            self._begin(self._on_browser_window(signal, now_ns, epoch))
        if kind is Kind.FOCUSED:
            if signal.detail:
                self._focus_path, self._entered, self.focus = signal.path, False, None
                self._typed_here = self._typed_elsewhere = 0
                self._begin(self._on_focus(signal, now_ns, epoch, next(_numbers)))
            elif signal.path == self._focus_path:
                self._focus_path, self.focus = "", None
                self._report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=next(_numbers)))
        elif kind is Kind.TEXT_INSERTED:
            self._on_typed(signal, now_ns, epoch)
        elif kind is Kind.WINDOW_DESTROY:
            self._forget_window(signal.path, now_ns, epoch)
        elif kind is Kind.SHOWING:
            self._on_appearing(signal, now_ns, epoch)
        elif kind in _WAITING or (kind is Kind.CHECKED and not self._has_keyboard(signal.path)):
            self._latest[kind, signal.path] = (signal, now_ns, epoch)
            self._flush_soon()
        else:
            if kind is Kind.WINDOW_ACTIVATE:
                self._window = signal.path
            elif kind is Kind.WINDOW_CREATE:
                self._created_ns = now_ns
            self._put(signal, now_ns, epoch)

    @property
    def wants_text(self) -> bool:
        """Whether it matters that something is typed: little was yet where the keyboard is, or a page writes.

        Where a document has the keyboard and its paragraphs are typed into, nobody learns more by another letter; where
        nobody knows who has it, the first one says so.
        """
        if self._may_have_pages or not self._focus_path:
            return True
        return not ((self._entered and self._typed_here >= SHORT) or self._typed_elsewhere >= ELSEWHERE)

    async def element_at(self, x: int, y: int) -> Control | None:
        """Return the control under a point of the active window."""
        self.look_for_browser()
        self._pressed = (self._clock.now_ns(), x, y)
        asked = self._window
        found = await at_point(self._connection, self.name, asked, x, y) if asked is not None else None
        if found is not None:
            return self._controls.add(found, self._clock.now_ns())
        try:  # Firefox calls a dialog of its page a window, too, and does not say when it is gone
            self._window = await active_window(self._connection, self.name)
        except Unanswered:
            return None
        window = self._window
        if window is None or window == asked:
            return None
        return await at_point(self._connection, self.name, window, x, y)

    async def focused_at(self, x: int, y: int) -> Control | None:
        """Return the control with the keyboard if it is at a point, or gets there in a moment. Asks nothing.

        A menu gives the keyboard to the item under the pointer; Qt takes it away and gives it back at each press.
        """
        self._pressed = (self._clock.now_ns(), x, y)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AT_POINT_S):
                while self.focus is None or not _may_hold(self.focus, x, y):
                    await self._refocused.wait()
                return self.focus
        return None

    # ------------------------------------------------------------ order

    def _put(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if self._waiting.full():
            self._lost += 1  # the program says more than it answers: the newest matter least
            return
        self._waiting.put_nowait((signal, now_ns, epoch))
        if self._worker is None or self._worker.done():
            self._worker = self._begin(self._work())

    async def _work(self) -> None:
        await self._known.wait()
        while not self._waiting.empty():
            signal, now_ns, epoch = self._waiting.get_nowait()
            for _ in range(1 + (signal.kind in _RETRIED)):
                await self._connection.wait_ready(self.name)
                if not await self._may(epoch, Access.ALL):
                    break
                with contextlib.suppress(Unanswered):
                    await self._handlers[signal.kind](signal, now_ns, epoch)
                    break
        if self._lost:
            self._report(Lost(t_ns=self._clock.now_ns(), pid=self.pid, count=self._lost))
            self._lost = 0

    def _on_appearing(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Wait whether it shows alone; a window that appears need not say what else it shows."""
        if signal.detail:
            self._burst.append((signal, now_ns, epoch))
            if len(self._burst) == MANY + 1:  # more of them are on their way
                self._subscriptions.mute(_APPEARING, self.name)
            self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._flushing:
            self._flushing = True
            self._begin(self._flush())

    async def _flush(self) -> None:
        await asyncio.sleep(BURST_NS / NS_PER_S)
        burst, self._burst = self._burst, []
        latest, self._latest = list(self._latest.values()), {}
        self._flushing = False
        is_appearing = len(burst) > BURST
        if is_appearing:
            self._begin(self._listen_again())
        if is_appearing or self._is_of_new_window(burst):
            burst, latest = [], [one for one in latest if self._is_of_person(one[0])]
        for signal, now_ns, epoch in [*burst, *latest[-BURST:]]:
            self._put(signal, now_ns, epoch)

    def _is_of_new_window(self, burst: Sequence[tuple[Signal, int, int]]) -> bool:
        """Return whether what shows is part of a window that was made at that time, and is read with it.

        Not of a browser's, whose pages show their messages in the same way.
        """
        if len(burst) <= FEW or self._may_have_pages:
            return False
        return abs(self._created_ns - burst[0][1]) <= 2 * BURST_NS

    def _is_of_person(self, signal: Signal) -> bool:
        """Return whether something that came with a window is not just a part of it, such as what its lists chose."""
        if signal.kind is Kind.DESCENDANT:
            return self._has_keyboard(signal.path)
        return signal.kind not in _APPEARING

    async def _listen_again(self) -> None:
        """Hear what shows once the window has appeared."""
        await asyncio.sleep(APPEARING_S)
        self._subscriptions.unmute(_APPEARING, self.name)

    async def _introduce(self) -> None:
        self.pid = await self._connection.process(self.name)
        if not self._ended:
            self._connection.know_process(self.name, self.pid)
        self._known.set()

    async def _role(self, path: str) -> int:
        """Return the number of a role, asked once in a while: a status line changes its words, not what it is."""
        now_ns = self._clock.now_ns()
        number, known_ns = self._roles.get(path, (0, -ROLE_NS))
        if now_ns - known_ns >= ROLE_NS:
            number = await role_number(self._connection, self.name, path)
            self._roles[path] = (number, now_ns)
            self._roles.move_to_end(path)
            if len(self._roles) > KNOWN_ROLES:
                self._roles.popitem(last=False)
        return number

    @property
    def _may_have_pages(self) -> bool:
        """Whether it is a browser, or is not known yet not to be one."""
        return self._is_browser is None or self._has_pages

    async def _may(self, epoch: int, access: Access) -> bool:
        """Return whether the program may be asked, for as long as the gate has not been closed."""
        if self._ended or self.pid == 0 or self._guard.epoch != epoch:
            return False
        return await self._guard.access(self.pid) >= access and self._guard.epoch == epoch

    @property
    def _is_active(self) -> bool:
        return self._guard.permit.active == self.pid

    # ------------------------------------------------------------ the keyboard

    async def _on_focus(self, signal: Signal, now_ns: int, epoch: int, number: int) -> None:
        """Ask first and at once whether it is a password field, then, where that may be asked, what else it is."""
        await self._known.wait()
        self._report(FocusMoving(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number))
        try:
            found = await self._field(signal.path, epoch)
            self._report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number, control=found))
            if found is None or found.role is ControlRole.PASSWORD:
                return
            if found.role in PLACES and self._controls.find(signal.path, now_ns, found.role) is None:
                await asyncio.sleep(PASSING_S)
            if self._focus_path != signal.path and found.role in _PASSED:
                return  # what it says is late, and nobody wants to know any more
            if await self._may(epoch, Access.ALL):
                found = await self._described(signal.path, found.role, now_ns)
                if self._focus_path == signal.path:
                    self.focus = found
                    self._refocused.set()
                    self._refocused.clear()
                    self._report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number, control=found))
                    if self._has_pages:
                        await self._find_page_dialog(signal.path, now_ns, epoch)
        except Unanswered:
            self._report(FocusMoved(t_ns=now_ns, pid=self.pid, epoch=epoch, number=number))

    async def _described(self, path: str, role: ControlRole, now_ns: int) -> Control:
        """Return what a control is. One that was asked about a moment ago is not asked again.

        Qt gives the keyboard to an item of a menu anew with each movement of the pointer, and the questions would use
        up those about the dialog that follows; a sheet has it back after each cell.
        """
        known = self._controls.find(path, now_ns, role)
        if known is None:
            is_plain = role in _ALWAYS_PLAIN
            known = await describe(self._connection, self.name, path, role, is_plain=is_plain)
            self._controls.add(known, self._clock.now_ns())
        self._last_focus = (known, now_ns)
        return known

    async def _field(self, path: str, epoch: int) -> Control | None:
        if not await self._may(epoch, Access.FIELDS):
            return None
        number = await role_number(self._connection, self.name, path, urgent=True)
        if number != PASSWORD:
            return Control(key=path, role=role_of(number))
        try:
            box = await box_of(self._connection, self.name, path, urgent=True)
        except Unanswered:
            box = None
        return Control(key=path, role=ControlRole.PASSWORD, box=box)

    def _on_typed(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Note once that something was typed into the control with the keyboard; the text itself was never read."""
        if not self._focus_path:  # it had the keyboard before anybody listened
            self._focus_path, self._entered, self._typed_here, self._typed_elsewhere = signal.path, False, 0, 0
            self._begin(self._on_focus(signal, now_ns, epoch, next(_numbers)))
            return
        if signal.path != self._focus_path:
            if self._may_have_pages:  # perhaps a message of one
                self._latest[signal.kind, signal.path] = (signal, now_ns, epoch)
                self._flush_soon()
            else:
                self._typed_elsewhere += 1
            return
        self._typed_here += 1
        if self._entered or self.focus is None or not self._is_active:
            return
        self._entered = True
        self._act(ActKind.ENTERED, self.focus, now_ns, epoch)

    # ------------------------------------------------------------ browsers

    def _may_name_browser(self, signal: Signal) -> bool:
        if self._is_browser is None:
            return signal.kind is not Kind.NAME
        return self._is_browser and (signal.kind is not Kind.NAME or signal.path in self._browser_windows)

    def _forget_window(self, path: str, now_ns: int, epoch: int) -> None:
        self._open.discard(path)
        if path in self._browser_windows:
            self._browser_windows.discard(path)
            self._name_browser_window(path, "", None, now_ns, epoch)
        if path == self._window:
            self._window = None

    def look_for_browser(self) -> None:
        """Find out whether this is a browser with windows that were there before anybody listened."""
        epoch = self._guard.epoch
        if self._is_browser is None and epoch is not None:
            self._begin(self._find_browser_windows(epoch))

    async def _find_browser_windows(self, epoch: int) -> None:
        await self._known.wait()
        with contextlib.suppress(Unanswered):
            if self._is_browser is None and await self._is_asked_browser(epoch):
                for path in await windows_of(self._connection, self.name):
                    await self._know_browser_window(path, "", self._clock.now_ns(), epoch)

    async def _on_browser_window(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report what Chromium calls a main window: it marks a private one, and only there."""
        await self._known.wait()
        with contextlib.suppress(Unanswered):
            if await self._is_asked_browser(epoch):
                name = signal.text if signal.kind is Kind.NAME else ""
                await self._know_browser_window(signal.path, name, now_ns, epoch)

    async def _is_asked_browser(self, epoch: int) -> bool:
        """Return whether this is Chromium and may be asked about its windows.

        The first question about attributes also makes its pages speak, for the whole browser until it ends.
        """
        if self._is_browser is None and await self._may(epoch, Access.FIELDS):
            toolkit = await self._connection.property(self.name, ROOT, "org.a11y.atspi.Application", "ToolkitName")
            if toolkit == CHROMIUM:
                await self._connection.ask(self.name, ROOT, ACCESSIBLE, "GetAttributes")
            self._is_browser = toolkit == CHROMIUM
            self._has_pages = toolkit in (CHROMIUM, FIREFOX)
        return bool(self._is_browser) and await self._may(epoch, Access.FIELDS)

    async def _know_browser_window(self, path: str, name: str, now_ns: int, epoch: int) -> None:
        if path not in self._browser_windows:
            found = await self._connection.ask(self.name, path, ACCESSIBLE, "GetAttributes")
            if not isinstance(found, dict) or found.get("class") != BROWSER_WINDOW:
                return
            self._browser_windows.add(path)
        box = await box_of(self._connection, self.name, path)
        name = name or await name_of(self._connection, self.name, path)  # the other signals were waited for
        self._name_browser_window(path, name, box, now_ns, epoch)

    def _name_browser_window(self, path: str, name: str, box: Box | None, now_ns: int, epoch: int) -> None:
        self._report(
            BrowserWindowNamed(t_ns=now_ns, pid=self.pid, epoch=epoch, key=(self.name, path), name=name, box=box)
        )

    # ------------------------------------------------------------ acts

    def _act(self, what: ActKind, control: Control, now_ns: int, epoch: int) -> None:
        if control.role is not ControlRole.PASSWORD:
            self._report(Acted(t_ns=now_ns, pid=self.pid, epoch=epoch, control=control, what=what))

    async def _on_checked(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not self._is_active or not await self._is_touched(signal.path, now_ns):
            return
        found = await describe(self._connection, self.name, signal.path)
        state = ControlState.ON if signal.detail else ControlState.OFF
        if not self._echoes.is_echo((found.name, state), now_ns):
            self._act(ActKind.TOGGLED, replace(found, state=state), now_ns, epoch)

    async def _is_touched(self, path: str, now_ns: int) -> bool:
        """Return whether a toggle has the keyboard or was pressed a moment ago; asks where it is only after a press."""
        if self._has_keyboard(path):
            return True
        if self._pressed is None or abs(now_ns - self._pressed[0]) > TOUCHED_NS:
            return False
        _, x, y = self._pressed
        box = await box_of(self._connection, self.name, path)
        return box is not None and _is_in(box, x, y)

    def _has_keyboard(self, path: str) -> bool:
        """Return whether a control has the keyboard, or had it last: a menu closes before its item is toggled."""
        known, _ = self._last_focus
        return path == self._focus_path or (known is not None and known.key == path)

    async def _on_descendant(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not signal.reference or not self._is_active:
            return
        found = self._controls.find(signal.reference, now_ns)
        if found is None:
            role = ControlRole.CELL if signal.path == self._sheet else None
            found = await describe(self._connection, self.name, signal.reference, role)
            self._controls.add(found, self._clock.now_ns())
            self._sheet = signal.path if found.role is ControlRole.CELL else ""  # all that is in it are cells
        self._act(ActKind.CHOSEN, found, now_ns, epoch)

    # ------------------------------------------------------------ dialogs and messages

    async def _on_window(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if signal.kind is Kind.WINDOW_ACTIVATE and signal.path in self._open:
            return
        role = role_of(await role_number(self._connection, self.name, signal.path))
        if role in (ControlRole.DIALOG, ControlRole.ALERT):
            await self._dialog(signal.path, role, signal.text, now_ns, epoch)

    async def _dialog(self, path: str, role: ControlRole, title: str, now_ns: int, epoch: int) -> None:
        if self._dialogs.is_echo(path, now_ns):
            return
        self._open.add(path)
        title = title or await name_of(self._connection, self.name, path)
        said = await self._read_dialog(path, title, now_ns, epoch)
        self._report(
            DialogOpened(
                t_ns=now_ns,
                pid=self.pid,
                epoch=epoch,
                role=role,
                title=title,
                text=said.text,
                asks_password=said.asks_password,
            )
        )

    async def _read_dialog(self, path: str, title: str, now_ns: int, epoch: int) -> Labels:
        """Return what a dialog says; of a form that was read a moment ago what it said then."""
        box = await box_of(self._connection, self.name, path) if self._forms else None
        known, known_ns = self._forms.get((title, box and box[2:]), (None, 0))
        if known is not None and now_ns - known_ns < FORM_NS:
            return known
        said = await self._dialog_labels(path, epoch)
        if said.questions > FORM_QUESTIONS and (said.text or said.complete):
            self._forms.clear()  # one is enough
            box = box or await box_of(self._connection, self.name, path)
            self._forms[title, box and box[2:]] = (said, now_ns)
        return said

    async def _dialog_labels(self, path: str, epoch: int) -> Labels:
        """Return what a dialog says; one of which nothing could be read is asked once more.

        A page puts its words deep below, and the click and the focus before may have used up the questions of a second.
        """
        said = await labels(self._connection, self.name, path)
        if said.text or said.complete:
            return said
        await asyncio.sleep(ASK_AGAIN_S)
        await self._connection.wait_ready(self.name)
        return await labels(self._connection, self.name, path) if await self._may(epoch, Access.ALL) else said

    async def _find_page_dialog(self, path: str, now_ns: int, epoch: int) -> None:
        """Report the dialog of a page that the focus went into: it opens no window, and says nothing else."""
        try:
            await self._look_above(path, now_ns, epoch)
        except Unanswered:  # the click has used up the questions of a second, or the page is busy with its dialog
            await asyncio.sleep(ASK_AGAIN_S)
            await self._connection.wait_ready(self.name)
            if self._focus_path == path and await self._may(epoch, Access.ALL):
                with contextlib.suppress(Unanswered):
                    await self._look_above(path, now_ns, epoch)

    async def _look_above(self, path: str, now_ns: int, epoch: int) -> None:
        for _ in range(DIALOG_STEPS):
            above = object_path(await self._connection.property(self.name, path, ACCESSIBLE, "Parent"))
            if above is None or above in self._open:
                return
            role = role_of(await role_number(self._connection, self.name, above))
            if role in (ControlRole.DIALOG, ControlRole.ALERT):
                await self._dialog(above, role, "", now_ns, epoch)
            if role in (ControlRole.DIALOG, ControlRole.ALERT, ControlRole.DOCUMENT):
                return
            path = above

    async def _on_showing(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if signal.path in self._open:
            return
        role = role_of(await self._role(signal.path))
        if role is ControlRole.DIALOG:
            await self._dialog(signal.path, role, "", now_ns, epoch)
        elif role in (ControlRole.ALERT, ControlRole.NOTIFICATION):
            title = await name_of(self._connection, self.name, signal.path)
            said = await labels(self._connection, self.name, signal.path)
            self._message(role, "\n".join(part for part in (title, said.text) if part), now_ns, epoch)

    async def _on_name(self, signal: Signal, now_ns: int, epoch: int) -> None:
        label = undo_label(signal.text)
        if label is not None:
            if not self._echoes.is_echo(("undo", label), now_ns):
                self._report(UndoNamed(t_ns=now_ns, pid=self.pid, epoch=epoch, label=label))
            return
        if signal.path == self._window or not signal.text or self._restless.is_restless(signal.path, now_ns):
            return
        is_trouble = class_of_message(signal.text) in (MessageClass.ERROR, MessageClass.WARNING)
        if not is_trouble and not self._may_have_pages:
            return  # the dialogs of a page get their names late; others come with a window
        number = await self._role(signal.path)
        if role_of(number) is ControlRole.DIALOG:
            await self._dialog(signal.path, ControlRole.DIALOG, signal.text, now_ns, epoch)
        elif is_trouble and number in SHOWS_MESSAGES:
            self._message(role_of(number), signal.text, now_ns, epoch)

    async def _on_invalid(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if signal.detail and self._is_active:
            number = await role_number(self._connection, self.name, signal.path)
            text = "" if number == PASSWORD else await name_of(self._connection, self.name, signal.path)
            self._message(role_of(number), text, now_ns, epoch, invalid=True)

    async def _on_row(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if now_ns - self._created_ns < int(APPEARING_S * NS_PER_S):
            return  # the lists of a window that appears are filled
        row = await self._connection.ask(
            self.name, signal.path, "org.a11y.atspi.Table", "GetAccessibleAt", "ii", signal.detail, 0
        )
        path = object_path(row)
        text = await name_of(self._connection, self.name, path) if path is not None else ""
        if class_of_message(text) in (MessageClass.ERROR, MessageClass.WARNING):
            self._message(ControlRole.CELL, text, now_ns, epoch)

    async def _on_written(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Read what a page writes into a part of it that is there for messages; other text is nobody's business."""
        if self._restless.is_restless(signal.path, now_ns):
            return
        role = role_of(await self._role(signal.path))
        if role in (ControlRole.ALERT, ControlRole.NOTIFICATION, ControlRole.STATUS):
            said = await labels(self._connection, self.name, signal.path)
            text = said.text or await name_of(self._connection, self.name, signal.path)
            if text:
                self._message(role, text, now_ns, epoch)

    async def _on_text(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if signal.text:
            self._message(ControlRole.NOTIFICATION, signal.text, now_ns, epoch)

    def _message(self, role: ControlRole, text: str, now_ns: int, epoch: int, *, invalid: bool = False) -> None:
        if not self._echoes.is_echo((role, text, invalid), now_ns):
            self._report(MessageShown(t_ns=now_ns, pid=self.pid, epoch=epoch, role=role, text=text, invalid=invalid))

    async def _on_loaded(self, signal: Signal, now_ns: int, epoch: int) -> None:
        title = await name_of(self._connection, self.name, signal.path)
        if not self._echoes.is_echo(("loaded", title), now_ns):
            self._report(PageLoaded(t_ns=now_ns, pid=self.pid, epoch=epoch, title=title))


def _may_hold(control: Control, x: int, y: int) -> bool:
    """Return whether a point is in a control, as far as its place is known."""
    return control.box is None or _is_in(control.box, x, y)


def _is_in(box: Box, x: int, y: int) -> bool:
    """Return whether a point is in a rectangle."""
    return box.x <= x < box.x + box.w and box.y <= y < box.y + box.h
