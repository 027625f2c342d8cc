"""Renders goals that a model found, for the terminal and for scripts."""

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from daemon.diagnosis.goals.finding import FoundGoal, FoundGoals
from daemon.text import format_count, printable

WIDTH = 100
NO_ANSWER = "no goal: the model gave no usable answer"
A_GUESS = "All goals are a model's guesses, made of the steps and pictures alone."


def render_goals(found: FoundGoals) -> Iterator[str]:
    """Yield lines for a person."""
    yield f"Goals, as {printable(found.model)} sees them"
    source = ""
    for one in found.goals:
        if one.source != source:
            source = one.source
            yield ""
            yield printable(source)
        yield from textwrap.wrap(goal_text(one), WIDTH, initial_indent="  ", subsequent_indent="    ")
        if one.stated:
            yield from textwrap.wrap(
                f"stated: {printable(one.stated)}", WIDTH, initial_indent="    ", subsequent_indent="      "
            )
    yield ""
    yield A_GUESS
    for text in notes_of(found):
        yield from textwrap.wrap(text, WIDTH)


def goal_text(one: FoundGoal) -> str:
    """Return a goal and what it is of."""
    where = f"{format_count(one.steps, 'step')} in {printable(one.app) or 'an unknown program'}"
    return f"{NO_ANSWER if one.goal is None else printable(one.goal)} ({where})"


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
        "goals": [asdict(one) for one in found.goals],
        "kept": list(found.kept),
        "left_out": dict(found.left_out),
        "sent": found.counts.sent,
        "unanswered": dict(found.counts.unanswered),
    }
