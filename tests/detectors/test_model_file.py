"""Which model files are read: small ones, complete in themselves, of what training writes alone."""

import contextlib
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from detectors.embedded import load_model
from detectors.model_file import MAX_BYTES, read_model
from storage.errors import BadFile
from tests.fakes.detectors.model_files import model_file

ELSEWHERE = "elsewhere.bin"
Change = Callable[[onnx.ModelProto], object]


def tensor(*, outside: bool = True) -> TensorProto:
    made = numpy_helper.from_array(np.zeros(1, np.float32), "more")
    if outside:
        made.ClearField("raw_data")
        made.data_location = TensorProto.EXTERNAL
        made.external_data.add(key="location", value=ELSEWHERE)
    return made


def changed(path: Path, change: Change) -> Path:
    model = onnx.load(str(model_file(path)))
    change(model)
    path.write_bytes(model.SerializeToString())
    return path


def inner(part: TensorProto) -> onnx.GraphProto:
    output = helper.make_tensor_value_info("more", TensorProto.FLOAT, [1])
    return helper.make_graph([], "inner", [], [output], [part])


def sparse(part: TensorProto) -> onnx.SparseTensorProto:
    return helper.make_sparse_tensor(part, numpy_helper.from_array(np.zeros(1, np.int64), "at"), [1])


def add_attribute(model: onnx.ModelProto, name: str, value: object) -> None:
    model.graph.node[0].attribute.append(helper.make_attribute(name, value))


def add_constant(model: onnx.ModelProto, values: NDArray[Any], kind: str, *inputs: str, **attributes: Any) -> None:
    whole = values.dtype == np.int64
    model.graph.initializer.append(numpy_helper.from_array(values if whole else values.astype(np.float32), "more"))
    model.graph.node.append(helper.make_node(kind, inputs, ["g"], **attributes))


PLACES: dict[str, Callable[[onnx.ModelProto, TensorProto], object]] = {
    "initializer": lambda model, part: model.graph.initializer.append(part),
    "sparse initializer": lambda model, part: model.graph.sparse_initializer.append(sparse(part)),
    "attribute": lambda model, part: model.graph.node.append(helper.make_node("Constant", [], ["k"], value=part)),
    "attribute's list": lambda model, part: add_attribute(model, "l", [part]),
    "sparse attribute": lambda model, part: add_attribute(model, "s", sparse(part)),
    "branch": lambda model, part: add_attribute(model, "b", inner(part)),
    "branch's list": lambda model, part: add_attribute(model, "b", [inner(part)]),
    "training": lambda model, part: model.training_info.add().algorithm.CopyFrom(inner(part)),
    "function": lambda model, part: model.functions.add(name="f").node.append(
        helper.make_node("Constant", [], ["k"], value=part)
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_names_other_files_is_refused(tmp_path: Path, place: str) -> None:
    """Wherever a tensor can stand that keeps its numbers elsewhere."""
    with pytest.raises(BadFile, match="does not write") as refused:
        load_model(changed(tmp_path / "m.onnx", lambda model: PLACES[place](model, tensor())))
    assert "m.onnx" in str(refused.value)
    assert "kairos train" in refused.value.remedy


def test_a_tensor_with_its_numbers_inside_is_none_of_those(tmp_path: Path) -> None:
    """The control of the test above, where such a tensor is expected."""
    path = changed(tmp_path / "m.onnx", lambda model: PLACES["initializer"](model, tensor(outside=False)))
    assert load_model(path)[1].version == "tiny"


OTHERS: dict[str, Change] = {
    "operator of another domain": lambda model: model.graph.node.append(
        helper.make_node("Gelu", ["features"], ["g"], domain="com.microsoft")
    ),
    "operator that is not written": lambda model: model.graph.node.append(helper.make_node("Cos", ["features"], ["g"])),
    "attribute that is not written": lambda model: add_attribute(model, "axis", 0),
    "node in a branch": lambda model: add_attribute(
        model, "b", helper.make_graph([helper.make_node("Op", [], ["o"], domain="my")], "g", [], [])
    ),
    "function": lambda model: model.functions.add(name="f", domain="my.operators"),
    "what was not worked out before": lambda model: model.graph.node.insert(
        0, helper.make_node("Add", ["later", "features"], ["g"])
    ),
    "rows that do not fit": lambda model: model.graph.node.append(helper.make_node("Gemm", ["features"] * 3, ["g"])),
    "columns that make a table": lambda model: add_constant(model, np.zeros((9000, 1)), "Add", "features", "more"),
    "rows that grow wide": lambda model: add_constant(model, np.zeros((2, 9000)), "Gemm", "features", "more", "more"),
    "rows of trees": lambda model: add_constant(model, np.zeros((2, 2)), "Abs", "more"),
    "layers of nothing": lambda model: add_constant(
        model, np.zeros((9000, 9, 0, 9000)), "Gemm", "more", "more", "more"
    ),
    "a wide table of nothing": lambda model: add_constant(model, np.zeros((0, 1 << 40)), "Abs", "features"),
    "an index that makes tables": lambda model: add_constant(
        model, np.zeros((1, 9000), np.int64), "Gather", "features", "more", axis=1
    ),
    "a third addend, to write to": lambda model: model.graph.node.append(
        helper.make_node("Add", ["features"] * 3, ["g"])
    ),
    "a mean of very many": lambda model: model.graph.node.append(helper.make_node("Mean", ["features"] * 65, ["g"])),
    "more steps than there are": lambda model: model.graph.node.extend(
        helper.make_node("Abs", ["features"], ["g"]) for _ in range(1000)
    ),
}


@pytest.mark.parametrize("part", OTHERS)
def test_a_model_with_anything_that_training_does_not_write_is_refused(tmp_path: Path, part: str) -> None:
    with pytest.raises(BadFile, match="does not write"):
        load_model(changed(tmp_path / "m.onnx", OTHERS[part]))


def test_a_model_of_more_than_ten_megabytes_is_refused(tmp_path: Path) -> None:
    """Up to the limit it is read; no more than the limit is ever read of a larger one."""

    def of_size(size: int) -> Path:
        path = model_file(tmp_path / "m.onnx")
        rest = size - path.stat().st_size - len(b"\x32" + _size(b"x" * size))
        path.write_bytes(path.read_bytes() + b"\x32" + _size(b"x" * rest) + b"x" * rest)  # a doc_string
        assert path.stat().st_size == size
        return path

    assert load_model(of_size(MAX_BYTES))[1].version == "tiny"
    with pytest.raises(BadFile, match="larger than 10 MB"):
        load_model(of_size(MAX_BYTES + 1))
    with (tmp_path / "m.onnx").open("ab") as file:
        file.truncate(1 << 40)  # a hole: takes no disk, and no memory if it is not read
    with pytest.raises(BadFile, match="larger than 10 MB"):
        load_model(tmp_path / "m.onnx")


def test_what_parsers_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    """A tag whose upper bits some parsers drop, a group, a field without number, a length beyond the end."""
    good = model_file(tmp_path / "m.onnx").read_bytes()
    for end in (b"\xba\x80\x80\x80\x10\x00", b"\x3b\x3c", b"\x02\x00", b"\x3a\x7f", b"\x3a\xff", b"\x3f", b"\x38" * 3):
        (tmp_path / "m.onnx").write_bytes(good + end)
        with pytest.raises(BadFile, match=r"ONNX file|does not write"):
            load_model(tmp_path / "m.onnx")


def test_whole_numbers_that_are_packed_are_refused(tmp_path: Path) -> None:
    """Other parsers take their bytes for 64 and 1; by what training writes they would be one 1."""
    node = helper.make_node("ReduceMean", ["features"], ["g"], axes=[1, 1], keepdims=1)
    path = changed(tmp_path / "m.onnx", lambda model: model.graph.node.append(node))
    path.write_bytes(path.read_bytes().replace(b"\x40\x01" * 2, b"\x42\x02\x40\x01"))
    with pytest.raises(BadFile, match="does not write"):
        load_model(path)


def test_a_second_piece_of_a_message_is_refused(tmp_path: Path) -> None:
    """Some parsers merge the pieces of a message that comes twice, others take the last."""
    path = model_file(tmp_path / "m.onnx")
    more = onnx.ModelProto()
    more.graph.initializer.append(tensor(outside=False))
    path.write_bytes(path.read_bytes() + more.SerializeToString())
    with pytest.raises(BadFile, match="ONNX file"):
        load_model(path)


def test_work_on_a_hostile_model_is_bounded(tmp_path: Path) -> None:
    """Neither countless empty parts nor trees that go round in a circle are followed to their end."""
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\x1a\x00" * 1_100_000)
    with pytest.raises(BadFile, match="ONNX file"):
        load_model(path)
    numbers = {"nodes_truenodeids": 0, "leaf_targetids": 1, "nodes_featureids": 2, "tree_roots": 5}
    minus = numpy_helper.from_array(np.array([-1]), "minus")
    wrongs: list[dict[str, Any]] = [{name: wrong} for name, number in numbers.items() for wrong in ([number], minus)]
    for wrong in [{"n_targets": 1 << 24}, *wrongs]:
        with pytest.raises(BadFile, match="does not write"):
            load_model(with_tree(path, **wrong))
    assert load_model(with_tree(path))[1].version == "tiny"


def with_tree(path: Path, **changes: Any) -> Path:
    table: dict[str, Any] = {
        **{f"nodes_{name}": [0] for name in ("featureids", "truenodeids", "falsenodeids")},
        "nodes_splits": helper.make_tensor("splits", TensorProto.FLOAT, [1], [0.5]),
        "nodes_modes": helper.make_tensor("modes", TensorProto.UINT8, [1], [0]),
        "leaf_weights": helper.make_tensor("weights", TensorProto.FLOAT, [1], [2.0]),
        "nodes_trueleafs": [0 if "nodes_truenodeids" in changes else 1],
        **dict.fromkeys(("nodes_falseleafs", "n_targets", "aggregate_function"), 1),
        "nodes_falseleafs": [1],
        "leaf_targetids": [0],
        "tree_roots": [0],
        "post_transform": 0,
    }
    node = helper.make_node("TreeEnsemble", ["features"], ["t"], domain="ai.onnx.ml", **{**table, **changes})
    return changed(path, lambda model: model.graph.node.append(node))


def test_what_is_no_plain_file_is_refused_and_a_link_to_one_is_not(tmp_path: Path) -> None:
    """A pipe would wait for ever; a link is what the person named."""
    os.mkfifo(tmp_path / "pipe.onnx")
    for name in ("pipe.onnx", ".", "none.onnx", "a\0b", "none/none.onnx"):
        with pytest.raises(BadFile) as refused:
            read_model(tmp_path / name)
        assert "kairos train" in refused.value.remedy
    (tmp_path / "link.onnx").symlink_to(model_file(tmp_path / "m.onnx"))
    assert load_model(tmp_path / "link.onnx")[1].version == "tiny"


def test_a_damaged_model_is_refused_or_read(tmp_path: Path) -> None:
    """Whatever bytes are changed: what is not refused gives estimates of the right shape."""
    rng = random.Random(7)
    good, passed = model_file(tmp_path / "m.onnx").read_bytes(), 0
    for _ in range(1000):
        content = bytearray(good)
        for _ in range(rng.randint(1, 6)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        (tmp_path / "m.onnx").write_bytes(content)
        with contextlib.suppress(BadFile):
            found = load_model(tmp_path / "m.onnx")[0].run(np.ones((2, 2), np.float32))
            assert [output.shape for output in found] == [(2, 9), (2, 1), (2, 1)]
            passed += 1
    assert passed


def _size(piece: bytes) -> bytes:
    size, result = len(piece), bytearray()
    while size > 0x7F:
        result.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*result, size])
