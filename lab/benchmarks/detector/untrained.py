"""How well single features rank need, nothing trained, beside the clock alone as a control.

`python -m lab.benchmarks.detector.untrained FOLDER...` reads packed sessions (`kairos simulate`) and prints
AUC, AUC among samples of the same 10 s of a scene, and AUC over means of scenes. A scene is a label; `--apart` begins
each with an empty memory, as if it were a session of its own; otherwise scenes follow each other as recorded. All of
it is simulated.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from daemon.engine.engine import NoImages
from detectors.embedded import EmbeddedDetector
from detectors.features.tracker import FeatureTracker
from lab.measure.metrics import auc, auc_within
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Packed, read_manifest, read_packed
from storage.clock import NS_PER_S
from storage.records import Prefix, Record, State
from storage.settings import DetectorSettings

EVERY_NS = 3 * NS_PER_S
WINDOW_NS = 8 * NS_PER_S
EQUAL_S = 10.0
SCENE_CLOCK, SESSION_CLOCK, SHIPPED = "scene clock", "session clock", "shipped detector"
CONTROLS = (SCENE_CLOCK, SESSION_CLOCK, SHIPPED)
FEATURES = ("circling", "returned_20s", "stale_20s", "quiet_back_20s", "same_end_20s")
IN_VAIN = frozenset({State.FRUSTRATION, State.DEBUGGING})
"""States of need in which people act without success; in the others they search, read or wait."""

_PREFIX = Prefix(
    prefix_id="w1/100", window_id=1, fraction=1.0, start_ns=0, end_ns=0, slots=(), features={}, truncated=False, app=""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One moment of a scene: whether help was needed, seconds since the scene began, and what each score says."""

    scene: tuple[str, int]
    need: bool
    in_vain: bool
    hard_negative: bool
    since_s: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What a score reaches on some moments."""

    score: str
    auc: float
    auc_equal_times: float
    auc_scenes: float
    scenes_in_need: int
    scenes_calm: int


def moments_of(packed: Packed, *, apart: bool, features: Sequence[str] = FEATURES) -> list[Moment]:
    """Return moments of all scenes of a session, `EVERY_NS` apart; those before need begins in a scene are left out."""
    detector = EmbeddedDetector(DetectorSettings())
    if not apart:
        return list(_moments(packed.name, packed.rows, packed.labels, detector, features))
    found: list[Moment] = []
    for label in packed.labels:
        rows = [row for row in packed.rows if label.start_ns <= row.at_ns <= label.end_ns]
        found += _moments(packed.name, rows, [label], detector, features)
    return found


def _moments(
    name: str, rows: Sequence[Record], labels: Sequence[Label], detector: EmbeddedDetector, features: Sequence[str]
) -> Iterator[Moment]:
    if not rows:
        return
    tracker = FeatureTracker()
    start_ns = window_ns = rows[0].at_ns
    due_ns = start_ns + EVERY_NS
    tracker.open_window(start_ns)
    for row in rows:
        while row.at_ns > due_ns:
            label = next((one for one in labels if one.start_ns <= due_ns < one.end_ns), None)
            if label is not None and label.state is not None and due_ns >= (label.need_from_ns or 0):
                values = tracker.values(due_ns)
                prefix = replace(_PREFIX, end_ns=due_ns, features=values)
                shipped = detector.estimate(prefix, NoImages(), due_ns).help_need
                since_s = (due_ns - label.start_ns) / NS_PER_S
                controls = {SCENE_CLOCK: since_s, SESSION_CLOCK: (due_ns - start_ns) / NS_PER_S, SHIPPED: shipped}
                yield Moment(
                    scene=(name, label.start_ns),
                    need=label.need_from_ns is not None,
                    in_vain=label.state in IN_VAIN,
                    hard_negative=label.hard_negative,
                    since_s=since_s,
                    scores=controls | {feature: values[feature] for feature in features},
                )
            due_ns += EVERY_NS
            if due_ns - window_ns > WINDOW_NS:
                tracker.open_window(due_ns)
                window_ns = due_ns
        tracker.take(row)


def rank(moments: Sequence[Moment], score: str) -> Ranking:
    """Return how a score ranks moments; NaN where all or none are in need."""
    need = np.array([moment.need for moment in moments], np.bool_)
    values = np.array([moment.scores[score] for moment in moments], np.float64)
    times = np.array([int(moment.since_s / EQUAL_S) for moment in moments], np.int64)
    scenes: dict[tuple[str, int], list[float]] = {}
    for moment in moments:
        scenes.setdefault(moment.scene, []).append(moment.scores[score])
    needy = {moment.scene for moment in moments if moment.need}
    scene_need = np.array([scene in needy for scene in scenes], np.bool_)
    means = np.array([np.mean(one) for one in scenes.values()], np.float64)
    return Ranking(
        score=score,
        auc=auc(need, values),
        auc_equal_times=auc_within(need, values, times),
        auc_scenes=auc(scene_need, means),
        scenes_in_need=int(scene_need.sum()),
        scenes_calm=int((~scene_need).sum()),
    )


def parts_of(moments: Sequence[Moment]) -> dict[str, list[Moment]]:
    """Return all moments, those with need in acts without success, with other need, and with hard negatives as calm."""
    return {
        "all": list(moments),
        "need while acting in vain": [one for one in moments if not one.need or one.in_vain],
        "need while searching, reading or waiting": [one for one in moments if not (one.need and one.in_vain)],
        "calm look-alikes only": [one for one in moments if one.need or one.hard_negative],
    }


def lines_of(moments: Sequence[Moment], features: Sequence[str] = FEATURES) -> Iterator[str]:
    """Yield the report."""
    for part, chosen in parts_of(moments).items():
        yield f"{part}: {len(chosen)} moments, {sum(one.need for one in chosen)} in need"
        for score in (*CONTROLS, *features):
            found = rank(chosen, score)
            yield (
                f"  {score:17} AUC {found.auc:.3f}, equal times {found.auc_equal_times:.3f}, scenes"
                f" {found.auc_scenes:.3f} ({found.scenes_in_need} in need, {found.scenes_calm} calm)"
            )


def main(arguments: Sequence[str]) -> int:
    """Print the report for folders of packed sessions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of packed sessions")
    parser.add_argument("--apart", action="store_true", help="begin each scene with an empty memory")
    options = parser.parse_args(arguments)
    moments: list[Moment] = []
    for packed in _packed(options.folders):
        moments += moments_of(packed, apart=options.apart)
    print("\n".join(lines_of(moments)))
    return 0


def _packed(folders: Iterable[Path]) -> Iterator[Packed]:
    for folder in folders:
        for entry in read_manifest(folder).sessions:
            yield read_packed(entry.path(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
