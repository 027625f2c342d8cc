"""A small network with two heads (states, help need), trained in jax with dropout and weight decay.

Written out in a few lines because a training framework would weigh more than the rest of the training extra.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from evaluation.training.graph import Graph

Floats = NDArray[np.float64]

STATE_COUNT = 9
BATCH = 256
RATE = 2e-3
DECAY = 2e-2
DROP_INPUT, DROP_HIDDEN = 0.15, 0.3
DOUBT = 0.1
"""How much of a label is spread over all answers: scripts are not sure of their states either."""

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
        (jax.random.normal(one, (wide, out)) * np.sqrt(2.0 / wide), jnp.zeros(out))
        for one, wide, out in zip(keys, sizes[:-1], sizes[1:], strict=True)
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
            key, one = jax.random.split(key)
            state = _step(state, [column[rows] for column in columns], one, float(steps * epochs))
    return Layers([np.asarray(m, np.float64) for m, _ in state[0]], [np.asarray(b, np.float64) for _, b in state[0]])


@jax.jit
def _step(state: Any, rows: Any, key: Any, whole: float) -> Any:
    return adam(state, jax.grad(_loss)(state[0], rows, key), whole)


def _loss(layers: Any, rows: Any, key: Any) -> Any:
    scaled, truth, need, state_weights, need_weights = rows
    x = scaled
    for at, (matrix, bias) in enumerate(layers):
        key, one = jax.random.split(key)
        keep = 1.0 - (DROP_HIDDEN if at else DROP_INPUT)
        x = jnp.where(jax.random.bernoulli(one, keep, x.shape), x / keep, 0.0) @ matrix + bias
        x = jax.nn.relu(x) if at < len(layers) - 1 else x
    return both_losses(x, truth, need, state_weights, need_weights)


def both_losses(said: Any, truth: Any, need: Any, state_weights: Any, need_weights: Any) -> Any:
    """Return the loss of ten columns, nine state logits and the log-odds of need."""
    logs = jax.nn.log_softmax(said[:, :STATE_COUNT])
    sure = (1.0 - DOUBT) * jax.nn.one_hot(truth, STATE_COUNT) + DOUBT / STATE_COUNT
    state_loss = -(sure * logs).sum(axis=1)
    need = (1.0 - DOUBT) * need + DOUBT / 2.0
    need_loss = jnp.logaddexp(0.0, said[:, STATE_COUNT]) - need * said[:, STATE_COUNT]
    return (state_weights * state_loss + need_weights * need_loss).mean()


def adam(state: Any, gradient: Any, whole: float) -> Any:
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
