"""Rehearsals small enough for a test, and many of them side by side."""

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from io import StringIO
from multiprocessing import get_context
from pathlib import Path

import msgspec

from study.rehearsal.rehearse import Options, Progress, Rehearsal, rehearse
from study.rehearsal.route import Route
from study.rehearsal.study_copy import Rehearsed, example_plan


def short_study(*, silent: int = 1, trial: int = 7) -> Rehearsed:
    """Return the built-in example with phases of other lengths."""
    plan = example_plan()
    phases = tuple(
        msgspec.structs.replace(phase, days=days) for phase, days in zip(plan.phases, (silent, trial), strict=True)
    )
    return Rehearsed(plan=msgspec.structs.replace(plan, phases=phases, days=silent + trial), source=None)


def rehearse_in(
    where: Path, study: Rehearsed, *, people: int, seed: int, effect: float = 0.1, route: Route | None = None
) -> Rehearsal:
    """Rehearse all days of a study in an empty folder, or one that is not there yet."""
    where.mkdir(exist_ok=True)
    options = Options(people=people, days=study.plan.days, effect=effect, seed=seed, whole_path=route is not None)
    return rehearse(study, options, where, progress=Progress(StringIO()), route=route)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """What came of one seed; `cpu_s` is what it took of a core."""

    seed: int
    effect: float
    estimate: float
    covered: bool
    found: bool
    lots: int
    problems: tuple[str, ...]
    cpu_s: float


def _one(seed: int, effect: float, people: int) -> Seed:
    before = os.times()
    with tempfile.TemporaryDirectory() as where:
        result = rehearse_in(Path(where), short_study(), people=people, seed=seed, effect=effect)
    after = os.times()
    assert result.fit is not None
    return Seed(
        seed=seed,
        effect=effect,
        estimate=result.fit.effects[0].estimate,
        covered=result.covered,
        found=result.found,
        lots=result.lots,
        problems=tuple(result.problems),
        cpu_s=after.user + after.system - before.user - before.system,
    )


def many(seeds: Sequence[int], effect: float, *, people: int, processes: int = 2) -> list[Seed]:
    """Return what came of many seeds, some at a time."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_one, seeds, [effect] * len(seeds), [people] * len(seeds)))
