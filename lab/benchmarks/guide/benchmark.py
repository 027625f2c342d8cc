"""Asks a model the four tasks of the GUIDE benchmark, about the clips of a set of videos.

The set is the released benchmark, labelled sessions of ours, or, without arguments, the sample that comes with the
source, with a scripted stand-in for a model. Every answer is stored as it comes, so a run that was interrupted goes on
where it was. The cost of a paid model is printed before anything is sent. Our figures and the published ones stand in
blocks of their own: they are of different data.
"""

import argparse
import math
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from daemon.diagnosis.model_queries.answers import FILE, AnswerFile
from daemon.diagnosis.model_queries.models import permitted
from daemon.figures.intervals import Interval
from daemon.figures.svg import GREY, Axis, Bar, Line, bar_plot, colours, legend, line_plot
from daemon.replay.parallel.pool import map_in_order
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Task, Usage
from lab.benchmarks.guide.clips import Collection, is_released, load_released, load_sessions, share_of
from lab.benchmarks.guide.figures import (
    ALWAYS_HELP,
    COLUMNS,
    NO_ANSWER,
    GuideFigures,
    Reference,
    embedded_reference,
    figures_of,
    states_alone,
    trivial_references,
)
from lab.benchmarks.guide.jobs import (
    WHOLE,
    AnsweredQuestion,
    Context,
    GuidePlan,
    JobResult,
    VideoJob,
    answer_all,
    count,
    jobs_of,
    run_job,
)
from lab.benchmarks.guide.models import ModelName, model_named, volume_of
from lab.benchmarks.guide.pictures import decode
from lab.measure.benchmark import AcceptanceCriterion, ProgressBar, Report, at_least, at_most
from lab.measure.published import Published, load_published
from lab.measure.report import Confusion, Heading, Paragraph, Part, Plots, Table, page_of, text_of
from storage.errors import BadFile, KairosError, UsageError
from storage.files import cache_folder
from storage.plain_text import print_progress
from storage.records import State
from storage.settings_file import load_settings

NOT_SCORED = (
    "GUIDE itself was not scored: its data is behind a gate and not part of Kairos. Rows on other data cannot be "
    "compared with the published ones; they show how far apart the tasks are, not who is better."
)
SCORED = (
    "Asked in our words, not the paper's, about the clips that were found here, with programs' shares as they are: "
    "compare with the published figures with care."
)
_HEADS = tuple(column.partition("+") for column in COLUMNS)
_SHORT = {"prev": "+prev", "behavior": "+b", "behavior+intent": "+b+i", "": ""}
_LEGEND = "+prev: told the state before; +b: told the behavior state; +b+i: told behavior state and intent"
FREE_NOT_SCORED = "Not scored: whether two sentences mean the same needs a judge, and none was asked."
_TITLES = {
    Task.BEHAVIOR: "Behavior state (of nine)",
    Task.INTENT: "Intent (of four)",
    Task.NEED: "Help need (yes or no)",
    Task.CONTENT: "Help content (of four)",
}
_CHANCE = {Task.BEHAVIOR: 1 / 9, Task.INTENT: 1 / 4, Task.NEED: 1 / 2, Task.CONTENT: 1 / 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoRound:
    """What was done about one video."""

    video: str
    clips: int
    questions: int
    sent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeAnswer:
    """What a model says in its own words about a whole clip, beside the annotated answer; None for no answer."""

    video: str
    clip: str
    task: Task
    annotated: str
    said: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideResult:
    """All figures of a run, as in the JSON object.

    `sent` counts this run alone; `usage` is that of all answers, whenever they were given.
    """

    whose: str
    simulated: bool
    stand_in: bool
    model: str
    videos: tuple[str, ...]
    minutes: float
    clips: int
    questions: int
    sent: int
    frames: int
    usage: Usage
    confidences: Mapping[str, int]
    notes: tuple[str, ...]
    figures: GuideFigures
    trivial: tuple[Reference, ...]
    free: tuple[FreeAnswer, ...]
    rounds: tuple[VideoRound, ...]
    bars: tuple[AcceptanceCriterion, ...]

    @property
    def scored(self) -> bool:
        """Whether a real model was asked about clips in the layout of the released benchmark."""
        return not self.simulated and not self.stand_in


def result_of(
    collection: Collection,
    model: ModelName,
    done: Sequence[tuple[str, JobResult]],
    *,
    frames: int,
    criteria: Sequence[AcceptanceCriterion],
) -> GuideResult:
    """Return the result of jobs, by the names of their videos."""
    rows = [row for _, one in done for row in one.rows]
    keys = {row.clip for row in rows}
    clips = [clip for clip in collection.clips if clip.key in keys]
    return GuideResult(
        whose=collection.whose,
        simulated=collection.simulated,
        stand_in=model.is_stand_in,
        model=str(model),
        videos=tuple(video for video, _ in done),
        minutes=round(sum(clip.end_s - clip.start_s for clip in clips) / 60, 2),
        clips=len(clips),
        questions=len(rows) + sum(len(one.free) for _, one in done),
        sent=sum(one.sent for _, one in done),
        frames=frames,
        usage=sum((row.answer.usage for _, one in done for row in (*one.rows, *one.free)), Usage()),
        confidences=_confidences(rows),
        notes=collection.notes,
        figures=figures_of(rows),
        trivial=(*trivial_references(rows), *filter(None, (states_alone(collection, rows),))),
        free=tuple(_free(row) for _, one in done for row in one.free),
        rounds=tuple(_round(video, one) for video, one in done),
        bars=tuple(criteria),
    )


def _free(row: AnsweredQuestion) -> FreeAnswer:
    return FreeAnswer(video=row.video, clip=row.clip, task=row.task, annotated=row.right, said=row.answer.text or None)


def _confidences(rows: Sequence[AnsweredQuestion]) -> dict[str, int]:
    return dict(sorted(Counter(str(row.answer.confidence) for row in rows if row.guess is not None).items()))


def _round(video: str, done: JobResult) -> VideoRound:
    questions = len(done.rows) + len(done.free)
    return VideoRound(video=video, clips=len({row.clip for row in done.rows}), questions=questions, sent=done.sent)


# ---------------------------------------------------------------- text


def parts_of(result: GuideResult, published: Published) -> Iterator[Part]:
    """Yield what the figures are of, and the figures; the published ones stand in rows and plots of their own."""
    first, model, asked_now, scored = facts(result)
    figures = result.figures
    yield first
    yield Paragraph(model, "loud")
    yield asked_now
    yield Paragraph(scored, "loud")
    yield Heading(f"Accuracy in %, whole clips. {_LEGEND}")
    yield Table(("", *(f"{task}{_SHORT[context]}" for task, _, context in _HEADS)), _accuracy_rows(result, published))
    yield Paragraph("In brackets: the middle 95 % of 1000 draws of whole videos.", "small")
    need, states = published.notes
    yield Paragraph(need, "small")
    yield Paragraph(f"Published: {published.source}.", "small")
    yield Heading("Accuracy by how much of a clip was seen, in %")
    for task in Task:
        cells = [cell for cell in figures.cells if cell.task is task and cell.context is Context.NONE]
        if len(cells) > 1:
            yield f"{task}: " + ", ".join(f"{cell.percent} %: {percent(cell.accuracy.value)}" for cell in cells)
    yield from _prefix_plots(result, published)
    yield Heading("Help need and multiple choice, beyond accuracy")
    yield from _rates(figures)
    yield from need_lines(result.trivial)
    yield _rate_plot(result)
    yield Paragraph(
        "MBAcc: the right answer is preferred to each of three distractors, asked in pairs, in an order by lot; in "
        "both orders: also with each pair the other way round. Dashed: by lot, or always help for help need.",
        "small",
    )
    counts = np.array(figures.confusion)
    yield Heading("Which states are taken for which: truth down, answer across")
    names = [state.value.replace("_", " ") for state in State]
    if not counts.any():
        yield "Not asked."
    elif counts[:, NO_ANSWER].any():
        yield Confusion([*names, "no answer"], counts)
    else:
        yield Confusion(names, counts[:, :NO_ANSWER])
    yield Paragraph(states, "small")
    yield Heading("Program by program, accuracy in %")
    yield Table(
        ("", "clips", *Task),
        [
            (app, str(figures.clips_of_app[app]), *(percent(tasks[task]) if task in tasks else "" for task in Task))
            for app, tasks in figures.apps.items()
        ],
    )
    if figures.troubles:
        yield f"no answer: {_counts(figures.troubles)}"
    if result.free:
        said = sum(answer.said is not None for answer in result.free)
        yield Heading("In free text")
        yield Paragraph(f"{said} of {len(result.free)} answered. {FREE_NOT_SCORED}", "loud")
        rows = [(str(answer.task), answer.clip, answer.annotated, answer.said or "no answer") for answer in result.free]
        yield Table(("task", "clip", "annotated", "answer"), rows)
    yield Heading("This run")
    rounds = [(round_.video, str(round_.clips), str(round_.questions), str(round_.sent)) for round_ in result.rounds]
    yield Table(("video", "clips", "questions", "asked now"), rounds)
    yield from (Paragraph(f"note: {note}", "small") for note in result.notes)


def facts(result: GuideResult) -> list[str]:
    """Return what the figures are of."""
    videos = f"{len(result.videos)} videos ({result.minutes:.1f} minutes)"
    counts = f"{result.questions} questions about {result.clips} clips of {videos}"
    return [
        f"Data: {result.whose}. {counts}, {result.frames} pictures each.",
        f"Model: {result.model}. {_model_facts(result)}",
        f"Asked now: {result.sent}; answered before: {result.questions - result.sent}.{_cost(result)}",
        SCORED if result.scored else NOT_SCORED,
    ]


def _model_facts(result: GuideResult) -> str:
    """Return what stands behind the model's name."""
    if result.stand_in:
        return "No model: a scripted stand-in that looks at no picture. Its figures only show that the benchmark works."
    return f"Answers: {_counts(result.confidences)}."


def row_accuracy(figures: GuideFigures) -> dict[str, Interval]:
    """Return accuracy of whole clips by column."""
    return {cell.column: cell.accuracy for cell in figures.cells if cell.percent == WHOLE}


def need_lines(references: Iterable[Reference]) -> list[str]:
    """Return precision, recall and F1 of help need of the references."""
    return [
        f"need, {reference.name}: precision {percent(reference.need[0])}, recall {percent(reference.need[1])}, F1 "
        f"{percent(reference.need[2])}"
        for reference in references
        if reference.need is not None
    ]


def percent(value: float) -> str:
    """Return a share of ours in percent; more digits would mean nothing with so few clips."""
    return f"{100 * value:.1f}"


def interval(one: Interval) -> str:
    """Return a share with its interval, in percent."""
    return f"{percent(one.value)} ({span(one)})"


def span(one: Interval) -> str:
    """Return an interval in whole percents."""
    return "one video" if math.isnan(one.low) else f"{100 * one.low:.0f}..{100 * one.high:.0f}"


def _accuracy_rows(result: GuideResult, published: Published) -> list[tuple[str, ...]]:
    """Return our row and the trivial ones, and below them the published ones."""
    ours, theirs = row_accuracy(result.figures), published.tables[0]

    def row(name: str, cells: Mapping[str, str]) -> tuple[str, ...]:
        return (name, *(cells.get(column, "-") for column in COLUMNS))

    return [
        (f"On {result.whose}",),
        row(result.model, {column: interval(one) for column, one in ours.items()}),
        *(
            row(reference.name, {at: percent(value) for at, value in reference.accuracy.items()})
            for reference in result.trivial
        ),
        (f"On {theirs.data}; published, not run here",),
        *(row(name, dict(zip(theirs.columns, values, strict=True))) for name, values in theirs.rows.items()),
    ]


def _rates(figures: GuideFigures) -> Iterator[str]:
    for cell in figures.cells:
        if cell.need is not None and cell.percent == WHOLE:
            rates = (("precision", cell.need.precision), ("recall", cell.need.recall), ("F1", cell.need.f1))
            yield f"{cell.column}: " + ", ".join(f"{name} {interval(rate)}" for name, rate in rates)
        if cell.mbacc is not None:
            both = "" if cell.mbacc_both is None else f"; in both orders {interval(cell.mbacc_both)}"
            yield f"{cell.task}: preferred to each distractor (MBAcc) {interval(cell.mbacc)}{both}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def _cost(result: GuideResult) -> str:
    if result.stand_in:
        return ""
    tokens = result.usage.tokens_in + result.usage.tokens_out
    return f" All answers together: {tokens} tokens, {result.usage.dollars:.2f} US dollars."


def _prefix_plots(result: GuideResult, published: Published) -> Iterator[Part]:
    """Yield accuracy over the share of the clip that was seen, task by task: ours, then the published."""
    ours = {
        task: [
            (cell.percent, cell.accuracy)
            for cell in result.figures.cells
            if cell.task is task and cell.context is Context.NONE
        ]
        for task in Task
    }
    accuracy, *online = published.tables
    theirs = {
        Task(table.data): {
            name: [(int(at), _point(float(value) / 100)) for at, value in zip(table.columns, values, strict=True)]
            for name, values in table.rows.items()
        }
        for table in online
    }
    yield Plots([_prefix_plot(task, {result.model: points}) for task, points in ours.items() if points])
    names = list(theirs[Task.BEHAVIOR])
    yield f"Above: {result.model}, on {result.whose}; dashed: by lot."
    yield f"Below: published, on {accuracy.data}, read off a figure."
    yield Plots((legend(names), *(_prefix_plot(task, lines) for task, lines in theirs.items())))


def _prefix_plot(task: Task, lines: Mapping[str, Sequence[tuple[int, Interval]]]) -> str:
    percents = sorted({at for points in lines.values() for at, _ in points})
    x = Axis(low=-0.2, high=len(percents) - 0.8, ticks=[(n, f"{at} %") for n, at in enumerate(percents)])
    y = Axis(ticks=[(part / 4, f"{25 * part}") for part in range(5)])
    chance = [(x.low, _CHANCE[task]), (x.high, _CHANCE[task])]
    drawn = [Line(name="by lot", points=chance, colour=GREY, dashed=True, dots=False)]
    drawn += [
        Line(
            name=name,
            points=[(percents.index(at), one.value) for at, one in points],
            intervals=[one for _, one in points],
            hints=[f"{name}, {at} % seen: {percent(one.value)} %" for at, one in points],
            colour=colour,
        )
        for (name, points), colour in zip(lines.items(), colours(len(lines)), strict=True)
    ]
    return line_plot(_TITLES[task], drawn, x, y, size=(205, 150))


def _point(value: float) -> Interval:
    return Interval(value=value, low=value, high=value)


def _rate_plot(result: GuideResult) -> Plots:
    always = next((reference.need for reference in result.trivial if reference.name == ALWAYS_HELP), None) or (
        0.0,
        0.0,
        0.0,
    )
    bars = []
    for cell in result.figures.cells:
        if cell.percent != WHOLE:
            continue
        if cell.need is not None:
            rates = (("precision", cell.need.precision), ("recall", cell.need.recall), ("F1", cell.need.f1))
            bars += [
                Bar(name=f"{cell.column}: {name}", figure=rate, reference=reference)
                for (name, rate), reference in zip(rates, always, strict=True)
            ]
        if cell.mbacc is not None:
            bars.append(Bar(name=f"{cell.task}: MBAcc", figure=cell.mbacc, reference=1 / 8))
        if cell.mbacc_both is not None:
            bars.append(Bar(name=f"{cell.task}: in both orders", figure=cell.mbacc_both, reference=1 / 64))
    return Plots((bar_plot(bars, end=1.0, text=percent),))


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
    results = [job_result for job_result in results if not job_result.refused]
    criteria = criteria_of(jobs, results, decodes if arguments.scheduler is None else None)
    result = result_of(
        collection,
        model,
        [(job.video.name, one) for job, one in zip(jobs, results, strict=True)],
        frames=jobs[0].frames,
        criteria=criteria,
    )
    result = replace(result, notes=(*result.notes, *refused))
    rows = [row for job_result in results for row in job_result.rows]
    if collection.simulated and (found := embedded_reference(collection, rows)):
        reference, note = found
        result = replace(result, trivial=(reference, *result.trivial), notes=(*result.notes, note))
    published = load_published(__file__)
    fields = {**asdict(result), "guide_scored": result.scored, "published": msgspec.to_builtins(published)}
    where = f"Answers are kept in {answers}. --out DIR leaves a page with plots."
    parts = list(parts_of(result, published))
    return Report(
        criteria=criteria,
        rounds=fields["rounds"],
        fields=fields,
        text=list(text_of(parts)),
        notes=[where] if arguments.out is None else [],
        pages={PAGE: page_of(f"The four GUIDE tasks, asked of {result.model}", parts, result.bars)},
    )


def with_permission(model: ModelName, jobs: Sequence[VideoJob], *, yes: bool) -> ModelName:
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
    percents = _listed("--prefixes", arguments.prefixes, {str(number): number for number in range(1, 101)}, "1 to 100")
    return GuidePlan(
        tasks=_listed("--tasks", arguments.tasks, {task.value: task for task in Task}),
        contexts=_listed("--conditions", arguments.conditions, {context.value: context for context in Context}),
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
    jobs: Sequence[VideoJob], results: Sequence[JobResult], decodes: Mapping[Path, int] | None
) -> list[AcceptanceCriterion]:
    """Compare the run with its limits: all is answered, nothing is asked twice, and no file is decoded twice.

    `decodes` counts how often map_in_order file was decoded; None where that was done elsewhere.
    """
    rows = [row for result in results for row in result.rows]
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


def _run_all(jobs: Sequence[VideoJob], scheduler: str | None, decodes: Counter[Path]) -> list[JobResult]:
    """Run all jobs: here, one after the other, or on a cluster."""
    progress = ProgressBar(sum(map(count, jobs)))

    def counting(path: Path, wanted_ms: Sequence[int], into: Path) -> Sequence[int]:
        decodes[path] += 1
        return decode(path, wanted_ms, into)

    def run_here(job: VideoJob) -> JobResult:
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
