"""Asks a model the four tasks of the GUIDE benchmark, about the clips of a set of videos.

The set is the released benchmark, labelled sessions of ours, or, without arguments, the sample that comes with the
source, with a scripted stand-in for a model. Every answer is stored as it comes, so a run that was interrupted goes on
where it was. The cost of a paid model is printed before anything is sent.
"""

import argparse
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from daemon.diagnosis.model_queries.answers import FILE, AnswerFile
from daemon.diagnosis.model_queries.models import permitted
from daemon.replay.parallel.pool import map_in_order
from daemon.text import print_progress
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Task
from lab.benchmarks.guide.clips import Collection, share_of
from lab.benchmarks.guide.jobs import Job, JobResult, answer_all, count, jobs_of, run_job
from lab.benchmarks.guide.loaders import is_released, load_released, load_sessions
from lab.benchmarks.guide.models import ModelName, model_named, volume_of
from lab.benchmarks.guide.pictures import decode
from lab.benchmarks.guide.questions import Context, GuidePlan
from lab.benchmarks.guide.references import embedded_reference, load_published
from lab.benchmarks.guide.report import render, render_page, result_of
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from lab.measure.progress import ProgressBar
from storage.errors import BadFile, KairosError, UsageError
from storage.paths import cache_folder
from storage.settings_file import load_settings

SAMPLE = Path(__file__).parents[2] / "sample"
"""The sessions with video that come with the source; an installed Kairos has none."""

PAGE = "guide.html"
_SEED = 1
_MAX_NAME = 40
_T = TypeVar("_T")


def measure(arguments: argparse.Namespace) -> Report:
    """Ask everything that the command line asks for."""
    plan = plan_from(arguments)
    model = model_named(arguments.model, load_settings())
    collection = limited(load(arguments.data or SAMPLE), arguments.limit)
    answers = (arguments.out or cache_folder() / "bench-guide") / FILE
    with AnswerFile(answers):
        pass  # it is usable, so no question is sent whose answer would be lost
    jobs = jobs_of(collection, plan, model, answers)
    if not jobs:
        raise UsageError("nothing in this data is asked by these tasks and conditions", remedy="leave some options out")
    if model.chosen is not None:
        model = with_permission(model, jobs, yes=arguments.yes)
        jobs = [replace(job, model=model) for job in jobs]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C does, so that no picture is left behind
    decodes: Counter[Path] = Counter()
    results = _run_all(jobs, arguments.scheduler, decodes)
    refused = tuple(f"{job}: left out, {one.refused}" for job, one in zip(jobs, results, strict=True) if one.refused)
    if len(refused) == len(jobs):
        raise BadFile(f"no video could be read; {refused[0]}")
    jobs = [job for job, one in zip(jobs, results, strict=True) if not one.refused]
    results = [one for one in results if not one.refused]
    criteria = criteria_of(jobs, results, decodes if arguments.scheduler is None else None)
    result = result_of(
        collection,
        model,
        [(job.video.name, one) for job, one in zip(jobs, results, strict=True)],
        frames=jobs[0].frames,
        criteria=criteria,
    )
    result = replace(result, notes=(*result.notes, *refused))
    rows = [row for one in results for row in one.rows]
    if collection.simulated and (found := embedded_reference(collection, rows)):
        reference, note = found
        result = replace(result, trivial=(reference, *result.trivial), notes=(*result.notes, note))
    published = load_published()
    fields = {**asdict(result), "guide_scored": result.scored, "published": msgspec.to_builtins(published)}
    where = f"Answers are kept in {answers}. --out DIR leaves a page with plots."
    return Report(
        criteria=criteria,
        rounds=fields["rounds"],
        fields=fields,
        text=render(result, published),
        notes=[where] if arguments.out is None else [],
        pages={PAGE: render_page(result, published)},
    )


def with_permission(model: ModelName, jobs: Sequence[Job], *, yes: bool) -> ModelName:
    """Print the cost of asking; return the model, with permission to get pictures where that was given.

    Raises:
        UsageError: pictures would leave this machine, or money would be spent, and --yes is missing.
    """
    if model.chosen is None:
        return model
    questions, pictures = sum(map(count, jobs)), jobs[0].frames
    chosen = permitted(
        model.chosen,
        volume_of(questions, pictures),
        what=f"at most {questions} questions of {pictures} pictures",
        of_person=False,
        yes=yes,
        fewer="--limit N for fewer clips",
        report=print_progress,
    )
    return replace(model, chosen=chosen)


def plan_from(arguments: argparse.Namespace) -> GuidePlan:
    """Return what the command line asks for.

    Raises:
        UsageError: a task, condition, prefix or limit is none.
    """
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError(f"--limit {arguments.limit} leaves no clip", remedy="give 1 or more")
    percents = _listed("--prefixes", arguments.prefixes, {str(one): one for one in range(1, 101)}, "1 to 100")
    return GuidePlan(
        tasks=_listed("--tasks", arguments.tasks, {task.value: task for task in Task}),
        contexts=_listed("--conditions", arguments.conditions, {one.value: one for one in Context}),
        percents=tuple(sorted(set(percents))),
        both_orders=arguments.both_orders,
        free=arguments.free,
        seed=_SEED,
    )


def load(data: Path) -> Collection:
    """Return the clips in a folder, whichever layout it has.

    Raises:
        UsageError: none was named, and this is an installed Kairos, which has none of its own.
        BadFile: there are none.
    """
    if data == SAMPLE and not data.is_dir():
        raise UsageError("the sample comes with the source of Kairos, not with an installed one", remedy="name DATA")
    if not data.is_dir():
        raise BadFile(
            f"{data} is no folder", remedy="name the released benchmark's folder, or one of kairos simulate --video"
        )
    return load_released(data, seed=_SEED) if is_released(data) else load_sessions(data, seed=_SEED)


def limited(collection: Collection, limit: int | None) -> Collection:
    """Return the collection with `limit` clips, drawn evenly and always the same ones."""
    if limit is None or limit >= len(collection.clips):
        return collection
    chosen = sorted(collection.clips, key=lambda clip: share_of(clip.key))[:limit]
    note = f"{limit} of {len(collection.clips)} clips, drawn by lot (--limit)"
    return replace(collection, clips=tuple(chosen), notes=(*collection.notes, note))


def criteria_of(
    jobs: Sequence[Job], results: Sequence[JobResult], decodes: Mapping[Path, int] | None
) -> list[AcceptanceCriterion]:
    """Compare the run with its limits: all is answered, nothing is asked twice, and no file is decoded twice.

    `decodes` counts how often map_in_order file was decoded; None where that was done elsewhere.
    """
    rows = [row for one in results for row in one.rows]
    job, first = min(zip(jobs, results, strict=True), key=lambda pair: len(pair[1].rows))
    again = answer_all(job)
    before, after = (*first.rows, *first.free), (*again.rows, *again.free)
    stored = [row.answer.is_final for row in before]
    changed = sum(
        (one.guess, one.answer.text) != (other.guess, other.answer.text)
        for one, other, is_stored in zip(before, after, stored, strict=True)
        if is_stored
    )
    criteria = [
        at_least("answered", sum(row.guess is not None for row in rows) / len(rows), 0.95, f"of {len(rows)} questions"),
        at_most("sent_twice", again.sent - stored.count(False), 0, f"of {len(stored)} questions, asked again"),
        at_most("changed", changed, 0, "of their answers"),
    ]
    if decodes is not None:
        criteria.append(at_most("decodes", max(decodes.values()), 1, "times that a file was decoded"))
    return criteria


def _run_all(jobs: Sequence[Job], scheduler: str | None, decodes: Counter[Path]) -> list[JobResult]:
    """Run all jobs: here, one after the other, or on a cluster."""
    progress = ProgressBar(sum(map(count, jobs)))

    def counting(path: Path, wanted_ms: Sequence[int], into: Path) -> Sequence[int]:
        decodes[path] += 1
        return decode(path, wanted_ms, into)

    def run_here(job: Job) -> JobResult:
        name = one_line(job.video.name, _MAX_NAME)
        return answer_all(job, step=lambda: progress.add(1, name), decoding=counting)

    def run_elsewhere() -> Iterator[JobResult]:
        results = map_in_order(run_job, jobs, scheduler=scheduler, workers=0, report=print_progress)
        for job, one in zip(jobs, results, strict=True):
            progress.add(count(job), one_line(job.video.name, _MAX_NAME))
            yield one

    try:
        return list(map(run_here, jobs) if scheduler is None else run_elsewhere())
    except (KeyboardInterrupt, KairosError):
        progress.stop()
        raise


def _listed(option: str, given: str | None, known: Mapping[str, _T], named: str = "") -> tuple[_T, ...]:
    """Return the values that a list on the command line names; all of them without one."""
    if given is None:
        return tuple(known.values())
    names = [name.strip() for name in given.split(",")]
    if wrong := [name for name in names if name not in known]:
        raise UsageError(f"{option}: there is no {wrong[0]!r}", remedy=f"there are: {named or ', '.join(known)}")
    return tuple(known[name] for name in names)
