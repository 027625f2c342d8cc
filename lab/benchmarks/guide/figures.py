"""The figures of the GUIDE benchmark (A.1): accuracy, multi-binary accuracy, precision, recall, F1, confusion.

A question without an answer is wrong: for help need it counts as the answer that is not the right one. Intervals come
from drawing whole videos, because clips of one video resemble each other.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import DRAWS, Floats, Ints
from detectors.mllm.questions import Task
from lab.benchmarks.guide.jobs import AnsweredQuestion
from lab.benchmarks.guide.questions import CONTEXTS, WHOLE, Context
from lab.measure.metrics import confusion
from storage.records import State

SEED = 7
NO_ANSWER = len(State)
"""Column of the confusion table for questions without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFigures:
    """Figures of help need (A.1.3)."""

    precision: Interval
    recall: Interval
    f1: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One task in one context at one prefix.

    `mbacc` is the share of clips where the right answer is preferred to each distractor, in one order drawn at random;
    `mbacc_both` the share where that holds in both orders. Either is None where it was not asked.
    """

    task: Task
    context: Context
    percent: int
    asked: int
    answered: int
    accuracy: Interval
    need: NeedFigures | None = None
    mbacc: Interval | None = None
    mbacc_both: Interval | None = None

    @property
    def column(self) -> str:
        """Return the name that the published table has for it."""
        return column_of(self.task, self.context)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideFigures:
    """All figures of a run."""

    cells: tuple[Cell, ...]
    confusion: tuple[tuple[int, ...], ...]
    apps: Mapping[str, Mapping[str, float]]
    clips_of_app: Mapping[str, int]
    troubles: Mapping[str, int]


def column_of(task: Task, context: Context) -> str:
    """Return the name of a task in a context, as in the published table."""
    short = {Context.NONE: "", Context.PREVIOUS: "+prev"}.get(context, f"+{context}")
    return f"{task}{short}"


def figures_of(rows: Sequence[AnsweredQuestion]) -> GuideFigures:
    """Return all figures of what was answered."""
    singles = [row for row in rows if row.pair is None]
    cells = []
    for task in Task:
        for context in CONTEXTS[task]:
            of_context = [row for row in singles if row.task is task and row.context is context]
            for percent in sorted({row.percent for row in of_context}):
                chosen = [row for row in of_context if row.percent == percent]
                plain = context is Context.NONE and percent == WHOLE
                cells.append(_cell(chosen, [row for row in rows if plain and row.pair and row.task is task]))
    whole = [row for row in singles if row.context is Context.NONE and row.percent == WHOLE]
    return GuideFigures(
        cells=tuple(cells),
        confusion=tuple(map(tuple, state_confusion(whole).tolist())),
        apps={
            app: {
                task: _share([row for row in whole if row.app == app and row.task is task])
                for task in Task
                if any(row.app == app and row.task is task for row in whole)
            }
            for app in sorted({row.app for row in whole})
        },
        clips_of_app=dict(sorted(Counter(app for app, _ in {(row.app, row.clip) for row in whole}).items())),
        troubles=dict(sorted(Counter(str(row.answer.trouble) for row in rows if row.answer.trouble).items())),
    )


def state_confusion(rows: Iterable[AnsweredQuestion]) -> Ints:
    """Return counts of states, truth down and guess across, the last column for no answer."""
    names = [state.value for state in State]
    states = [row for row in rows if row.task is Task.BEHAVIOR]
    truth = np.array([names.index(row.right) for row in states], np.int64)
    guess = np.array([NO_ANSWER if row.guess is None else names.index(row.guess) for row in states], np.int64)
    return confusion(truth, guess, NO_ANSWER + 1)[:NO_ANSWER]


def need_rates(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 of "help is needed" (A.1, 5 to 7); 0 where there is nothing to divide by.

    The last axis of `sums` counts where help was both needed and predicted, where predicted, and where needed.
    """
    hits, predicted, need = np.moveaxis(sums, -1, 0)
    precision, recall = hits / np.maximum(1, predicted), hits / np.maximum(1, need)
    return precision, recall, 2 * hits / np.maximum(1, predicted + need)


def mbacc_of(pairs: Iterable[AnsweredQuestion]) -> dict[str, bool]:
    """Return for each clip whether the right answer won every one of the comparisons given (A.1, 3)."""
    won: dict[str, bool] = {}
    for row in pairs:
        won[row.clip] = won.get(row.clip, True) and row.correct
    return won


def predicted_need(row: AnsweredQuestion) -> bool:
    """Return whether a model answered that help is needed; without an answer, the opposite of the truth."""
    return row.right != "yes" if row.guess is None else row.guess == "yes"


def _cell(rows: Sequence[AnsweredQuestion], pairs: Sequence[AnsweredQuestion]) -> Cell:
    first = rows[0]
    in_order = [row for row in pairs if row.pair and not row.pair.swapped]
    swapped = [row for row in pairs if row.pair and row.pair.swapped]
    return Cell(
        task=first.task,
        context=first.context,
        percent=first.percent,
        asked=len(rows),
        answered=sum(row.guess is not None for row in rows),
        accuracy=_accuracy(rows),
        need=_need(rows) if first.task is Task.NEED else None,
        mbacc=_mbacc(in_order) if in_order else None,
        mbacc_both=_mbacc(pairs) if swapped else None,
    )


def _share(rows: Sequence[AnsweredQuestion]) -> float:
    return sum(row.correct for row in rows) / len(rows)


def _accuracy(rows: Sequence[AnsweredQuestion]) -> Interval:
    return _mean([row.video for row in rows], [row.correct for row in rows])


def _mbacc(pairs: Sequence[AnsweredQuestion]) -> Interval:
    videos = {row.clip: row.video for row in pairs}
    won = mbacc_of(pairs)
    return _mean([videos[clip] for clip in won], list(won.values()))


def _mean(videos: Sequence[str], correct: Sequence[bool]) -> Interval:
    columns = np.array([(one, 1.0) for one in correct])
    return _interval(videos, columns, lambda sums: sums[..., 0] / sums[..., 1])


def _need(rows: Sequence[AnsweredQuestion]) -> NeedFigures:
    need = np.array([row.right == "yes" for row in rows])
    predicted = np.array([predicted_need(row) for row in rows])
    columns = np.stack([need & predicted, predicted, need], axis=1).astype(np.float64)
    videos = [row.video for row in rows]
    return NeedFigures(
        precision=_interval(videos, columns, lambda sums: need_rates(sums)[0]),
        recall=_interval(videos, columns, lambda sums: need_rates(sums)[1]),
        f1=_interval(videos, columns, lambda sums: need_rates(sums)[2]),
    )


def _interval(videos: Sequence[str], columns: Floats, figure: Callable[[Floats], Floats]) -> Interval:
    """Return a figure of summed columns, with the middle 95 % of draws of whole videos; NaN ends for a single one."""
    names, numbers = np.unique(np.array(videos), return_inverse=True)
    sums = np.zeros((len(names), columns.shape[1]))
    np.add.at(sums, numbers, columns)
    value = float(figure(sums.sum(axis=0)))
    if len(names) == 1:
        return Interval(value=value, low=math.nan, high=math.nan)
    drawn = np.random.default_rng(SEED).integers(0, len(names), (DRAWS, len(names)))
    low, high = np.quantile(figure(sums[drawn].sum(axis=1)), (0.025, 0.975))
    return Interval(value=value, low=float(low), high=float(high))
