"""`kairos diagnose --goal-only`: what the goal of each stretch of work was, as a model sees it."""

import argparse
from pathlib import Path

from daemon.cli.model_run import answers_beside, permitted_model, request_steps
from daemon.text import print_progress, print_result
from storage.errors import UsageError
from storage.settings import Settings


def run_goals(arguments: argparse.Namespace, base: Path, settings: Settings, since: float) -> int:
    """Ask for the goals of what is named, print them, and keep those of sessions.

    Raises:
        UsageError: there is nothing to ask about, or asking was not allowed.
    """
    from daemon.diagnosis.goals.finding import find_goals, goals_json, render_goals, volume_of
    from daemon.diagnosis.model_diagnosis.sources import sources_of

    sources = list(sources_of(arguments.session, base, since=since, layout=arguments.layout))
    volume = volume_of(sources)
    if not volume.requests:
        raise UsageError("there is no work here with a goal to find", remedy="name sessions or files with more steps")
    what = f"{volume.requests} questions with {volume.pictures} pictures together"
    found = find_goals(
        sources,
        permitted_model(arguments, settings, sources, volume, what=what),
        answers=answers_beside(),
        retries=arguments.retries,
        scheduler=arguments.scheduler,
        step=request_steps(volume.requests, scheduler=arguments.scheduler),
        report=print_progress,
    )
    print_result(goals_json(found), render_goals(found), as_json=arguments.json)
    return 0
