"""The finished model: candidate, scaling and calibration, and the ONNX file that `detectors.embedded` reads.

Calibration is fitted on scores of samples hidden by the folds, so that confidence is that on a new program and person:
one temperature for states, and a line through the log-odds of help need (Platt) at a stated base rate, over live
windows alone, since only those are estimated while somebody works. There are two lines, for input with digests of the
screen's tiles and without: a model that sees less is less sure, and recordings of people have no digests. Where a
desktop does not tell all of pixels, keys and clicks there is a third, which depends on what is missing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from detectors.embedded import UntrainedRaise
from detectors.features.table import BLANKS, FAILED_RUNS, REVISITED, VIEWS_AGAIN, features_hash
from lab.measure.metrics import prevalence_weights
from lab.training.candidates import FittedModel, Floats, Scaling, Scores
from lab.training.dataset import AWAY, NAMES, STATES, Samples
from lab.training.detector_metrics import Ending
from lab.training.graph import INPUT, Graph

BASE_RATE = 0.2
"""Share of windows with need to which log-odds are calibrated; the share that benchmarks here are weighted to."""

OOD_MARGIN = 2.0
"""The out-of-distribution score may be this many times the highest of any hidden program, person or behavior.

On those the model is still right: half and more of the top hundredth are people in trouble, in bursts of clicks or keys
faster than any in training, and to abstain there would be to abstain where help is needed.
"""

FAMILIAR = 0.999
"""Share of the samples within the limit where people's recordings set it."""

TILES_SEEN = "tiles_seen"
"""The feature that is 1 where there are digests of tiles."""

LACKING = (*BLANKS, "controls_seen")
"""Features that are 0 where something is not sensed, on which the line of blank input depends."""

RAISES = {
    REVISITED: UntrainedRaise(start=4.0, full=6.0, log_odds=6.0, most=0.6),
    VIEWS_AGAIN: UntrainedRaise(start=2.5, full=4.5, log_odds=6.0, most=0.6),
    FAILED_RUNS: UntrainedRaise(start=2.0, full=3.0, log_odds=6.0, most=0.6),
}
"""By views that are looked at again. Who turns pages to and fro neither types nor presses: calm, to a model, in every
program but those it knows. Of calm windows in the sessions to learn from, which have no patches, 1 in 5000 has over
4 of such views; a view that is known by patches counts a quarter at its second look, so fewer say more
(lab/docs/decisions.md). By runs that fail while an error comes back: no session to learn from has any, and typing
between looks like flow; the third is the second try in vain.
"""

DEMO_SCALE_SHARE = 0.25
"""Share of the scale that demos and scenes have."""

_STEEP = (0.05, 20.0)
_FREE = 100.0  # next to nothing holds the line back


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through log-odds."""

    slope: float
    offset: float

    def at(self, log_odds: Floats) -> Floats:
        """Return the log-odds on the line."""
        found: Floats = self.slope * log_odds + self.offset
        return found

    def lowered(self, by: float) -> "Line":
        """Return the line so much lower."""
        return replace(self, offset=self.offset - by)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankLine:
    """A line through log-odds where something is not sensed: first its values, then what each of `LACKING` adds."""

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    def at(self, log_odds: Floats, missing: NDArray[np.bool_]) -> Floats:
        """Return the log-odds on the line; `missing` has a column for each of `LACKING`."""
        slope = np.maximum(self.slopes[0] + missing @ np.array(self.slopes[1:]), _STEEP[0])
        found: Floats = slope * log_odds + self.offsets[0] + missing @ np.array(self.offsets[1:])
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Turns scores into probabilities.

    Attributes:
        temperature: divides state logits.
        with_tiles: line of need's log-odds where the input has digests of tiles.
        without_tiles: the same where it has none.
        blank: the same where pixels, keys or clicks are not told in full; None: nothing is known of that.
        ood_limit: the model abstains above this out-of-distribution score.
    """

    temperature: float
    with_tiles: Line
    without_tiles: Line
    ood_limit: float
    blank: BlankLine | None = None

    def states(self, logits: Floats) -> Floats:
        """Return probabilities of the states."""
        found: Floats = softmax(logits / self.temperature, axis=1)
        return found

    def need(self, log_odds: Floats, tiles_seen: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None) -> Floats:
        """Return calibrated log-odds of help need at `BASE_RATE`.

        Given which samples have digests of tiles, and which lack what (columns as in `LACKING`).
        """
        found: Floats = np.where(tiles_seen, self.with_tiles.at(log_odds), self.without_tiles.at(log_odds))
        if self.blank is None or missing is None:
            return found
        blank = missing[:, : len(BLANKS)].any(axis=1)
        told: Floats = np.where(blank, self.blank.at(log_odds, missing), found)
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class CalmScores:
    """Log-odds of need of people's calm prefixes, their weights with a sum of 1, and the limit of what is familiar."""

    need: Floats
    weights: Floats
    familiar_below: float


def calibrate(samples: Samples, scores: Scores, ood_score: Floats) -> Calibration:
    """Return the calibration fitted on scores of samples that the scoring models had not seen, one line for both."""
    line = need_line(samples, scores.need)
    known = samples.state != AWAY
    return Calibration(
        temperature=_temperature(samples.state[known], scores.states[known]),
        with_tiles=line,
        without_tiles=line,
        ood_limit=OOD_MARGIN * float(ood_score.max()),
    )


def need_line(samples: Samples, log_odds: Floats) -> Line:
    """Return the line through all live samples at `BASE_RATE`; demos and scenes are `DEMO_SCALE_SHARE` of the weight.

    Sessions with tasks are made of calm work that looks like trouble, more than any desk has, and one line through all
    would be theirs, as they are most of what there is. Demos and scenes are plainer. Which a desk is nearer to is not
    known.
    """
    live = ~samples.clip
    need, demos = samples.need[live], samples.from_demos[live]
    weights = np.zeros(len(need))
    for kind, share in ((demos, DEMO_SCALE_SHARE), (~demos, 1.0 - DEMO_SCALE_SHARE)):
        if kind.any():
            own = prevalence_weights(need[kind], BASE_RATE)
            weights[kind] = share * own / own.sum()
    return _line(need, log_odds[live], weights / weights.mean())


def missing_in(samples: Samples) -> NDArray[np.bool_]:
    """Return which samples lack what, with a column for each of `LACKING`."""
    found: NDArray[np.bool_] = np.stack([samples.feature(name) == 0 for name in LACKING], axis=1)
    return found


def blank_line(samples: Samples, log_odds: Floats) -> BlankLine | None:
    """Return the line through live samples that lack pixels, keys or clicks; None where there are too few."""
    live = ~samples.clip & samples.blank
    need, odds, missing = samples.need[live], log_odds[live], missing_in(samples)[live]
    if min(need.sum(), (~need).sum()) < len(LACKING):
        return None
    columns = np.column_stack((odds, missing, odds[:, None] * missing))
    found = LogisticRegression(C=_FREE, max_iter=1000).fit(
        columns, need, sample_weight=prevalence_weights(need, BASE_RATE)
    )
    weights, many = found.coef_[0], len(LACKING)
    return BlankLine(
        slopes=(float(weights[0]), *weights[many + 1 :].tolist()),
        offsets=(float(found.intercept_[0]), *weights[1 : many + 1].tolist()),
    )


def line_with_people(samples: Samples, log_odds: Floats, people: CalmScores) -> Line:
    """Return the line through all samples and people's calm prefixes, which are half of what is calm."""
    live = ~samples.clip
    need, odds = samples.need[live], log_odds[live]
    weights = prevalence_weights(need, BASE_RATE)
    calm = weights[~need].sum()
    weights = np.concatenate((np.where(need, weights, weights / 2), people.weights * calm / 2))
    need = np.concatenate((need, np.zeros(len(people.need), np.bool_)))
    return _line(need, np.concatenate((odds, people.need)), weights)


def familiar_limit(ood_score: Floats, people: CalmScores) -> float:
    """Return the score beyond which nearly all of people's input and nearly all of the samples do not lie."""
    return max(people.familiar_below, float(np.quantile(ood_score, FAMILIAR)))


def cross_fitted_need(samples: Samples, scores: Scores, fold: NDArray[np.int64]) -> Floats:
    """Return log-odds of need, each fold calibrated by a line fitted on the others: errors are those on new data."""
    found = np.zeros(len(samples))
    for number in np.unique(fold):
        own = fold == number
        found[own] = need_line(samples.where(~own), scores.need[~own]).at(scores.need[own])
    return found


def _temperature(truth: NDArray[np.int64], logits: Floats) -> float:
    def loss(log_temperature: float) -> float:
        likely = softmax(logits / np.exp(log_temperature), axis=1)[np.arange(len(truth)), truth]
        return float(-np.log(np.maximum(likely, 1e-12)).mean())

    bounds = tuple(float(np.log(bound)) for bound in _STEEP)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def _line(need: NDArray[np.bool_], log_odds: Floats, weights: Floats) -> Line:
    """Return the line with the least weighted log loss; its slope is never negative."""

    def loss(line: Floats) -> float:
        moved = np.exp(line[0]) * log_odds + line[1]
        return float((weights * (np.logaddexp(0.0, moved) - need * moved)).mean())

    found = minimize(loss, np.zeros(2), method="Nelder-Mead").x
    return Line(slope=float(np.exp(found[0])), offset=float(found[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Everything from features to probabilities."""

    scaling: Scaling
    fitted: FittedModel
    calibration: Calibration


def write_onnx(
    model: Model, *, version: str, trained: str, thresholds: Mapping[Ending, float], names: Sequence[str] = NAMES
) -> bytes:
    """Return the model as a file.

    Args:
        model: what was trained.
        version: of the model.
        trained: facts about the training, as JSON.
        thresholds: of the log-odds, for benchmarks alone.
        names: of the features that it reads, in order.
    """
    graph = Graph()
    scaled = model.scaling.write(graph, output="unlikeness")
    states, need = model.fitted.write(graph, scaled)
    cooled = graph.op("Mul", states, graph.constant(1.0 / model.calibration.temperature))
    graph.op("Softmax", cooled, axis=1, output="states")
    _write_need(graph, need, model.calibration, list(names))
    facts = {
        "features": json.dumps(list(names)),
        "features_hash": features_hash(names),
        "base_rate": repr(BASE_RATE),
        "unlike_above": repr(float(np.float32(model.calibration.ood_limit))),
        "version": version,
        "trained": trained,
        "thresholds": json.dumps(thresholds),
        **{name: json.dumps(asdict(one)) for name, one in RAISES.items()},
        **{f"{name}_hash": features_hash((name,)) for name in RAISES},
    }
    return graph.model(len(names), {"states": len(STATES), "need_log_odds": 1, "unlikeness": 1}, facts)


def _write_need(graph: Graph, need: str, calibration: Calibration, names: list[str]) -> None:
    """Add the line that holds for each sample."""
    tiles = graph.op("Gather", INPUT, graph.whole([names.index(TILES_SEEN)]), axis=1)
    seen = graph.op("Greater", tiles, graph.constant(0.0))
    lines = [
        graph.op("Add", graph.op("Mul", need, graph.constant(line.slope)), graph.constant(line.offset))
        for line in (calibration.with_tiles, calibration.without_tiles)
    ]
    if calibration.blank is None:
        graph.op("Where", seen, *lines, output="need_log_odds")
        return
    told = graph.op("Gather", INPUT, graph.whole([names.index(name) for name in LACKING]), axis=1)
    missing = graph.op("Sub", graph.constant(1.0), told)
    slope, offset = (
        graph.op("Gemm", missing, graph.constant(np.array(values[1:])[:, None]), graph.constant(np.array(values[:1])))
        for values in (calibration.blank.slopes, calibration.blank.offsets)
    )
    steep = graph.op("Max", slope, graph.constant(_STEEP[0]))
    blank = graph.op("Add", graph.op("Mul", need, steep), offset)
    told = graph.op("Gather", INPUT, graph.whole([names.index(name) for name in BLANKS]), axis=1)
    full = graph.op("Greater", graph.op("ReduceMin", told, axes=[1], keepdims=1), graph.constant(0.0))
    graph.op("Where", full, graph.op("Where", seen, *lines), blank, output="need_log_odds")
