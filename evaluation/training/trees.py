"""Gradient boosted trees on ranked features, written into ONNX exactly as scikit-learn grew them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from evaluation.training.candidates import Features, Fitted, Floats, Learner, Lesson, Scores
from evaluation.training.dataset import AWAY
from evaluation.training.graph import INPUT, ML, Graph

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
        ranked = self.ranks.of(features)
        return Scores(self.states.decision_function(ranked), self.need.decision_function(ranked))

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:  # noqa: ARG002  # same
        """Add two ensembles."""
        return self._write(graph, self.states), self._write(graph, self.need)

    def _write(self, graph: Graph, model: Any) -> str:
        """Add scikit-learn's ensemble; its fitted trees have no public face, so the version range is kept narrow."""
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
    def learnt(cls, features: Features) -> "Ranks":
        """Return cuts at quantiles."""
        inner = np.linspace(0.0, 1.0, CUTS + 2)[1:-1]
        return cls([np.unique(np.quantile(column, inner, method="lower")) for column in features.T])

    def of(self, features: Features) -> Floats:
        """Return the ranks: `rank <= k` where `feature <= cuts[k]`."""
        columns = [np.searchsorted(cuts, column) for cuts, column in zip(self.cuts, features.T, strict=True)]
        return np.array(columns, np.float64).T


def learn_trees(*, rounds: int, leaves: int, rate: float = 0.06) -> Learner:
    """Return a learner of boosted trees."""

    def learn(lesson: Lesson, seed: int) -> Fitted:
        shape = {
            "max_iter": rounds,
            "max_leaf_nodes": leaves,
            "learning_rate": rate,
            "min_samples_leaf": 30,
            "l2_regularization": 5.0,
            "max_features": 0.3,
            "early_stopping": False,
            "random_state": seed,
        }
        known = lesson.samples.state != AWAY
        ranks = Ranks.learnt(lesson.samples.features)
        ranked = ranks.of(lesson.samples.features)
        states, need = HistGradientBoostingClassifier(**shape), HistGradientBoostingClassifier(**shape)
        with threadpool_limits(1):  # on a busy machine OpenMP's threads would mostly spin, waiting for each other
            states.fit(ranked[known], lesson.samples.state[known], sample_weight=lesson.state_weights[known])
            need.fit(ranked, lesson.samples.need, sample_weight=lesson.need_weights)
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
