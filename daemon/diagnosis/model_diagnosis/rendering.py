"""What a model said: for the terminal, for scripts and on the page. Its words are plain text, marked as a model's."""

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from daemon.diagnosis.model_diagnosis.findings import JudgedCriterion, JudgedSegment, SegmentVerdict, TaskOutcome
from daemon.diagnosis.model_diagnosis.run import JudgedRun, JudgedTrajectory, TaskSource
from daemon.figures.page import heading, paragraph
from storage.plain_text import format_count, printable, visible_html

WIDTH = 100
HEADING = "What a model says"
NOT_DIAGNOSED = "not diagnosed"
NO_ANSWER = "the model gave no answer that could be used"

_OUTCOMES = {TaskOutcome.SUCCESS: "task reached", TaskOutcome.FAILURE: "task not reached", None: NOT_DIAGNOSED}
_TASKS = {
    TaskSource.STATED: "as stated",
    TaskSource.FILE: "as the file says",
    TaskSource.MODEL: "a guess of the model",
    TaskSource.NOBODY: "",
}


def render_judged(run: JudgedRun) -> Iterator[str]:
    """Yield lines for a person."""
    yield f"{HEADING}: {printable(run.model)}"
    for trajectory in run.judged:
        yield ""
        yield from textwrap.wrap(title_of(trajectory), WIDTH)
        yield from _wrapped(task_line(trajectory), 2)
        yield from _wrapped(outcome_text(trajectory), 2)
        for criterion in trajectory.verdicts[0].criteria:
            yield from _wrapped(criterion_line(criterion), 4)
        for judged in trajectory.verdicts[0].segments:
            yield from _wrapped(segment_line(judged), 4)
            yield from _problem_lines(judged)
    yield ""
    for note in notes_of(run):
        yield from textwrap.wrap(note, WIDTH, initial_indent="  - ", subsequent_indent="    ")


def _problem_lines(judged: JudgedSegment) -> Iterator[str]:
    if judged.diagnosis is None:
        return
    if judged.diagnosis.root_cause:
        yield from _wrapped(f"cause: {judged.diagnosis.root_cause}", 8)
    for problem in judged.diagnosis.problems:
        yield from _wrapped(f"step {problem.step}: {problem.cause} Better: {problem.fix}", 8)


def title_of(one: JudgedTrajectory) -> str:
    """Return which trajectory it is."""
    name = one.key if one.key.startswith(one.source) else f"{one.source}: {one.key}"
    return f"{printable(name)}, {printable(one.app) or 'an unknown program'}, {format_count(one.steps, 'step')}"


def task_line(one: JudgedTrajectory) -> str:
    """Return the task, and who said so."""
    if one.task_source is TaskSource.NOBODY:
        return "The task is not known."
    return f"Task ({_TASKS[one.task_source]}): {printable(one.task)}"


def outcome_text(one: JudgedTrajectory) -> str:
    """Return the verdict with its reason."""
    first = one.verdicts[0]
    text = _OUTCOMES[first.outcome]
    reason = NO_ANSWER if first.outcome is None and not first.reasoning else first.reasoning
    return f"{text[0].upper()}{text[1:]}. {reason}".rstrip(" .") + "."


def criterion_line(criterion: JudgedCriterion) -> str:
    """Return what the task demands, and whether that was met."""
    at = f", step {', '.join(map(str, criterion.steps))}" if criterion.steps else ""
    return f"{'met' if criterion.met else 'not met'}: {printable(criterion.text)}{at}"


def segment_line(judged: JudgedSegment) -> str:
    """Return a segment with its verdict."""
    segment = judged.segment
    steps = f"step {segment.first}" if segment.first == segment.last else f"steps {segment.first} to {segment.last}"
    verdict = NOT_DIAGNOSED if judged.diagnosis is None else judged.diagnosis.verdict.value
    fewer = "" if judged.shown == judged.given else f"; {judged.shown} of {judged.given} pictures fitted"
    goal = segment.goal.rstrip(".") or "all of it"
    return f"{steps}, {goal}: {verdict}{fewer}"


def notes_of(run: JudgedRun) -> Iterator[str]:
    """Yield what was asked, what had no answer or was left out, and what that means."""
    counts = run.counts
    asked = sum(counts.asked.values())
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.asked.items())).replace("_", " ")
    yield f"{format_count(asked, 'judgement')} ({kinds or 'none'}), at most {counts.pictures_most} pictures in one."
    if counts.unanswered:
        why = ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in sorted(counts.unanswered.items()))
        yield f"Without an answer: {why}. What rests on them is {NOT_DIAGNOSED}."
    if counts.pictures_left_out:
        yield (
            f"{format_count(counts.pictures_left_out, 'picture')} did not fit into the model's requests. The first and "
            "the last stayed, the others were chosen evenly."
        )
    if lost := sum(verdict.lost for judged in run.judged for verdict in judged.verdicts[:1]):
        yield f"{format_count(lost, 'picture')} could not be read, and the model did not see what they showed."
    if blind := sum(1 for trajectory in run.judged if not trajectory.has_pictures):
        yield f"Of {format_count(blind, 'piece')} of work there are no pictures: the actions alone were judged."
    if fallbacks := sum(1 for entry in run.judged if entry.verdicts[0].fallback):
        yield f"{format_count(fallbacks, 'piece')} of work could not be divided, and counts as one subtask."
    for reason, count in sorted(run.left_out.items()):
        yield f"Left out: {count}, {reason}."
    yield "A model wrote these judgements, from actions and pictures alone. It may be wrong about any of them."


def judged_json(run: JudgedRun) -> dict[str, Any]:
    """Return the object `judged` of `kairos diagnose --json`; equal answers give equal bytes."""
    counts = run.counts
    return {
        "model": run.model,
        "trajectories": [asdict(trajectory) for trajectory in run.judged],
        "asked": dict(sorted(counts.asked.items())),
        "unanswered": dict(sorted(counts.unanswered.items())),
        "unanswered_kinds": dict(sorted(counts.unanswered_kinds.items())),
        "pictures_most": counts.pictures_most,
        "pictures_left_out": counts.pictures_left_out,
        "left_out": dict(sorted(run.left_out.items())),
        "notes": list(notes_of(run)),
    }


def is_bad(judged: JudgedSegment) -> bool:
    """Tell whether something went wrong in a segment."""
    return judged.diagnosis is not None and judged.diagnosis.verdict is not SegmentVerdict.SUCCESS


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))


STYLE = """
.judged { border-left: 3px solid var(--line); padding-left: .8rem; margin: 1rem 0 }
.judged li { margin: .3rem 0 } .judged ul { margin: .2rem 0 }
"""


def judged_parts(run: JudgedRun) -> Iterator[str]:
    """Yield the parts of the page."""
    yield heading(HEADING)
    yield paragraph(f"Judged by {printable(run.model)}. All sentences about the work are the model's.", "small")
    for number, one in enumerate(run.judged):
        yield _trajectory(one, f"t{number}")
    yield f"<ul class=small>{''.join(f'<li>{visible_html(note)}</li>' for note in notes_of(run))}</ul>"


def _trajectory(one: JudgedTrajectory, name: str) -> str:
    criteria = (f"<li>{visible_html(criterion_line(each))}</li>" for each in one.verdicts[0].criteria)
    segments = "".join((*criteria, *map(_segment, one.verdicts[0].segments)))
    return (
        f"<section class=judged id={name}><h3>{visible_html(title_of(one))}</h3>"
        f"{paragraph(task_line(one))}<p><b>{visible_html(outcome_text(one))}</b></p>"
        f"{f'<ol>{segments}</ol>' if segments else ''}</section>"
    )


def _segment(judged: JudgedSegment) -> str:
    line = visible_html(segment_line(judged))
    found = judged.diagnosis
    if found is None:
        return f"<li>{line}</li>"
    cause = paragraph(f"Cause: {found.root_cause}") if found.root_cause else ""
    problems = "".join(
        f"<li>{visible_html(f'Step {problem.step}: {problem.cause}')} "
        f"<i>{visible_html(f'Better: {problem.fix}')}</i></li>"
        for problem in found.problems
    )
    why = paragraph(found.reasoning, "small") if found.reasoning else ""
    listed = f"<ul>{problems}</ul>" if problems else ""
    return (
        f"<li><details{' open' if is_bad(judged) else ''}><summary>{line}</summary>{cause}{listed}{why}</details></li>"
    )
