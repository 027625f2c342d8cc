"""Works out the graph of a model file in numpy: the few operators that `kairos train` writes, and no others.

A runtime for any graph would take 20 MB of memory in every process that loads a model. Numbers are float32 throughout,
and splits of trees compare the very same numbers as in training, so results are those of onnxruntime but for the order
of sums (`tests/detectors/test_graph.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectors.model_file import FOREIGN, INTS, Message, RefusedError

INPUT = "features"
OUTPUTS = ("states", "need_log_odds", "unlikeness")  # the last is the out-of-distribution score

Array = NDArray[Any]
_DTYPES = {1: "<f4", 2: "u1", 7: "<i8"}  # of tensors, by ONNX's number
_FLOAT, _BYTE = 1, 2
_MOST = 64  # levels of a tree, inputs of a step
_WIDEST = 10_000  # sides of constants, and results
_STEPS = 1_000  # the shipped model has 61
_ACROSS = {"axis": 1}
_KEPT = {"axes": [1], "keepdims": 1}
_FAULTS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, MemoryError)


class Graph:
    """A graph with one input, rows of `width` features, and the outputs of `OUTPUTS`."""

    def __init__(self, content: bytes) -> None:
        """Read the graph of a model file.

        Raises:
            RefusedError: it is no ONNX file, or holds what `kairos train` does not write.
        """
        model = Message(content, slice(0, len(content)), numbers=(1, 5), pieces=(2, 3, 4, 6, 7, 8, 14))
        graph = Message(content, model.piece(7), pieces=(1, 2, 5, 11, 12))
        self._values: dict[str, Array] = dict(_tensor(content, piece) for piece in graph.pieces[5])
        if len(graph.pieces[1]) > _STEPS or not all(map(_is_table, self._values.values())):
            raise RefusedError(FOREIGN)
        self._steps = [_step(content, piece, self._values) for piece in graph.pieces[1]]
        self.width = _width(content, graph.piece(11))
        try:
            found = self._work_out(_Rows({**self._values, INPUT: np.zeros((1, self.width), np.float32)}))
        except _FAULTS as error:  # values that do not fit together
            raise RefusedError(FOREIGN) from error
        self.widths = tuple(output.shape[1] if output.ndim == 2 else 0 for output in found)  # noqa: PLR2004  # rows

    def run(self, rows: NDArray[np.float32]) -> tuple[Array, ...]:
        """Return the outputs for rows of features, as arrays [rows, width of the output]."""
        return self._work_out({**self._values, INPUT: rows})

    def _work_out(self, values: dict[str, Array]) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):  # what is no number passes through, as anywhere else
            for operator, inputs, output in self._steps:
                values[output] = operator(*[values[name] for name in inputs])
        return tuple(values[name] for name in OUTPUTS)


class _Rows(dict[str, Array]):
    """Takes rows of bounded width alone: without that a few bytes of file would ask for any amount of memory."""

    def __setitem__(self, name: str, value: Array) -> None:
        if not _is_row(value) or not _is_table(value):
            raise RefusedError(FOREIGN)
        super().__setitem__(name, value)


def _is_table(value: Array) -> bool:
    return value.ndim <= 2 and max(value.shape, default=0) <= _WIDEST  # noqa: PLR2004  # rows and columns


def _is_row(value: Array) -> bool:
    return value.ndim < 2 or value.shape[:-1] == (1,)  # noqa: PLR2004  # rows


class _Trees:
    """An ensemble of trees: each adds the weight of the leaf that it comes to, to that leaf's target.

    Inner nodes and leaves are numbered in one row, leaves last; a leaf leads to itself.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        if given["nodes_modes"].any() or given["aggregate_function"] != 1 or given["post_transform"]:
            raise RefusedError(FOREIGN)
        self._features, self._splits = given["nodes_featureids"], given["nodes_splits"]
        self._targets, self._weights = given["leaf_targetids"], given["leaf_weights"]
        self._roots, self._many = given["tree_roots"], given["n_targets"]
        self._inner, leaves = len(self._features), len(self._weights)
        self._false, self._true = (
            given[f"nodes_{side}nodeids"] + self._inner * given[f"nodes_{side}leafs"] for side in ("false", "true")
        )
        self._leaves = np.arange(self._inner, self._inner + leaves)
        followed = np.concatenate((self._false, self._true, self._roots))
        fits = _are_below(followed, self._inner + leaves) and _are_below(self._targets, self._many)
        if len(self._targets) != leaves or self._many > _WIDEST or not fits or not _are_below(self._features, _WIDEST):
            raise RefusedError(FOREIGN)
        self._depth, at = 0, self._roots
        while (at := at[at < self._inner]).size:
            reached = np.zeros(self._inner + leaves, np.bool_)
            reached[self._false[at]] = reached[self._true[at]] = True
            self._depth, at = self._depth + 1, np.flatnonzero(reached)
            if self._depth > _MOST:  # or round and round
                raise RefusedError(FOREIGN)

    def __call__(self, rows: NDArray[np.float32]) -> Array:
        if rows.ndim < 2:  # noqa: PLR2004  # or each of its numbers would count as a row
            raise RefusedError(FOREIGN)
        return np.array([self._sums(row) for row in rows])

    def _sums(self, row: NDArray[np.float32]) -> Array:
        lower = row.take(self._features) <= self._splits
        leads_to = np.concatenate((np.where(lower, self._true, self._false), self._leaves))
        at = self._roots
        for _ in range(self._depth):
            at = leads_to.take(at)
        leaves, sums = at - self._inner, np.zeros(self._many, np.float32)
        np.add.at(sums, self._targets.take(leaves), self._weights.take(leaves))  # one after the other, as they stand
        return sums


def _are_below(numbers: Array, end: int) -> bool:
    return bool(((numbers >= 0) & (numbers < end)).all())


def _softmax(x: Array) -> Array:
    grown: Array = np.exp(x - np.maximum.reduce(x, axis=1, keepdims=True))
    grown /= np.add.reduce(grown, axis=1, keepdims=True)
    return grown


def _columns(x: Array, start: Array, end: Array, _axis: Array) -> Array:
    return x[:, start[0] : end[0]]  # whole numbers of the file's own: what is worked out is a row


_OPERATORS: Mapping[str, tuple[Callable[..., Array], Mapping[str, object]]] = {
    "Abs": (np.abs, {}),
    "Add": (np.add, {}),
    "Clip": (lambda x, low, high: np.minimum(np.maximum(x, low), high), {}),
    "Gather": (lambda x, at: x.take(at, axis=1), _ACROSS),
    "Gemm": (lambda x, weights, bias: x @ weights + bias, {}),
    "Greater": (np.greater, {}),
    "Log": (np.log, {}),
    "Max": (np.maximum, {}),
    "Mean": (lambda *parts: sum(parts) / np.float32(len(parts)), {}),
    "Min": (np.minimum, {}),
    "Mul": (np.multiply, {}),
    "ReduceMean": (
        lambda x: np.add.reduce(x, axis=1, keepdims=True) / np.float32(x.shape[1]),
        {"axes": [1], "keepdims": 1},
    ),
    "ReduceMin": (lambda x: np.minimum.reduce(x, axis=1, keepdims=True), _KEPT),
    "ReduceSum": (lambda x, _axis: np.add.reduce(x, axis=1, keepdims=True), {"keepdims": 1}),
    "Relu": (lambda x: np.maximum(x, np.float32(0.0)), {}),
    "Sign": (np.sign, {}),
    "Slice": (_columns, {}),
    "Softmax": (_softmax, _ACROSS),
    "Sub": (np.subtract, {}),
    "Where": (np.where, {}),
}
"""What `kairos train` writes, with the attributes it gives them."""


def _step(
    content: bytes, piece: slice, constants: Mapping[str, Array]
) -> tuple[Callable[..., Array], Sequence[str], str]:
    """Return what a node works out, of which values, and the name of its result."""
    node = Message(content, piece, pieces=(1, 2, 3, 4, 5, 7))
    kind, given = node.text(4), dict(_attribute(content, piece) for piece in node.pieces[5])
    inputs, (output,) = node.texts(1), node.texts(2)
    rows = [constants[name] for place, name in enumerate(inputs) if name in constants and (kind, place) != ("Gemm", 1)]
    if output in constants or len(inputs) > _MOST or not all(map(_is_row, rows)):
        raise RefusedError(FOREIGN)
    if kind == "TreeEnsemble":
        try:
            return _Trees(given), inputs, output
        except _FAULTS as error:
            raise RefusedError(FOREIGN) from error
    operator, attributes = _OPERATORS.get(kind, (None, {}))
    told = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in given.items()}
    if operator is None or told != attributes or len(inputs) != getattr(operator, "nin", len(inputs)):
        raise RefusedError(FOREIGN)
    return operator, inputs, output


def _attribute(content: bytes, piece: slice) -> tuple[str, Any]:
    """Return name and value of an attribute: a number, whole numbers, or a tensor."""
    found = Message(content, piece, numbers=(3, 20), pieces=(1, 5, INTS))
    values = [*found.numbers[3], *(_whole_numbers(content, run) for run in found.pieces[INTS])]
    values += [_tensor(content, tensor)[1] for tensor in found.pieces[5]]
    if len(values) != 1:
        raise RefusedError(FOREIGN)
    return found.text(1), values[0]


def _whole_numbers(content: bytes, run: slice) -> NDArray[np.int64]:
    """Return the numbers of a run, each behind its tag."""
    digits = np.frombuffer(content[run], np.uint8)
    ends = np.flatnonzero(digits < 0x80)  # noqa: PLR2004  # the last byte of a number has no highest bit
    starts = np.concatenate(([0], ends[:-1] + 1))[1::2]  # every other one is a tag
    lengths, found = ends[1::2] - starts, np.zeros(len(starts), np.int64)
    for place in range(int(lengths.max()) + 1):
        has = lengths >= place
        found[has] |= (digits[starts[has] + place] & np.int64(0x7F)) << np.int64(7 * place)
    return found


def _tensor(content: bytes, piece: slice) -> tuple[str, Array]:
    """Return name and values of a tensor, which hold raw bytes or, packed, the type's own field."""
    found = Message(content, piece, numbers=(1, 2), pieces=(4, 5, 8, 9))
    (kind,) = found.numbers[2] or (0,)
    own = found.pieces[4] if kind == _FLOAT else found.pieces[5] if kind == _BYTE else []
    values = [*found.pieces[9], *own]
    if kind not in _DTYPES or len(values) != 1:
        raise RefusedError(FOREIGN)
    try:
        return found.text(8), np.frombuffer(content[values[0]], _DTYPES[kind]).reshape(found.numbers[1])
    except _FAULTS as error:
        raise RefusedError(FOREIGN) from error


def _width(content: bytes, piece: slice) -> int:
    """Return how many features the input takes."""
    given = Message(content, piece, pieces=(1, 2))
    tensor = Message(content, Message(content, given.piece(2), pieces=(1,)).piece(1), numbers=(1,), pieces=(2,))
    shape = Message(content, tensor.piece(2), pieces=(1,))
    match [Message(content, size, numbers=(1,), pieces=(2,)).numbers[1] for size in shape.pieces[1]]:
        case [_, [width]] if width <= _WIDEST and given.text(1) == INPUT and tensor.numbers[1] == [_FLOAT]:
            return width
    raise RefusedError(FOREIGN)
