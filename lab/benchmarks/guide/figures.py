"""The figures of the GUIDE benchmark (A.1), and what stands beside them.

A question without an answer is wrong: for help need it counts as the answer that is not the right one. Intervals come
from drawing whole videos, because clips of one video resemble each other.

The embedded detector reads input and
what changed, never a picture, so it predicts states and help need alone, and only for sessions of ours. It sees each
clip without memory, as a benchmark's segments are; its threshold came with the model.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from daemon.engine.engine import NoImages
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Floats, Ints
from detectors.embedded import EmbeddedDetector
from detectors.mllm.questions import Task
from detectors.need_threshold import MODEL
from lab.benchmarks.guide.clips import Clip, Collection
from lab.benchmarks.guide.jobs import CONTEXTS, WHOLE, AnsweredQuestion, Context
from lab.measure.metrics import confusion, logit
from lab.measure.resampling import interval_of_sums, share_of
from lab.simulation.behaviors import GESTURE_PROGRAMS
from lab.simulation.persona import Split
from lab.simulation.tasks.registry import TASK_PROGRAMS
from lab.training.detector_metrics import NEED_SHARE, stored_thresholds
from lab.training.extract import clip_features, is_sensed
from storage.clock import NS_PER_S
from storage.records import Estimate, Prefix, State
from storage.session.log import SessionReader
from storage.settings import DetectorSettings

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
    return share_of([row.correct for row in rows], [row.video for row in rows])


def _mbacc(pairs: Sequence[AnsweredQuestion]) -> Interval:
    videos = {row.clip: row.video for row in pairs}
    won = mbacc_of(pairs)
    return share_of(list(won.values()), [videos[clip] for clip in won])


def _need(rows: Sequence[AnsweredQuestion]) -> NeedFigures:
    need = np.array([row.right == "yes" for row in rows])
    predicted = np.array([predicted_need(row) for row in rows])
    columns = np.stack([need & predicted, predicted, need], axis=1).astype(np.float64)
    videos = [row.video for row in rows]
    return NeedFigures(
        precision=interval_of_sums(videos, columns, lambda sums: need_rates(sums)[0]),
        recall=interval_of_sums(videos, columns, lambda sums: need_rates(sums)[1]),
        f1=interval_of_sums(videos, columns, lambda sums: need_rates(sums)[2]),
    )


ALWAYS_HELP = "always help"
COLUMNS = tuple(column_of(task, context) for task in Task for context in CONTEXTS[task])
EMBEDDED = "embedded (no picture)"
_SURE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A row beside ours: accuracy by column; precision, recall and F1 of help need where that means something."""

    name: str
    accuracy: Mapping[str, float]
    need: tuple[float, float, float] | None = None
    mbacc: float | None = None
    mbacc_both: float | None = None


def trivial_references(rows: Sequence[AnsweredQuestion]) -> list[Reference]:
    """Return what trivial answers would have reached on the questions that were asked."""
    by_column: dict[str, list[AnsweredQuestion]] = {}
    for row in rows:
        if row.pair is None and row.percent == WHOLE:
            by_column.setdefault(column_of(row.task, row.context), []).append(row)
    chance, majority, always = {}, {}, {}
    for column, in_column in by_column.items():
        task = in_column[0].task
        chance[column] = 1 / {Task.BEHAVIOR: 9, Task.NEED: 2}.get(task, 4)
        if task in (Task.BEHAVIOR, Task.NEED):
            majority[column] = Counter(row.right for row in in_column).most_common(1)[0][1] / len(in_column)
        if task is Task.NEED:
            always[column] = sum(row.right == "yes" for row in in_column) / len(in_column)
    found = [
        Reference(name="by lot", accuracy=chance, mbacc=1 / 8, mbacc_both=1 / 64),
        Reference(name="commonest answer", accuracy=majority),
    ]
    if share := next(iter(always.values()), 0.0):
        found.append(Reference(name=ALWAYS_HELP, accuracy=always, need=(share, 1.0, 2 * share / (1 + share))))
    return [reference for reference in found if reference.accuracy]


def states_alone(collection: Collection, rows: Sequence[AnsweredQuestion]) -> Reference | None:
    """Return how well the annotated states alone tell need: the states nearly give it away.

    Need is predicted where the shares of clips with need, among those of other videos with each of the states, are one
    half or more on average. None where no clip with states is asked about its need, or there is one video.
    """
    asked = {row.clip for row in rows if row.task is Task.NEED and row.percent == WHOLE}
    clips = [clip for clip in collection.clips if clip.need is not None and clip.states]
    need, predicted = [], []
    for clip in (clip for clip in clips if clip.key in asked):
        others = [other for other in clips if other.video != clip.video]
        shares = [
            sum(bool(other.need) for other in same) / len(same)
            for state in clip.states
            if (same := [other for other in others if state in other.states])
        ]
        if not others:
            return None
        shares = shares or [sum(bool(other.need) for other in others) / len(others)]
        need.append(bool(clip.need))
        predicted.append(sum(shares) / len(shares) >= 0.5)  # noqa: PLR2004  # more likely than not
    if not need:
        return None
    needed, spoken = np.array(need), np.array(predicted)
    precision, recall, f1 = need_rates(np.array([(needed & spoken).sum(), spoken.sum(), needed.sum()], np.float64))
    return Reference(
        name="need by state alone",
        accuracy={column_of(Task.NEED, Context.BEHAVIOR): float(np.mean(needed == spoken))},
        need=(float(precision), float(recall), float(f1)),
    )


def embedded_reference(collection: Collection, rows: Sequence[AnsweredQuestion]) -> tuple[Reference, str] | None:
    """Return what the detector reaches on the whole clips and tasks that were asked about, and a note.

    None where neither states nor need of whole clips were asked about.
    """
    whole = [row for row in rows if row.percent == WHOLE and row.context is Context.NONE and row.pair is None]
    tasks = {row.task for row in whole} & {Task.BEHAVIOR, Task.NEED}
    if not tasks:
        return None
    clip_keys = {row.clip for row in whole if row.task in tasks}
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE))
    threshold = stored_thresholds(MODEL)[WHOLE]
    right, need, predicted = [], [], []
    for video in sorted({clip.video for clip in collection.clips if clip.key in clip_keys}):
        clips = [clip for clip in collection.of(video) if clip.key in clip_keys]
        for clip, estimate in zip(clips, _estimates(detector, collection, video, clips), strict=True):
            state = max(estimate.state_probs, key=lambda name: estimate.state_probs[name])
            right.append(state == clip.states[0])
            need.append(bool(clip.need))
            predicted.append(logit(min(max(estimate.help_need, _SURE), 1 - _SURE)) >= threshold)
    needed, spoken = np.array(need), np.array(predicted)
    precision, recall, f1 = need_rates(np.array([(needed & spoken).sum(), spoken.sum(), needed.sum()], np.float64))
    accuracy = {Task.BEHAVIOR: float(np.mean(right)), Task.NEED: float(np.mean(needed == spoken))}
    row = Reference(
        name=EMBEDDED,
        accuracy={column_of(task, Context.NONE): value for task, value in accuracy.items() if task in tasks},
        need=(float(precision), float(recall), float(f1)) if Task.NEED in tasks else None,
    )
    known = {clip.app for clip in collection.clips if clip.key in clip_keys} & {
        *GESTURE_PROGRAMS[Split.TRAIN],
        *TASK_PROGRAMS[Split.TRAIN],
    }
    where = f", also in {', '.join(sorted(known))}" if known else ", in other programs"
    return row, f"{EMBEDDED}: learned from other simulated sessions{where}"


def _estimates(detector: EmbeddedDetector, collection: Collection, video: str, clips: Sequence[Clip]) -> list[Estimate]:
    """Return the estimate at the end of each clip of a video."""
    with SessionReader(Path(collection.videos[video].files[0].path).parent) as reader:
        sources = [row for row in reader if is_sensed(row)]
    found = []
    for clip in clips:
        start_ns, end_ns = round(clip.start_s * NS_PER_S), round(clip.end_s * NS_PER_S)
        _, _, features = clip_features(sources, start_ns, end_ns)[-1]
        prefix = Prefix(
            prefix_id="",
            window_id=0,
            fraction=1.0,
            start_ns=start_ns,
            end_ns=end_ns,
            slots=(),
            features=features,
            truncated=False,
            app="",
        )
        found.append(detector.estimate(prefix, NoImages(), end_ns))
    return found
