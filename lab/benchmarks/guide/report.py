"""What a run of the GUIDE benchmark found: the result with all figures, as lines of text and as a page.

Our figures and the published ones stand in blocks of their own: they are of different data.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from daemon.figures.intervals import Interval
from daemon.pages.page import heading, html_row, html_table, page, paragraph, plots, raw_row
from daemon.pages.svg import GREY, Axis, Bar, Line, bar_plot, colours, legend, line_plot
from detectors.mllm.questions import Task, Usage
from lab.benchmarks.guide.clips import Collection
from lab.benchmarks.guide.figures import NO_ANSWER, GuideFigures, figures_of
from lab.benchmarks.guide.jobs import AnsweredQuestion, JobResult
from lab.benchmarks.guide.models import ModelName
from lab.benchmarks.guide.questions import WHOLE, Context
from lab.benchmarks.guide.references import (
    ALWAYS_HELP,
    COLUMNS,
    Published,
    Reference,
    percent_as_published,
    published_need,
    trivial_references,
)
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.tables import confusion_table, criteria_table
from storage.records import State

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
_CELL = 10
_MAX_FREE = 12
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
        trivial=tuple(trivial_references(rows)),
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


def render(result: GuideResult, published: Published) -> list[str]:
    """Return everything as lines of text."""
    return [
        *facts(result),
        "",
        *_table(result, published),
        "",
        *_details(result.figures),
        *need_lines(result.trivial),
        *([f"no answer: {_counts(result.figures.troubles)}"] if result.figures.troubles else []),
        *free_lines(result.free),
        *(f"note: {note}" for note in result.notes),
    ]


def free_lines(free: Sequence[FreeAnswer]) -> Iterator[str]:
    """Yield answers in free text beside the annotated ones, which nobody has compared."""
    if not free:
        return
    said = sum(one.said is not None for one in free)
    yield ""
    yield f"In free text, {said} of {len(free)} answered. {FREE_NOT_SCORED}"
    for one in free[:_MAX_FREE]:
        yield f"  {one.task}, {one.clip}: {one.said or 'no answer'}"
        yield f"    annotated: {one.annotated}"
    if len(free) > _MAX_FREE:
        yield f"  and {len(free) - _MAX_FREE} more; all with --json"


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
        f"need, {one.name}: precision {percent(one.need[0])}, recall {percent(one.need[1])}, F1 {percent(one.need[2])}"
        for one in references
        if one.need is not None
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


def _table(result: GuideResult, published: Published) -> Iterator[str]:
    width = max(len(name) for name in (result.model, *published.accuracy, *(one.name for one in result.trivial)))
    yield f"Accuracy in %, whole clips. {_LEGEND}."
    yield f"{'':<{width}} " + "".join(f"{task:>{_CELL}}" for task, _, _ in _HEADS)
    yield f"{'':<{width}} " + "".join(f"{_SHORT[context]:>{_CELL}}" for _, _, context in _HEADS)
    yield f"-- on {result.whose}"
    ours = row_accuracy(result.figures)
    yield _line(result.model, width, {column: percent(one.value) for column, one in ours.items()})
    yield _line("  95 % of draws", width, {column: span(one) for column, one in ours.items()})
    for one in result.trivial:
        yield _line(one.name, width, {column: percent(value) for column, value in one.accuracy.items()})
    yield f"-- on {published.data}; published, not run here"
    for name, values in published.accuracy.items():
        cells = {column: percent_as_published(value) for column, value in zip(published.columns, values, strict=True)}
        yield _line(name, width, cells)
    yield published_need(published)


def _line(name: str, width: int, cells: Mapping[str, str]) -> str:
    return f"{name:<{width}} " + "".join(f"{cells.get(column, '-'):>{_CELL}}" for column in COLUMNS)


def _details(figures: GuideFigures) -> Iterator[str]:
    for task in Task:
        cells = [one for one in figures.cells if one.task is task and one.context is Context.NONE]
        if len(cells) > 1:
            seen = ", ".join(f"{one.percent} %: {percent(one.accuracy.value)}" for one in cells)
            yield f"{task} by how much of the clip was seen: {seen}"
    for one in figures.cells:
        if one.need is not None and one.percent == WHOLE:
            rates = (("precision", one.need.precision), ("recall", one.need.recall), ("F1", one.need.f1))
            yield f"{one.column}: " + ", ".join(f"{name} {interval(rate)}" for name, rate in rates)
    for one in figures.cells:
        if one.mbacc is not None:
            both = "" if one.mbacc_both is None else f"; in both orders {interval(one.mbacc_both)}"
            yield f"{one.task}: preferred to each distractor (MBAcc) {interval(one.mbacc)}{both}"
    for app, tasks in figures.apps.items():
        found = ", ".join(f"{task} {percent(one)}" for task, one in tasks.items())
        yield f"in {app} ({figures.clips_of_app[app]} clips): {found}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def _cost(result: GuideResult) -> str:
    if result.stand_in:
        return ""
    tokens = result.usage.tokens_in + result.usage.tokens_out
    return f" All answers together: {tokens} tokens, {result.usage.dollars:.2f} US dollars."


# ---------------------------------------------------------------- page


def render_page(result: GuideResult, published: Published) -> str:
    """Return the page as HTML."""
    first, model, asked_now, scored = facts(result)
    return page(
        f"The four GUIDE tasks, asked of {result.model}",
        (
            paragraph(first),
            paragraph(model, "loud"),
            paragraph(asked_now),
            paragraph(scored, "loud"),
            heading("Accuracy on whole clips, in %"),
            *_accuracy_table(result, published),
            heading("Accuracy by how much of a clip was seen, in %"),
            *_prefix_plots(result, published),
            heading("Help need and multiple choice, beyond accuracy"),
            *_rate_plot(result, published),
            heading("Which states are taken for which: truth down, answer across"),
            _confusion(result.figures),
            _published_states(published),
            heading("Program by program"),
            _app_table(result.figures),
            *_free_table(result.free),
            heading("This run"),
            html_table(
                ("video", "clips", "questions", "asked now"),
                ([one.video, str(one.clips), str(one.questions), str(one.sent)] for one in result.rounds),
            ),
            "<p></p>",
            criteria_table(result.bars),
            *(paragraph(note, "small") for note in result.notes),
        ),
    )


def _free_table(free: Sequence[FreeAnswer]) -> Iterator[str]:
    if free:
        yield heading("In free text")
        yield paragraph(FREE_NOT_SCORED, "loud")
        yield html_table(
            ("task", "clip", "annotated", "answer"),
            ([str(one.task), one.clip, one.annotated, one.said or "no answer"] for one in free),
        )


def _accuracy_table(result: GuideResult, published: Published) -> Iterator[str]:
    ours = row_accuracy(result.figures)

    def group(data: str) -> str:
        return html_row([f"On {data}", *[""] * len(COLUMNS)], "group")

    def plain_row(name: str, cells: Mapping[str, str]) -> list[str]:
        return [name, *(cells.get(column, "") for column in COLUMNS)]

    with_range = {column: f"{percent(one.value)}<span class=range>{span(one)}</span>" for column, one in ours.items()}
    rows = [
        group(result.whose),
        raw_row([escape(result.model), *(with_range.get(column, "") for column in COLUMNS)], "ours"),
        *(plain_row(one.name, {at: percent(value) for at, value in one.accuracy.items()}) for one in result.trivial),
        group(f"{published.data}; published, not run here"),
        *(
            plain_row(name, dict(zip(published.columns, map(percent_as_published, values), strict=True)))
            for name, values in published.accuracy.items()
        ),
    ]
    yield html_table(("", *(column.replace("+", " + ") for column in COLUMNS)), rows)
    yield paragraph(
        "Small figures: the middle 95 % of 1000 draws of whole videos. + prev: told the state before; + behavior, "
        f"+ intent: told those of the clip. Published: {published.source}.",
        "small",
    )


def _prefix_plots(result: GuideResult, published: Published) -> Iterator[str]:
    """Yield accuracy over the share of the clip that was seen, task by task: ours, then the published."""
    ours = {
        task: [
            (one.percent, one.accuracy)
            for one in result.figures.cells
            if one.task is task and one.context is Context.NONE
        ]
        for task in Task
    }
    theirs = {
        task: {
            name: [(at, _point(value / 100)) for at, value in zip(published.prefixes, values, strict=True)]
            for name, values in published.online[task].items()
        }
        for task in Task
    }
    yield f"<p><b>{escape(result.model)}</b>, on {escape(result.whose)}; dashed: by lot.</p>"
    yield plots(_prefix_plot(task, {result.model: points}) for task, points in ours.items() if points)
    names = legend(list(published.online[Task.BEHAVIOR]))
    yield f"<p><b>Published</b>, on {escape(published.data)}; read off a figure: {names}.</p>"
    yield plots(_prefix_plot(task, lines) for task, lines in theirs.items())


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


def _rate_plot(result: GuideResult, published: Published) -> Iterator[str]:
    always = next((one.need for one in result.trivial if one.name == ALWAYS_HELP), None) or (0.0, 0.0, 0.0)
    bars = []
    for one in result.figures.cells:
        if one.percent != WHOLE:
            continue
        if one.need is not None:
            rates = (("precision", one.need.precision), ("recall", one.need.recall), ("F1", one.need.f1))
            bars += [
                Bar(name=f"{one.column}: {name}", figure=rate, reference=reference)
                for (name, rate), reference in zip(rates, always, strict=True)
            ]
        if one.mbacc is not None:
            bars.append(Bar(name=f"{one.task}: MBAcc", figure=one.mbacc, reference=1 / 8))
        if one.mbacc_both is not None:
            bars.append(Bar(name=f"{one.task}: in both orders", figure=one.mbacc_both, reference=1 / 64))
    yield bar_plot(bars, end=1.0, text=percent)
    references = "".join(f"{line}. " for line in need_lines(result.trivial))
    yield paragraph(
        "MBAcc: the right answer is preferred to each of three distractors, asked in pairs, in an order by lot; in "
        "both orders: also with each pair the other way round. Dashed: by lot, or always help for help need. "
        f"{references}{published_need(published)}",
        "small",
    )


def _confusion(figures: GuideFigures) -> str:
    counts = np.array(figures.confusion)
    if not counts.any():
        return paragraph("Not asked.")
    names = [state.value.replace("_", " ") for state in State]
    return (
        confusion_table([*names, "no answer"], counts)
        if counts[:, NO_ANSWER].any()
        else confusion_table(names, counts[:, :NO_ANSWER])
    )


def _published_states(published: Published) -> str:
    recalls = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in published.recall_of_states.items())
    taken = "; ".join(
        f"{name} is taken for "
        + ", ".join(f"{other.replace('_', ' ')} ({share:.2f})" for other, share in others.items())
        for name, others in published.confused_with.items()
    )
    return paragraph(f"Published, on {published.data}: recall over all models {recalls}; {taken}.", "small")


def _app_table(figures: GuideFigures) -> str:
    rows = (
        [app, str(figures.clips_of_app[app]), *(percent(tasks[task]) if task in tasks else "" for task in Task)]
        for app, tasks in figures.apps.items()
    )
    return html_table(("", "clips", *Task), rows)
