"""What models learn from and what they are, and the simplest: logistic regressions. See `trees`, `network`, `blends`.

All see the same samples with the same weights, give logits of the nine states and log-odds of help need, and can write
themselves into a graph exactly. Weights make units (live windows, clips), states, and within them behaviors count alike
(what happened to be acted out often would else be learned by heart), and need half of what counts; calibration brings
the real share back afterwards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from evaluation.training.dataset import AWAY, STATES, Samples
from evaluation.training.graph import Graph
from evaluation.training.scaling import Scaling

Floats = NDArray[np.float64]
Features = NDArray[np.float32]

HARD_WEIGHT = 2.0
"""Hard negatives count this often: mistaking one costs an interruption, and they are rare."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Logits of the states [n, 9] and log-odds of help need [n], before calibration."""

    states: Floats
    need: Floats


class Fitted(Protocol):
    """A trained model."""

    def scores(self, features: Features, scaled: Floats) -> Scores:
        """Return the scores of samples, given plain and scaled."""
        ...

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add the model to a graph; return the names of state logits and need log-odds, [n, 9] and [n, 1]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a learner learns from: samples, scaled, with weights. A state weight is 0 for a person who is away."""

    samples: Samples
    scaled: Floats
    state_weights: Floats
    need_weights: Floats


Learner = Callable[[Lesson, int], Fitted]
"""Takes a lesson and a seed."""


def lesson_of(samples: Samples, scaling: Scaling) -> Lesson:
    """Return the samples with their weights."""
    hard = np.where(samples.hard_negative, HARD_WEIGHT, 1.0)
    needs, states = np.ones(len(samples)), np.where(samples.state == AWAY, 0.0, 1.0)
    _, behaviors = np.unique(samples.behavior, return_inverse=True)
    for unit in (samples.clip, ~samples.clip):
        for weights, kinds, factor in ((states, samples.state, 1.0), (needs, samples.need.astype(np.int64), hard)):
            _level(weights, unit, kinds * (behaviors.max() + 1) + behaviors)
            np.multiply(weights, np.where(unit, factor, 1.0), out=weights)
            _level(weights, unit, kinds)
    return Lesson(
        samples=samples,
        scaled=scaling.scaled(samples.features),
        state_weights=states / max(states.mean(), 1e-9),
        need_weights=needs / needs.mean(),
    )


def _level(weights: Floats, rows: NDArray[np.bool_], kinds: NDArray[np.int64]) -> None:
    """Let each kind among these rows weigh 1 in all, shared in proportion."""
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

    def learn(lesson: Lesson, seed: int) -> Fitted:
        known = lesson.samples.state != AWAY
        states = LogisticRegression(C=strength, max_iter=300, tol=1e-3, random_state=seed)
        states.fit(lesson.scaled[known], lesson.samples.state[known], sample_weight=lesson.state_weights[known])
        need = LogisticRegression(C=strength, max_iter=300, tol=1e-3, random_state=seed)
        need.fit(lesson.scaled, lesson.samples.need, sample_weight=lesson.need_weights)
        weights = np.vstack((states.coef_, need.coef_)).T
        return Linear(weights, np.concatenate((states.intercept_, need.intercept_)))

    return learn


def split_heads(graph: Graph, both: str) -> tuple[str, str]:
    """Part columns of states from the last one, of need."""
    axis, zero, cut = graph.whole([1]), graph.whole([0]), graph.whole([len(STATES)])
    states = graph.op("Slice", both, zero, cut, axis)
    return states, graph.op("Slice", both, cut, graph.whole([len(STATES) + 1]), axis)
