"""The event stream as tokens, and a small convolutional network over it: a rival that needs no features.

It is compared and never written: an estimate must follow from a prefix's features alone, so that a log can be replayed
without the stream. It shows what the features miss, or do not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from detectors.features.extractors.places import is_help_app
from evaluation.simulation.recording.pack import SUFFIX, read_packed
from evaluation.training.candidates import Floats, Scores, lesson_of
from evaluation.training.dataset import STATES, Samples
from evaluation.training.network import adam, both_losses
from evaluation.training.scaling import Scaling
from evaluation.training.splits import Fold
from storage.clock import NS_PER_S
from storage.records import EventKind, Focus, Frame, InputEvent, KeyClass, Record, WindowEvent

LENGTH = 128
"""Tokens that are seen: about half a minute of busy work."""

CHANNELS, KERNEL, STAGES = 32, 5, 4
BATCH = 128
_KINDS, _KEYS = tuple(EventKind), tuple(KeyClass)
_EVENT = 1 + len(_KINDS) + len(_KEYS)
WIDTH = _EVENT + 6 + 2 + 3 + 2 + 1
_SCREEN = 1920.0 * 1080.0
_DROP = 0.2


@dataclass(frozen=True, slots=True)
class Stream:
    """Tokens of a session, and when each happened."""

    at_ns: NDArray[np.int64]
    values: NDArray[np.float32]


def stream_of(rows: Iterable[Record]) -> Stream:
    """Return a token for each frame, input, change of focus and pop-up that is not ours; releases are left out."""
    times: list[int] = []
    tokens: list[NDArray[np.float32]] = []
    pointer, app = (960.0, 540.0), ""
    for row in rows:
        token = np.zeros(WIDTH, np.float32)
        if isinstance(row, InputEvent):
            if row.own or row.kind is EventKind.BUTTON_UP:
                continue
            pointer = _put_input(token, row, pointer)
        elif isinstance(row, Frame):
            area = sum(box.w * box.h for box in row.changed)
            token[_EVENT + 6 : _EVENT + 8] = (np.log1p(area) / np.log(_SCREEN), np.log1p(len(row.changed)))
        elif isinstance(row, Focus) and not row.own:
            token[_EVENT + 8 : _EVENT + 11] = (row.dialog, row.app != app, is_help_app(row.app))
            app = row.app
        elif isinstance(row, WindowEvent):
            token[_EVENT + 11 : _EVENT + 13] = (1.0, row.gone)
        else:
            continue
        token[-1] = 1.0
        token[0] = np.log1p((row.at_ns - times[-1]) / NS_PER_S) if times else 0.0
        times.append(row.at_ns)
        tokens.append(token)
    return Stream(np.array(times, np.int64), np.array(tokens, np.float32).reshape(-1, WIDTH))


def _put_input(token: NDArray[np.float32], row: InputEvent, pointer: tuple[float, float]) -> tuple[float, float]:
    token[1 + _KINDS.index(row.kind)] = 1.0
    if row.key_class is not None:
        token[1 + len(_KINDS) + _KEYS.index(row.key_class)] = 1.0
    at = pointer if row.x is None or row.y is None else (float(row.x), float(row.y))
    moved = (at[0] - pointer[0]) / 400.0, (at[1] - pointer[1]) / 400.0
    token[_EVENT : _EVENT + 6] = (*moved, np.log1p(row.path) / 5.0, np.log1p(row.count), row.dy / 3.0, row.dx / 3.0)
    return at


def streams_in(folder: Path, samples: Samples) -> list[Stream]:
    """Return the streams of all sessions of the samples, in their order."""
    return [stream_of(read_packed(folder / f"{facts.name}{SUFFIX}").rows) for facts in samples.sessions]


def sequences(samples: Samples, streams: Sequence[Stream]) -> NDArray[np.float32]:
    """Return for each plain sample its last tokens and one for the time since, older ones first; clips see no more."""
    found = np.zeros((len(samples), LENGTH, WIDTH), np.float32)
    columns = (samples.session, samples.clip, samples.start_ns, samples.end_ns)
    for at, (session, clip, start_ns, end_ns) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        stream = streams[session]
        first, last = np.searchsorted(stream.at_ns, (start_ns if clip else 0, end_ns))
        chosen = stream.values[max(first, last - LENGTH + 1) : last]
        if len(chosen):
            found[at, LENGTH - 1 - len(chosen) : LENGTH - 1] = chosen
            found[at, -1, 0] = np.log1p((end_ns - stream.at_ns[last - 1]) / NS_PER_S)
    return found


def score_streams(
    plain: Samples, streams: Sequence[Stream], parts: Sequence[Fold], *, epochs: int, seed: int
) -> Scores:
    """Return what the network says of every plain sample while its fold hides it; folds are those of plain samples."""
    data = sequences(plain, streams)
    scores = Scores(np.zeros((len(plain), len(STATES))), np.zeros(len(plain)))
    for part in parts:
        seen = plain.where(part.learn)
        lesson = lesson_of(seen, Scaling.of(seen.features))
        columns = (data[part.learn], seen.state, seen.need, lesson.state_weights, lesson.need_weights)
        layers = _learn(columns, epochs=epochs, seed=seed)
        said = _said(layers, data[part.score])
        scores.states[part.score], scores.need[part.score] = said[:, :-1], said[:, -1]
    return scores


# ---------------------------------------------------------------- the network


def _learn(columns: tuple[NDArray[Any], ...], *, epochs: int, seed: int) -> Any:
    data, state, need, *weights = columns
    known = (np.maximum(state, 0), need.astype(np.float32), *(one.astype(np.float32) for one in weights))
    key = jax.random.key(seed)
    key, *keys = jax.random.split(key, STAGES + 2)
    shapes = [(KERNEL, WIDTH if at == 0 else CHANNELS, CHANNELS) for at in range(STAGES)] + [(CHANNELS * 2, 10)]
    layers = [
        (jax.random.normal(one, shape) * np.sqrt(2.0 / np.prod(shape[:-1])), jnp.zeros(shape[-1]))
        for one, shape in zip(keys, shapes, strict=False)
    ]
    zeros = jax.tree.map(jnp.zeros_like, layers)
    optimiser = (layers, zeros, zeros, 0)
    rng = np.random.default_rng(seed)
    steps = -(-len(data) // BATCH)
    for _ in range(epochs):
        for rows in np.resize(rng.permutation(len(data)), (steps, BATCH)):
            key, one = jax.random.split(key)
            batch = (data[rows], *(column[rows] for column in known))
            optimiser = _step(optimiser, batch, one, float(steps * epochs))
    return optimiser[0]


@jax.jit
def _step(optimiser: Any, batch: Any, key: Any, whole: float) -> Any:
    def loss(layers: Any) -> Any:
        return both_losses(_forward(layers, batch[0], key), *batch[1:])

    return adam(optimiser, jax.grad(loss)(optimiser[0]), whole)


def _forward(layers: Any, data: Any, key: Any = None) -> Any:
    """Return ten columns; each stage halves the time, and at the end its last and its mean step are looked at."""
    x = data
    for matrix, bias in layers[:-1]:
        x = jax.lax.conv_general_dilated(x, matrix, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
        x = jax.nn.relu(x + bias)
    seen = jnp.concatenate((x[:, -1], x.mean(axis=1)), axis=1)
    if key is not None:
        seen = jnp.where(jax.random.bernoulli(key, 1.0 - _DROP, seen.shape), seen / (1.0 - _DROP), 0.0)
    return seen @ layers[-1][0] + layers[-1][1]


def _said(layers: Any, data: NDArray[np.float32]) -> Floats:
    parts = [np.asarray(_forward(layers, data[at : at + BATCH]), np.float64) for at in range(0, len(data), BATCH)]
    return np.concatenate(parts) if parts else np.zeros((0, len(STATES) + 1))
