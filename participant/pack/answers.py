"""Rows of the questions that were due."""

from collections.abc import Mapping

from participant.documents.rows import AnswerRow
from participant.pack.moments import code_in
from participant.pack.opening import day_and_minute
from participant.pack.state import OpenQuestion, Running
from policies.gates import REASONS as GATE_REASONS
from policies.sampling import REASONS as QUESTION_REASONS
from storage.records import Question, QuestionStep

_REASONS: Mapping[str, object] = {**QUESTION_REASONS, **GATE_REASONS}


def open_question(running: Running, question: Question) -> OpenQuestion | None:
    """Return a question that was drawn; None outside the days of the study."""
    day = question.date - running.first_date + 1
    _, minute = day_and_minute(running, question.due_ns)
    if not 1 <= day <= running.days:
        return None
    return OpenQuestion(
        day=day,
        minute=minute,
        moment=question.moment.value,
        probability=question.probability,
        wall_ns=question.due_ns + running.wall_offset_ns,
    )


def answer_row(running: Running, question: OpenQuestion, step: QuestionStep, reason: str, *, arm: str) -> AnswerRow:
    """Return the row of a question that has ended; what was chosen counts only in an answer."""
    return AnswerRow(
        day=question.day,
        minute=question.minute,
        phase=running.phase,
        arm=arm,
        moment=question.moment,
        probability=question.probability,
        step=step.value,  # type: ignore[arg-type]  # every step but "asked", which is no end
        reason=code_in(reason, _REASONS) if reason else None,
        delay_s=question.delay_s,
        choices=question.choices if step is QuestionStep.ANSWERED else {},
    )
