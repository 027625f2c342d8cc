"""What each sense gives: the same sessions with some of their records left out, judged by the same model.

Gestures are always there; digests of tiles (the memory of states) and records of controls (the accessibility sense)
come on top. Beside them an earlier model, on sessions without controls: what was gained must not be lost for people who
leave that sense off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Ints
from detectors.protocol import Detector
from lab.benchmarks.detector.clock import clock_figures
from lab.measure import metrics
from lab.measure.tables import markdown_table
from lab.training.dataset import AWAY, STATES, Samples
from lab.training.detector_metrics import Ending, Predictions, measure_detector, predict_with, rows_by_ending
from lab.training.extract import PLAIN, Variant

ALL_SENSES, NO_CONTROLS = "all senses", "gestures and states"
VERSIONS: Mapping[str, Variant] = MappingProxyType(
    {
        ALL_SENSES: PLAIN,
        NO_CONTROLS: Variant(controls=False),
        "gestures and controls": Variant(tiles=False),
        "gestures": Variant(controls=False, tiles=False),
    }
)

_SEED = 20261122
_WHOLE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseFigures:
    """What a model reaches on one version of the sessions, at its own thresholds."""

    auc: Mapping[Ending, float]
    recall: Mapping[Ending, float]
    fpr: Mapping[Ending, float]
    chained: float
    clip_accuracy: float
    ece: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """This model's figure less the earlier model's, paired, with an interval from drawing people."""

    auc: Interval
    clip_accuracy: Interval


def sense_figures(
    versions: Mapping[str, Samples], detector: Detector, thresholds: Mapping[Ending, float]
) -> dict[str, SenseFigures]:
    """Return the figures of a detector on each version."""
    found = {}
    for name, samples in versions.items():
        opinion = predict_with(detector, samples)
        all_of_it = measure_detector(samples, opinion, thresholds)
        found[name] = SenseFigures(
            auc=all_of_it.auc,
            recall=all_of_it.recall,
            fpr=all_of_it.fpr,
            chained=clock_figures(samples, opinion).chained,
            clip_accuracy=all_of_it.clip_accuracy,
            ece=float("nan") if all_of_it.ece is None else all_of_it.ece,
        )
    return found


def auc_by_program(samples: Samples, opinion: Predictions) -> dict[str, float]:
    """Return the AUC of need on whole live windows in each program that has both kinds."""
    rows = rows_by_ending(samples)[_WHOLE]
    programs = {str(program): rows & (samples.program == program) for program in np.unique(samples.program)}
    found = {name: metrics.auc(samples.need[own], opinion.need[own]) for name, own in programs.items()}
    return {name: value for name, value in found.items() if np.isfinite(value)}


def gain_over(samples: Samples, detector: Detector, before: Detector) -> Gain:
    """Return by how much a detector is better than another on the same samples."""
    now, then = predict_with(detector, samples), predict_with(before, samples)
    whole = np.flatnonzero(rows_by_ending(samples)[_WHOLE])
    clips = np.flatnonzero(samples.clip & (samples.fraction == 1.0) & (samples.state != AWAY))
    return Gain(
        auc=_paired(samples, whole, lambda rows, one: metrics.auc(samples.need[rows], one.need[rows]), now, then),
        clip_accuracy=_paired(samples, clips, lambda rows, one: _accuracy(samples, rows, one), now, then),
    )


def _accuracy(samples: Samples, rows: Ints, opinion: Predictions) -> float:
    table = metrics.confusion(samples.state[rows], opinion.state[rows], len(STATES))
    return metrics.accuracy(metrics.balanced(table))


def _paired(
    samples: Samples,
    rows: Ints,
    figure: Callable[[Ints, Predictions], float],
    now: Predictions,
    then: Predictions,
) -> Interval:
    people = samples.person[rows]
    rng = np.random.default_rng(_SEED)
    return resampling.bootstrap(people, lambda drawn: figure(rows[drawn], now) - figure(rows[drawn], then), rng=rng)


def render_senses(found: Mapping[str, SenseFigures]) -> list[str]:
    """Return a table of the versions."""
    return markdown_table(
        ("senses", "AUC 25 / 100 %", "recall 25 / 100 %", "false positives", "equal times", "clips: accuracy", "ECE"),
        (
            (
                name,
                f"{one.auc[25]:.3f} / {one.auc[100]:.3f}",
                f"{one.recall[25]:.2f} / {one.recall[100]:.2f}",
                f"{one.fpr[25]:.3f} / {one.fpr[100]:.3f}",
                f"{one.chained:.3f}",
                f"{one.clip_accuracy:.3f}",
                f"{one.ece:.3f}",
            )
            for name, one in found.items()
        ),
    )
