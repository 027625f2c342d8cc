"""What `kairos bench guide` prints: our figures, answers that need no model, and in their own block the published."""

import math
from collections.abc import Iterable, Iterator, Mapping

from detectors.mllm.questions import Task
from evaluation.benchmarks.guide.metrics import Figures
from evaluation.benchmarks.guide.published import COLUMNS, Published, Trivial, as_published, need_words
from evaluation.benchmarks.guide.questions import WHOLE, Context
from evaluation.benchmarks.guide.result import Result
from evaluation.measure.metrics import Interval

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


def told(result: Result, published: Published) -> list[str]:
    """Return everything as lines of text."""
    return [
        *facts(result),
        "",
        *_table(result, published),
        "",
        *_details(result.figures),
        *need_lines(result.trivial),
        *([f"no answer: {_counts(result.figures.troubles)}"] if result.figures.troubles else []),
        *(f"note: {note}" for note in result.notes),
    ]


def facts(result: Result) -> list[str]:
    """Return what the figures are of."""
    videos = f"{len(result.videos)} videos ({result.minutes:.1f} minutes)"
    asked = f"{result.questions} questions about {result.clips} clips of {videos}"
    return [
        f"Data: {result.whose}. {asked}, {result.frames} pictures each.",
        f"Model: {result.model}. {model_words(result)}",
        f"Asked now: {result.sent}; answered before: {result.questions - result.sent}.{_cost(result)}",
        SCORED if result.scored else NOT_SCORED,
    ]


def model_words(result: Result) -> str:
    """Say what stands behind the model's name."""
    if result.stand_in:
        return "No model: a scripted stand-in that looks at no picture. Its figures only show that the benchmark works."
    return f"Answers: {_counts(result.confidences)}."


def row_accuracy(figures: Figures) -> dict[str, Interval]:
    """Return accuracy of whole clips by column."""
    return {cell.column: cell.accuracy for cell in figures.cells if cell.percent == WHOLE}


def need_lines(beside: Iterable[Trivial]) -> list[str]:
    """Return precision, recall and F1 of help need of those that need no model."""
    return [
        f"need, {one.name}: precision {percent(one.need[0])}, recall {percent(one.need[1])}, F1 {percent(one.need[2])}"
        for one in beside
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


def _table(result: Result, published: Published) -> Iterator[str]:
    wide = max(len(name) for name in (result.model, *published.accuracy, *(one.name for one in result.trivial)))
    yield f"Accuracy in %, whole clips. {_LEGEND}."
    yield f"{'':<{wide}} " + "".join(f"{task:>{_CELL}}" for task, _, _ in _HEADS)
    yield f"{'':<{wide}} " + "".join(f"{_SHORT[context]:>{_CELL}}" for _, _, context in _HEADS)
    yield f"-- on {result.whose}"
    ours = row_accuracy(result.figures)
    yield _line(result.model, wide, {column: percent(one.value) for column, one in ours.items()})
    yield _line("  95 % of draws", wide, {column: span(one) for column, one in ours.items()})
    for one in result.trivial:
        yield _trivial_line(one, wide)
    yield f"-- on {published.data}; published, not run here"
    for name, values in published.accuracy.items():
        cells = {column: as_published(value) for column, value in zip(published.columns, values, strict=True)}
        yield _line(name, wide, cells)
    yield need_words(published)


def _trivial_line(one: Trivial, wide: int) -> str:
    return _line(one.name, wide, {column: percent(value) for column, value in one.accuracy.items()})


def _line(name: str, wide: int, cells: Mapping[str, str]) -> str:
    return f"{name:<{wide}} " + "".join(f"{cells.get(column, '-'):>{_CELL}}" for column in COLUMNS)


def _details(figures: Figures) -> Iterator[str]:
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


def _cost(result: Result) -> str:
    if result.stand_in:
        return ""
    tokens = result.usage.tokens_in + result.usage.tokens_out
    return f" All answers together: {tokens} tokens, {result.usage.dollars:.2f} US dollars."
