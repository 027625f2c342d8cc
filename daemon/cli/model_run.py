"""What `kairos diagnose` does before and while it asks a model: where answers lie, what asking costs, how far it is."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.text import print_progress
from storage.paths import cache_folder

if TYPE_CHECKING:
    from daemon.diagnosis.model_diagnosis.sources import Source
    from daemon.diagnosis.model_queries.models import Volume
    from storage.settings import ModelSettings, Settings

_EVERY = 5


def answers_beside(page: Path | None = None) -> Path:
    """Return the file of answers about what is no session: beside the page, or in the cache."""
    from daemon.diagnosis.model_queries.answers import FILE

    return (cache_folder() / "diagnose" if page is None else page.parent) / FILE


def permitted_model(
    arguments: argparse.Namespace, settings: "Settings", sources: "Sequence[Source]", volume: "Volume", *, what: str
) -> "ModelSettings":
    """Say what asking costs, and return the settings of the model that is named, if it may be asked.

    Raises:
        UsageError: it would leave this machine, or cost money, and that was not allowed.
    """
    from daemon.diagnosis.model_diagnosis.shares import refuse_elsewhere
    from daemon.diagnosis.model_queries.models import named_model, permitted

    of_person = any(source.of_person for source in sources)
    refuse_elsewhere(arguments.scheduler, of_person=of_person)
    return permitted(
        named_model(arguments.model, settings),
        volume,
        what=what,
        of_person=of_person,
        yes=arguments.yes,
        fewer="name less",
        report=print_progress,
    )


def request_steps(requests: int, *, scheduler: str | None) -> Callable[[str], None]:
    """Return what tells how far it is: every few requests, or with each part that a cluster has done."""
    if scheduler is not None:
        return print_progress
    done = 0

    def step(what: str) -> None:
        nonlocal done
        done += 1
        if done % _EVERY == 0:
            print_progress(f"{done} of some {requests} requests; {what}")

    return step
