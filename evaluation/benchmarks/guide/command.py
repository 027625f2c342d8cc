"""`kairos bench guide`: the four tasks of the GUIDE benchmark, asked of a model about the clips of a set of videos.

The set is the released benchmark, labelled sessions of ours, or, without arguments, the sample that lies beside this
module, with a scripted stand-in for a model. Every answer is kept as it comes, so a run that was interrupted goes on
where it was. What a paid model would cost is told before anything is sent.
"""

import argparse
import json
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from daemon.config import load_settings
from daemon.parallel.pool import map_in_order
from detectors.mllm.questions import Task
from evaluation.benchmarks.guide.answers import FILE, AnswerFile
from evaluation.benchmarks.guide.clips import Collection, share_of
from evaluation.benchmarks.guide.embedded import embedded_row
from evaluation.benchmarks.guide.models import ModelName, named
from evaluation.benchmarks.guide.page import page
from evaluation.benchmarks.guide.pictures import decode
from evaluation.benchmarks.guide.price import estimate, words
from evaluation.benchmarks.guide.published import load_published
from evaluation.benchmarks.guide.questions import Context, Plan
from evaluation.benchmarks.guide.released import is_released, load_released
from evaluation.benchmarks.guide.result import Result, result_of
from evaluation.benchmarks.guide.run import Done, Job, answer, count, do, jobs_of
from evaluation.benchmarks.guide.sessions import load_sessions
from evaluation.benchmarks.guide.text import told
from evaluation.measure.criteria import AcceptanceCriterion, at_least, at_most, print_bars, without_nan
from evaluation.measure.machine import machine
from evaluation.measure.output import check_folder
from evaluation.measure.progress import Progress, say
from storage.errors import BadFile, KairosError, UsageError
from storage.paths import cache_folder

SAMPLE = Path(__file__).parents[2] / "sample"
"""The sessions with video that come with the source; an installed Kairos has none."""

MODEL = "scripted:strong"
PAGE = "guide.html"
_SEED = 1
_T = TypeVar("_T")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench guide`."""
    plan = plan_from(arguments)
    model = named(arguments.model, load_settings())
    if arguments.out is not None:
        check_folder(arguments.out)
    collection = limited(load(arguments.data or SAMPLE), arguments.limit)
    answers = (arguments.out or cache_folder() / "bench-guide") / FILE
    with AnswerFile(answers):
        pass  # it can be used; so nothing is asked whose answer would be lost
    jobs = jobs_of(collection, plan, model, answers)
    if not jobs:
        raise UsageError("nothing in this data is asked by these tasks and conditions", remedy="leave some options out")
    if model.chosen is not None:
        model = may_be_asked(model, jobs, yes=arguments.yes)
        jobs = [replace(job, model=model) for job in jobs]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended like by a person: no picture is left behind
    decodes: Counter[Path] = Counter()
    done = _do_all(jobs, arguments.scheduler, decodes)
    refused = tuple(f"{job}: left out, {one.refused}" for job, one in zip(jobs, done, strict=True) if one.refused)
    if len(refused) == len(jobs):
        raise BadFile(f"no video could be read; {refused[0]}")
    jobs = [job for job, one in zip(jobs, done, strict=True) if not one.refused]
    done = [one for one in done if not one.refused]
    bars = bars_of(jobs, done, decodes if arguments.scheduler is None else None)
    result = result_of(
        collection,
        model,
        [(job.video.name, one) for job, one in zip(jobs, done, strict=True)],
        frames=jobs[0].frames,
        bars=bars,
    )
    result = replace(result, notes=(*result.notes, *refused))
    if collection.simulated and (found := embedded_row(collection, [row for one in done for row in one.rows])):
        beside, note = found
        result = replace(result, trivial=(beside, *result.trivial), notes=(*result.notes, note))
    published = load_published()
    if arguments.out is not None:
        (arguments.out / PAGE).write_text(page(result, published), encoding="utf-8")
        say(f"written to {arguments.out / PAGE}")
    if arguments.json:
        print(json.dumps(as_json(result)))
    else:
        print("\n".join(told(result, published)), end="\n\n")
        print_bars(result.bars)
        if arguments.out is None:
            print(f"\nAnswers are kept in {answers}. --out DIR leaves a page with plots.")
    return 0 if all(bar.ok for bar in bars) else 1


def may_be_asked(model: ModelName, jobs: Sequence[Job], *, yes: bool) -> ModelName:
    """Tell what asking will take; return the model, with leave to send it pictures where that was given.

    Raises:
        UsageError: pictures would leave this machine, or money would be spent, and nobody has said yes.
    """
    if model.chosen is None:
        return model
    questions = sum(map(count, jobs))
    expected = estimate(model.chosen, questions, jobs[0].frames)
    told_it = words(expected, questions, jobs[0].frames)
    if expected.remote and not yes:
        raise UsageError(
            f"{model} is on another machine: {told_it}, and it gets to see the pictures",
            remedy="give --yes to go ahead, or --limit N for fewer clips",
        )
    say(f"{model}: {told_it}")
    if not expected.remote:
        return model
    return replace(model, chosen=replace(model.chosen, send_screens=True))


def plan_from(arguments: argparse.Namespace) -> Plan:
    """Return what the command line asks for.

    Raises:
        UsageError: a task, condition, prefix or limit is none.
    """
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError(f"--limit {arguments.limit} leaves no clip", remedy="give 1 or more")
    percents = _listed("--prefixes", arguments.prefixes, {str(one): one for one in range(1, 101)}, "1 to 100")
    return Plan(
        tasks=_listed("--tasks", arguments.tasks, {task.value: task for task in Task}),
        contexts=_listed("--conditions", arguments.conditions, {one.value: one for one in Context}),
        percents=tuple(sorted(set(percents))),
        both_orders=arguments.both_orders,
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
    kept = sorted(collection.clips, key=lambda clip: share_of(clip.key))[:limit]
    note = f"{limit} of {len(collection.clips)} clips, drawn by lot (--limit)"
    return replace(collection, clips=tuple(kept), notes=(*collection.notes, note))


def bars_of(jobs: Sequence[Job], done: Sequence[Done], decodes: Mapping[Path, int] | None) -> list[AcceptanceCriterion]:
    """Hold the run against its bars: all is answered, nothing is asked twice, and no file is decoded twice.

    `decodes` counts how often each file was decoded; None where that was done elsewhere.
    """
    rows = [row for one in done for row in one.rows]
    job, first = min(zip(jobs, done, strict=True), key=lambda pair: len(pair[1].rows))
    again = answer(job)
    kept = [row.kept.is_final for row in first.rows]
    changed = sum(
        before.guess != after.guess
        for before, after, is_kept in zip(first.rows, again.rows, kept, strict=True)
        if is_kept
    )
    bars = [
        at_least("answered", sum(row.guess is not None for row in rows) / len(rows), 0.95, f"of {len(rows)} questions"),
        at_most("sent_twice", again.sent - kept.count(False), 0, f"of {len(kept)} questions, asked again"),
        at_most("changed", changed, 0, "of their answers"),
    ]
    if decodes is not None:
        bars.append(at_most("decodes", max(decodes.values()), 1, "times that a file was decoded"))
    return bars


def as_json(result: Result) -> dict[str, Any]:
    """Return all that is told as plain values; a figure that there is none of is null."""
    plain: dict[str, Any] = without_nan(
        {
            **asdict(result),
            "guide_scored": result.scored,
            "published": msgspec.to_builtins(load_published()),
            "machine": machine(),
        }
    )
    return plain


def _do_all(jobs: Sequence[Job], scheduler: str | None, decodes: Counter[Path]) -> list[Done]:
    """Do all jobs: here, one after the other, or on a cluster."""
    progress = Progress(sum(map(count, jobs)))

    def counting(path: Path, wanted_ms: Sequence[int], into: Path) -> Sequence[int]:
        decodes[path] += 1
        return decode(path, wanted_ms, into)

    try:
        if scheduler is not None:
            found = []
            answers = map_in_order(do, jobs, scheduler=scheduler, workers=0, report=say)
            for job, one in zip(jobs, answers, strict=True):
                progress.add(count(job), job.video.name)
                found.append(one)
            return found
        return [
            answer(job, step=lambda name=job.video.name: progress.add(1, name), decoding=counting)  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            for job in jobs
        ]
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
