"""What stands beside a run's figures: those of the GUIDE paper, trivial answers, and the embedded detector.

Published figures are of other data than any row of ours: they are printed in a block of their own, never compared. The
embedded detector reads input and what changed, never a picture, so it predicts states and help need alone, and only for
sessions of ours. It sees each clip without memory, as a benchmark's segments are; its threshold came with the model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from daemon.engine.engine import NoImages
from detectors.embedded import MODEL, EmbeddedDetector
from detectors.mllm.questions import Task
from lab.benchmarks.guide.clips import Clip, Collection
from lab.benchmarks.guide.figures import column_of, need_rates
from lab.benchmarks.guide.jobs import AnsweredQuestion
from lab.benchmarks.guide.questions import CONTEXTS, WHOLE, Context
from lab.measure.metrics import logit
from lab.simulation.behaviors import GESTURE_PROGRAMS
from lab.simulation.persona import Split
from lab.simulation.tasks.registry import TASK_PROGRAMS
from lab.training.detector_metrics import NEED_SHARE, stored_thresholds
from lab.training.extract import clip_features, is_sensed
from storage.clock import NS_PER_S
from storage.records import Estimate, Prefix
from storage.session.log import SessionReader
from storage.settings import DetectorSettings

FILE = Path(__file__).parent / "data" / "published.json"
ALWAYS_HELP = "always help"
COLUMNS = tuple(column_of(task, context) for task in Task for context in CONTEXTS[task])
EMBEDDED = "embedded (no picture)"
_SURE = 1e-6


class Published(msgspec.Struct, frozen=True):
    """Figures of the paper, in percent unless they are recalls; `online` was read off a figure."""

    source: str
    data: str
    columns: tuple[str, ...]
    accuracy: Mapping[str, tuple[float, ...]]
    recall_of_states: Mapping[str, float]
    confused_with: Mapping[str, Mapping[str, float]]
    need_f1: Mapping[str, float]
    prefixes: tuple[int, ...]
    online: Mapping[str, Mapping[str, tuple[float, ...]]]
    need_base_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A row beside ours: accuracy by column; precision, recall and F1 of help need where that means something."""

    name: str
    accuracy: Mapping[str, float]
    need: tuple[float, float, float] | None = None
    mbacc: float | None = None
    mbacc_both: float | None = None


def percent_as_published(value: float) -> str:
    """Return a published share in percent with all its digits."""
    return f"{value:.2f}"


def published_need(published: Published) -> str:
    """Return the published F1 of help need, beside that of always saying yes to as many clips that need help."""
    f1 = ", ".join(f"{name} {percent_as_published(value)} %" for name, value in published.need_f1.items())
    share = published.need_base_rate
    always = f"always help would reach {200 * share / (1 + share):.1f} %, as {100 * share:.0f} % of its clips need help"
    return f"Published F1 of help need, best and worst, on {published.data}: {f1}; {always}."


def load_published() -> Published:
    """Return the published figures."""
    return msgspec.json.decode(FILE.read_bytes(), type=Published)


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
    return [one for one in found if one.accuracy]


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
            right.append(state == clip.behavior)
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
