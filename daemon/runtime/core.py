"""The core thread: runs one session after the other, and carries out the commands of the interface and the socket.

What opens and closes the gate is in `sensing`. Stopping is one function, limited in time stage by stage, and a second
call changes nothing. Between two sessions a fault of the environment is reported and waited out; a bug ends the core.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from daemon.capture.accessibility.choice import apply_choice, understands_controls
from daemon.capture.backend import open_backend
from daemon.capture.fence.exclusions import Exclusions
from daemon.help.ports import OpenLibrary
from daemon.history.timeline.reader import TimelineSources
from daemon.history.timeline.service import TimelineService
from daemon.models.restrictions import Restrictions
from daemon.preferences.service import SettingsService
from daemon.purge.purge import begin, finish, is_pending, span_from
from daemon.purge.span import PurgeSpan
from daemon.runtime.control import ControlServer
from daemon.runtime.enrolment import SILENT, hides_lots, is_over, phase_end_wall_ns, study_day, study_settings
from daemon.runtime.evening_review import EveningReview
from daemon.runtime.headless import HeadlessDisplay
from daemon.runtime.library_work import LibraryWork
from daemon.runtime.policy_memory import forget_in, unmute_in
from daemon.runtime.quiet_day import (
    effective_settings,
    is_summary_due,
    silent_until_wall_ns,
    summarize,
)
from daemon.runtime.sensing import Reason, SensingControl
from daemon.runtime.session import LiveSession, trim_heap
from daemon.runtime.study_actions import HOLD_MODE, StudyActions
from daemon.runtime.study_work import StudyWork, is_on_hold
from policies.gates import SUPPRESSING_GATES
from storage.clock import NS_PER_S, SystemClock, local_time
from storage.enrolment import Enrolment, QuestionItem
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from storage.messages import LOGGED_PROBLEMS, MODEL_PROBLEMS, TRANSIENT_PROBLEMS
from storage.paths import config_file, socket_file
from storage.ports import (
    QUESTION_LIMIT,
    Display,
    HelpContent,
    QuietDaySummary,
    RunState,
    Status,
    StudyProgress,
    StudyReply,
    StudyRequest,
)
from storage.records import (
    Answer,
    AnswerKind,
    Decision,
    EarlierReport,
    Feedback,
    FeedbackKind,
    NeedReport,
    Offer,
    Problem,
    Switch,
    SwitchName,
)
from storage.session.retention import delete_due_sessions
from storage.settings import Settings
from storage.state.store import Consent, StateStore, revoke_consent
from storage.translation import translatable

logger = logging.getLogger(__name__)

MAX_SECONDS = 7 * 86_400
STOP_LIMIT_S = 4.8
STATE_BUSY_S = 0.4
"""How long a statement of the core waits for a locked `state.db`: a stop has no time for more, and offers wait too."""

DAILY_CHECK_S = 3600.0
"""How often the core looks whether a day has begun; a timer alone would stand still while the machine is suspended."""

TURN_BACK_S = 0.3
"""How long turning the accessibility switch off again may take at the end; the next start tries again."""

CLOSED_S = 1.0
"""After a window is closed its parts are deleted, and its thread ends, within this time."""

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
LATE = 70
"""Exit code of a stop that ran out of time, and of a bug that ended the core."""

PURGE_GOES_ON = translatable("Kairos tries again by itself; nothing is captured until it is done.")
"""Said of a purge that cannot be finished now."""


class Core:
    """Runs sessions one after the other until told to quit. Implements `storage.ports.CoreCommands`."""

    def __init__(
        self,
        *,
        settings: Settings,
        sessions_dir: Path,
        state_file: Path,
        open_library: OpenLibrary | None = None,
    ) -> None:
        """Prepare; nothing is captured before `start`, which needs a consent.

        `open_library` opens the help library; without it none is searched, and no documentation indexed.
        """
        self._open_library = open_library
        self._settings = settings
        self._consent: Consent | None = None
        self._sessions_dir = sessions_dir
        self._state_file = state_file
        self._display: Display = HeadlessDisplay()
        self._clock = SystemClock()
        self._sensing = SensingControl(self._clock, folder=state_file.parent, call=self._call, submit=self._submit)
        self._thread = threading.Thread(target=self._run, name="core")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turning_back: asyncio.Task[None] | None = None
        self._cuts: asyncio.Queue[str] | None = None
        self._session: LiveSession | None = None
        self._switches = dict.fromkeys((SwitchName.PAUSED, SwitchName.PRIVATE, SwitchName.EXCLUDED), False)
        self._problems: list[str] = []
        self._quitting = False
        self._cut_wall_ns: int | None = None
        self._silent_until_wall_ns: int | None = None
        self._first_day: QuietDaySummary | None = None
        self._state: StateStore | None = None
        self._questions: tuple[QuestionItem, ...] = ()
        self._study_work = StudyWork(
            state_file.parent, wall_ns=self._clock.wall_ns, on_damaged=self._on_damaged_study_folder
        )
        self._library_work: LibraryWork | None = None
        if open_library is not None and settings.help.library:
            self._library_work = LibraryWork(state_file.parent, self._clock.wall_ns)
        self._study_actions = StudyActions(self._on_study_reply)
        self._study: StudyProgress | None = None
        self._study_is_damaged = False
        self._study_folder_is_damaged = False
        self._memory_changes: list[Callable[[StateStore], None]] = []
        self._purge: dict[str, Any] = {"number": 0}
        self._purge_closed = 0
        self._models_off: set[str] = set()
        self.timeline = TimelineService(
            TimelineSources(
                sessions_dir=sessions_dir,
                state_file=state_file,
                settings=settings,
                clock=self._clock,
                submit_report=lambda report: self._call(lambda: self._report_need(report)),
                begin_purge=lambda span: self._call(lambda: self._purge_from_interface(span)),
            ),
            on_end=lambda: self._call(self._trim_heap_soon),
        )
        """Answers the window "What Kairos saw", and forgets what the interface has forgotten."""

        self._exclusions = Exclusions(settings.fence)
        self._restrictions = Restrictions(settings)
        self.preferences = SettingsService(
            config_file(), settings, exclude=self._exclusions.tighten, restrict=self._restrictions.tighten
        )
        """Answers the settings window, and takes up what acts at once."""

        self._review = EveningReview(
            settings.interface,
            sessions_dir,
            self._clock,
            show=self._show_review,
            close=self.close_question,
            report=self._report_need,
        )

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
        """Pause capture for so long, or until `resume`. Nothing is captured once this has returned."""
        self._sensing.pause(seconds)

    def resume(self) -> None:
        """End a pause."""
        self._sensing.resume()

    def set_private(self, on: bool) -> None:
        """Turn private time on or off. Nothing is captured once `set_private(True)` has returned."""
        self._sensing.set_private(on)

    def revoke(self) -> None:
        """Revoke the consent and stop: once this has returned nothing is captured, and the next start asks again.

        That is stored here, in the caller's thread and before anything is stopped, because stopping may be cut short.
        """
        self._sensing.close(Reason.REVOKED)
        given_ns = self._consent.given_at_wall_ns if self._consent is not None else 0
        try:
            revoke_consent(self._state_file, max(self._clock.wall_ns(), given_ns))  # later, whatever the clock says
        except EnvironmentFault as fault:
            self.failure = fault
        finally:
            self._call(self._study_work.leave)
            self._call(lambda: self._submit(Switch(name=SwitchName.CONSENT, on=False, by="person")))
            self.quit()

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Submit how an offer was answered."""
        self._call(lambda: self._submit(Feedback(offer_id=offer_id, kind=kind)))

    def ask_help(self) -> None:
        """Look for help because the person says so."""
        self._call(self._ask_from_tray)

    def close_help(self, offer_id: str) -> None:
        """End pointing at controls, and a model's answer: the card was closed."""
        self._call(lambda: self._session.close_help(offer_id) if self._session is not None else None)

    def ask_model(self, offer_id: str, question: str = "") -> None:
        """Ask the model about the help of an offer; a longer question than somebody types is cut."""
        asked = question[:QUESTION_LIMIT]
        self._call(lambda: self._session.ask_model(offer_id, asked) if self._session is not None else None)

    def stop_model(self, offer_id: str) -> None:
        """End the request of such an answer."""
        self._call(lambda: self._session.stop_model(offer_id) if self._session is not None else None)

    def study(self, request: StudyRequest, through: str = "") -> None:
        """Carry out a request about the study, by its command; the display gets the reply."""
        self._call(lambda: self._study_actions.start(request, through))

    def answer_question(self, question_id: str, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        """Submit how a question of a study was answered."""
        reply = Answer(question_id=question_id, kind=kind, choices=dict(choices))
        self._call(lambda: self._take_reply(reply))

    def quit(self) -> None:
        """Stop in order, or leave anyway after `STOP_LIMIT_S`; a second call changes nothing."""
        if self._quitting:
            return
        self._quitting = True
        self._sensing.close(Reason.QUITTING)
        watchdog = threading.Timer(STOP_LIMIT_S, _exit_late)
        watchdog.name, watchdog.daemon = "stop-limit", True
        watchdog.start()
        self._call(lambda: self._cut("quit"))

    def _call(self, action: Callable[[], object]) -> None:
        """Run an action in the core's thread, at once if this is it; drop it before the start and after the end."""
        if threading.current_thread() is self._thread:
            action()
        elif self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(action)
            except RuntimeError:
                logger.debug("the core has already stopped")

    # ------------------------------------------------------------ in the core thread

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
            self._display.end()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._cuts = asyncio.Queue()
        self._sensing.restore()
        control = ControlServer(socket_file(), self._handle)
        await control.start()
        try:
            with StateStore(self._state_file, busy_s=STATE_BUSY_S) as state:
                self._state = state
                await apply_choice(state, on=self._understands_controls)
                unwatch = self._restrictions.watch(lambda: self._call(lambda: self._restrict_controls(state)))
                await self._sweep()
                daily = asyncio.create_task(self._run_daily())
                self._study_work.start(self._loop)
                if self._library_work is not None:
                    self._library_work.start(self._loop)
                try:
                    await self._run_sessions(state)
                finally:
                    unwatch()
                    daily.cancel()
                    self._study_work.stop()
                    if self._library_work is not None:
                        self._library_work.stop()
                    self._study_actions.stop()
                    self._review.stop()
                    if self._sensing.is_closed_for(Reason.REVOKED):
                        await self._turn_back(state)
        finally:
            await control.stop()

    @property
    def _understands_controls(self) -> bool:
        return understands_controls(self._restrictions.apply(self._settings), self._consent)

    def _restrict_controls(self, state: StateStore) -> None:
        """Turn the desktop's switch back once controls are no longer understood; the session has ended its part."""
        if not self._understands_controls:
            self._turning_back = asyncio.get_running_loop().create_task(self._turn_back(state))

    async def _turn_back(self, state: StateStore) -> None:
        """Turn off the accessibility switch that was turned on by a choice that was taken back; a stop cannot wait."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TURN_BACK_S):
                await apply_choice(state, on=False)

    async def _run_sessions(self, state: StateStore) -> None:
        """Run one session after the other; wait out a fault between two of them."""
        wait_s = FIRST_WAIT_S
        while not self._quitting:
            try:
                await self._finish_purge()
                reason = await self._run_session(state)
                self._change_memory(state)
            except EnvironmentFault as fault:
                if not self.sessions or (self._quitting and self._memory_changes):
                    raise  # there is no later for what was to be forgotten
                code = fault.code or "storage_failed"
                if code not in self._problems:
                    logger.warning("no new session: %s", fault.what)
                    self.changed(Problem(code=code))
                await self._wait(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                wait_s = FIRST_WAIT_S
                logger.info("session ended: %s", reason)

    def _change_memory(self, state: StateStore) -> None:
        """Forget or unmute as requested; no policy runs now that would write it again."""
        while self._memory_changes:
            self._memory_changes[0](state)
            del self._memory_changes[0]

    async def _finish_purge(self) -> None:
        """Carry out a purge that was requested, or begun before a kill: no session runs, and none begins before.

        Raises:
            EnvironmentFault: it cannot be finished now; the caller tries again, and until then nothing is captured.
        """
        if not is_pending(self._state_file):
            return
        self._first_day = None
        self._study_work.end_child()
        purge, closed = self._purge, self._purge_closed  # another may be requested as soon as this one is done
        try:
            report = await asyncio.to_thread(finish, self._state_file)
        except (EnvironmentFault, BadFile) as fault:
            purge.update(error=fault.what, remedy=f"{fault.remedy}\nNothing is captured until it is done".strip())
            self.timeline.not_purged(fault.what, PURGE_GOES_ON)
            raise
        purge.update(report=report.as_json() if report is not None else None, error=None)
        self._sensing.open(Reason.PURGING, closed)
        if report is not None:
            self.timeline.purged(report)

    def _begin_purge(self, request: Mapping[str, Any]) -> None:
        """Close the gate, note what is to be forgotten, and end the session: the rest follows between two sessions.

        Raises:
            UsageError: the request names no time, other sessions than ours, or comes while one is carried out.
        """
        span = span_from(request)
        if span is None:
            raise UsageError("a purge names what to forget, and from when on")
        if request.get("sessions_dir") != str(self._sessions_dir):
            raise UsageError(f"Kairos runs with the sessions in {self._sessions_dir}: quit it to purge others")
        self._purge_span(span)

    def _purge_from_interface(self, span: PurgeSpan) -> None:
        try:
            self._purge_span(span)
        except UsageError as error:
            self.timeline.not_purged(error.what, error.remedy)

    def _purge_span(self, span: PurgeSpan) -> None:
        """Begin to forget a span.

        Raises:
            UsageError: one is being carried out, or this cannot be noted.
        """
        if is_pending(self._state_file):
            raise UsageError("a purge is under way")
        self._purge_closed = self._sensing.close(Reason.PURGING)
        try:
            begin(span, self._sessions_dir, self._state_file)
        except EnvironmentFault as fault:
            self._sensing.open(Reason.PURGING)
            raise UsageError(f"nothing was deleted: {fault.what}") from fault
        self._review.forget()
        self._purge = {"number": self._purge["number"] + 1, "report": None, "error": None, "remedy": None}
        self._cut("purge")

    async def _wait(self, seconds: float) -> None:
        """Wait, unless the core quits."""
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
                self._cut("time")
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
                return delete_due_sessions(self._sessions_dir, self._settings.storage, state, now_wall_ns).must_announce

        if await asyncio.to_thread(sweep):
            self._display.notify_problem(Problem(code="deletion_due"))

    async def _run_session(self, state: StateStore) -> str:
        assert self._loop is not None  # noqa: S101  # set before any session runs
        assert self._cuts is not None  # noqa: S101  # likewise
        assert self._consent is not None  # noqa: S101  # `start` wants one
        if self.sessions:  # a session without a desktop would be empty
            await asyncio.to_thread(lambda: open_backend(self._clock).close())
        now_wall_ns = self._clock.wall_ns()
        self._silent_until_wall_ns = silent_until_wall_ns(self._consent, now_wall_ns)
        enrolment, settings, phase_ends_wall_ns = self._study_in_force(state, now_wall_ns)
        self._study = self._progress(enrolment, now_wall_ns)
        self._study_work.resume()
        if self._library_work is not None:
            self._library_work.resume()
        if hides_lots(enrolment, now_wall_ns):
            self._leave_out_first_day(state, now_wall_ns)
        elif is_summary_due(settings, self._consent, state.summarized_day(), now_wall_ns):
            self._first_day = await asyncio.to_thread(summarize, self._sessions_dir, self._consent)
        ends_wall_ns = (next_midnight_wall_ns(now_wall_ns), self._silent_until_wall_ns, phase_ends_wall_ns)
        cut_wall_ns = min(end_ns for end_ns in ends_wall_ns if end_ns is not None)
        while not self._cuts.empty():  # two reasons at once make one cut, and this session begins after all of them
            if self._cuts.get_nowait() == "quit":
                return "quit"
        if is_pending(self._state_file):
            return "purge"
        self._change_memory(state)  # requested while no session ran; what follows reads it before anything else runs
        session = LiveSession(
            settings=effective_settings(settings, self._consent, now_wall_ns),
            consent=self._consent,
            sessions_dir=self._sessions_dir,
            state=state,
            clock=self._clock,
            gate=self._sensing.gate,
            sink=self,
            on_cut=self._cut,
            on_failure=self._failed,
            cut_wall_ns=cut_wall_ns,
            enrolment=enrolment,
            open_library=self._open_library,
            point=self._display.point,
            show_answer=self._display.show_model_help,
            observer=self.timeline,
            exclusions=self._exclusions,
            restrictions=self._restrictions,
        )
        self._session, self._cut_wall_ns = session, cut_wall_ns
        self._questions = enrolment.questions.items if enrolment is not None and enrolment.questions is not None else ()
        try:
            await session.start(self._loop, self._switches)
            self.sessions.append(session.folder)
            self._end_problems()
            self._sensing.open(Reason.STARTING)
            self._show_status()
            reason = await self._cuts.get()
        finally:
            self._session = self._cut_wall_ns = None
            self._sensing.close(Reason.STARTING)
            await session.stop("quit" if self._quitting else "cut")
            self._switches[SwitchName.EXCLUDED] = False  # the next session's fence decides anew
            if not self._quitting:
                self._end_problems()
        return reason

    def _study_in_force(self, state: StateStore, wall_ns: int) -> tuple[Enrolment | None, Settings, int | None]:
        """Return the study that was joined and is not over, the settings with it, and when its phase ends.

        A study that cannot be read ends nothing but itself: no row names it and nothing is offered or asked, since
        nobody knows what it permits.
        """
        try:
            enrolment = state.enrolment()
            if enrolment is None or is_over(enrolment, wall_ns):
                return None, self._settings, None
            settings = study_settings(self._settings, enrolment, local_time(wall_ns).date())
        except BadFile as fault:
            logger.warning("the study in force cannot be read: %s", fault.what)
            if not self._study_is_damaged:
                self._study_is_damaged = True
                self._display.notify_problem(Problem(code="study_damaged"))
            return None, replace(self._settings, policy=replace(self._settings.policy, name=SILENT)), None
        return enrolment, settings, phase_end_wall_ns(enrolment, wall_ns)

    def _on_damaged_study_folder(self) -> None:
        """Say once that nothing is packed or sent; offers and questions of the study go on."""
        if not self._study_folder_is_damaged:
            self._study_folder_is_damaged = True
            self._display.notify_problem(Problem(code="study_folder_damaged"))

    def _end_study_work(self) -> None:
        """End what is being packed or sent, unless a study is in force; a withdrawal then goes with the next child."""
        try:
            in_force = self._state is not None and self._state.enrolment() is not None
        except (BadFile, EnvironmentFault):
            in_force = False
        if not in_force:
            self._study_work.end_child()

    def _progress(self, enrolment: Enrolment | None, wall_ns: int) -> StudyProgress | None:
        """Return what the tray shows of the study."""
        if enrolment is None:
            return None
        day = study_day(enrolment, local_time(wall_ns).date()).day
        held = is_on_hold(self._state_file.parent, enrolment.study)
        if held is None:
            held = self._study is not None and self._study.held
        closed = enrolment.closed_on is not None
        return StudyProgress(title=enrolment.title, day=day, days=enrolment.days, held=held, closed=closed)

    def _on_study_reply(self, reply: StudyReply) -> None:
        if self._study is not None and reply.mode:
            self._study = replace(self._study, held=reply.mode == HOLD_MODE)
            self._show_status()
        self._display.show_study_reply(reply)

    def _leave_out_first_day(self, state: StateStore, wall_ns: int) -> None:
        """Have no summary of the first day: whether one comes would tell of the arm. Weeks later it is of no use."""
        assert self._consent is not None  # noqa: S101  # `start` wants one
        self._first_day = None
        if is_summary_due(self._settings, self._consent, state.summarized_day(), wall_ns):
            state.save_summarized_day(self._consent.given_at_wall_ns)

    def _end_problems(self) -> None:
        """Report the problems of a session as over; the next session reports those that persist."""
        self._models_off.clear()
        for code in tuple(self._problems):
            self.changed(Problem(code=code, over=True))

    def _failed(self, error: Exception) -> None:
        """End because of a bug, or of a fault that no session can work with; what was recorded stays whole."""
        logger.error("the core failed", exc_info=error)
        self.failure = error
        self.quit()

    def _cut(self, reason: str) -> None:
        """End the running session: the next one begins, unless the core quits."""
        if self._cuts is not None:
            self._cuts.put_nowait(reason)

    def _take_reply(self, reply: Answer) -> None:
        """Hand a reply to whoever asked: the evening review, or a study by the session."""
        if not self._review.answer(reply.question_id, reply.choices):
            self._submit(reply)

    def _show_review(self, question_id: str, items: Sequence[QuestionItem]) -> None:
        self._display.show_question(question_id, items)

    def _look_for_review(self) -> None:
        """Bring the evening review up if it is due, at a break."""
        state = self._state
        if state is None or self._session is None or not self._session.at_break:
            return
        try:
            self._review.look(state.reviewed_day, state.save_reviewed_day)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("there is no review today: %s", fault.what)  # noqa: TRY400  # expected, no bug

    def _report_need(self, report: EarlierReport) -> None:
        """Note what a person said of a stretch, in the running session whatever session it is in."""
        if self._session is None:
            self.timeline.not_reported()
        elif report.session == self._session.folder.name:
            self._session.submit([NeedReport(start_ns=report.start_ns, end_ns=report.end_ns, needed=report.needed)])
        else:
            self._session.submit([report])

    def _submit(self, record: Switch | Feedback | Answer) -> None:
        if self._session is not None:
            self._session.submit([record])
        elif isinstance(record, Switch):  # between two sessions: the next one begins with it
            self.changed(record)

    def _handle(self, command: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        match command:
            case "status":
                pass
            case "pause":
                seconds = request.get("seconds")
                if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds <= MAX_SECONDS):
                    raise UsageError("a pause lasts from a second to a week")
                self.pause(seconds)
                self._drain()
            case "resume":
                self.resume()
                self._drain()
            case "forget" | "unmute":
                self._forget_learned(command, request)
            case "ask" | "seen" | "settings":
                self._show_now(command, request)
            case "reload":
                self.preferences.read()
            case "purge":
                self._begin_purge(request)
                return {"purge": self._purge}
            case "purged":
                return {"purge": self._purge}
            case "study":  # joined, left or answered anew: the next session goes by it
                self._cut("study")
                self._end_study_work()
                self._study_work.look_again()
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
            "controls": self._controls(),
            "models": [asdict(price) for price in self._session.prices] if self._session is not None else [],
        }

    def _forget_learned(self, command: str, request: Mapping[str, Any]) -> None:
        """Forget what answers taught, or unmute a topic, between two sessions."""
        if command == "forget":
            change = partial(forget_in, mutes=request.get("mutes") is True)
        else:
            change = partial(unmute_in, settings=self._settings, topic=str(request.get("topic")))
        self._memory_changes.append(change)
        self._cut("forget")

    def _show_now(self, command: str, request: Mapping[str, Any]) -> None:
        """Show what somebody asks for: help with the moment, or a window.

        Raises:
            UsageError: it cannot be shown.
        """
        if command == "ask":
            self._ask(request.get("words"))
        elif command == "settings" and not self.preferences.show():
            raise UsageError("Kairos runs without an interface, so it can show no window; see: kairos config show")
        elif command == "seen" and not self.timeline.show():
            raise UsageError("Kairos runs without an interface, so it can show no window; see: kairos why")

    def _ask_from_tray(self) -> None:
        with contextlib.suppress(UsageError):  # the tray offers it only where it works; it may have changed by now
            self._ask()

    def _ask(self, words: object = "") -> None:
        """Look for help at once.

        Raises:
            UsageError: there is nothing to look at, or nothing to search; or the words are no question.
        """
        if not isinstance(words, str) or len(words) > QUESTION_LIMIT:
            raise UsageError(f"a question is a text of at most {QUESTION_LIMIT} characters")
        if self._switches[SwitchName.EXCLUDED]:
            raise UsageError("an excluded window is open, so Kairos does not look")
        if self._session is None or not self._sensing.gate.is_open:
            raise UsageError("Kairos is not watching now, so it cannot know what would help; see: kairos status")
        if not self._session.ask(words):
            raise UsageError("the help library is off; turn it on with: kairos config set help.library true")

    def _controls(self) -> dict[str, object] | None:
        """Return how understanding controls is doing; None where it is not chosen."""
        state = self._session.controls if self._session is not None else None
        if state is None:
            return None
        return {
            "works": state.connected,
            "left_alone": list(state.left_alone),
            "spent": list(state.spent),
            "walks_refused": state.walks_refused,
        }

    def _trim_heap_soon(self) -> None:
        """Hand the memory of a window back, once it is gone."""
        if self._loop is not None:
            self._loop.call_later(CLOSED_S, trim_heap)

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
            state = RunState.STARTING if self._sensing.is_closed_for(Reason.STARTING) else RunState.WATCHING
        return Status(
            state=state,
            problem=self._problems[-1] if self._problems else None,
            paused_until_wall_ns=self._sensing.paused_until_wall_ns,
            recording=self._consent is not None and self._consent.recording,
            silent_until_wall_ns=self._silent_until_wall_ns,
            study=self._study,
            model_off=bool(self._models_off),
        )

    def _show_status(self) -> None:
        self._display.show_status(self.status())

    # ------------------------------------------------------------ sink of the session

    def show(self, offer: Offer) -> None:
        """Show an offer, with the names that are still in memory."""
        names = self._session.names_for(offer) if self._session is not None else {}
        content = self._session.content_of(offer) if self._session is not None else None
        typing = self._session.typing if self._session is not None else None
        if typing is not None:
            content = replace(content or HelpContent(), typing=typing)
        self._display.show_offer(offer, names, content)

    def close(self, offer_id: str) -> None:
        """Take an offer down."""
        self._display.close_offer(offer_id)

    def ask(self, question_id: str) -> None:
        """Show a question of the study."""
        self._display.show_question(question_id, self._questions)

    def close_question(self, question_id: str) -> None:
        """Take a question down."""
        self._display.close_question(question_id)

    def changed(self, record: Switch | Problem) -> None:
        """Show that sensing was switched, or that a problem began or ended."""
        if isinstance(record, Switch):
            self._switches[record.name] = record.on
        elif record.code in LOGGED_PROBLEMS:
            return
        else:
            self._problems = [code for code in self._problems if code != record.code]
            if record.code in MODEL_PROBLEMS:
                self._models_off = (self._models_off - {record.code}) | (set() if record.over else {record.code})
            if not record.over and record.code not in TRANSIENT_PROBLEMS:
                self._problems.append(record.code)
            self._display.notify_problem(record)
        self._show_status()

    def decided(self, decision: Decision) -> None:
        """Show a summary or a review that is due as soon as availability would allow an offer too."""
        if decision.gate in SUPPRESSING_GATES:
            return
        if self._settings.interface.evening_review:
            self._look_for_review()
        if self._first_day is None:
            return
        day, self._first_day = self._first_day, None
        assert self._state is not None  # noqa: S101  # open while sessions run
        assert self._consent is not None  # noqa: S101  # `start` wants one
        try:
            self._state.save_summarized_day(self._consent.given_at_wall_ns)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("the first day will be summed up again: %s", fault.what)  # noqa: TRY400  # expected, no bug
        self._display.show_quiet_day_summary(day)


def _exit_late() -> None:
    logger.error("stopping took longer than %s s; what was recorded can still be opened", STOP_LIMIT_S)
    logging.shutdown()
    os._exit(LATE)


def next_midnight_wall_ns(wall_ns: int) -> int:
    """Return when the next local day begins, as wall-clock nanoseconds."""
    tomorrow = (local_time(wall_ns) + dt.timedelta(days=1)).date()
    midnight = dt.datetime.combine(tomorrow, dt.time()).astimezone()
    return round(midnight.timestamp()) * NS_PER_S
