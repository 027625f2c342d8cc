"""The display of a Kairos without an interface: everything goes to the log, by ids and codes alone."""

import logging
from collections.abc import Mapping, Sequence

from storage.enrolment import QuestionItem
from storage.ports import HelpCandidates, HelpContent, ModelHelp, PointedAt, QuietDaySummary, Status, StudyReply
from storage.records import Box, Offer, Problem

logger = logging.getLogger(__name__)


class HeadlessDisplay:
    """No interface: problems go to stderr through the log, offers only to the session."""

    def show_status(self, status: Status) -> None:
        """Log the state."""
        logger.info("%s", status.state)

    def show_offer(
        self,
        offer: Offer,
        names: Mapping[str, str],  # noqa: ARG002  # no word is logged
        content: HelpContent | None = None,  # noqa: ARG002  # no word is logged
    ) -> None:
        """Log that there was an offer; what it was about is in the session."""
        logger.info("offer %s", offer.offer_id)

    def show_candidates(self, found: HelpCandidates) -> None:
        """Nobody types without an interface."""

    def point(self, offer_id: str, step: int, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
        """Nothing to point with."""

    def show_model_help(self, offer_id: str, answer: ModelHelp) -> None:
        """Nothing to show it on."""

    def close_offer(self, offer_id: str) -> None:
        """Log that an offer ended."""
        logger.info("offer %s ended", offer_id)

    def show_question(self, question_id: str, items: Sequence[QuestionItem]) -> None:  # noqa: ARG002  # nobody sees it
        """Log that a question of a study was due; it expires unanswered."""
        logger.info("question %s", question_id)

    def close_question(self, question_id: str) -> None:
        """Log that it ended."""
        logger.info("question %s ended", question_id)

    def show_study_reply(self, reply: StudyReply) -> None:
        """Log that there was one; nobody asks without an interface."""
        logger.info("the study's %s: %s", reply.request, "done" if reply.done else "not done")

    def notify_problem(self, problem: Problem) -> None:
        """Log a problem, or that it is over."""
        logger.log(logging.INFO if problem.over else logging.WARNING, "%s%s", problem.code, " (over)" * problem.over)

    def show_quiet_day_summary(self, day: QuietDaySummary) -> None:
        """Log how many offers there would have been; `kairos why` has the details."""
        logger.warning("the quiet first day is over; it would have brought %d offers", len(day.offers))

    def end(self) -> None:
        """Nothing to take down."""
