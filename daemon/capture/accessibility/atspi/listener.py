"""Listens to one program on the bus: takes its signals in order, and reports acts on its controls.

Signals are taken one at a time, but for the focus; what shows in a burst waits until it is clear what it is.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from daemon.capture.accessibility.atspi.browser import Browser
from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.fields import HeldFields
from daemon.capture.accessibility.atspi.keyboard import Keyboard
from daemon.capture.accessibility.atspi.messages import DialogReader, Messages
from daemon.capture.accessibility.atspi.pointer import Pointer
from daemon.capture.accessibility.atspi.program import BusProgram, Means
from daemon.capture.accessibility.atspi.recent import APPEARING_NS, BURST, BURST_NS, Echoes
from daemon.capture.accessibility.atspi.signals import Signal, SignalKind
from daemon.capture.accessibility.atspi.walk_memory import WalkMemory
from daemon.capture.control_source import Access, Acted, ActKind, Control, Lost
from storage.clock import NS_PER_S
from storage.records import ControlRole, ControlState

MAX_WAITING = 100
MANY = 30
"""More controls than this that show at once are a window, of which hundreds follow: the rest is not even signalled.
A tool bar that changes with each cell shows fewer, and to have them not signalled costs more than to drop them."""

FEW = 3
"""More controls than this that show together with a new window are parts of it."""

_RETRIED = (SignalKind.WINDOW_CREATE, SignalKind.WINDOW_ACTIVATE)
"""A program that makes a window is busy, and slow to answer what it is."""

_WAITING = (SignalKind.DESCENDANT, SignalKind.ROW_INSERTED, SignalKind.TEXT_WRITTEN)
"""Of these and of toggles the latest of an object counts; many come at once."""

_APPEARING = (SignalKind.SHOWING, SignalKind.ROW_INSERTED)
"""What comes by the hundred while a window appears."""

_STIRRING = frozenset(
    {
        *(SignalKind.FOCUSED, SignalKind.WINDOW_ACTIVATE, SignalKind.WINDOW_CREATE, SignalKind.WINDOW_DESTROY),
        *(SignalKind.SHOWING, SignalKind.LOADED),
    }
)
"""After these a password field may be empty, gone or elsewhere."""

Handler = Callable[[Signal, int, int], Awaitable[None]]
Heard = tuple[Signal, int, int]
"""A signal, when it came, and in which epoch of the gate."""


class ProgramListener:
    """Everything known of one program."""

    def __init__(self, name: str, means: Means) -> None:
        """Take the program's name on the bus; its process is looked up at once."""
        self.program = program = BusProgram(name, means)
        self.walks = WalkMemory()
        """What walks of its window have learned."""
        self.browser = Browser(program)
        """Whether it is a browser, and its windows."""
        self._dialogs = DialogReader(program)
        self._messages = messages = Messages(program, self.browser, self._dialogs)
        self._outputs = messages.outputs
        self.fields = HeldFields(program)
        """Its password fields that had the keyboard."""
        self.keyboard = Keyboard(program, self.browser, self._dialogs, self._outputs, self.fields)
        self.pointer = Pointer(program, self.browser, self.keyboard)
        self.fields.find_at = self.pointer.path_at
        self._subscriptions = means.subscriptions
        self._sheet = ""
        self._cell: Control | None = None
        """The cell that was chosen last."""
        self._cell_edited = False
        """Whether before the newest choice a text got the keyboard, which was the editor of the cell."""
        self._waiting: asyncio.Queue[Heard] = asyncio.Queue(MAX_WAITING)
        self._worker: asyncio.Task[None] | None = None
        self._flushing = False
        self._burst: list[Heard] = []
        self._latest: dict[tuple[SignalKind, str], Heard] = {}
        self._had_keyboard: set[str] = set()
        self._toggled = Echoes()
        self._lost = 0
        self._appears_until_ns = 0
        self._handlers: dict[SignalKind, Handler] = {
            SignalKind.WINDOW_ACTIVATE: self._dialogs.on_window,
            SignalKind.WINDOW_CREATE: self._dialogs.on_window,
            SignalKind.CHECKED: self._on_checked,
            SignalKind.INVALID_ENTRY: messages.on_invalid,
            SignalKind.SHOWING: messages.on_showing,
            SignalKind.NAME: messages.on_name,
            SignalKind.ROW_INSERTED: messages.on_row,
            SignalKind.DESCENDANT: self._on_descendant,
            SignalKind.TEXT_INSERTED: messages.on_written,
            SignalKind.TEXT_WRITTEN: messages.on_written,
            SignalKind.LOADED: messages.on_loaded,
            SignalKind.ANNOUNCEMENT: messages.on_text,
            SignalKind.NOTIFICATION: messages.on_text,
        }
        program.begin(program.introduce())

    def end(self) -> None:
        """Note that the program is gone."""
        self.program.end()
        self.fields.end()
        self._subscriptions.unmute(_APPEARING, self.program.name)
        self.keyboard.focus = None
        if self._worker is not None:
            self._worker.cancel()

    def forget_focus(self) -> None:
        """Forget where the keyboard is; the next thing typed tells."""
        self.keyboard.forget()
        self._sheet, self._cell, self._cell_edited = "", None, False
        self.program.known_controls.clear()
        self._dialogs.forget_forms()
        self._outputs.forget()

    def note_command(self, *, is_enter: bool = False, since_ns: int | None = None) -> bool:
        """Note a key or click that may run something; return whether what is written next may say how that went."""
        if not self.program.guard.reads_outputs or self.browser.may_have_pages:
            return False
        texts = self.keyboard.texts_for_command(is_enter=is_enter)
        if texts is not None:
            self._outputs.begin(since_ns, texts)
        return texts is not None

    def forget_outputs(self) -> None:
        """Forget what was written after a command: not all of it is heard."""
        self._outputs.forget()

    def note_writing(self) -> None:
        """Take in that the person writes, whether the program signals it or not."""
        self._outputs.end()

    def take(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in a signal; costs next to nothing where the program is none of our business."""
        permit, pid = self.program.guard.permit, self.program.pid
        if permit.programs.get(pid) is Access.NOTHING and pid not in permit.settling:
            return
        kind = signal.kind
        if kind in _APPEARING and now_ns < self._appears_until_ns:
            return
        self.browser.take(signal, now_ns, epoch)
        if kind in _STIRRING:
            self.fields.stir()
        if kind is SignalKind.FOCUSED:
            self.keyboard.take_focus(signal, now_ns, epoch)
        elif kind is SignalKind.TEXT_INSERTED:
            if not self.keyboard.take_typed(signal, now_ns, epoch):
                self._hold(signal, now_ns, epoch)
        elif kind is SignalKind.WINDOW_DESTROY:
            self._forget_window(signal.path, now_ns, epoch)
        elif kind is SignalKind.SHOWING:
            self._on_appearing(signal, now_ns, epoch)
        elif kind in _WAITING or (kind is SignalKind.CHECKED and not self.keyboard.has(signal.path)):
            self._hold(signal, now_ns, epoch)
        else:
            if kind is SignalKind.WINDOW_ACTIVATE:
                self.program.window = signal.path
            elif kind is SignalKind.WINDOW_CREATE:
                self.program.created_ns = now_ns
            self._put(signal, now_ns, epoch)

    def _forget_window(self, path: str, now_ns: int, epoch: int) -> None:
        self._dialogs.forget(path)
        self.browser.forget(path, now_ns, epoch)
        if path == self.program.window:
            self.program.window = None

    # ------------------------------------------------------------ order

    def _put(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if self._waiting.full():
            self._lost += 1  # the program says more than it answers: the newest matter least
            return
        self._waiting.put_nowait((signal, now_ns, epoch))
        if self._worker is None or self._worker.done():
            self._worker = self.program.begin(self._work())

    async def _work(self) -> None:
        await self.program.wait_known()
        while not self._waiting.empty():
            signal, now_ns, epoch = self._waiting.get_nowait()
            for _ in range(1 + (signal.kind in _RETRIED)):
                await self.program.wait_ready()
                if not await self.program.may(epoch):
                    break
                with contextlib.suppress(Unanswered):
                    await self._handlers[signal.kind](signal, now_ns, epoch)
                    break
        if self._lost:
            self.program.report(Lost(t_ns=self.program.clock.now_ns(), pid=self.program.pid, count=self._lost))
            self._lost = 0

    def _on_appearing(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Wait whether it shows alone; a window that appears need not say what else it shows."""
        self._burst.append((signal, now_ns, epoch))
        if len(self._burst) == MANY + 1:  # more of them are on their way
            self._subscriptions.mute(_APPEARING, self.program.name)
        self._flush_soon()

    def _hold(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Wait a moment: of what comes again the latest counts."""
        if signal.kind is SignalKind.ROW_INSERTED and self._outputs.is_expected:
            self._outputs.note_row(signal.path, signal.detail)
        if signal.kind is SignalKind.DESCENDANT:  # a text that has the keyboard from now on is of the next cell
            self._cell_edited = self._cell_edited or self.keyboard.opened_text
            self.keyboard.opened_text = False
        if self.keyboard.has(signal.path):
            self._had_keyboard.add(signal.path)
        self._latest[signal.kind, signal.path] = (signal, now_ns, epoch)
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._flushing:
            self._flushing = True
            self.program.begin(self._flush())

    async def _flush(self) -> None:
        await asyncio.sleep(BURST_NS / NS_PER_S)
        burst, self._burst = self._burst, []
        latest, self._latest = list(self._latest.values()), {}
        had_keyboard, self._had_keyboard = self._had_keyboard, set()
        self._flushing = False
        now_ns = self.program.clock.now_ns()
        if len(burst) > BURST:
            self._appears_until_ns = now_ns + APPEARING_NS
        if len(burst) > MANY:
            self.program.begin(self._listen_again())
        if now_ns < self._appears_until_ns or self._is_of_new_window(burst):
            burst, latest = [], [heard for heard in latest if self._is_of_person(heard[0], had_keyboard)]
        for heard in [*burst, *latest[-BURST:]]:
            self._put(*heard)

    def _is_of_new_window(self, burst: Sequence[Heard]) -> bool:
        """Return whether what shows is part of a new window, and is read with it; in pages it may be a message."""
        if len(burst) <= FEW or self.browser.may_have_pages:
            return False
        return abs(self.program.created_ns - burst[0][1]) <= 2 * BURST_NS

    def _is_of_person(self, signal: Signal, had_keyboard: Collection[str]) -> bool:
        """Return whether something that came with a window is not just a part of it, such as what its lists chose.

        A list that has the keyboard then or now chooses for the person: who clicks in it gives it the keyboard, and who
        leaves a cell may have begun with the next one.
        """
        if signal.kind is SignalKind.DESCENDANT:
            return signal.path in had_keyboard or self.keyboard.has(signal.path)
        return signal.kind not in _APPEARING

    async def _listen_again(self) -> None:
        """Hear what shows once the window has appeared."""
        await asyncio.sleep(APPEARING_NS / NS_PER_S)
        self._subscriptions.unmute(_APPEARING, self.program.name)

    # ------------------------------------------------------------ acts

    def _act(self, what: ActKind, control: Control, now_ns: int, epoch: int) -> None:
        if control.role is not ControlRole.PASSWORD:
            pid = self.program.pid
            self.program.report(Acted(t_ns=now_ns, pid=pid, epoch=epoch, control=control, what=what))

    async def _on_checked(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not self.program.is_active or not await self.pointer.is_touched(signal.path, now_ns):
            return
        found = await self.program.describe(signal.path)
        state = ControlState.ON if signal.detail else ControlState.OFF
        if not self._toggled.is_echo((found.name, state), now_ns):
            self._act(ActKind.TOGGLED, replace(found, state=state), now_ns, epoch)

    async def _on_descendant(self, signal: Signal, now_ns: int, epoch: int) -> None:
        if not signal.reference or not self.program.is_active:
            return
        known = self.program.known_controls
        found = known.find(signal.reference, now_ns)
        if found is None:
            role = ControlRole.CELL if signal.path == self._sheet else None
            found = await self.program.describe(signal.reference, role)
            known.add(found, self.program.clock.now_ns())
            self._sheet = signal.path if found.role is ControlRole.CELL else ""  # all that is in it are cells
        self._act(ActKind.CHOSEN, found, now_ns, epoch)
        left, self._cell = self._cell, found if found.role is ControlRole.CELL else None
        edited, self._cell_edited = self._cell_edited, False
        if edited and left is not None and left.key != found.key and not self.browser.may_have_pages:
            await self._messages.on_cell_left(str(left.key), now_ns, epoch)
