"""Metrics of a detector over clips and live windows, the same for every candidate, detector and simple baseline.

States are scored on whole clips, all states weighing the same (GUIDE's benchmark is balanced over states), and on live
windows as they come; help need on live windows, prefix by prefix, each with a threshold chosen elsewhere. The last
prefix of a window that was cut short is no whole window: it has a row of its own, `CUT`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daemon.engine.engine import NoImages
from daemon.engine.window import FRACTIONS
from daemon.figures.resampling import Floats, Ints
from detectors.features.table import BLANKS
from detectors.model_file import read_metadata
from detectors.protocol import Detector
from detectors.rules import EvidenceDetector
from lab.measure import metrics
from lab.measure.report import Part, Table
from lab.training.dataset import AWAY, NAMES, STATES, Samples
from storage.errors import BadFile
from storage.records import Prefix
from storage.settings import DetectorSettings

NEED_SHARE = 0.2
"""The share of need at which detectors are compared."""

MAX_FPR = 0.05
_PROBABILITY_MARGIN = 1e-6
PERCENTS = tuple(round(fraction * 100) for fraction in FRACTIONS)

Ending = int | str
"""Where a live prefix ends: a percentage of its window, or `CUT`."""

CUT = "cut"
"""The last prefix of a window that closed early. Such windows are shorter, and help is needed more often in them."""

ENDINGS: tuple[Ending, ...] = (*PERCENTS, CUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """A detector's output for each sample: the likeliest state, a score that ranks need, and a probability if any.

    `probability` is at a share of need of `NEED_SHARE`; where the detector abstained it is that share itself.
    """

    state: NDArray[np.int64]
    need: Floats
    probability: Floats | None = None
    abstained: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenMetrics:
    """Metrics on behaviors that were not learned from.

    Attributes:
        scripts: how many different ones; `clips` is how many clips of them there are.
        auc: of need on live windows, at all prefixes together.
    """

    scripts: int
    clips: int
    clip_accuracy: float
    clip_macro_f1: float
    auc: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorMetrics:
    """Metrics of predictions; keys of `auc`, `recall` and `fpr` are `ENDINGS`.

    Attributes:
        fpr_by_program: false positives at whole windows, at the one threshold for all programs.
        hard_above: share of hard negatives' prefixes above their threshold.
        unseen: None where there is no such behavior.
    """

    clips: int
    windows: int
    clip_accuracy: float
    clip_macro_f1: float
    clip_recalls: Mapping[str, float]
    live_accuracy: float
    live_macro_f1: float
    auc: Mapping[Ending, float]
    recall: Mapping[Ending, float]
    fpr: Mapping[Ending, float]
    fpr_by_program: Mapping[str, float]
    hard_above: float
    ece: float | None
    unseen: UnseenMetrics | None


def measure_detector(
    samples: Samples,
    predictions: Predictions,
    thresholds: Mapping[Ending, float],
    unseen: NDArray[np.bool_] | None = None,
) -> DetectorMetrics:
    """Return the metrics of predictions, with one threshold of need for each ending.

    `unseen` marks samples of behaviors that were not learned from; by default those of held-out behaviors.
    """
    rows = rows_by_ending(samples)
    live = ~samples.clip
    clip_table = metrics.balanced(state_table(samples, predictions.state, samples.clip & (samples.fraction == 1.0)))
    live_table = state_table(samples, predictions.state, live)
    thresholds = with_cut(thresholds)
    above = predictions.need >= threshold_of(samples, thresholds)
    rates = {
        ending: metrics.rates_at(samples.need[at], predictions.need[at], thresholds[ending])
        for ending, at in rows.items()
    }
    calm = rows[PERCENTS[-1]] & ~samples.need
    programs = np.unique(samples.program[calm]).tolist()
    hard = live & samples.hard_negative & ~samples.need
    probable = predictions.probability
    return DetectorMetrics(
        clips=int((samples.clip & (samples.fraction == 1.0) & (samples.state != AWAY)).sum()),
        windows=int(live.sum()),
        clip_accuracy=metrics.accuracy(clip_table),
        clip_macro_f1=metrics.macro_f1(clip_table),
        clip_recalls=dict(zip((state.value for state in STATES), metrics.recalls(clip_table).tolist(), strict=True)),
        live_accuracy=metrics.accuracy(live_table),
        live_macro_f1=metrics.macro_f1(live_table),
        auc={ending: metrics.auc(samples.need[at], predictions.need[at]) for ending, at in rows.items()},
        recall={ending: recall for ending, (recall, _) in rates.items()},
        fpr={ending: fpr for ending, (_, fpr) in rates.items()},
        fpr_by_program={program: float(above[calm & (samples.program == program)].mean()) for program in programs},
        hard_above=float(above[hard].mean()) if hard.any() else 0.0,
        ece=None if probable is None else calibration_error(samples.need[live], probable[live]),
        unseen=_unseen(samples, predictions, samples.held_out if unseen is None else unseen),
    )


def _unseen(samples: Samples, predictions: Predictions, rows: NDArray[np.bool_]) -> UnseenMetrics | None:
    if not rows.any():
        return None
    clips, live = rows & samples.clip & (samples.fraction == 1.0), rows & ~samples.clip
    table = metrics.balanced(state_table(samples, predictions.state, clips))
    return UnseenMetrics(
        scripts=len(np.unique(samples.script[rows])),
        clips=int((clips & (samples.state != AWAY)).sum()),
        clip_accuracy=metrics.accuracy(table),
        clip_macro_f1=metrics.macro_f1(table),
        auc=metrics.auc(samples.need[live], predictions.need[live]),
    )


def state_table(samples: Samples, guess: NDArray[np.int64], rows: NDArray[np.bool_]) -> Ints:
    """Return the confusion of states over some rows, without people who are away."""
    known = rows & (samples.state != AWAY)
    return metrics.confusion(samples.state[known], guess[known], len(STATES))


def calibration_error(need: NDArray[np.bool_], probability: Floats) -> float:
    """Return the calibration error of probabilities at `NEED_SHARE`, with samples weighted to that share."""
    return metrics.ece(need, probability, metrics.prevalence_weights(need, NEED_SHARE))


def rows_by_ending(samples: Samples) -> dict[Ending, NDArray[np.bool_]]:
    """Return which samples are live windows at each ending; at 100 % they are whole windows alone."""
    live, percent = ~samples.clip, np.round(samples.fraction * 100)
    whole: dict[Ending, NDArray[np.bool_]] = {
        ending: live & ~samples.truncated & (percent == ending) for ending in PERCENTS
    }
    return whole | {CUT: live & samples.truncated}


def choose_thresholds(samples: Samples, need: Floats, max_fpr: float = MAX_FPR) -> dict[Ending, float]:
    """Return for each ending the lowest threshold that keeps the false-positive rate on these live windows.

    There is none for `CUT` where no window without need was cut short.
    """
    return {
        ending: metrics.threshold_at(samples.need[rows], need[rows], max_fpr)
        for ending, rows in rows_by_ending(samples).items()
        if ending != CUT or not samples.need[rows].all()
    }


def with_cut(thresholds: Mapping[Ending, float]) -> Mapping[Ending, float]:
    """Return the thresholds with one for `CUT`: where none was chosen, that of whole windows."""
    return {CUT: thresholds[PERCENTS[-1]], **thresholds}


def threshold_of(samples: Samples, thresholds: Mapping[Ending, float]) -> Floats:
    """Return the threshold that holds for each sample."""
    percents = np.array([thresholds[ending] for ending in np.round(samples.fraction * 100).astype(int).tolist()])
    return np.where(samples.truncated, thresholds[CUT], percents)


def predict_with(detector: Detector, samples: Samples) -> Predictions:
    """Return the predictions of a detector set to a base rate of `NEED_SHARE`; `need` is in log-odds."""
    states, needs, abstained = [], [], []
    for row, fraction in zip(samples.features.astype(np.float64), samples.fraction.tolist(), strict=True):
        features = dict(zip(NAMES, row.tolist(), strict=True))
        unsensed = tuple(told for name, names in BLANKS.items() if not features[name] for told in names)
        prefix = Prefix(
            prefix_id="", window_id=0, fraction=fraction, start_ns=0, end_ns=0, slots=(), features=features,
            truncated=False, app="", unsensed=unsensed,
        )  # fmt: skip
        estimate = detector.estimate(prefix, NoImages(), 0)
        states.append(int(np.argmax([estimate.state_probs[state.value] for state in STATES])))
        needs.append(estimate.help_need)
        abstained.append(estimate.abstained)
    need = np.clip(np.array(needs), _PROBABILITY_MARGIN, 1.0 - _PROBABILITY_MARGIN)
    log_odds = np.log(need / (1.0 - need))
    return Predictions(state=np.array(states, np.int64), need=log_odds, probability=need, abstained=np.array(abstained))


ALWAYS = "majority, always help"
_NEED = 1.0


def baseline_metrics(samples: Samples, unseen: NDArray[np.bool_] | None = None) -> dict[str, DetectorMetrics]:
    """Return the metrics of simple baselines, whose thresholds are chosen on these very samples, in their favour.

    "Always help" has none: a threshold above its only score would turn it into "never help".
    """
    always = dict.fromkeys(ENDINGS, _NEED)
    return {
        name: measure_detector(
            samples, predictions, always if name == ALWAYS else choose_thresholds(samples, predictions.need), unseen
        )
        for name, predictions in baselines(samples).items()
    }


def baselines(samples: Samples) -> dict[str, Predictions]:
    """Return the predictions of baselines: the commonest state, help always, an idle timer, the evidence detector."""
    many = len(samples)
    known = samples.state[samples.state != AWAY]
    commonest = np.full(many, int(np.bincount(known, minlength=len(STATES)).argmax()))
    return {
        ALWAYS: Predictions(state=commonest, need=np.full(many, _NEED)),
        "idle timer": Predictions(state=commonest, need=samples.feature("idle_s")),
        "evidence": evidence_predictions(samples),
    }


def evidence_predictions(samples: Samples) -> Predictions:
    """Return the predictions of the evidence detector, whose probabilities are not calibrated."""
    return predict_with(EvidenceDetector(DetectorSettings(base_rate=NEED_SHARE)), samples)


def stored_thresholds(model: Path) -> dict[Ending, float]:
    """Return the thresholds of need's log-odds that a model chose on its folds; older ones have none for `CUT`.

    Raises:
        BadFile: the model has none.
    """
    stored = read_metadata(model).get("thresholds")
    if stored is None:
        raise BadFile(f"{model} has no thresholds", remedy="train it again with this version")
    return {one if one == CUT else int(one): float(threshold) for one, threshold in json.loads(stored).items()}


def modes_table(samples: Samples, need: Floats) -> Table:
    """Return how well calibrated log-odds tell need on live windows, by what is not sensed."""
    names = (*BLANKS, "controls_seen")
    live = ~samples.clip
    missing = np.stack([samples.feature(name)[live] == 0 for name in names], axis=1)
    truth, odds, sessions = samples.need[live], need[live], samples.session[live]
    rows = []
    for pattern in np.unique(missing, axis=0):
        own = (missing == pattern).all(axis=1)
        lacking = [name.removesuffix("_seen") for name, lacks in zip(names, pattern, strict=True) if lacks]
        weights = metrics.prevalence_weights(truth[own], NEED_SHARE)
        auc = metrics.auc(truth[own], odds[own])
        ece = metrics.ece(truth[own], metrics.shifted(odds[own], NEED_SHARE, NEED_SHARE), weights)
        many = len(np.unique(sessions[own]))
        rows.append((", ".join(lacking) or "nothing", str(many), str(int(own.sum())), f"{auc:.3f}", f"{ece:.3f}"))
    return Table(("not sensed", "sessions", "live prefixes", "need AUC", "ECE"), rows)


def hidden_from(model: Path) -> list[str]:
    """Return the programs that a model of `kairos train --folds` did not know."""
    return [str(name) for name in json.loads(read_metadata(model)["trained"])["hides"]]


def metrics_parts(compared: Mapping[str, DetectorMetrics], chosen: str = "") -> list[Part]:
    """Return tables of metrics, of all and of unseen behaviors; the chosen row stands out."""
    ends = " / ".join(f"{ending} %" if ending != CUT else CUT for ending in ENDINGS)
    heads = (
        *("", "clips: accuracy", "macro F1", "frustration", "debugging", "live: accuracy", f"need AUC at {ends}"),
        *(f"recall at {ends}", "false positives", "hard negatives above", "ECE"),
    )
    rows = [
        (
            name,
            f"{figures.clip_accuracy:.3f}",
            f"{figures.clip_macro_f1:.3f}",
            f"{figures.clip_recalls['frustration']:.2f}",
            f"{figures.clip_recalls['debugging']:.2f}",
            f"{figures.live_accuracy:.3f}",
            _each(figures.auc, 3),
            _each(figures.recall, 2),
            _each(figures.fpr, 3),
            f"{figures.hard_above:.3f}",
            "-" if figures.ece is None else f"{figures.ece:.3f}",
        )
        for name, figures in compared.items()
    ]
    unseen = {name: one.unseen for name, one in compared.items() if one.unseen is not None}
    if not unseen:
        return [Table(heads, rows, chosen)]
    some = next(iter(unseen.values()))
    return [
        Table(heads, rows, chosen),
        f"On the behaviors alone that were not learned from, {some.scripts} different scripts in {some.clips} clips:",
        Table(
            ("", "clips: accuracy", "macro F1", "need AUC, live"),
            [
                (name, f"{one.clip_accuracy:.3f}", f"{one.clip_macro_f1:.3f}", f"{one.auc:.3f}")
                for name, one in unseen.items()
            ],
            chosen,
        ),
    ]


def _each(values: Mapping[Ending, float], places: int) -> str:
    return " / ".join(f"{values[ending]:.{places}f}" for ending in ENDINGS)
