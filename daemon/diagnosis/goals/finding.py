"""Asks one model for the goal of each trajectory of some sources, and shows them; sessions keep theirs."""

import asyncio
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import material_of, picture_count, text_tokens
from daemon.diagnosis.goals.questions import goal_of
from daemon.diagnosis.model_diagnosis.run import PICTURES_MAX, PURPOSE
from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
from daemon.diagnosis.model_queries.answers import AnswerFile, session_answers
from daemon.diagnosis.model_queries.asking import Asker, AskingCounts
from daemon.diagnosis.model_queries.models import Volume, name_of, open_counted
from daemon.history.goals import SessionGoal, write_session_goals
from daemon.history.trajectory.trajectory import SESSION, Trajectory
from daemon.models.tiers import endpoint_key
from storage.errors import BadFile
from storage.plain_text import format_count, printable
from storage.settings import ModelSettings

UNREADABLE = "a picture is missing or unreadable"
ANSWER_TOKENS = 2000
"""Of an answer with an entry for each step; rather too high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGoal:
    """A trajectory and its goal as a model says; None without an answer. `stated` is the goal that a file names."""

    source: str
    key: str
    app: str
    steps: int
    goal: str | None
    stated: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGoals:
    """What came of a run; `kept` are the sessions that keep their goals."""

    model: str
    goals: tuple[FoundGoal, ...]
    kept: tuple[str, ...]
    left_out: Counter[str]
    counts: AskingCounts


def volume_of(sources: Sequence[TrajectorySource]) -> Volume:
    """Return how much is asked at most."""
    trajectories = [trajectory for source in sources for trajectory in source.whole.trajectories]
    return Volume(
        requests=len(trajectories),
        pictures=sum(map(picture_count, trajectories)),
        text_tokens=text_tokens(trajectories),
        answer_tokens=ANSWER_TOKENS,
    )


def find_goals(
    sources: Sequence[TrajectorySource],
    chosen: ModelSettings,
    *,
    answers: Path,
    step: Callable[[str], None] = lambda _: None,
) -> FoundGoals:
    """Ask for the goal of every trajectory, and keep those of sessions.

    Args:
        sources: what is asked about.
        chosen: the model's settings.
        answers: the file of answers about what is no session.
        step: is called with a source's name before each request.

    Raises:
        EnvironmentFault: the model cannot be used any further; nothing that was answered is lost.
        UsageError: nothing may be sent there.
    """
    volume = volume_of(sources)
    counts = AskingCounts()

    async def of_source(source: TrajectorySource, file: AnswerFile) -> list[FoundGoal | None]:
        model = await asyncio.to_thread(
            open_counted, chosen, volume, pictures_max=PICTURES_MAX, purpose=PURPOSE, session=source.session
        )
        try:
            asker = Asker(
                model,
                file,
                identity=endpoint_key(chosen),
                version=wording.VERSION,
                counts=counts,
                step=lambda _: step(source.name),
            )
            return [await _goal(asker, source, trajectory) for trajectory in source.whole.trajectories]
        finally:
            await model.close()

    left_out: Counter[str] = Counter()
    goals: list[FoundGoal] = []
    kept: list[tuple[TrajectorySource, list[SessionGoal]]] = []
    for source in sources:
        with AnswerFile(answers) if source.session is None else session_answers(source.session) as file:
            every = asyncio.run(of_source(source, file))
        found = [goal for goal in every if goal is not None]
        left_out += source.left_out
        left_out[UNREADABLE] += len(every) - len(found)
        goals += found
        kept.append((source, _kept(found, name_of(chosen))))
    return FoundGoals(
        model=name_of(chosen),
        goals=tuple(goals),
        kept=tuple(
            source.name
            for source, own in kept
            if source.session is not None and write_session_goals(source.session, own)
        ),
        left_out=+left_out,
        counts=counts,
    )


async def _goal(asks: Asker, source: TrajectorySource, one: Trajectory) -> FoundGoal | None:
    """Return the goal of a trajectory; None where its pictures cannot be read, and it is no recording."""
    try:
        material = material_of(source.whole, one, skip_lost=source.whole.layout == SESSION)
    except BadFile:
        return None
    return FoundGoal(
        source=source.name,
        key=one.key,
        app=one.app,
        steps=len(one.steps),
        goal=await goal_of(asks, material),
        stated=one.goal,
    )


def _kept(found: Sequence[FoundGoal], model: str) -> list[SessionGoal]:
    return [
        SessionGoal(key=goal.key, goal=goal.goal, model=model, steps=goal.steps, app=goal.app)
        for goal in found
        if goal.goal is not None
    ]


WIDTH = 100
NO_ANSWER = "no goal: the model gave no usable answer"
A_GUESS = "All goals are a model's guesses, made of the steps and pictures alone."


def render_goals(found: FoundGoals) -> Iterator[str]:
    """Yield lines for a person."""
    yield f"Goals, as {printable(found.model)} sees them"
    source = ""
    for goal in found.goals:
        if goal.source != source:
            source = goal.source
            yield ""
            yield printable(source)
        yield from textwrap.wrap(goal_text(goal), WIDTH, initial_indent="  ", subsequent_indent="    ")
        if goal.stated:
            yield from textwrap.wrap(
                f"stated: {printable(goal.stated)}", WIDTH, initial_indent="    ", subsequent_indent="      "
            )
    yield ""
    yield A_GUESS
    for text in notes_of(found):
        yield from textwrap.wrap(text, WIDTH)


def goal_text(one: FoundGoal) -> str:
    """Return a goal and what it is of."""
    where = f"{format_count(one.steps, 'step')} in {printable(one.app) or 'an unknown program'}"
    return f"{NO_ANSWER if one.goal is None else printable(one.goal)} ({where}; {printable(one.key)})"


def notes_of(found: FoundGoals) -> Iterator[str]:
    """Yield what was left out, and what was asked."""
    for why, count in sorted(found.left_out.items()):
        yield f"Left out: {count} ({why})."
    counts = found.counts
    unanswered = sum(counts.unanswered.values())
    yield f"{len(found.goals)} asked about, {counts.sent} of them now; {unanswered} without an answer."
    if counts.pictures_left_out:
        yield f"{format_count(counts.pictures_left_out, 'picture')} did not fit into a request and were left out."
    if found.kept:
        yield f"Kept with {format_count(len(found.kept), 'session')}, and deleted with them."


def goals_json(found: FoundGoals) -> dict[str, Any]:
    """Return the object of `kairos diagnose --goal-only --json`."""
    return {
        "model": found.model,
        "goals": [asdict(goal) for goal in found.goals],
        "kept": list(found.kept),
        "left_out": dict(found.left_out),
        "sent": found.counts.sent,
        "unanswered": dict(found.counts.unanswered),
    }
