"""Shows what a session derives, and keeps what the tray shows: switches, problems, the study, the quiet first day."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from daemon.runtime.evening_review import EveningReview
from daemon.runtime.headless import HeadlessDisplay
from daemon.runtime.sensing import Reason, SensingControl
from daemon.runtime.session import LiveSession
from daemon.runtime.study.actions import HOLD_MODE
from policies.gates import SUPPRESSING_GATES
from storage.clock import MINUTE_NS, NS_PER_S, Clock
from storage.enrolment import QuestionItem
from storage.errors import BadFile, EnvironmentFault
from storage.ports import (
    Display,
    HelpCandidates,
    HelpContent,
    QuietDaySummary,
    RunState,
    Status,
    StudyProgress,
    StudyReply,
)
from storage.records import (
    CONTROLS_GONE,
    CONTROLS_UNANSWERED,
    MICROPHONE_GONE,
    SESSION_GONE,
    Decision,
    EarlierReport,
    Offer,
    Problem,
    Sound,
    Switch,
    SwitchName,
)
from storage.settings import InterfaceSettings
from storage.state.store import Consent, StateStore

logger = logging.getLogger(__name__)

MODEL_PROBLEMS = ("model_unusable", "model_gone", "model_spent")
"""Problems with which Kairos goes on without a model."""

TRANSIENT_PROBLEMS = (*MODEL_PROBLEMS, SESSION_GONE, CONTROLS_GONE, MICROPHONE_GONE)
"""Problems that are shown once and do not change what Kairos is doing."""


class CoreSink:
    """Implements `daemon.runtime.pipeline.Sink` for one session after the other. Used in the core's thread."""

    def __init__(
        self,
        settings: InterfaceSettings,
        sessions_dir: Path,
        clock: Clock,
        sensing: SensingControl,
        report: Callable[[EarlierReport], None],
    ) -> None:
        """Show nothing before `start`; `report` notes what a person answers in the evening review."""
        self._evening_review = settings.evening_review
        self._sensing = sensing
        self._clock = clock
        self._consent: Consent | None = None
        self.recording = self.in_quiet_hours = self.microphone = False
        self._state: StateStore | None = None
        self._said_once: set[str] = set()
        self._models_off: set[str] = set()
        self.display: Display = HeadlessDisplay()
        self.session: LiveSession | None = None
        """The session that runs; None between two sessions."""

        self.switches = dict.fromkeys((SwitchName.PAUSED, SwitchName.PRIVATE, SwitchName.EXCLUDED), False)
        self.problems: list[str] = []
        self.questions: Sequence[QuestionItem] = ()
        self.study: StudyProgress | None = None
        self.silent_until_wall_ns: int | None = None
        self.quiet_until_wall_ns: int | None = None
        self.first_day: QuietDaySummary | None = None
        """The summary of a quiet first day that is still to be shown."""

        self.review = EveningReview(
            settings,
            sessions_dir,
            clock,
            show=lambda *question: self.display.show_question(*question),  # noqa: PLW0108  # the display comes later
            close=self.close_question,
            report=report,
        )

    def start(self, consent: Consent, display: Display) -> None:
        """Show on `display` from now on."""
        self._consent = consent
        self.recording = consent.recording
        self.display = display

    def keep_in(self, state: StateStore) -> None:
        """Store in `state` that the first day was summed up, and when the review came last."""
        self._state = state

    # ------------------------------------------------------------ rows of the session

    def show(self, offer: Offer) -> None:
        """Show an offer, with the names that are still in memory."""
        names: Mapping[str, str] = {}
        content: HelpContent | None = None
        if self.session is not None:
            names, content = self.session.names_for(offer), self.session.content_of(offer)
            if self.session.typing is not None:
                content = replace(content or HelpContent(), typing=self.session.typing)
        self.display.show_offer(offer, names, content)

    def show_candidates(self, found: HelpCandidates) -> None:
        """Show what answers the words that somebody is typing; from any thread."""
        self.display.show_candidates(found)

    def close(self, offer_id: str) -> None:
        """Take an offer down."""
        self.display.close_offer(offer_id)

    def ask(self, question_id: str) -> None:
        """Show a question of the study."""
        self.display.show_question(question_id, self.questions)

    def close_question(self, question_id: str) -> None:
        """Take a question down."""
        self.display.close_question(question_id)

    def changed(self, record: Switch | Problem | Sound) -> None:
        """Show that sensing was switched, that a problem began or ended, or that the microphone is open."""
        if isinstance(record, Sound):
            if record.on == self.microphone:
                return
            self.microphone = record.on
        elif isinstance(record, Switch):
            self.switches[record.name] = record.on
        elif record.code == CONTROLS_UNANSWERED:
            return
        else:
            self.problems = [code for code in self.problems if code != record.code]
            if record.code in MODEL_PROBLEMS:
                self._models_off = (self._models_off - {record.code}) | (set() if record.over else {record.code})
            if not record.over and record.code not in TRANSIENT_PROBLEMS:
                self.problems.append(record.code)
            self.display.notify_problem(record)
        self.show_status()

    def decided(self, decision: Decision) -> None:
        """Show whether the person asked for quiet; and a summary or a review as soon as an offer would be allowed."""
        self._look_for_quiet(decision)
        if decision.gate in SUPPRESSING_GATES or self.in_quiet_hours:
            return
        if self._evening_review:
            self._look_for_review()
        if self.first_day is None:
            return
        day, self.first_day = self.first_day, None
        assert self._state is not None  # noqa: S101  # open while sessions run
        assert self._consent is not None  # noqa: S101  # `start` has set it
        try:
            self._state.save_summarized_day(self._consent.given_at_wall_ns)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("the first day will be summed up again: %s", fault.what)  # noqa: TRY400  # expected, no bug
        self.display.show_quiet_day_summary(day)

    def _look_for_quiet(self, decision: Decision) -> None:
        until_ns = None
        if decision.reason == "snoozed":
            until_ns = self._clock.wall_ns() + round(decision.numbers.get("left_s", 0.0) * NS_PER_S)
        known_ns = self.quiet_until_wall_ns
        if (until_ns is None) != (known_ns is None) or abs((until_ns or 0) - (known_ns or 0)) > MINUTE_NS:
            self.quiet_until_wall_ns = until_ns
            self.show_status()

    def _look_for_review(self) -> None:
        """Bring the evening review up if it is due, at a break."""
        if self._state is None or self.session is None or not self.session.at_break:
            return
        try:
            self.review.look(self._state.reviewed_day, self._state.save_reviewed_day)
        except (EnvironmentFault, BadFile) as fault:
            logger.error("there is no review today: %s", fault.what)  # noqa: TRY400  # expected, no bug

    # ------------------------------------------------------------ between sessions

    def end_problems(self) -> None:
        """Report the problems of a session as over; the next session reports those that persist."""
        self._models_off.clear()
        for code in tuple(self.problems):
            self.changed(Problem(code=code, over=True))

    def notify_once(self, code: str) -> None:
        """Show a problem that no row tells of, the first time only."""
        if code not in self._said_once:
            self._said_once.add(code)
            self.display.notify_problem(Problem(code=code))

    def show_study_reply(self, reply: StudyReply) -> None:
        """Show what became of a request about the study."""
        if self.study is not None and reply.mode:
            self.study = replace(self.study, held=reply.mode == HOLD_MODE)
            self.show_status()
        self.display.show_study_reply(reply)

    # ------------------------------------------------------------ the tray

    def status(self) -> Status:
        """Return what the tray should show."""
        if self.switches[SwitchName.PRIVATE]:
            state = RunState.PRIVATE
        elif self.switches[SwitchName.PAUSED]:
            state = RunState.PAUSED
        elif self.problems:
            state = RunState.PROBLEM
        elif self.switches[SwitchName.EXCLUDED]:
            state = RunState.EXCLUDED
        else:
            state = RunState.STARTING if self._sensing.is_closed_for(Reason.STARTING) else RunState.WATCHING
        return Status(
            state=state,
            problem=self.problems[-1] if self.problems else None,
            paused_until_wall_ns=self._sensing.paused_until_wall_ns,
            recording=self.recording,
            silent_until_wall_ns=self.silent_until_wall_ns,
            quiet_until_wall_ns=self.quiet_until_wall_ns,
            study=self.study,
            model_off=bool(self._models_off),
            microphone=self.microphone,
        )

    def show_status(self) -> None:
        """Show it."""
        self.display.show_status(self.status())
