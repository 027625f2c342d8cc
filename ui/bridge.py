"""The crossing between the core's thread and Qt's: records go in on one side and come out as queued signals.

The methods below may be called from any thread and do nothing but emit. Receivers connect with `QueuedConnection`
and live in the main thread. The other direction is `storage.ports.CoreCommands`, which the core implements.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from storage.enrolment import QuestionItem
from storage.ports import HelpCandidates, HelpContent, ModelHelp, PointedAt, QuietDaySummary, Status, StudyReply
from storage.preferences import SettingsReply
from storage.records import Box, Offer, Problem
from storage.timeline import LabelReply, TimelineReply


class Bridge(QObject):
    """The `Display` that the core talks to."""

    status_changed = Signal(object)
    offer_shown = Signal(object, object, object)
    candidates_found = Signal(object)
    pointed = Signal(str, int, object, object)
    model_help_shown = Signal(str, object)
    offer_closed = Signal(str)
    notice = Signal(object)
    first_day = Signal(object)
    question_shown = Signal(str, object)
    question_closed = Signal(str)
    study_replied = Signal(object)
    stopped = Signal()

    def show_status(self, status: Status) -> None:
        """Show what Kairos is doing."""
        self.status_changed.emit(status)

    def show_offer(self, offer: Offer, names: Mapping[str, str], content: HelpContent | None = None) -> None:
        """Bring up the card for an offer, with the names that it may quote and the page that it brings."""
        self.offer_shown.emit(offer, names, content)

    def show_candidates(self, found: HelpCandidates) -> None:
        """Show what answers the words that are being typed."""
        self.candidates_found.emit(found)

    def point(self, offer_id: str, step: int, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
        """Ring the control of a step or what comes before it, or take the ring away."""
        self.pointed.emit(offer_id, step, box, about)

    def show_model_help(self, offer_id: str, answer: ModelHelp) -> None:
        """Show what a model has answered so far."""
        self.model_help_shown.emit(offer_id, answer)

    def close_offer(self, offer_id: str) -> None:
        """Take the card down: the offer expired or was withdrawn."""
        self.offer_closed.emit(offer_id)

    def show_question(self, question_id: str, items: Sequence[QuestionItem]) -> None:
        """Bring up the card of a question of a study."""
        self.question_shown.emit(question_id, tuple(items))

    def close_question(self, question_id: str) -> None:
        """Take that card down."""
        self.question_closed.emit(question_id)

    def show_study_reply(self, reply: StudyReply) -> None:
        """Show what became of a request about the study."""
        self.study_replied.emit(reply)

    def notify_problem(self, problem: Problem) -> None:
        """Tell a problem, once, or that it is over."""
        self.notice.emit(problem)

    def show_quiet_day_summary(self, day: QuietDaySummary) -> None:
        """Sum the quiet first day up."""
        self.first_day.emit(day)

    def end(self) -> None:
        """Tell that the core has stopped."""
        self.stopped.emit()


class WindowBridge(QObject):
    """The `TimelineView`, `SettingsView` or `LabelView` that a service talks to, from its own thread."""

    replied = Signal(object)
    requested = Signal()

    def show_reply(self, reply: TimelineReply | SettingsReply | LabelReply) -> None:
        """Show what was requested, or what has changed since."""
        self.replied.emit(reply)

    def open_window(self) -> None:
        """Bring the window up."""
        self.requested.emit()
