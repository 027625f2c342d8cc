"""What the card shows of a model's answer: plain text in limited length, who wrote it, and what it cost.

What comes from a model is hostile until shown otherwise. It is cut to a length and stripped of control and direction
characters; a card shows it as text alone, so that mark-up, links and commands in it stay what they are: characters.
"""

from dataclasses import dataclass, replace

from storage.messages import PROBLEMS
from storage.plain_text import plain
from storage.ports import QUESTION_LIMIT, AnswerPhase, ModelHelp
from storage.translation import tr, translatable
from ui.views.card import BY_MODEL, MAX_STEPS, NAME_LIMIT, STEP_LIMIT, AskView, StepView
from ui.views.text import SOURCE_LIMIT, one_line

ANSWER_LIMIT = 1200  # characters of an answer's prose that the card shows: some 25 lines
GOAL_LIMIT = 90
MAX_SOURCES = 3

STOP = translatable("Stop")
STOPPED = translatable("Stopped.")
FOLLOW_UP = translatable("Ask about this")  # what stands in the field while it is empty
FOLLOW_UP_HINT = translatable("Enter asks, Escape gives the keyboard back.")
NO_ANSWER = translatable("The model gave no answer. Ask again, or try the model: kairos models test.")

RUNNING = (AnswerPhase.WAITING, AnswerPhase.STREAMING)

_LEAST_SHOWN = 0.005  # dollars below which a price is not spelled out


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What the card shows of one answer."""

    key: str  # the question as it was typed; tells a follow-up's answer from the first one
    asked: str = ""  # the question as the card repeats it; empty for the first answer
    by: str = ""  # whose words they are
    status: str = ""  # what is going on, or why there is no answer and what to do; empty where the text says enough
    text: str = ""  # the prose so far
    steps: tuple[StepView, ...] = ()  # its steps so far
    notes: tuple[str, ...] = ()  # what stands under it: what the person may be about, sources, price, who wrote it
    running: bool = False  # whether more may come, so that it can be stopped
    failed: bool = False  # whether there is no answer; `status` then says why
    leads: bool = False  # whether the ring follows its steps from now on, instead of those of the page


def begun(ask: AskView, question: str) -> AnswerView:
    """Say what the card shows between the click and the first word from the core."""
    return view_answer(ModelHelp(phase=AnswerPhase.WAITING, question=question, model=ask.model))


def stopped(view: AnswerView) -> AnswerView:
    """Say what it shows between a click on "Stop" and the last word from the core."""
    return replace(view, status=tr(STOPPED), running=False)


def view_answer(answer: ModelHelp) -> AnswerView:
    """Say what the card shows of an answer as far as it has come."""
    asked = one_line(answer.question, QUESTION_LIMIT)
    name = one_line(answer.model, NAME_LIMIT)
    if answer.phase is AnswerPhase.FAILED:
        return AnswerView(answer.question, asked, status=_why(answer.problem), failed=True)
    text = plain(answer.text, ANSWER_LIMIT)
    shown = ((number, one_line(step.text, STEP_LIMIT)) for number, step in enumerate(answer.steps[:MAX_STEPS]))
    steps = tuple(StepView(number, words) for number, words in shown if words)
    running = answer.phase in RUNNING
    status = ""
    if running and not (text or steps):
        status = tr("Asking {model}…", model=name) if name else tr("Asking the model…")
    elif answer.phase is AnswerPhase.STOPPED:
        status = tr(STOPPED)
    notes: tuple[str, ...] = () if running else (*_goal(answer.goal), *_sources(answer), *_price(answer.dollars))
    if text or steps:
        notes = (*notes, tr(BY_MODEL))
    by = ""
    if text or steps:
        by = tr("{model} says:", model=name) if name else tr("The model says:")
    leads = answer.phase is AnswerPhase.DONE and any(step.controls for step in answer.steps)
    return AnswerView(answer.question, asked, by, status, text, steps, notes, running=running, leads=leads)


def _why(code: str | None) -> str:
    if code is None or code not in PROBLEMS:
        return tr(NO_ANSWER)
    title, remedy = PROBLEMS[code]
    return f"{tr(title)}. {tr(remedy)}"


def _goal(goal: str) -> tuple[str, ...]:
    named = one_line(goal, GOAL_LIMIT)
    return (tr("It looks like: {goal} (the model's guess)", goal=named),) if named else ()


def _sources(answer: ModelHelp) -> tuple[str, ...]:
    found = (one_line(source, SOURCE_LIMIT) for source in answer.sources[:MAX_SOURCES])
    named = ", ".join(dict.fromkeys(source for source in found if source))
    return (tr("From: {sources}.", sources=named),) if named else ()


def _price(dollars: float) -> tuple[str, ...]:
    if not dollars > 0:
        return ()
    if dollars < _LEAST_SHOWN:
        return (tr("This answer cost less than a cent."),)
    return (tr("This answer cost ${dollars:.2f}.", dollars=dollars),)
