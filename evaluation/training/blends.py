"""Networks, means of several models, and the list of what is compared.

What a model says of states tells about help need too: somebody in trouble or looking for help needs it, sooner or
later. So the log-odds of the three states in which help can be needed are added to the model's own log-odds of need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit, softmax

from evaluation.training.candidates import (
    Features,
    Fitted,
    Floats,
    Learner,
    Lesson,
    Scores,
    learn_linear,
    split_heads,
)
from evaluation.training.dataset import STATES
from evaluation.training.graph import Graph
from evaluation.training.network import Layers, learn_layers
from evaluation.training.trees import learn_trees
from storage.records import State

TROUBLE = tuple(STATES.index(state) for state in (State.FRUSTRATION, State.DEBUGGING, State.SEEKING_EXTERNAL_HELP))
"""States in which help can be needed."""

_EDGE = 1e-6  # their share is kept this far from 0 and 1


@dataclass(frozen=True, slots=True)
class Network:
    """A small network with one trunk for both questions; several seeds are averaged."""

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

    def learn(lesson: Lesson, seed: int) -> Fitted:
        targets = (lesson.samples.state, lesson.samples.need)
        weights = (lesson.state_weights, lesson.need_weights)
        return Network(
            [
                learn_layers(lesson.scaled, targets, weights, widths=widths, epochs=epochs, seed=seed * members + one)
                for one in range(members)
            ]
        )

    return learn


@dataclass(frozen=True, slots=True)
class Blend:
    """The mean of several models' scores, with need as `with_trouble` says."""

    members: Sequence[Fitted]

    def scores(self, features: Features, scaled: Floats) -> Scores:
        """Return the scores of samples."""
        return with_trouble(mean_scores([member.scores(features, scaled) for member in self.members]))

    def write(self, graph: Graph, scaled: str) -> tuple[str, str]:
        """Add each member, their mean, and the log-odds of trouble."""
        parts = [member.write(graph, scaled) for member in self.members]
        states = graph.op("Mean", *(states for states, _ in parts))
        need = graph.op("Mean", *(need for _, need in parts))
        troubled = graph.op("Gather", graph.op("Softmax", states, axis=1), graph.whole(list(TROUBLE)), axis=1)
        share = graph.op("ReduceSum", troubled, graph.whole([1]), keepdims=1)
        share = graph.op("Clip", share, graph.constant(_EDGE), graph.constant(1.0 - _EDGE))
        others = graph.op("Sub", graph.constant(1.0), share)
        odds = graph.op("Sub", graph.op("Log", share), graph.op("Log", others))
        return states, graph.op("Add", need, odds)


def with_trouble(scores: Scores) -> Scores:
    """Return scores in which the log-odds of the states of trouble are added to those of need."""
    share = softmax(scores.states, axis=1)[:, list(TROUBLE)].sum(axis=1)
    return Scores(scores.states, scores.need + logit(np.clip(share, _EDGE, 1.0 - _EDGE)))


def mean_scores(parts: Sequence[Scores]) -> Scores:
    """Return the mean of several models' scores of the same samples."""
    return Scores(np.mean([part.states for part in parts], axis=0), np.mean([part.need for part in parts], axis=0))


def learners(*, quick: bool = False) -> Mapping[str, Learner]:
    """Return what learns, by name; `quick` ones are small, for tests and tiny data."""
    return {
        "linear": learn_linear(0.001),
        "trees": learn_trees(rounds=20, leaves=6) if quick else learn_trees(rounds=120, leaves=8),
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
"""What is compared: single models, and means of several; by the names of `learners`."""
