"""The core thread: owns sessions, capture and the control socket, and carries out what a person asks for.

Pausing closes the shared gate in the caller's own thread, so that nothing is taken once the call has returned; the
rest follows in the core. What opens the gate again counts only if nobody asked to close it since. Stopping is one
function, time-limited stage by stage, and a second call changes nothing. A fault around us between two sessions is told
and waited out; a bug ends the core.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from daemon.capture.backend import open_backend
from daemon.gate import Gate
from daemon.runtime.control import ControlServer
from daemon.runtime.policy_memory import forget_in, unmute_in
from daemon.runtime.quiet_day import SUPPRESSING_GATES, is_due, look_back, settings_in, silent_until_wall_ns
from daemon.runtime.session import LiveSession
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from storage.messages import PASSING
from storage.paths import socket_file
from storage.ports import Display, FirstDay, RunState, Status
from storage.records import Decision, Feedback, FeedbackKind, Offer, Problem, Switch, SwitchName
from storage.session.retention import sweep
from storage.settings import Settings
from storage.state.store import Consent, StateStore

logger = logging.getLogger(__name__)

MAX_SECONDS = 7 * 86_400
STOP_LIMIT_S = 4.8
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
LATE = 70
"""Exit code of a stop that ran out of time, and of a bug that ended the core."""


class HeadlessDisplay:
    """No interface: problems are told on stderr through the log, offers are in the session alone."""

    def show_status(self, status: Status) -> None:
        """Note what Kairos is doing."""
        logger.info("%s", status.state)

    def show_offer(self, offer: Offer) -> None:
        """Note that there was an offer; what it says is in the session."""
        logger.info("offer %s", offer.offer_id)

    def close_offer(self, offer_id: str) -> None:
        """Note that an offer ended."""
        logger.info("offer %s ended", offer_id)

    def tell(self, problem: Problem) -> None:
        """Tell a problem, or that it is over."""
        logger.log(logging.INFO if problem.over else logging.WARNING, "%s%s", problem.code, " (over)" * problem.over)

    def tell_first_day(self, day: FirstDay) -> None:
        """Tell how often something would have been offered; `kairos why` says more."""
        logger.warning("the quiet first day is over; it would have brought %d offers", len(day.offers))

    def end(self) -> None:
        """Nothing to take down."""


class Core:
    """Runs sessions one after the other until told to quit. Implements `storage.ports.CoreCommands`."""

    def __init__(
        self,
        *,
        settings: Settings,
        sessions_dir: Path,
        state_file: Path,
    ) -> None:
        """Prepare; nothing is captured before `start`, which needs a consent."""
        self._settings = settings
        self._consent: Consent | None = None
        self._sessions_dir = sessions_dir
        self._state_file = state_file
        self._display: Display = HeadlessDisplay()
        self._clock = SystemClock()
        self._gate = Gate()
        self._closed_for = {"start"}
        self._closings: Counter[str] = Counter()
        self._gate_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="core")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wanted: asyncio.Queue[str] | None = None
        self._session: LiveSession | None = None
        self._switches = dict.fromkeys((SwitchName.PAUSED, SwitchName.PRIVATE, SwitchName.EXCLUDED), False)
        self._problems: list[str] = []
        self._paused_until_wall_ns: int | None = None
        self._resume_timer: asyncio.TimerHandle | None = None
        self._quitting = False
        self._revoked = False
        self._silent_until_wall_ns: int | None = None
        self._first_day: FirstDay | None = None
        self._state: StateStore | None = None
        self._to_forget: list[Callable[[StateStore, Settings], None]] = []
        self.sessions: list[Path] = []
        self.failure: BaseException | None = None

    # ------------------------------------------------------------ from any thread

    def start(self, consent: Consent, display: Display) -> None:
        """Start the core thread, with a person's consent and something to show things on."""
        self._consent = consent
        self._display = display
        self._thread.start()

    def join(self) -> None:
        """Wait for the core to end; signal handlers still run."""
        self._thread.join()

    def pause(self, seconds: float | None) -> None:
        """Stop taking anything in, for so long or until `resume`. Nothing is taken once this has returned."""
        asked = self._close_gate("paused")
        self._call(lambda: self._paused(seconds, asked))

    def resume(self) -> None:
        """End a pause."""
        asked = self._closings["paused"]
        self._call(lambda: self._resumed(asked, by="person"))

    def set_private(self, on: bool) -> None:
        """Turn private time on or off. Nothing is taken once `set_private(True)` has returned."""
        asked = self._close_gate("private") if on else self._closings["private"]
        self._call(lambda: self._set_private(on, asked))

    def revoke(self) -> None:
        """Take the consent back and stop: nothing is taken once this has returned, and the next start asks again."""
        self._close_gate("revoked")
        self._revoked = True
        self._call(lambda: self._submit(Switch(name=SwitchName.CONSENT, on=False, by="person")))
        self.quit()

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Hand over how an offer was answered."""
        self._call(lambda: self._submit(Feedback(offer_id=offer_id, kind=kind)))

    def quit(self) -> None:
        """Stop in order, or leave anyway after `STOP_LIMIT_S`; a second call changes nothing."""
        if self._quitting:
            return
        self._quitting = True
        self._close_gate("quit")
        watchdog = threading.Timer(STOP_LIMIT_S, _leave_anyway)
        watchdog.name, watchdog.daemon = "stop-limit", True
        watchdog.start()
        self._call(lambda: self._want("quit"))

    def _close_gate(self, reason: str) -> int:
        """Close the gate for a reason; return how often that was asked for, to tell later whether it was again."""
        with self._gate_lock:
            self._closings[reason] += 1
            self._closed_for.add(reason)
            self._gate.close()
            return self._closings[reason]

    def _keep_closed(self, reason: str) -> None:
        """Make the gate agree with what is told: somebody else may have opened it since it was closed."""
        with self._gate_lock:
            self._closed_for.add(reason)
            self._gate.close()

    def _open_gate(self, reason: str, asked: int) -> None:
        """Take one reason away, unless it was given anew; the gate opens when none is left."""
        with self._gate_lock:
            if self._closings[reason] == asked:
                self._closed_for.discard(reason)
                if not self._closed_for:
                    self._gate.open()

    def _call(self, action: Callable[[], object]) -> None:
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(action)
            except RuntimeError:
                logger.debug("the core has already stopped")

    # ------------------------------------------------------------ in the core thread

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except KairosError as error:
            logger.info("the core cannot go on: %s", type(error).__name__)
            self.failure = error
        except BaseException as error:
            logger.exception("the core failed")
            self.failure = error
        finally:
            self._display.end()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wanted = asyncio.Queue()
        control = ControlServer(socket_file(), self._handle)
        await control.start()
        try:
            with StateStore(self._state_file) as state:
                self._state = state
                try:
                    await self._sweep(state)
                    await self._run_sessions(state)
                finally:
                    if self._revoked:
                        refusal = Consent(journal=False, recording=False, given_at_wall_ns=self._clock.wall_ns())
                        state.save_consent(refusal)
        finally:
            await control.stop()

    async def _run_sessions(self, state: StateStore) -> None:
        """Run one session after the other; wait out a fault that comes between them."""
        wait_s = FIRST_WAIT_S
        while not self._quitting:
            try:
                why = await self._run_session(state)
                self._forget_learned(state)
            except EnvironmentFault as fault:
                if not self.sessions:
                    raise
                code = fault.code or "storage_failed"
                if code not in self._problems:
                    logger.warning("no new session: %s", fault.what)
                    self.changed(Problem(code=code))
                await self._wait(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                wait_s = FIRST_WAIT_S
                logger.info("session ended: %s", why)

    def _forget_learned(self, state: StateStore) -> None:
        """Forget or unmute what was asked for; no policy runs now that would write it again."""
        while self._to_forget:
            self._to_forget[0](state, self._settings)
            del self._to_forget[0]

    async def _wait(self, seconds: float) -> None:
        """Wait, unless a person quits."""
        assert self._wanted is not None  # noqa: S101  # set before any session runs
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wanted.get()

    async def _sweep(self, state: StateStore) -> None:
        """Delete sessions that are due and were told of; tell of those that will be."""
        swept = await asyncio.to_thread(sweep, self._sessions_dir, self._settings.storage, state, self._clock.wall_ns())
        if swept.to_tell:
            self._display.tell(Problem(code="deletion_due"))

    async def _run_session(self, state: StateStore) -> str:
        assert self._loop is not None  # noqa: S101  # set before any session runs
        assert self._wanted is not None  # noqa: S101  # likewise
        assert self._consent is not None  # noqa: S101  # `start` wants one
        while not self._wanted.empty():
            self._wanted.get_nowait()  # one cut is enough where two reasons came together
        if self.sessions:  # do not begin a session that could see nothing
            await asyncio.to_thread(lambda: open_backend(self._clock).close())
        now_wall_ns = self._clock.wall_ns()
        self._silent_until_wall_ns = silent_until_wall_ns(self._consent, now_wall_ns)
        if is_due(self._settings, self._consent, state.told_first_day(), now_wall_ns):
            self._first_day = await asyncio.to_thread(look_back, self._sessions_dir, self._consent)
        ends_wall_ns = (next_midnight_wall_ns(now_wall_ns), self._silent_until_wall_ns)
        session = LiveSession(
            settings=settings_in(self._settings, self._consent, now_wall_ns),
            consent=self._consent,
            sessions_dir=self._sessions_dir,
            state=state,
            clock=self._clock,
            gate=self._gate,
            sink=self,
            on_cut=self._want,
            on_failure=self._failed,
            cut_wall_ns=min(end_ns for end_ns in ends_wall_ns if end_ns is not None),
        )
        self._session = session
        try:
            await session.start(self._loop, self._switches)
            self.sessions.append(session.folder)
            self._end_problems()
            self._open_gate("start", self._closings["start"])
            self._tell_status()
            why = await self._wanted.get()
        finally:
            self._session = None
            self._close_gate("start")
            await session.stop("quit" if self._quitting else "cut")
            self._switches[SwitchName.EXCLUDED] = False  # the next session's fence looks for itself
            if not self._quitting:
                self._end_problems()
        return why

    def _end_problems(self) -> None:
        """Tell that the problems of a session are over with it; what still is wrong the next one will tell."""
        for code in tuple(self._problems):
            self.changed(Problem(code=code, over=True))

    def _failed(self, error: Exception) -> None:
        """End because of a bug, or of something that no session can do without; what was recorded stays whole."""
        logger.error("the core failed", exc_info=error)
        self.failure = error
        self.quit()

    def _want(self, why: str) -> None:
        """End the running session, because a person quits or because it must be cut."""
        if self._wanted is not None:
            self._wanted.put_nowait(why)

    def _submit(self, record: Switch | Feedback) -> None:
        if self._session is not None:
            self._session.submit([record])
        elif isinstance(record, Switch):  # between two sessions: the next one begins with it
            self.changed(record)

    def _paused(self, seconds: float | None, asked: int) -> None:
        assert self._loop is not None  # noqa: S101  # called in its thread
        self._end_timer()
        if seconds is not None:
            self._paused_until_wall_ns = self._clock.wall_ns() + round(seconds * NS_PER_S)
            self._resume_timer = self._loop.call_later(seconds, lambda: self._resumed(asked, by="timer"))
        self._keep_closed("paused")
        self._submit(Switch(name=SwitchName.PAUSED, on=True, by="person"))

    def _resumed(self, asked: int, *, by: str) -> None:
        if asked != self._closings["paused"]:
            return  # a pause was asked for since
        self._end_timer()
        self._submit(Switch(name=SwitchName.PAUSED, on=False, by=by))
        self._open_gate("paused", asked)

    def _end_timer(self) -> None:
        self._paused_until_wall_ns = None
        if self._resume_timer is not None:
            self._resume_timer.cancel()
            self._resume_timer = None

    def _set_private(self, on: bool, asked: int) -> None:
        if on:
            self._keep_closed("private")
        elif asked != self._closings["private"]:
            return  # private time was asked for since
        self._submit(Switch(name=SwitchName.PRIVATE, on=on, by="person"))
        if not on:
            self._open_gate("private", asked)

    def _handle(self, command: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        match command:
            case "status":
                pass
            case "pause":
                seconds = request.get("seconds")
                if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds <= MAX_SECONDS):
                    raise UsageError("a pause lasts from a second to a week")
                self._paused(seconds, self._close_gate("paused"))
                self._drain()
            case "resume":
                self._resumed(self._closings["paused"], by="person")
                self._drain()
            case "forget":
                self._to_forget.append(partial(forget_in, mutes=request.get("mutes") is True))
                self._want("forget")
            case "unmute":
                self._to_forget.append(partial(unmute_in, topic=str(request.get("topic"))))
                self._want("forget")
            case "quit":
                self.quit()
            case _:
                raise UsageError(f"there is no command {command[:40]!r}")
        status = self.status()
        return {
            "state": str(RunState.STOPPED if self._quitting else status.state),
            "problem": status.problem,
            "recording": status.recording,
            "paused_until": status.paused_until_wall_ns and status.paused_until_wall_ns / NS_PER_S,
            "silent_until": status.silent_until_wall_ns and status.silent_until_wall_ns / NS_PER_S,
            "session": str(self._session.folder) if self._session is not None else None,
            "models": [asdict(price) for price in self._session.prices] if self._session is not None else [],
        }

    def _drain(self) -> None:
        if self._session is not None:
            self._session.drain()

    def status(self) -> Status:
        """Return what the tray should show."""
        on = self._switches
        if on[SwitchName.PRIVATE]:
            state = RunState.PRIVATE
        elif on[SwitchName.PAUSED]:
            state = RunState.PAUSED
        elif self._problems:
            state = RunState.PROBLEM
        elif on[SwitchName.EXCLUDED]:
            state = RunState.EXCLUDED
        else:
            state = RunState.STARTING if "start" in self._closed_for else RunState.WATCHING
        return Status(
            state=state,
            problem=self._problems[-1] if self._problems else None,
            paused_until_wall_ns=self._paused_until_wall_ns,
            recording=self._consent is not None and self._consent.recording,
            silent_until_wall_ns=self._silent_until_wall_ns,
        )

    def _tell_status(self) -> None:
        self._display.show_status(self.status())

    # ------------------------------------------------------------ sink of the session

    def show(self, offer: Offer) -> None:
        """Show an offer."""
        self._display.show_offer(offer)

    def close(self, offer_id: str) -> None:
        """Take an offer down."""
        self._display.close_offer(offer_id)

    def changed(self, record: Switch | Problem) -> None:
        """Show that sensing was switched, or that something around us broke or was mended."""
        if isinstance(record, Switch):
            self._switches[record.name] = record.on
        else:
            self._problems = [code for code in self._problems if code != record.code]
            if not record.over and record.code not in PASSING:
                self._problems.append(record.code)
            self._display.tell(record)
        self._tell_status()

    def decided(self, decision: Decision) -> None:
        """Sum a quiet first day up at the first moment at which an offer would not be bad manners either."""
        if self._first_day is None or decision.gate in SUPPRESSING_GATES:
            return
        day, self._first_day = self._first_day, None
        assert self._state is not None  # noqa: S101  # open while sessions run
        assert self._consent is not None  # noqa: S101  # `start` wants one
        try:
            self._state.save_told_first_day(self._consent.given_at_wall_ns)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("the first day will be told again: %s", fault.what)  # noqa: TRY400  # told, no bug
        self._display.tell_first_day(day)


def _leave_anyway() -> None:
    logger.error("stopping took longer than %s s; what was recorded can still be opened", STOP_LIMIT_S)
    logging.shutdown()
    os._exit(LATE)


def next_midnight_wall_ns(wall_ns: int) -> int:
    """Return when the next local day begins, as wall-clock nanoseconds."""
    today = dt.datetime.fromtimestamp(wall_ns / NS_PER_S).astimezone()
    tomorrow = (today + dt.timedelta(days=1)).date()
    midnight = dt.datetime.combine(tomorrow, dt.time()).astimezone()
    return round(midnight.timestamp()) * NS_PER_S
