"""The candidates for a detector model: linear, boosted trees, a small network, and means of several.

All learn from the same samples with the same weights, give logits of the nine states and log-odds of help need, and
write themselves into an ONNX graph exactly. Features are brought to one scale inside the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, softmax
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from lab.training.dataset import AWAY, STATES, Samples
from lab.training.graph import INPUT, ML, Graph
from storage.records import State

Floats = NDArray[np.float64]
Features = NDArray[np.float32]

# ------------------------------------------------------------ scaling

RANGE = (0.5, 99.5)
"""Percentiles of the training samples to which features are clipped."""

FAR = 4.0
"""A single feature counts as at most so many spreads outside its range."""

_LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """Per feature, after the logarithm: the range of the training samples, mean and spread.

    Clipping to the range keeps linear models and networks from extrapolating; how far outside an input was is its
    out-of-distribution score.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, features: NDArray[np.float32]) -> "Scaling":
        """Return the scaling fitted on these samples."""
        logs = _log(features)
        low, high = np.percentile(logs, RANGE, axis=0)
        clipped = np.clip(logs, low, high)
        spread = np.maximum(clipped.std(axis=0), _LEAST_SPREAD)
        return cls(low=low, high=high, mean=clipped.mean(axis=0), spread=spread)

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return features clipped and scaled."""
        found: NDArray[np.float64] = (np.clip(_log(features), self.low, self.high) - self.mean) / self.spread
        return found

    def ood_score(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the out-of-distribution score: how many spreads the features lie outside their ranges, on average."""
        logs = _log(features)
        beyond = np.abs(logs - np.clip(logs, self.low, self.high)) / self.spread
        found: NDArray[np.float64] = np.minimum(beyond, FAR).mean(axis=1)
        return found

    def write(self, graph: Graph, *, output: str) -> str:
        """Add both to a graph: return the name of the scaled features; the output of the score is `output`."""
        logs = self._write_log(graph)
        clipped = graph.op("Min", graph.op("Max", logs, graph.constant(self.low)), graph.constant(self.high))
        narrow = graph.constant(1.0 / self.spread)
        beyond = graph.op("Mul", graph.op("Abs", graph.op("Sub", logs, clipped)), narrow)
        capped = graph.op("Min", beyond, graph.constant(FAR))
        graph.op("ReduceMean", capped, axes=[1], keepdims=1, output=output)
        return graph.op("Mul", graph.op("Sub", clipped, graph.constant(self.mean)), narrow)

    def _write_log(self, graph: Graph) -> str:
        grown = graph.op("Add", graph.op("Abs", INPUT), graph.constant(1.0))
        return graph.op("Mul", graph.op("Sign", INPUT), graph.op("Log", grown))


def _log(features: NDArray[np.float32]) -> NDArray[np.float64]:
    wide = features.astype(np.float64)
    found: NDArray[np.float64] = np.sign(wide) * np.log1p(np.abs(wide))
    return found


# ------------------------------------------------------------ what all learn from

HARD_WEIGHT = 2.0
"""Hard negatives count this often: mistaking one costs an interruption, and they are rare."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Logits of the states [n, 9] and log-odds of help need [n], before calibration."""

    states: Floats
    need: Floats


class FittedModel(Protocol):
    """A trained model."""

    def scores(self, features: Features, scaled: Floats) -> Scores:
        """Return the scores of samples, given plain and scaled."""
        ...

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add the model to a graph; return the names of state logits and need log-odds, [n, 9] and [n, 1]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSet:
    """Samples, scaled features and weights. A state weight is 0 for a person who is away."""

    samples: Samples
    scaled: Floats
    state_weights: Floats
    need_weights: Floats


SENSED_SHARE = 0.75
"""Share of the weight of sessions with all senses; the older ones, of gestures alone, have the rest."""

DEMO_WEIGHT_SHARE = 0.4
"""Share of demos and scenes in the weight of sessions with all senses; those with tasks have the rest."""

WHOLE_SHARE = 0.75
"""Share of sessions as they were recorded in the weight of each kind; with fewer senses they have the rest."""

Learner = Callable[[TrainingSet, int], FittedModel]
"""Takes a training set and a seed."""


def training_set_of(samples: Samples, scaling: Scaling) -> TrainingSet:
    """Return the samples with their weights.

    Units (live windows, clips), states, and within them behaviors weigh the same, or what happened to be simulated
    often would be memorized; need is half of the weight, which calibration corrects to the real share. A behavior in
    several tasks is one. Sessions with all senses weigh `SENSED_SHARE` where there are both kinds, and demos and scenes
    among them `DEMO_WEIGHT_SHARE`; what was made blank takes no more of that than `WHOLE_SHARE` leaves.
    """
    hard = np.where(samples.hard_negative, HARD_WEIGHT, 1.0)
    needs, states = np.ones(len(samples)), np.where(samples.state == AWAY, 0.0, 1.0)
    _, behaviors = np.unique(samples.script, return_inverse=True)
    sources = _sources_of(samples)
    for source in (rows for rows, _ in sources):
        for unit in (samples.clip & source, ~samples.clip & source):
            for weights, kinds, factor in ((states, samples.state, 1.0), (needs, samples.need.astype(np.int64), hard)):
                _level(weights, unit, kinds * (behaviors.max() + 1) + behaviors)
                np.multiply(weights, np.where(unit, factor, 1.0), out=weights)
                _level(weights, unit, kinds)
    for rows, share in sources:
        needs[rows] *= share
        states[rows] *= share
    return TrainingSet(
        samples=samples,
        scaled=scaling.scaled(samples.features),
        state_weights=states / max(states.mean(), 1e-9),
        need_weights=needs / needs.mean(),
    )


def _sources_of(samples: Samples) -> list[tuple[NDArray[np.bool_], float]]:
    """Return the kinds of sessions that there are: which samples are theirs, and how much they weigh."""
    sensed, demos = samples.both_senses, samples.from_demos
    tasks, demos = sensed & ~demos, sensed & demos
    of_tasks = 1.0 - DEMO_WEIGHT_SHARE if demos.any() else 1.0
    kinds = ((tasks, SENSED_SHARE * of_tasks), (demos, SENSED_SHARE * DEMO_WEIGHT_SHARE), (~sensed, 1.0 - SENSED_SHARE))
    whole = samples.plain
    of_whole = 1.0 if whole.all() else WHOLE_SHARE
    found = [(kind & whole, share * of_whole) for kind, share in kinds]
    found += [(kind & ~whole, share * (1.0 - of_whole)) for kind, share in kinds]
    return [(rows, share) for rows, share in found if rows.any()]


def _level(weights: Floats, rows: NDArray[np.bool_], kinds: NDArray[np.int64]) -> None:
    """Scale the weights of each kind among these rows to a sum of 1."""
    for kind in np.unique(kinds[rows]):
        own = rows & (kinds == kind)
        whole = weights[own].sum()
        if whole:
            weights[own] /= whole


@dataclass(frozen=True, slots=True)
class Linear:
    """Logistic regressions: multinomial for states, binary for need."""

    weights: Floats
    bias: Floats

    def scores(self, features: Features, scaled: Floats) -> Scores:  # noqa: ARG002  # the Protocol
        """Return the scores of samples."""
        both = scaled @ self.weights + self.bias
        return Scores(both[:, :-1], both[:, -1])

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add a matrix and a bias."""
        both = graph.op("Gemm", scaled, graph.constant(self.weights), graph.constant(self.bias))
        return split_heads(graph, both)


def learn_linear(strength: float) -> Learner:
    """Return a learner of logistic regressions; a smaller strength keeps weights smaller."""

    def learn(training_set: TrainingSet, seed: int) -> FittedModel:
        known = training_set.samples.state != AWAY
        states = LogisticRegression(C=strength, max_iter=300, tol=1e-3, random_state=seed)
        states.fit(
            training_set.scaled[known],
            training_set.samples.state[known],
            sample_weight=training_set.state_weights[known],
        )
        need = LogisticRegression(C=strength, max_iter=300, tol=1e-3, random_state=seed)
        need.fit(training_set.scaled, training_set.samples.need, sample_weight=training_set.need_weights)
        weights = np.vstack((states.coef_, need.coef_)).T
        return Linear(weights, np.concatenate((states.intercept_, need.intercept_)))

    return learn


def split_heads(graph: Graph, both: str) -> tuple[str, str]:
    """Split the columns of states from the last one, of need."""
    axis, zero, cut = graph.whole([1]), graph.whole([0]), graph.whole([len(STATES)])
    states = graph.op("Slice", both, zero, cut, axis)
    return states, graph.op("Slice", both, cut, graph.whole([len(STATES) + 1]), axis)


# ------------------------------------------------------------ trees

CUTS = 47
"""Most cuts of a feature that trees may split at."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Gradient boosted trees on ranked features: for each round one tree a state, and one for need."""

    ranks: "Ranks"
    states: Any
    need: Any

    def scores(self, features: Features, scaled: Floats) -> Scores:  # noqa: ARG002  # the Protocol
        """Return the scores of samples."""
        ranked = self.ranks.transform(features)
        return Scores(self.states.decision_function(ranked), self.need.decision_function(ranked))

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:  # noqa: ARG002  # same
        """Add two ensembles."""
        return self._write(graph, self.states), self._write(graph, self.need)

    def _write(self, graph: Graph, model: Any) -> str:
        """Add scikit-learn's ensemble; its fitted trees have no public API, so the version range is kept narrow."""
        table = _TreeTable(self.ranks)
        for one_round in model._predictors:  # noqa: SLF001  # see above
            for target, tree in enumerate(one_round):
                table.add(tree.nodes, target)
        base = np.asarray(model._baseline_prediction, np.float64).reshape(1, -1)  # noqa: SLF001  # same
        summed = graph.op("TreeEnsemble", INPUT, domain=ML, n_targets=base.shape[1], **table.attributes())
        return graph.op("Add", summed, graph.constant(base))


@dataclass(frozen=True, slots=True)
class Ranks:
    """Turns each feature into the number of its cuts that lie below it.

    scikit-learn would choose such cuts itself, with sample weights at a hundred times the cost; and between float32
    cuts that are values of the data, trees and graph compare the same numbers exactly.
    """

    cuts: Sequence[Features]

    @classmethod
    def of(cls, features: Features) -> "Ranks":
        """Return cuts at quantiles."""
        inner = np.linspace(0.0, 1.0, CUTS + 2)[1:-1]
        return cls([np.unique(np.quantile(column, inner, method="lower")) for column in features.T])

    def transform(self, features: Features) -> Floats:
        """Return the ranks: `rank <= k` where `feature <= cuts[k]`."""
        columns = [np.searchsorted(cuts, column) for cuts, column in zip(self.cuts, features.T, strict=True)]
        return np.array(columns, np.float64).T


def learn_trees(*, rounds: int, state_rounds: int, leaves: int, rate: float = 0.06) -> Learner:
    """Return a learner of boosted trees: `rounds` for need, `state_rounds` for states, at twice the rate."""

    def learn(training_set: TrainingSet, seed: int) -> FittedModel:
        shape = {
            "max_leaf_nodes": leaves,
            "min_samples_leaf": 30,
            "l2_regularization": 5.0,
            "max_features": 0.3,
            "early_stopping": False,
            "random_state": seed,
        }
        known = training_set.samples.state != AWAY
        ranks = Ranks.of(training_set.samples.features)
        ranked = ranks.transform(training_set.samples.features)
        states = HistGradientBoostingClassifier(max_iter=state_rounds, learning_rate=2 * rate, **shape)
        need = HistGradientBoostingClassifier(max_iter=rounds, learning_rate=rate, **shape)
        with threadpool_limits(1):  # on a busy machine OpenMP's threads would mostly spin, waiting for each other
            states.fit(
                ranked[known], training_set.samples.state[known], sample_weight=training_set.state_weights[known]
            )
            need.fit(ranked, training_set.samples.need, sample_weight=training_set.need_weights)
        return Trees(ranks, states, need)

    return learn


class _TreeTable:
    """Trees in the columns of ONNX's TreeEnsemble: inner nodes and leaves are numbered apart."""

    def __init__(self, ranks: Ranks) -> None:
        self._cuts = ranks.cuts
        self._roots: list[int] = []
        self._features: list[int] = []
        self._splits: list[float] = []
        self._true: list[tuple[int, int]] = []
        self._false: list[tuple[int, int]] = []
        self._targets: list[int] = []
        self._values: list[float] = []

    def add(self, nodes: Any, target: int) -> None:
        """Add one tree; a tree that is a single leaf becomes a split whose two sides are the same."""
        self._roots.append(len(self._features))
        if nodes[0]["is_leaf"]:
            leaf = self._leaf(nodes[0], target)
            self._inner(0, 0.0, leaf, leaf)
            return
        self._grow(nodes, 0, target)

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the node."""
        from onnx import TensorProto, helper

        many, leaves = len(self._features), len(self._values)
        return {
            "nodes_featureids": self._features,
            "nodes_splits": helper.make_tensor("splits", TensorProto.FLOAT, [many], self._splits),
            "nodes_modes": helper.make_tensor("modes", TensorProto.UINT8, [many], [0] * many),
            "nodes_truenodeids": [number for number, _ in self._true],
            "nodes_trueleafs": [is_leaf for _, is_leaf in self._true],
            "nodes_falsenodeids": [number for number, _ in self._false],
            "nodes_falseleafs": [is_leaf for _, is_leaf in self._false],
            "leaf_targetids": self._targets,
            "leaf_weights": helper.make_tensor("weights", TensorProto.FLOAT, [leaves], self._values),
            "tree_roots": self._roots,
            "aggregate_function": 1,
            "post_transform": 0,
        }

    def _grow(self, nodes: Any, at: int, target: int) -> tuple[int, int]:
        node = nodes[at]
        if node["is_leaf"]:
            return self._leaf(node, target)
        feature = int(node["feature_idx"])
        cut = float(self._cuts[feature][int(node["num_threshold"])])
        number = self._inner(feature, cut, (0, 0), (0, 0))
        self._true[number] = self._grow(nodes, int(node["left"]), target)
        self._false[number] = self._grow(nodes, int(node["right"]), target)
        return number, 0

    def _inner(self, feature: int, split: float, true: tuple[int, int], false: tuple[int, int]) -> int:
        self._features.append(feature)
        self._splits.append(split)
        self._true.append(true)
        self._false.append(false)
        return len(self._features) - 1

    def _leaf(self, node: Any, target: int) -> tuple[int, int]:
        self._targets.append(target)
        self._values.append(float(node["value"]))
        return len(self._values) - 1, 1


# ------------------------------------------------------------ network

STATE_COUNT = 9
BATCH = 256
RATE = 2e-3
DECAY = 2e-2
DROP_INPUT, DROP_HIDDEN = 0.15, 0.3
LABEL_SMOOTHING = 0.1
"""Label smoothing: a simulated state is not certain either."""

_MOMENTS = (0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Layers:
    """Matrices and biases, from input to the ten outputs; ReLU between."""

    matrices: Sequence[Floats]
    biases: Sequence[Floats]

    def forward(self, scaled: Floats) -> Floats:
        """Return nine state logits and the log-odds of need, in columns."""
        x = scaled
        for matrix, bias in zip(self.matrices[:-1], self.biases[:-1], strict=True):
            x = np.maximum(x @ matrix + bias, 0.0)
        found: Floats = x @ self.matrices[-1] + self.biases[-1]
        return found

    def write(self, graph: Graph, scaled: str) -> str:
        """Add the layers to a graph; return the name of the ten columns."""
        x = scaled
        for at, (matrix, bias) in enumerate(zip(self.matrices, self.biases, strict=True)):
            x = graph.op("Gemm", x, graph.constant(matrix), graph.constant(bias))
            x = graph.op("Relu", x) if at < len(self.matrices) - 1 else x
        return x


def learn_layers(
    scaled: Floats,
    targets: tuple[NDArray[np.int64], NDArray[np.bool_]],
    weights: tuple[Floats, Floats],
    *,
    widths: tuple[int, ...],
    epochs: int,
    seed: int,
) -> Layers:
    """Train on scaled features; a state weight of 0 leaves a sample out of that question."""
    key = jax.random.key(seed)
    sizes = (scaled.shape[1], *widths, STATE_COUNT + 1)
    key, *keys = jax.random.split(key, len(sizes))
    layers = [
        (jax.random.normal(part, (wide, out)) * np.sqrt(2.0 / wide), jnp.zeros(out))
        for part, wide, out in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]
    narrow = [np.asarray(column, np.float32) for column in (scaled, targets[1], *weights)]
    columns = (narrow[0], np.maximum(targets[0], 0), *narrow[1:])
    zeros = jax.tree.map(jnp.zeros_like, layers)
    state = (layers, zeros, zeros, 0)
    rng = np.random.default_rng(seed)
    steps = -(-len(scaled) // BATCH)
    for _ in range(epochs):
        order = np.resize(rng.permutation(len(scaled)), (steps, BATCH))  # one shape for all: compiled once
        for rows in order:
            key, part = jax.random.split(key)
            state = _step(state, [column[rows] for column in columns], part, float(steps * epochs))
    return Layers([np.asarray(m, np.float64) for m, _ in state[0]], [np.asarray(b, np.float64) for _, b in state[0]])


@jax.jit
def _step(state: Any, rows: Any, key: Any, whole: float) -> Any:
    return _adam(state, jax.grad(_loss)(state[0], rows, key), whole)


def _loss(layers: Any, rows: Any, key: Any) -> Any:
    """Return the loss of states and need together, with dropout."""
    scaled, truth, need, state_weights, need_weights = rows
    x = scaled
    for at, (matrix, bias) in enumerate(layers):
        key, part = jax.random.split(key)
        keep = 1.0 - (DROP_HIDDEN if at else DROP_INPUT)
        x = jnp.where(jax.random.bernoulli(part, keep, x.shape), x / keep, 0.0) @ matrix + bias
        x = jax.nn.relu(x) if at < len(layers) - 1 else x
    logs = jax.nn.log_softmax(x[:, :STATE_COUNT])
    smoothed = (1.0 - LABEL_SMOOTHING) * jax.nn.one_hot(truth, STATE_COUNT) + LABEL_SMOOTHING / STATE_COUNT
    state_loss = -(smoothed * logs).sum(axis=1)
    need = (1.0 - LABEL_SMOOTHING) * need + LABEL_SMOOTHING / 2.0
    need_loss = jnp.logaddexp(0.0, x[:, STATE_COUNT]) - need * x[:, STATE_COUNT]
    return (state_weights * state_loss + need_weights * need_loss).mean()


def _adam(state: Any, gradient: Any, whole: float) -> Any:
    """Return the state after one step of AdamW with a cosine falling to zero over the whole training."""
    layers, first, second, done = state
    done = done + 1
    slow, slower = _MOMENTS
    first = jax.tree.map(lambda old, new: slow * old + (1 - slow) * new, first, gradient)
    second = jax.tree.map(lambda old, new: slower * old + (1 - slower) * new**2, second, gradient)
    rate = RATE * 0.5 * (1.0 + jnp.cos(jnp.pi * done / whole))

    def moved(value: Any, mean: Any, square: Any) -> Any:
        step = (mean / (1 - slow**done)) / (jnp.sqrt(square / (1 - slower**done)) + 1e-8)
        return value - rate * (step + (DECAY * value if value.ndim > 1 else 0.0))

    return jax.tree.map(moved, layers, first, second), first, second, done


# ------------------------------------------------------------ means of several

TROUBLE_STATES = tuple(
    STATES.index(state) for state in (State.FRUSTRATION, State.DEBUGGING, State.SEEKING_EXTERNAL_HELP)
)
"""States in which help can be needed."""

_EDGE = 1e-6  # their share is limited to this distance from 0 and 1


@dataclass(frozen=True, slots=True)
class Network:
    """A small network with one trunk for states and need; several seeds are averaged."""

    members: Sequence[Layers]

    def scores(self, features: Features, scaled: Floats) -> Scores:  # noqa: ARG002  # the Protocol
        """Return the scores of samples."""
        both = np.mean([member.forward(scaled) for member in self.members], axis=0)
        return Scores(both[:, :-1], both[:, -1])

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add each member and their mean."""
        parts = [split_heads(graph, member.write(graph, scaled)) for member in self.members]
        return graph.op("Mean", *(states for states, _ in parts)), graph.op("Mean", *(need for _, need in parts))


def learn_network(*, widths: tuple[int, ...], epochs: int, members: int = 3) -> Learner:
    """Return a learner of small networks."""

    def learn(training_set: TrainingSet, seed: int) -> FittedModel:
        targets = (training_set.samples.state, training_set.samples.need)
        weights = (training_set.state_weights, training_set.need_weights)
        return Network(
            [
                learn_layers(
                    training_set.scaled, targets, weights, widths=widths, epochs=epochs, seed=seed * members + member
                )
                for member in range(members)
            ]
        )

    return learn


@dataclass(frozen=True, slots=True)
class Blend:
    """The mean of several models' scores, with `add_trouble_odds`."""

    members: Sequence[FittedModel]

    def scores(self, features: Features, scaled: Floats) -> Scores:
        """Return the scores of samples."""
        return add_trouble_odds(mean_scores([member.scores(features, scaled) for member in self.members]))

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add each member, their mean, and the log-odds of trouble."""
        parts = [member.write(graph, scaled) for member in self.members]
        states = graph.op("Mean", *(states for states, _ in parts))
        need = graph.op("Mean", *(need for _, need in parts))
        troubled = graph.op("Gather", graph.op("Softmax", states, axis=1), graph.whole(list(TROUBLE_STATES)), axis=1)
        share = graph.op("ReduceSum", troubled, graph.whole([1]), keepdims=1)
        share = graph.op("Clip", share, graph.constant(_EDGE), graph.constant(1.0 - _EDGE))
        others = graph.op("Sub", graph.constant(1.0), share)
        odds = graph.op("Sub", graph.op("Log", share), graph.op("Log", others))
        return states, graph.op("Add", need, odds)


def add_trouble_odds(scores: Scores) -> Scores:
    """Add the log-odds of the states in which help can be needed to those of need: states are evidence of need too."""
    share = softmax(scores.states, axis=1)[:, list(TROUBLE_STATES)].sum(axis=1)
    return Scores(scores.states, scores.need + logit(np.clip(share, _EDGE, 1.0 - _EDGE)))


def mean_scores(parts: Sequence[Scores]) -> Scores:
    """Return the mean of several models' scores of the same samples."""
    return Scores(np.mean([part.states for part in parts], axis=0), np.mean([part.need for part in parts], axis=0))


def learners(*, quick: bool = False) -> Mapping[str, Learner]:
    """Return the learners by name; `quick` ones are small, for tests and tiny data."""
    return {
        "linear": learn_linear(0.001),
        "trees": learn_trees(rounds=20, state_rounds=20, leaves=6)
        if quick
        else learn_trees(rounds=240, state_rounds=60, leaves=8),
        "network": learn_network(widths=(96, 32), epochs=8 if quick else 10, members=1 if quick else 3),
    }


CANDIDATES: Mapping[str, tuple[str, ...]] = {
    "linear": ("linear",),
    "trees": ("trees",),
    "network": ("network",),
    "linear + network": ("linear", "network"),
    "trees + network": ("trees", "network"),
    "linear + trees + network": ("linear", "trees", "network"),
}
"""Candidates: single models and means of several, by the names of `learners`."""
