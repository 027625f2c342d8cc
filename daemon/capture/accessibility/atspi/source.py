"""Listens to the accessibility bus: connects, registers for a few kinds of signals, and gives them to their programs.

The registry's service is started by the first program that uses it, never from here; registration follows it.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dbus_fast import Message

from daemon.capture.accessibility.atspi.budget import AnswerBudget
from daemon.capture.accessibility.atspi.commands import CommandReader
from daemon.capture.accessibility.atspi.connection import Connection, Unanswered
from daemon.capture.accessibility.atspi.listener import ProgramListener
from daemon.capture.accessibility.atspi.program import GTK2, Means
from daemon.capture.accessibility.atspi.protocol import REGISTRY, REGISTRY_PATH
from daemon.capture.accessibility.atspi.recent import Flood
from daemon.capture.accessibility.atspi.signals import NOISY, TYPED, SignalKind, Subscriptions, parse
from daemon.capture.accessibility.atspi.switch import bus_address
from daemon.capture.accessibility.atspi.walk import Walk
from daemon.capture.accessibility.atspi.walk_memory import NAMES_NS
from daemon.capture.control_source import (
    Control,
    ControlList,
    FrontWindow,
    Guard,
    Lost,
    Observation,
    ProgramQuiet,
    SourceState,
    Working,
)
from daemon.capture.dbus import BUS
from daemon.capture.programs.processes import program_name
from daemon.capture.source_thread import SourceGone
from storage.clock import NS_PER_S, Clock
from storage.ports import CommandList
from storage.records import Box, ControlRole

MAX_PROGRAMS = 200
KEPT_S = NAMES_NS / NS_PER_S
_RUNS = frozenset({ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.MENU_ITEM})
"""What may run something when it is pressed."""

_OWNER_RULE = f"type='signal',sender='{BUS}',interface='{BUS}',member='NameOwnerChanged'"


class AtSpiSource:
    """The adapter; `watch` may be called again after the bus went away."""

    def __init__(self, env: Mapping[str, str], guard: Guard, clock: Clock, budget: AnswerBudget | None = None) -> None:
        """Take the environment that names the session's bus, and who says what may be looked at and how often."""
        self._env = env
        self._guard = guard
        self._clock = clock
        self._budget = budget if budget is not None else AnswerBudget()
        self._reader = CommandReader(env)
        self._connected = False
        self._connection: Connection | None = None
        self._subscriptions: Subscriptions | None = None
        self._listeners: dict[str, ProgramListener] = {}
        self._flood, self._noise = Flood(), Flood()
        self._calming = False
        self._epoch: int | None = None

    @property
    def state(self) -> SourceState:
        """Whether it is connected, and the programs that do not answer."""
        now_ns = self._clock.now_ns()
        return SourceState(
            connected=self._connected,
            left_alone=self._programs(self._budget.left_alone(now_ns)),
            spent=self._programs(self._budget.spent(now_ns)),
        )

    def _programs(self, names: Sequence[str]) -> tuple[str, ...]:
        pids = {name: listener.program.pid for name, listener in list(self._listeners.items())}
        return tuple(sorted({program_name(pids[name]) for name in names if name in pids}))

    def _listeners_of(self, pid: int) -> list[ProgramListener]:
        return [listener for listener in self._listeners.values() if listener.program.pid == pid]

    async def focused_at(self, pid: int, x: int, y: int) -> Control | None:
        """Return the control of a program under a point of a menu, which the keyboard goes to."""
        began_ns = self._clock.now_ns()
        found = await asyncio.gather(*(listener.pointer.focused_at(x, y) for listener in self._listeners_of(pid)))
        control = next((control for control in found if control is not None), None)
        self._note_press(pid, control, began_ns)
        return control

    async def element_at(self, pid: int, x: int, y: int) -> Control | None:
        """Return the control of a program under a point."""
        began_ns = self._clock.now_ns()
        for listener in self._listeners_of(pid):
            found = await listener.pointer.element_at(x, y)
            if found is not None:
                self._note_press(pid, found, began_ns)
                return found
        return None

    def _note_press(self, pid: int, control: Control | None, since_ns: int) -> None:
        """Take in that something was pressed, which may run something."""
        if control is not None and control.role in _RUNS:
            self.note_command(pid, is_enter=False, since_ns=since_ns)

    def note_command(self, pid: int, *, is_enter: bool, since_ns: int | None = None) -> None:
        """Hear what is written for a while: a program that was given a command may say there how that went."""
        for listener in self._listeners_of(pid):
            if listener.note_command(is_enter=is_enter, since_ns=since_ns):
                self.note_active()

    def note_writing(self, pid: int) -> None:
        """Take in that the person writes: what a program wrote before that, and was not read, is not read any more."""
        for listener in self._listeners_of(pid):
            listener.note_writing()

    def note_typing(self, pid: int) -> None:
        """Take in a letter after an act that may have moved the keyboard: a program that hangs has not moved it yet."""
        now_ns, epoch = self._clock.now_ns(), self._guard.epoch
        if epoch is not None:
            for listener in self._listeners_of(pid):
                listener.keyboard.confirm(now_ns, epoch)

    @property
    def walked_ns(self) -> int:
        """How long programs have run for walks of their windows, all together."""
        return self._budget.walked_ns

    async def controls(self, pid: int, window: Box, menus: Sequence[Box]) -> ControlList | None:
        """Return the controls of a program's active window; None if it does not say in time, none if it never does."""
        for listener in list(self._listeners.values()):
            await listener.program.wait_known()
            if listener.program.pid == pid:
                listener.browser.look()
        listeners, connection = self._listeners_of(pid), self._connection
        if connection is None:
            return None
        for listener in listeners:
            now_ns = self._clock.now_ns()
            content = None
            if await listener.program.is_gtk4():
                permit = self._guard.permit
                content = permit.content if (permit.active, permit.window) == (pid, window) else None
                if content is None:
                    return None
            corner = self._guard.permit.corner if content is None else None
            name, memory = listener.program.name, listener.walks
            walk = Walk(
                connection,
                name,
                window=_moved(window, corner, -1),
                content=content,
                menus=menus,
                tells_items=not await listener.program.is_of(GTK2),
                memory=memory,
                now_ns=now_ns,
            )
            asyncio.get_running_loop().call_later(KEPT_S, memory.expire, now_ns + NAMES_NS)
            found = await walk.run()
            if found is not None:
                if corner is None:
                    return found
                return replace(found, controls=tuple(_at(control, corner) for control in found.controls))
        return None if listeners else ControlList(complete=False)

    @property
    def read_ns(self) -> int:
        """How long programs have run for questions about their commands, all together."""
        return self._budget.read_ns

    async def commands(self, window: FrontWindow, earlier: CommandList | None) -> CommandList | None:
        """Return the commands of a window; None if its program does not say in time, or never does."""
        for listener in list(self._listeners.values()):
            await listener.program.wait_known()
        connection = self._connection
        if connection is None:
            return None
        names: dict[str, str] = {}
        for listener in self._listeners_of(window.pid):
            with contextlib.suppress(Unanswered):
                names[listener.program.name] = await listener.program.toolkit()
        found = await self._reader.read(
            connection,
            names,
            window,
            earlier=earlier,
            now_ns=self._clock.now_ns(),
            rest_s=lambda: self._guard.typing_s,
        )
        return None if found is None else replace(found, read_ns=self._clock.now_ns())  # it may have taken seconds

    def begin_anew(self) -> None:
        """Forget where the keyboard was, and hear again what is typed: it tells of a field that had it all the time."""
        self._epoch = self._guard.epoch
        for known in self._listeners.values():
            known.forget_focus()
            known.walks.clear()
            known.browser.look()
            known.fields.stir()
        self.note_active()

    def note_active(self) -> None:
        """Hear again what is typed: a field that had the keyboard all the time signals nothing else."""
        if self._subscriptions is not None:
            self._subscriptions.unmute(TYPED, "known")

    async def watch(self, report: Callable[[Observation], None]) -> None:
        """Report observations until cancelled; raises `SourceGone` where the bus does not answer, or went away."""
        connection = await Connection.open(await bus_address(self._env), self._clock, self._budget)
        self._connection = connection
        self._listeners.clear()
        self._calming = False
        self._flood, self._noise = Flood(), Flood()
        self._budget.clear()  # nobody answers what was asked on another connection
        self._budget.on_quiet = lambda name, on: self._note_quiet(name, report, on=on)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(connection.wait_closed())
                means = Means.of(connection, self._guard, self._clock, tasks, report)
                self._subscriptions = means.subscriptions
                connection.on_signal(lambda message: self._take(message, means))
                await self._listen(means)
        except* SourceGone:
            pass
        finally:
            self._connected, self._connection, self._subscriptions = False, None, None
            connection.close()
        raise SourceGone

    async def _listen(self, means: Means) -> None:
        connection = means.connection
        await connection.ask_bus("AddMatch", "s", _OWNER_RULE)
        await means.subscriptions.open()
        if await connection.ask_bus("NameHasOwner", "s", REGISTRY) is True:
            await _register(connection)
        present = await connection.ask_bus("ListNames")
        self._epoch = self._guard.epoch
        for name in present[: 2 * MAX_PROGRAMS] if isinstance(present, list) else []:
            listener = self._begin(name, means) if name.startswith(":") else None
            if listener is not None:
                listener.browser.look()
        self._connected = True
        means.report(Working(t_ns=self._clock.now_ns(), pid=0, on=True))

    def _begin(self, name: str, means: Means) -> ProgramListener | None:
        if name not in self._listeners and len(self._listeners) < MAX_PROGRAMS:
            self._listeners[name] = ProgramListener(name, means)
        return self._listeners.get(name)

    def _take(self, message: Message, means: Means) -> None:
        """Take in any signal of the bus; costs little while nothing may be looked at, and in a flood."""
        if message.sender == BUS:
            if message.member == "NameOwnerChanged":
                self._note_owner(str(message.body[0]), str(message.body[2]), means)
            return
        epoch, now_ns = self._guard.epoch, self._clock.now_ns()
        if epoch is None:
            return
        if epoch != self._epoch:
            self.begin_anew()
        signal = parse(message)
        if signal is None:
            return
        if not (self._noise if signal.kind in NOISY else self._flood).add(now_ns):
            if not self._calming:
                self._calming = True
                means.begin(self._calm(means))
            return
        if signal.kind is SignalKind.SHOWING and not signal.detail:
            return  # it is hidden, which LibreOffice says of every cell that scrolls away
        listener = self._begin(signal.sender, means)
        if listener is not None:
            if signal.kind is SignalKind.NAME:
                listener.walks.forget_name(signal.path)
            listener.take(signal, now_ns, epoch)
            self._subscribe_to_text(listener, signal.kind, means)

    def _subscribe_to_text(self, listener: ProgramListener, kind: SignalKind, means: Means) -> None:
        """Have typed letters signalled only until it is known that something was typed where the keyboard is."""
        is_active = listener.program.pid == self._guard.permit.active
        if is_active and not listener.keyboard.needs_text:
            means.subscriptions.mute(TYPED, "known")
        elif is_active or kind in (SignalKind.FOCUSED, SignalKind.WINDOW_ACTIVATE):
            means.subscriptions.unmute(TYPED, "known")

    def _note_owner(self, name: str, owner: str, means: Means) -> None:
        """Register where the registry has just appeared; know a program that has come, forget one that has ended."""
        if name == REGISTRY and owner:
            means.begin(_register(means.connection))
        elif owner and name.startswith(":"):
            self._begin(name, means)  # one that is slow to come has its window by then, and signals nothing of it
        elif not owner:
            means.connection.forget(name)
            ended = self._listeners.pop(name, None)
            if ended is not None:
                ended.end()

    def _note_quiet(self, name: str, report: Callable[[Observation], None], *, on: bool) -> None:
        listener = self._listeners.get(name)
        if listener is not None:
            report(ProgramQuiet(t_ns=self._clock.now_ns(), pid=listener.program.pid, on=on))

    async def _calm(self, means: Means) -> None:
        """Do not listen to the noisy kinds until it is calm again; then report how much was not looked at."""
        means.subscriptions.mute(NOISY, "flood")
        for listener in self._listeners.values():
            listener.forget_outputs()
        floods = (self._flood, self._noise)
        while any(flood.is_on(self._clock.now_ns()) for flood in floods):  # noqa: ASYNC110  # floods are pure
            await asyncio.sleep(1.0)
        means.subscriptions.unmute(NOISY, "flood")
        self._calming = False
        for listener in self._listeners.values():
            listener.walks.clear()
        dropped = self._flood.take_dropped()
        if dropped:  # where the keyboard went meanwhile is not known
            for listener in self._listeners.values():
                listener.forget_focus()
        dropped += self._noise.take_dropped()
        means.report(Lost(t_ns=self._clock.now_ns(), pid=0, count=dropped))


def _moved(box: Box, corner: tuple[int, int] | None, way: int) -> Box:
    """Return a box as a program counts it that knows no place (-1), or on the desktop (1)."""
    return box if corner is None else box._replace(x=box.x + way * corner[0], y=box.y + way * corner[1])


def _at(control: Control, corner: tuple[int, int]) -> Control:
    return control if control.box is None else replace(control, box=_moved(control.box, corner, 1))


async def _register(connection: Connection) -> None:
    """Have programs send what is listened to."""
    for kind in SignalKind:
        await connection.ask_service((REGISTRY, REGISTRY_PATH, REGISTRY, "RegisterEvent"), "s", kind.value)
