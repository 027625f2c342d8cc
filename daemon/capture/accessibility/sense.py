"""The thread "controls": runs an adapter where it may hang, and queues what it reports for the capture thread.

Its queue is bounded, and what does not fit is counted. An adapter that went away, or has a bug, is tried again with
growing pauses.
"""

import asyncio
import contextlib
import logging
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from daemon.capture.accessibility.command_store import CommandStore
from daemon.capture.accessibility.ocr.reading import LIMIT_S, ReadTexts, is_installed, read_texts
from daemon.capture.accessibility.walk_rate import WalkRate
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    BrowserWindowNamed,
    CommandsListed,
    ControlList,
    ControlsListed,
    ControlSource,
    FrontWindow,
    Guard,
    Observation,
    Permit,
    PictureWanted,
    SourceState,
    Working,
)
from daemon.capture.diff import Pixels
from daemon.capture.gate import Gate
from daemon.capture.scene import contains
from daemon.capture.source_thread import SourceGone, SourceThread
from storage.clock import NS_PER_S, Clock, thread_cpu_ns
from storage.ports import CommandList
from storage.records import Box, Elements

logger = logging.getLogger(__name__)

MAX_PENDING = 2_000
FIRST_PAUSE_S = 1.0
MAX_PAUSE_S = 60.0
STABLE_NS = 60 * NS_PER_S
"""An adapter that worked for this long is tried again after the first pause."""

SETTLE_S = 1.5
"""How long a question waits for the fence to know the windows of a program."""

WALK_S = 2.0
"""Time limit for a walk; adapters have a shorter one of their own."""

WAKE_S = 0.25
"""How long what was observed may wait for the capture thread to look by itself, as it does while somebody works."""

REQUEST_NS = 5 * NS_PER_S
"""A request that nobody has answered by then is dropped: the capture thread may have begun anew."""

MAX_PROGRAMS = 8
"""Of so many programs it is known which of their windows was active last."""

TOLD_S = 0.06
"""After this time an adapter has said whether a program that was typed into has yet to answer."""

COMMANDS_S, COMMANDS_TYPING_S = 4.0, 20.0
"""How long commands are read, and how long at most where somebody types meanwhile: that time is left out."""

TYPING_NS = NS_PER_S // 2
"""How long after a key menus are read again."""

COMMANDS_GAP_NS, COMMANDS_PER_MINUTE, COMMANDS_BURST_NS = 0, 12, 8 * NS_PER_S
"""Limits for reading commands: the menus of an office program keep it busy for two or three seconds if they are walked,
of which it can be asked for a few before the share of a core that walks have is used up."""

_URGENT = (Working, BrowserWindowNamed, CommandsListed, ControlsListed)
"""Somebody waits for these, or the fence needs them."""
LOOK_S = 0.2
"""How often it is looked whether a pause has begun while texts are read."""

TakeElements = Callable[[Elements | None], None]
TakeCommands = Callable[[CommandList | None], None]
OpenSource = Callable[[Mapping[str, str], Guard, Clock], ControlSource]


def open_atspi(env: Mapping[str, str], guard: Guard, clock: Clock) -> ControlSource:
    """Return the adapter of this platform; loads its libraries."""
    from daemon.capture.accessibility.atspi.source import AtSpiSource

    return AtSpiSource(env, guard, clock)


def text_reader() -> ReadTexts | None:
    """Return what reads texts off pictures; None where the extra "ocr" is not installed."""
    return read_texts if is_installed() else None


class ControlSense:
    """Runs from `start` to `stop`. It is the `Guard` that its adapter asks before it looks at anything."""

    def __init__(
        self,
        *,
        clock: Clock,
        gate: Gate,
        wake: Callable[[], None],
        open_source: OpenSource = open_atspi,
        first_pause_s: float = FIRST_PAUSE_S,
        rate: WalkRate | None = None,
        read_texts: ReadTexts | None = None,
        reads_outputs: bool = False,
    ) -> None:
        """Prepare; nothing is asked before `start`, while `gate` is closed, or of a program that is not permitted.

        Args:
            clock: session time.
            gate: closed by a pause.
            wake: called, in the thread, when something was reported that nobody has taken yet; must not block.
            open_source: makes the adapter.
            first_pause_s: pause before an adapter that went away is tried again; it doubles.
            rate: how often a window may be walked.
            read_texts: reads texts off the picture of a window that says nothing.
            reads_outputs: whether what programs write after a command may be looked through.
        """
        self._clock = clock
        self._gate = gate
        self._wake = wake
        self._open_source = open_source
        self._first_pause_s = first_pause_s
        self._permit = Permit()
        self._is_locked = False
        self._pending: deque[Observation] = deque()
        self._lost = 0
        self._taken = 0
        self._lock = threading.Lock()
        self._changed: asyncio.Event | None = None
        self._source: ControlSource | None = None
        self._is_watching = False
        self._is_off = False
        self._works = False
        self._rate = rate if rate is not None else WalkRate()
        self._read_texts = read_texts
        self.reads_outputs = reads_outputs
        self._reading = False
        self._requests: dict[int, tuple[int, Callable[[Any], None]]] = {}
        """By number: since when somebody waits, and who."""

        self._front: FrontWindow | None = None
        """The window that was active last and is none of ours; None where it may not be seen."""

        self._fronts: OrderedDict[str, FrontWindow] = OrderedDict()
        """The last ones of programs that may be asked, by program."""

        self._keyed_ns = 0
        self._typings = self._typings_told = 0
        self._commands = CommandStore()
        self._command_rate = WalkRate(COMMANDS_GAP_NS, COMMANDS_PER_MINUTE, COMMANDS_BURST_NS, kept=(0, 0))
        self._waiting: dict[tuple[int, int], list[int]] = {}
        """Who waits for the commands of a window that are being read."""

        self._numbers = count(1)
        self._thread = SourceThread("controls", self._main, self._ended, failure="controls are no longer understood")

    # ------------------------------------------------------------ from any thread

    def start(self) -> None:
        """Begin; returns at once."""
        self._gate.watch(self._begin_anew)
        self._is_watching = True
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End; return whether the thread ended in time. A second call only waits."""
        with self._lock:
            was_watching, self._is_watching = self._is_watching, False
        if was_watching:
            self._gate.unwatch(self._begin_anew)
        return self._thread.stop(timeout_s)

    def turn_off(self) -> None:
        """End it for good because the person says so; once this has returned, nothing more is looked at."""
        with self._lock:
            self._is_off = True
            did_work, self._works = self._works, False
            self._pending.clear()
            self._lost = 0
            if did_work:
                self._pending.append(Working(t_ns=self._clock.now_ns(), pid=0, on=False, chosen=True))
        self._commands.clear()
        self._wake()
        self.stop(0.0)

    def stop_reading_outputs(self) -> None:
        """Look through nothing more that programs write after a command; what is on its way is dropped."""
        self.reads_outputs = False
        self._begin_anew()

    @property
    def is_off(self) -> bool:
        """Whether the person has turned it off."""
        return self._is_off

    @property
    def state(self) -> SourceState:
        """Whether it works, and which programs are left alone."""
        source = self._source
        state = source.state if source is not None else SourceState()
        return replace(state, walks_refused=self._rate.refused)

    @property
    def is_working(self) -> bool:
        """Whether the adapter was connected when it last said so."""
        return self._works

    def publish(self, permit: Permit, *, locked: bool) -> None:
        """Take in what the fence allows now, and whether the screen is locked."""
        if permit == self._permit and locked == self._is_locked:
            return
        was_locked, was_active = self._is_locked, self._permit.active
        self._permit, self._is_locked = permit, locked
        self._note_front(permit)
        self._thread.call(self._note_change)
        if was_locked:
            self._begin_anew()
        elif permit.active != was_active:
            self._call(lambda source: source.note_active())

    def _note_front(self, permit: Permit) -> None:
        """Note which windows commands may be asked of, and drop what was read of others."""
        if not permit.is_ours:
            self._front = permit.front
        if permit.front is not None:
            self._fronts[permit.front.app] = permit.front
            self._fronts.move_to_end(permit.front.app)
            if permit.menus:
                self._commands.note_opened(permit.front)
        allowed = {pid for pid, access in permit.programs.items() if access is Access.ALL}
        self._commands.forget_all_but(allowed)
        for app, front in list(self._fronts.items()):
            if front.pid not in allowed or len(self._fronts) > MAX_PROGRAMS:
                del self._fronts[app]

    @property
    def has_pending(self) -> bool:
        """Whether anything was reported since the last `take`."""
        return bool(self._pending or self._lost)

    def take(self) -> tuple[list[Observation], int]:
        """Return all that was reported since the last call, in order, and how much did not fit."""
        with self._lock:
            pending, self._pending = list(self._pending), deque()
            self._taken += 1
            lost, self._lost = self._lost, 0
        return pending, lost

    def pressed(self, t_ns: int, x: int, y: int) -> None:
        """Take in that the main button went down: what is there is asked at once, before it is gone."""
        epoch, permit = self.epoch, self._permit
        if epoch is not None and permit.programs.get(permit.active) is Access.ALL:
            self._call(lambda source: self._ask(source, t_ns, (x, y), permit, epoch))

    def keyed(self) -> None:
        """Take in that a key was pressed; those in a window of ours keep no program busy."""
        if not self._permit.is_ours:
            self._keyed_ns = self._clock.now_ns()

    @property
    def typing_s(self) -> float:
        """For how long menus are still left alone: a program that answers paints what was typed later."""
        return max(0.0, (self._keyed_ns + TYPING_NS - self._clock.now_ns()) / NS_PER_S) if self._keyed_ns else 0.0

    def commanded(self, is_enter: bool) -> None:
        """Take in that a key gave the active program a command: what it writes next may say how that went."""
        epoch, permit = self.epoch, self._permit
        if epoch is not None and permit.programs.get(permit.active) is Access.ALL and self.reads_outputs:
            self._call(lambda source: self._note_command(source, permit.active, epoch, is_enter=is_enter))

    def wrote(self) -> None:
        """Take in that a key wrote something in the active program, the first time after a command or a click."""
        permit = self._permit
        self._call(lambda source: source.note_writing(permit.active))

    def typed(self) -> None:
        """Take in that a key wrote in the active program for the first time since the keyboard may have moved."""
        epoch, permit = self.epoch, self._permit
        if epoch is not None and permit.programs.get(permit.active, Access.NOTHING) >= Access.FIELDS:
            self._typings += 1
            number = self._typings
            self._thread.call(lambda: self._note_typing(permit.active, number))

    @property
    def is_untold(self) -> bool:
        """Whether the adapter has had no time yet to say that a program which was typed into has yet to answer."""
        return self._typings_told < self._typings and self._thread.is_running

    def request_elements(self, take: TakeElements, *, asked: bool = False) -> None:
        """Have the active window walked, and `take` called once with its controls and their names.

        It gets None where that may not be, nobody answers in time, or it was asked too often; what a person `asked` for
        may be more. It is called at once, later in the capture thread, behind the fence, or in this one at its end.
        """
        epoch, permit, now_ns = self.epoch, self._permit, self._clock.now_ns()
        window = permit.window if permit.active not in permit.settling else None
        may = epoch is not None and window is not None and permit.programs.get(permit.active) is Access.ALL
        may = may and self._thread.is_running and self._works
        with self._lock:
            may = may and self._rate.allows(now_ns, asked=asked)
        number = self._add_request(take, now_ns, may=may)
        if number and window is not None and epoch is not None:
            self._thread.call(lambda: self._begin_walk(number, permit, window, epoch))

    def request_commands(self, take: TakeCommands, app: str = "") -> None:
        """Have the commands of the active window read, and `take` called once with them, or with None.

        With `app` those of the window of that program which was active last. While a window of ours is active, such as
        one to ask in, it is the window before. A list that was read a moment ago is not read again, and an older one is
        better than none where reading would cost too much.
        """
        epoch, permit, now_ns = self.epoch, self._permit, self._clock.now_ns()
        window = self._fronts.get(app) if app else self._front
        number = self._add_request(take, now_ns, may=epoch is not None and self._may_read(window, permit))
        if number and window is not None and epoch is not None:
            self._thread.call(lambda: self._begin_commands(number, window, epoch))

    def _may_read(self, window: FrontWindow | None, permit: Permit) -> bool:
        if window is None or window.pid in permit.settling:
            return False
        return permit.programs.get(window.pid) is Access.ALL and self._thread.is_running and self._works

    def _add_request(self, take: Callable[[Any], None], now_ns: int, *, may: bool) -> int:
        """Keep who waits for an answer, and return its number; drop who has waited too long, and who `may` not ask."""
        with self._lock:
            number = next(self._numbers)
            old = [request for request, (began_ns, _) in self._requests.items() if began_ns <= now_ns - REQUEST_NS]
            unanswered = [self._requests.pop(request)[1] for request in old]
            if may:
                self._requests[number] = (now_ns, take)
            else:
                unanswered.append(take)
        for take_none in unanswered:
            take_none(None)
        return number if may else 0

    def deliver(self, request: int, found: Elements | CommandList | None) -> None:
        """Hand over what a walk found; by the capture thread, once the fence has judged it."""
        with self._lock:
            _, take = self._requests.pop(request, (0, None))
        if take is not None:
            take(found)

    def read_picture(self, wanted: PictureWanted, pixels: Pixels, place: Box) -> None:
        """Take the picture of a window, after the fence, and where it is on the desktop; in the capture thread."""
        self._thread.call(lambda: self._begin_reading(wanted, pixels, place))

    def _begin_anew(self) -> None:
        """Have the adapter begin anew where anything may be looked at again; on the thread that switched the gate."""
        if self.epoch is not None:
            self._call(lambda source: source.begin_anew())
        else:
            self._commands.clear()
            self._fronts.clear()  # they hold titles; the one in front comes back with what is allowed then

    def _call(self, action: Callable[[ControlSource], object]) -> None:
        self._thread.call(lambda: action(self._source) if self._source is not None else None)

    # ------------------------------------------------------------ what the adapter asks

    @property
    def epoch(self) -> int | None:
        """The gate's epoch; None while nothing may be looked at."""
        epoch = self._gate.epoch
        return epoch if self._gate.is_open and not self._is_locked and not self._is_off else None

    @property
    def permit(self) -> Permit:
        """What the fence allows now."""
        return self._permit

    async def access(self, pid: int) -> Access:
        """Return what may be asked of a program; waits a moment for one whose windows are not known yet."""
        assert self._changed is not None  # noqa: S101  # adapters run inside of `_main`
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S):
                while pid not in self._permit.programs or pid in self._permit.settling:
                    await self._changed.wait()
        permit = self._permit
        return Access.NOTHING if pid in permit.settling else permit.programs.get(pid, Access.NOTHING)

    # ------------------------------------------------------------ the thread

    def _ended(self, failed: bool) -> None:
        if failed:
            self._report_end()
        with self._lock:
            requests = list(self._requests)
        for number in requests:
            self.deliver(number, None)

    async def _main(self) -> None:
        self._changed = asyncio.Event()
        source = self._source = self._open_source(dict(os.environ), self, self._clock)
        pause_s, has_failed = self._first_pause_s, False
        while True:
            began_ns = self._clock.now_ns()
            try:
                await source.watch(self._report)
            except SourceGone:
                pass
            except Exception:  # a stage boundary: capture works without this sense
                if not has_failed:
                    logger.exception("controls are not understood for a while")
                has_failed = True
            if self._works and self._clock.now_ns() - began_ns >= STABLE_NS:
                pause_s = self._first_pause_s
            self._report_end()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, MAX_PAUSE_S)

    def _note_change(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed.clear()

    def _report_end(self) -> None:
        if self._works:
            self._report(Working(t_ns=self._clock.now_ns(), pid=0, on=False))

    def _report(self, observation: Observation) -> None:
        with self._lock:
            if self._is_off:
                return
            if isinstance(observation, Working):
                self._works = observation.on
            elif len(self._pending) >= MAX_PENDING and not isinstance(
                observation, CommandsListed | ControlsListed | PictureWanted
            ):  # few
                self._lost += 1
                return
            is_first = not self._pending
            self._pending.append(observation)
            taken = self._taken
        is_urgent = isinstance(observation, _URGENT)
        if is_urgent or (is_first and not self._thread.call_later(WAKE_S, lambda: self._wake_late(taken))):
            self._wake()

    def _wake_late(self, taken: int) -> None:
        if taken == self._taken and self._pending:
            self._wake()

    def _ask(self, source: ControlSource, t_ns: int, point: tuple[int, int], permit: Permit, epoch: int) -> None:
        if self.epoch == epoch:
            answer = self._answer(source, t_ns, permit.active, epoch, point, is_popup=contains(permit.popups, *point))
            _begin(answer)

    def _note_command(self, source: ControlSource, pid: int, epoch: int, *, is_enter: bool) -> None:
        if self.epoch == epoch:
            source.note_command(pid, is_enter=is_enter)

    def _note_typing(self, pid: int, number: int) -> None:
        if self._source is not None:
            self._source.note_typing(pid)
        # Not timed from here: the adapter begins after this, and where the thread is late its news would be later.
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: loop.call_later(TOLD_S, lambda: self._note_told(number)))

    def _note_told(self, number: int) -> None:
        self._typings_told = number

    def _begin_walk(self, number: int, permit: Permit, window: Box, epoch: int) -> None:
        if self._source is None or self.epoch != epoch:
            self.deliver(number, None)
            return
        _begin(self._walk(self._source, number, permit, window, epoch))

    def _begin_commands(self, number: int, window: FrontWindow, epoch: int) -> None:
        key, waiting = (window.pid, window.client), self._waiting
        if self._source is None or self.epoch != epoch:
            self.deliver(number, None)
        elif key in waiting:
            waiting[key].append(number)
        else:
            waiting[key] = [number]
            _begin(self._read_commands(self._source, window, epoch))

    async def _read_commands(self, source: ControlSource, window: FrontWindow, epoch: int) -> None:
        """Report the commands of a window to all who wait for them; new ones, if it is time and they may cost that."""
        now_ns = self._clock.now_ns()
        found = self._commands.find(window)
        try:
            is_open = bool(self._permit.menus and found is not None)  # what somebody looks at is left as it is
            if not (is_open or self._commands.is_fresh(window, now_ns)) and self._command_rate.allows(now_ns):
                read = await self._commands_of(source, window, found, epoch)
                if read is not None and self._may_go_on(window, epoch) and _is_better(read, found):
                    self._commands.keep(window, found := read)
        finally:
            for number in self._waiting.pop((window.pid, window.client), ()):
                t_ns = self._clock.now_ns()
                self._report(CommandsListed(t_ns=t_ns, pid=window.pid, epoch=epoch, request=number, found=found))

    async def _commands_of(
        self, source: ControlSource, window: FrontWindow, earlier: CommandList | None, epoch: int
    ) -> CommandList | None:
        """Read commands; end at once where that may not be any more."""
        began = thread_cpu_ns(), source.read_ns
        reading = asyncio.ensure_future(source.commands(window, earlier))
        try:
            left_s = COMMANDS_S
            async with asyncio.timeout(COMMANDS_TYPING_S):
                while left_s > 0.0 and self._may_go_on(window, epoch) and not reading.done():
                    await asyncio.wait([reading], timeout=LOOK_S)
                    left_s -= 0.0 if self.typing_s else LOOK_S
            return reading.result() if reading.done() else None
        except TimeoutError:
            return None
        finally:
            reading.cancel()
            self._command_rate.spend(thread_cpu_ns() - began[0], source.read_ns - began[1])

    def _may_go_on(self, window: FrontWindow, epoch: int) -> bool:
        """Return whether the commands of a window may still be asked for, and remembered."""
        return self.epoch == epoch and self._may_read(window, self._permit)

    async def _walk(self, source: ControlSource, number: int, permit: Permit, window: Box, epoch: int) -> None:
        t_ns, found, areas = self._clock.now_ns(), None, (window, *permit.menus)
        began = thread_cpu_ns(), source.walked_ns
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WALK_S):
                    found = await source.controls(permit.active, window, permit.menus)
        finally:
            with self._lock:
                self._rate.spend(thread_cpu_ns() - began[0], source.walked_ns - began[1])
            says_nothing = found is not None and not found.controls
            wanted = PictureWanted(t_ns=t_ns, pid=permit.active, epoch=epoch, request=number, areas=areas)
            if says_nothing and self._read_texts is not None and self._is_there(wanted) and self._prolong(number):
                self._report(wanted)
            else:
                self._list(wanted, None if says_nothing else found)

    def _list(self, wanted: PictureWanted, found: ControlList | None, *, by_ocr: bool = False) -> None:
        """Report what was found in the window that was active, if it still is."""
        self._report(
            ControlsListed(
                t_ns=wanted.t_ns,
                pid=wanted.pid,
                epoch=wanted.epoch,
                request=wanted.request,
                found=found if self._is_there(wanted) else None,
                by_ocr=by_ocr,
            )
        )

    def _is_there(self, wanted: PictureWanted) -> bool:
        now = self._permit
        return (now.active, now.window, *now.menus) == (wanted.pid, *wanted.areas)

    def _prolong(self, number: int) -> bool:
        """Give a request the time that reading takes; return whether it is still open."""
        with self._lock:
            began = self._requests.get(number)
            if began is not None:
                self._requests[number] = (self._clock.now_ns() + round(LIMIT_S * NS_PER_S), began[1])
        return began is not None

    def _begin_reading(self, wanted: PictureWanted, pixels: Pixels, place: Box) -> None:
        if self._reading or self._read_texts is None or self.epoch != wanted.epoch:
            self.deliver(wanted.request, None)
            return
        self._reading = True
        _begin(self._read(self._read_texts, wanted, pixels, place))

    async def _read(self, read: ReadTexts, wanted: PictureWanted, pixels: Pixels, place: Box) -> None:
        found: ControlList | None = None
        task = asyncio.ensure_future(read(pixels, place, wanted.areas))
        try:
            while not task.done() and self.epoch == wanted.epoch:
                await asyncio.wait({task}, timeout=LOOK_S)
            if task.done() and self.epoch == wanted.epoch:
                found = task.result()
        finally:
            task.cancel()
            self._reading = False
            self._list(wanted, found, by_ocr=True)

    async def _answer(
        self, source: ControlSource, t_ns: int, pid: int, epoch: int, point: tuple[int, int], *, is_popup: bool
    ) -> None:
        """Report what was pressed; in a menu it is what the pointer brought the focus to."""
        found = await (source.focused_at if is_popup else source.element_at)(pid, *point)
        if found is not None and self.epoch == epoch:
            self._report(Acted(t_ns=t_ns, pid=pid, epoch=epoch, control=found, what=ActKind.PRESSED))


def _is_better(read: CommandList, known: CommandList | None) -> bool:
    """Return whether a list takes the place of the one that is known: it is whole, or at least longer."""
    return read.complete or known is None or len(read.commands) > len(known.commands)


def _begin(question: Coroutine[Any, Any, None]) -> None:
    asyncio.ensure_future(question).add_done_callback(_discard_result)


def _discard_result(task: "asyncio.Future[None]") -> None:
    """Look at how a question ended: the bus may have gone meanwhile, which its `watch` reports."""
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, SourceGone):
        logger.error("a question to a program failed with %s", type(error).__name__)
