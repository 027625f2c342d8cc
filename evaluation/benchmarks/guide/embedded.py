"""The embedded detector on the same clips, for sessions of ours: it reads input and what changed, never a picture.

It tells states and help need alone. Each clip is seen with a fresh memory, as a benchmark's segments are; the threshold
of help need is the one that came with the model.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from daemon.engine.engine import NoImages
from detectors.embedded import MODEL, EmbeddedDetector
from detectors.mllm.questions import Task
from evaluation.benchmarks.detector.command import thresholds_of
from evaluation.benchmarks.guide.clips import Clip, Collection
from evaluation.benchmarks.guide.metrics import column_of, need_rates
from evaluation.benchmarks.guide.published import Trivial
from evaluation.benchmarks.guide.questions import WHOLE, Context
from evaluation.benchmarks.guide.run import Row
from evaluation.measure.metrics import logit
from evaluation.simulation.session_plan import PROGRAMS, Split
from evaluation.training.extract import clip_features, is_sensed
from evaluation.training.figures import NEED_SHARE
from storage.clock import NS_PER_S
from storage.records import Estimate, Prefix
from storage.session.log import SessionReader
from storage.settings import DetectorSettings

NAME = "embedded (no picture)"
_SURE = 1e-6


def embedded_row(collection: Collection, rows: Sequence[Row]) -> tuple[Trivial, str] | None:
    """Return what the detector reaches on the whole clips that were asked about, in those tasks, and what to mind.

    None where neither states nor need of whole clips were asked about.
    """
    whole = [row for row in rows if row.percent == WHOLE and row.context is Context.NONE and row.pair is None]
    tasks = {row.task for row in whole} & {Task.BEHAVIOR, Task.NEED}
    if not tasks:
        return None
    asked = {row.clip for row in whole if row.task in tasks}
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE))
    threshold = thresholds_of(MODEL)[WHOLE]
    right, need, said = [], [], []
    for video in sorted({clip.video for clip in collection.clips if clip.key in asked}):
        clips = [clip for clip in collection.of(video) if clip.key in asked]
        for clip, estimate in zip(clips, _estimates(detector, collection, video, clips), strict=True):
            state = max(estimate.state_probs, key=lambda name: estimate.state_probs[name])
            right.append(state == clip.behavior)
            need.append(bool(clip.need))
            said.append(logit(min(max(estimate.help_need, _SURE), 1 - _SURE)) >= threshold)
    needed, spoken = np.array(need), np.array(said)
    precision, recall, f1 = need_rates(np.array([(needed & spoken).sum(), spoken.sum(), needed.sum()], np.float64))
    accuracy = {Task.BEHAVIOR: float(np.mean(right)), Task.NEED: float(np.mean(needed == spoken))}
    row = Trivial(
        name=NAME,
        accuracy={column_of(task, Context.NONE): value for task, value in accuracy.items() if task in tasks},
        need=(float(precision), float(recall), float(f1)) if Task.NEED in tasks else None,
    )
    known = {clip.app for clip in collection.clips if clip.key in asked} & set(PROGRAMS[Split.TRAIN])
    where = f", also in {', '.join(sorted(known))}" if known else ", in other programs"
    return row, f"{NAME}: learned from other simulated sessions{where}"


def _estimates(detector: EmbeddedDetector, collection: Collection, video: str, clips: Sequence[Clip]) -> list[Estimate]:
    """Return the estimate at the end of each clip of a video."""
    with SessionReader(Path(collection.videos[video].pieces[0].path).parent) as reader:
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
