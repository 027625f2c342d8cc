"""Brings features to one scale inside the model: logarithm, clip to the range seen in training, zero mean, unit spread.

Clipping is what keeps a linear or a network model from running away on input far from its training; how far away it
was is the model's `unlikeness`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.training.graph import INPUT, Graph

RANGE = (0.5, 99.5)
"""Percentiles of the training samples between which a feature is taken as it is."""

FAR = 4.0
"""A single feature counts as at most so many spreads outside its range."""

_LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """Per feature, after the logarithm: the range seen, mean and spread."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, features: NDArray[np.float32]) -> "Scaling":
        """Return the scaling that suits these samples."""
        logs = _log(features)
        low, high = np.percentile(logs, RANGE, axis=0)
        clipped = np.clip(logs, low, high)
        spread = np.maximum(clipped.std(axis=0), _LEAST_SPREAD)
        return cls(low=low, high=high, mean=clipped.mean(axis=0), spread=spread)

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return features as a model wants them."""
        found: NDArray[np.float64] = (np.clip(_log(features), self.low, self.high) - self.mean) / self.spread
        return found

    def unlikeness(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how many spreads the features lie outside their ranges, on average over all of them."""
        logs = _log(features)
        beyond = np.abs(logs - np.clip(logs, self.low, self.high)) / self.spread
        found: NDArray[np.float64] = np.minimum(beyond, FAR).mean(axis=1)
        return found

    def write(self, graph: Graph, *, output: str) -> str:
        """Add both to a graph: return the name of the scaled features, and name the unlikeness `output`."""
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
