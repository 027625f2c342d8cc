"""What `kairos diagnose` does before and while it asks a model, and all of `kairos diagnose --goal-only`."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from storage.errors import UsageError
from storage.files import cache_folder
from storage.plain_text import print_progress, print_result
from storage.settings import Settings

if TYPE_CHECKING:
    from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
    from daemon.diagnosis.model_queries.models import Volume
    from storage.settings import ModelSettings

_EVERY = 5


def answers_beside(page: Path | None = None) -> Path:
    """Return the file of answers about what is no session: beside the page, or in the cache."""
    from daemon.diagnosis.model_queries.answers import FILE

    return (cache_folder() / "diagnose" if page is None else page.parent) / FILE


def permitted_model(
    arguments: argparse.Namespace,
    settings: Settings,
    sources: "Sequence[TrajectorySource]",
    volume: "Volume",
    *,
    what: str,
) -> "ModelSettings":
    """Say what asking costs, and return the settings of the model that is named, if it may be asked.

    Raises:
        UsageError: it would leave this machine, or cost money, and that was not allowed.
    """
    from daemon.diagnosis.model_queries.models import named_model, permitted

    return permitted(
        named_model(arguments.model, settings),
        volume,
        what=what,
        of_person=any(source.of_person for source in sources),
        yes=arguments.yes,
        fewer="name less",
        report=print_progress,
    )


def request_steps(requests: int) -> Callable[[str], None]:
    """Return what tells how far it is, every few requests."""
    done = 0

    def step(what: str) -> None:
        nonlocal done
        done += 1
        if done % _EVERY == 0:
            print_progress(f"{done} of some {requests} requests; {what}")

    return step


def run_goals(arguments: argparse.Namespace, base: Path, settings: Settings, since: float) -> int:
    """Ask for the goals of what is named, print them, and keep those of sessions.

    Raises:
        UsageError: there is nothing to ask about, or asking was not allowed.
    """
    from daemon.diagnosis.goals.finding import find_goals, goals_json, render_goals, volume_of
    from daemon.diagnosis.model_diagnosis.sources import sources_of

    sources = list(sources_of(arguments.session, base, since=since))
    volume = volume_of(sources)
    if not volume.requests:
        raise UsageError("there is no work here with a goal to find", remedy="name sessions or files with more steps")
    what = f"{volume.requests} questions with {volume.pictures} pictures together"
    found = find_goals(
        sources,
        permitted_model(arguments, settings, sources, volume, what=what),
        answers=answers_beside(),
        retries=arguments.retries,
        step=request_steps(volume.requests),
    )
    print_result(goals_json(found), render_goals(found), as_json=arguments.json)
    return 0
