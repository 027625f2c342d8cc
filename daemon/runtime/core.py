"""The core thread: runs one session after the other, and owns their timers and what works beside them.

What opens and closes the gate is in `sensing`, what people ask for in `commands`, what is shown in `sink`. Stopping is
one function, limited in time stage by stage, and a second call changes nothing. Between two sessions a fault of the
environment is reported and waited out; a bug ends the core.
"""

import asyncio
import contextlib
import gc
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from daemon.capture.accessibility.choice import apply_choice, understands_controls, with_recording
from daemon.capture.backend import open_backend
from daemon.capture.fence.exclusions import Exclusions
from daemon.help.ports import OpenLibrary
from daemon.history.labelling import LabelService
from daemon.history.timeline.service import TimelineService
from daemon.history.timeline.sources import TimelineSources
from daemon.models.restrictions import Restrictions
from daemon.preferences.change import CONTROLS_KEY, OUTPUTS_KEY, RECORDING_KEY, SPEECH_KEY
from daemon.preferences.service import SettingsService
from daemon.runtime.control import ControlServer, Handler
from daemon.runtime.control_client import socket_file
from daemon.runtime.library_work import LibraryWork
from daemon.runtime.policy_memory import forget_in, unmute_in
from daemon.runtime.purging import Purging
from daemon.runtime.quiet_day import (
    effective_settings,
    hours_until_wall_ns,
    is_summary_due,
    next_hour_wall_ns,
    silent_until_wall_ns,
    summarize,
)
from daemon.runtime.sensing import Reason, SensingControl
from daemon.runtime.session import LiveSession, trim_heap
from daemon.runtime.sink import CoreSink
from daemon.runtime.study.actions import StudyActions
from daemon.runtime.study.enrolment import SILENT, hides_lots, is_over, phase_end_wall_ns, study_day, study_settings
from daemon.runtime.study.tasks import StudyTasks
from daemon.runtime.study.work import StudyWork, is_on_hold
from storage.clock import SystemClock, local_time
from storage.enrolment import Enrolment
from storage.errors import BadFile, EnvironmentFault, KairosError
from storage.files import config_file
from storage.ports import Display, StudyProgress, TaskCard
from storage.records import Answer, EarlierReport, Feedback, NeedReport, Problem, Switch, SwitchName, TaskStep
from storage.session.retention import delete_due_sessions
from storage.settings import Settings
from storage.state.store import Consent, StateStore, revoke_consent

logger = logging.getLogger(__name__)

STOP_LIMIT_S = 4.8
"""How long a stop may take; `TimeoutStopSec` of the systemd unit is longer."""

STATE_BUSY_S = 0.4
"""How long a statement of the core waits for a locked `state.db`: a stop has no time for more, and offers wait too."""

DAILY_CHECK_S = 3600.0
"""How often the core looks whether a day has begun; a timer alone would stand still while the machine is suspended."""

RESTORE_S = 0.3
"""How long restoring the accessibility switch may take at the end; the next start tries again."""

CLOSED_S = 1.0
"""How long after a window is closed its parts are deleted and its thread has ended."""

LET_GO_S = 0.05
"""How long after a session the threads that ended its parts still hold them."""

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""The waits after a fault between two sessions; each is twice the one before."""

LATE = 70
"""Exit code of a stop that ran out of time, and of a bug that ended the core."""


class Core:
    """Runs sessions one after the other until told to quit."""

    def __init__(
        self, *, settings: Settings, sessions_dir: Path, state_file: Path, open_library: OpenLibrary | None = None
    ) -> None:
        """Prepare; nothing is captured before `start`, which needs a consent.

        `open_library` opens the help library; without it none is searched, and no documentation indexed.
        """
        self.settings = settings
        self._open_library = open_library
        self._sessions_dir = sessions_dir
        self._state_file = state_file
        self._consent: Consent | None = None
        self._clock = SystemClock()
        self._thread = threading.Thread(target=self._run, name="core")
        self._handle: Handler | None = None
        self._state: StateStore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._restoring: asyncio.Task[None] | None = None
        self._cuts: asyncio.Queue[str] | None = None
        self._cut_wall_ns: int | None = None
        self._memory_changes: list[Callable[[StateStore], None]] = []
        self.is_quitting = False
        self.sessions: list[Path] = []
        self.failure: BaseException | None = None
        self.sensing = SensingControl(self._clock, folder=state_file.parent, call=self.call, submit=self.submit)
        self.sink = CoreSink(settings.interface, sessions_dir, self._clock, self.sensing, self._report_need)
        self.study_work = StudyWork(
            state_file.parent,
            wall_ns=self._clock.wall_ns,
            on_damaged=lambda: self.sink.notify_once("study_folder_damaged"),  # offers and questions go on
        )
        self.study_actions = StudyActions(self.sink.show_study_reply)
        self._tasks = StudyTasks()
        self.library_work: LibraryWork | None = None
        if open_library is not None and settings.help.library:
            self.library_work = LibraryWork(state_file.parent, self._clock.wall_ns)
        self.timeline = TimelineService(
            TimelineSources(
                sessions_dir=sessions_dir,
                state_file=state_file,
                settings=settings,
                clock=self._clock,
                submit_report=lambda report: self.call(lambda: self._report_need(report)),
                begin_purge=lambda span: self.call(lambda: self.purging.request_from_window(span)),
                forget_learned=lambda: self.call(lambda: self.change_memory(partial(forget_in, mutes=True))),
                unmute=lambda topic: self.call(
                    lambda: self.change_memory(partial(unmute_in, settings=self.settings, topic=topic))
                ),
            ),
            on_end=lambda: self.call(self._trim_heap_soon),
        )
        """Answers the window "What Kairos saw", and forgets what the interface has forgotten."""

        self.labels = LabelService(sessions_dir, state_file, self._clock)
        """Answers the window for labels."""

        self.purging = Purging(
            sessions_dir, state_file, self.sensing, self.timeline, labels=self.labels, on_begin=self._begin_purge
        )
        self.exclusions = Exclusions(settings.fence)
        self.restrictions = Restrictions(settings)
        self.preferences = SettingsService(
            config_file(), settings, exclude=self.exclusions.tighten, restrict=self._take_up
        )
        """Answers the settings window, and takes up what acts at once."""

    # ------------------------------------------------------------ from any thread

    def start(self, consent: Consent, display: Display, handle: Handler) -> None:
        """Start the core thread, with a person's consent and something to show things on.

        `handle` answers the control socket.
        """
        self._consent = consent
        self._handle = handle
        controls = consent.understands_controls
        agreed = {RECORDING_KEY: consent.recording, CONTROLS_KEY: controls, OUTPUTS_KEY: controls}
        agreed[SPEECH_KEY] = consent.records_speech
        self.preferences.agreed = frozenset(key for key, is_agreed in agreed.items() if is_agreed)
        self.restrictions.agreed = self.preferences.agreed
        self.sink.start(consent, display)
        self._thread.start()

    def join(self) -> None:
        """Wait for the core to end; signal handlers still run."""
        self._thread.join()

    def quit(self) -> None:
        """Stop in order, or leave anyway after `STOP_LIMIT_S`; a second call changes nothing."""
        if self.is_quitting:
            return
        self.is_quitting = True
        self.sensing.close(Reason.QUITTING)
        watchdog = threading.Timer(STOP_LIMIT_S, _exit_late)
        watchdog.name, watchdog.daemon = "stop-limit", True
        watchdog.start()
        self.call(lambda: self.cut("quit"))

    def revoke_consent(self) -> None:
        """Store that the consent was taken back.

        Raises:
            EnvironmentFault: it cannot be stored.
        """
        given_ns = self._consent.given_at_wall_ns if self._consent is not None else 0
        revoke_consent(self._state_file, max(self._clock.wall_ns(), given_ns))  # later, whatever the clock says

    def call(self, action: Callable[[], object]) -> None:
        """Run an action in the core's thread, at once if this is it; drop it before the start and after the end."""
        if threading.current_thread() is self._thread:
            action()
        elif self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(action)
            except RuntimeError:
                logger.debug("the core has already stopped")

    def _take_up(self, in_force: Settings) -> None:
        """Go by what was turned off, and by how often and at which hours offers are wanted."""
        self.restrictions.tighten(in_force)
        settings, wanted = self.settings, in_force.interface
        interface = replace(
            settings.interface,
            quiet_hours=wanted.quiet_hours,
            quiet_from_hour=wanted.quiet_from_hour,
            quiet_until_hour=wanted.quiet_until_hour,
        )
        policy = replace(settings.policy, how_often=in_force.policy.how_often)
        settings = replace(settings, policy=policy, interface=interface)
        if settings != self.settings:
            self.settings = settings
            self.call(lambda: self.cut("settings"))

    # ------------------------------------------------------------ in the core thread, for commands

    @property
    def session(self) -> LiveSession | None:
        """The session that runs; None between two sessions."""
        return self.sink.session

    def submit(self, record: Switch | Feedback | Answer) -> None:
        """Submit a record to the session; between two sessions only a switch counts, and the next begins with it."""
        if self.session is not None:
            self.session.submit([record])
        elif isinstance(record, Switch):
            self.sink.changed(record)

    def cut(self, reason: str) -> None:
        """End the running session: the next one begins, unless the core quits."""
        if self._cuts is not None:
            self._cuts.put_nowait(reason)

    def change_memory(self, change: Callable[[StateStore], None]) -> None:
        """Forget what answers taught, or unmute a topic, between two sessions."""
        self._memory_changes.append(change)
        self.cut("forget")

    def study_changed(self) -> None:
        """Go by what is joined now from the next session on; what is packed or sent ends unless a study is in force."""
        self.cut("study")
        try:
            in_force = self._state is not None and self._state.enrolment() is not None
        except (BadFile, EnvironmentFault):
            in_force = False
        if not in_force:
            self.study_work.end_child()  # a withdrawal goes with the next child
        self.study_work.look_again()

    @property
    def task_card(self) -> TaskCard | None:
        """The task of the study that is next or under way; None where none is left."""
        return self.sink.study.task if self.sink.study is not None else None

    @property
    def has_tasks(self) -> bool:
        """Whether the study gives tasks today, done or not."""
        return self.sink.study is not None and self.sink.study.day > 0 and self._tasks.are_given

    def mark_task(self, step: TaskStep, skill: int) -> None:
        """Begin the next task of the study, or end the one under way; nothing between two sessions."""
        if self.session is None or self.sink.study is None or self.sink.study.task is None:
            return
        mark = self._tasks.mark(step, skill)
        if mark is not None:
            self.session.submit([mark])
        self.sink.study = replace(self.sink.study, task=self._tasks.card())
        self.sink.show_status()

    def _report_need(self, report: EarlierReport) -> None:
        """Note what a person said of a stretch, in the running session whatever session it is in."""
        if self.session is None:
            self.timeline.not_reported()
        elif report.session == self.session.folder.name:
            self.session.submit([NeedReport(start_ns=report.start_ns, end_ns=report.end_ns, needed=report.needed)])
        else:
            self.session.submit([report])

    def _begin_purge(self) -> None:
        self.sink.review.forget()
        self.cut("purge")

    def _trim_heap_soon(self) -> None:
        """Hand the memory of a window back, once it is gone."""
        if self._loop is not None:
            self._loop.call_later(CLOSED_S, trim_heap)

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except KairosError as error:
            logger.info("the core cannot continue: %s", type(error).__name__)
            self.failure = error
        except BaseException as error:
            logger.exception("the core failed")
            self.failure = error
        finally:
            self.sink.display.end()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._cuts = asyncio.Queue()
        assert self._handle is not None  # noqa: S101  # `start` has set it
        self.sensing.restore()
        control = ControlServer(socket_file(), self._handle)
        await control.start()
        try:
            with StateStore(self._state_file, busy_s=STATE_BUSY_S) as state:
                self._state = state
                self.sink.keep_in(state)
                await apply_choice(state, on=self._understands_controls)
                unwatch = self.restrictions.watch(lambda: self.call(lambda: self._restrict(state)))
                await self._sweep()
                daily = asyncio.create_task(self._run_daily())
                self.study_work.start(self._loop)
                if self.library_work is not None:
                    self.library_work.start(self._loop)
                try:
                    await self._run_sessions(state)
                finally:
                    unwatch()
                    daily.cancel()
                    self.study_work.stop()
                    if self.library_work is not None:
                        self.library_work.stop()
                    self.study_actions.stop()
                    self.sink.review.stop()
                    if self.sensing.is_closed_for(Reason.REVOKED):
                        await self._restore_accessibility_switch(state)
        finally:
            await control.stop()

    @property
    def _understands_controls(self) -> bool:
        return understands_controls(self.restrictions.apply(self.settings), self._consent)

    def _restrict(self, state: StateStore) -> None:
        """End a session that records what is no longer recorded.

        Turn the desktop's switch back once controls are no longer understood; the session has ended its part.
        """
        if self.sink.recording and not self._consent_in_force().recording:
            self.cut("settings")
        if not self._understands_controls:
            self._restoring = asyncio.get_running_loop().create_task(self._restore_accessibility_switch(state))

    def _consent_in_force(self) -> Consent:
        assert self._consent is not None  # noqa: S101  # `start` has set it
        return with_recording(self._consent, self.restrictions.apply(self.settings))

    async def _restore_accessibility_switch(self, state: StateStore) -> None:
        """Turn off the accessibility switch that was turned on by a choice that was taken back; a stop cannot wait."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESTORE_S):
                await apply_choice(state, on=False)

    async def _run_sessions(self, state: StateStore) -> None:
        """Run one session after the other; wait out a fault between two of them."""
        wait_s = FIRST_WAIT_S
        while not self.is_quitting:
            try:
                if self.purging.is_pending:
                    self.sink.first_day = None
                    self.study_work.end_child()
                    await self.purging.finish()
                reason = await self._run_session(state)
                self._change_memory(state)
            except EnvironmentFault as fault:
                if not self.sessions or (self.is_quitting and self._memory_changes):
                    raise  # there is no later for what was to be forgotten
                code = fault.code or "storage_failed"
                if code not in self.sink.problems:
                    logger.warning("no new session: %s", fault.what)
                    self.sink.changed(Problem(code=code))
                await self._wait(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                wait_s = FIRST_WAIT_S
                logger.info("session ended: %s", reason)
            if not self.is_quitting:
                await asyncio.sleep(LET_GO_S)
                release_memory()

    def _change_memory(self, state: StateStore) -> None:
        """Forget or unmute as requested; no policy runs now that would write it again."""
        while self._memory_changes:
            self._memory_changes[0](state)
            del self._memory_changes[0]
            self.timeline.request_facts()

    async def _wait(self, seconds: float) -> None:
        assert self._cuts is not None  # noqa: S101  # set before any session runs
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._cuts.get()

    async def _run_daily(self) -> None:
        """Do what is due every day, also where nothing happens that would cut a session at midnight."""
        day_ends_ns = next_midnight_wall_ns(self._clock.wall_ns())
        while True:
            await asyncio.sleep(DAILY_CHECK_S)
            now_wall_ns = self._clock.wall_ns()
            if self._cut_wall_ns is not None and now_wall_ns >= self._cut_wall_ns:
                self.cut("time")
            if now_wall_ns < day_ends_ns:
                day_ends_ns = min(day_ends_ns, next_midnight_wall_ns(now_wall_ns))  # the clock may have been set back
                continue
            day_ends_ns = next_midnight_wall_ns(now_wall_ns)
            try:
                await self._sweep()
            except (BadFile, EnvironmentFault) as fault:
                logger.error("old sessions are not deleted today: %s", fault.what)  # noqa: TRY400  # expected, no bug
            except Exception as error:  # noqa: BLE001  # a stage boundary: nobody awaits this task
                self._failed(error)
                return

    async def _sweep(self) -> None:
        """Delete sessions that are due and were announced; announce those that will be."""

        def sweep() -> bool:
            with StateStore(self._state_file) as state:  # its own: that of the core is used meanwhile
                now_wall_ns = self._clock.wall_ns()
                return delete_due_sessions(self._sessions_dir, self.settings.storage, state, now_wall_ns).must_announce

        if await asyncio.to_thread(sweep):
            self.sink.display.notify_problem(Problem(code="deletion_due"))

    async def _run_session(self, state: StateStore) -> str:
        assert self._loop is not None  # noqa: S101  # set before any session runs
        assert self._cuts is not None  # noqa: S101  # set with it
        while not self._cuts.empty():  # two reasons at once make one cut, and this session begins after all of them
            if self._cuts.get_nowait() == "quit":
                return "quit"
        consent = self._consent_in_force()
        if self.sessions:  # a session without a desktop would be empty
            await asyncio.to_thread(lambda: open_backend(self._clock).close())
        now_wall_ns = self._clock.wall_ns()
        hours = self.settings.interface
        quiet_until_ns = hours_until_wall_ns(hours, now_wall_ns)
        self.sink.silent_until_wall_ns = silent_until_wall_ns(consent, now_wall_ns, hours)
        self.sink.recording, self.sink.microphone = consent.recording, False
        self.sink.in_quiet_hours = quiet_until_ns is not None
        enrolment, settings, phase_ends_wall_ns = self._study_in_force(state, now_wall_ns)
        self.sink.study = self._progress(enrolment, now_wall_ns)
        self.study_work.resume()
        if self.library_work is not None:
            self.library_work.resume()
        if hides_lots(enrolment, now_wall_ns):
            self._leave_out_first_day(state, now_wall_ns)
        elif is_summary_due(settings, consent, state.summarized_day(), now_wall_ns):
            self.sink.first_day = await asyncio.to_thread(summarize, self._sessions_dir, consent)
        begins_ns = next_hour_wall_ns(hours.quiet_from_hour, now_wall_ns)
        quiet_ns = begins_ns if hours.quiet_hours else None
        silent_ns = self.sink.silent_until_wall_ns
        ends_wall_ns = (next_midnight_wall_ns(now_wall_ns), silent_ns, quiet_until_ns, quiet_ns, phase_ends_wall_ns)
        cut_wall_ns = min(end_ns for end_ns in ends_wall_ns if end_ns is not None)
        if not self._cuts.empty():  # what was read above may be older than what was changed while this waited
            return self._cuts.get_nowait()
        if self.purging.is_pending:
            return "purge"
        self._change_memory(state)  # requested while no session ran; what follows reads it before anything else runs
        session = LiveSession(
            settings=effective_settings(settings, consent, now_wall_ns),
            consent=consent,
            sessions_dir=self._sessions_dir,
            state=state,
            clock=self._clock,
            gate=self.sensing.gate,
            sink=self.sink,
            on_cut=self.cut,
            on_failure=self._failed,
            cut_wall_ns=cut_wall_ns,
            enrolment=enrolment,
            open_library=self._open_library,
            point=self.sink.display.point,
            show_answer=self.sink.display.show_model_help,
            observer=self.timeline,
            exclusions=self.exclusions,
            restrictions=self.restrictions,
        )
        self.sink.session, self._cut_wall_ns = session, cut_wall_ns
        self.sink.questions = (
            enrolment.questions.items if enrolment is not None and enrolment.questions is not None else ()
        )
        try:
            await session.start(self._loop, self.sink.switches)
            self.sessions.append(session.folder)
            session.submit(self._tasks.again())
            self.sink.end_problems()
            self.sensing.open(Reason.STARTING)
            self.sink.show_status()
            reason = await self._cuts.get()
        finally:
            self.sink.session = self._cut_wall_ns = None
            self.sensing.close(Reason.STARTING)
            await session.stop("quit" if self.is_quitting else "cut")
            self.sink.microphone = False
            self.sink.switches[SwitchName.EXCLUDED] = False  # the next session's fence decides anew
            if not self.is_quitting:
                self.sink.end_problems()
        return reason

    def _study_in_force(self, state: StateStore, wall_ns: int) -> tuple[Enrolment | None, Settings, int | None]:
        """Return the study that was joined and is not over, the settings with it, and when its phase ends.

        A study that cannot be read ends nothing but itself: no row names it and nothing is offered or asked, since
        nobody knows what it permits.
        """
        try:
            enrolment = state.enrolment()
            if enrolment is None or is_over(enrolment, wall_ns):
                return None, self.settings, None
            settings = study_settings(self.settings, enrolment, local_time(wall_ns).date())
        except BadFile as fault:
            logger.warning("the study in force cannot be read: %s", fault.what)
            self.sink.notify_once("study_damaged")
            return None, replace(self.settings, policy=replace(self.settings.policy, name=SILENT)), None
        return enrolment, settings, phase_end_wall_ns(enrolment, wall_ns)

    def _progress(self, enrolment: Enrolment | None, wall_ns: int) -> StudyProgress | None:
        """Return what the tray shows of the study, whose tasks are those that are done from now on."""
        assert self._state is not None  # noqa: S101  # set before any session runs
        self._tasks.take(enrolment, self._state)
        if enrolment is None:
            return None
        day = study_day(enrolment, local_time(wall_ns).date()).day
        held = is_on_hold(self._state_file.parent, enrolment.study)
        if held is None:
            held = self.sink.study is not None and self.sink.study.held
        closed = enrolment.closed_on is not None
        task = self._tasks.card() if day > 0 else None
        return StudyProgress(title=enrolment.title, day=day, days=enrolment.days, held=held, closed=closed, task=task)

    def _leave_out_first_day(self, state: StateStore, wall_ns: int) -> None:
        """Have no summary of the first day: whether one comes would tell of the arm. Weeks later it is of no use."""
        assert self._consent is not None  # noqa: S101  # `start` has set it
        self.sink.first_day = None
        if is_summary_due(self.settings, self._consent, state.summarized_day(), wall_ns):
            state.save_summarized_day(self._consent.given_at_wall_ns)

    def _failed(self, error: Exception) -> None:
        """End because of a bug, or of a fault that no session can work with; what was recorded stays whole."""
        logger.error("the core failed", exc_info=error)
        self.failure = error
        self.quit()


def release_memory() -> None:
    """Give back the memory of a session that has ended: 26 MB. Its parts know each other, and nobody looks for such.

    Some may be frozen with what stays (`gc.freeze`), if the session was there when the interface was. It takes a tenth
    of a second, between two sessions.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim_heap()


def _exit_late() -> None:
    logger.error("stopping took longer than %s s; what was recorded can still be opened", STOP_LIMIT_S)
    logging.shutdown()
    os._exit(LATE)


def next_midnight_wall_ns(wall_ns: int) -> int:
    """Return when the next local day begins, as wall-clock nanoseconds."""
    return next_hour_wall_ns(0, wall_ns)
