"""Which model files are handed to onnxruntime: small ones, complete in themselves, of standard operators alone."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from detectors import model_file as model_files
from detectors.embedded import load_model
from detectors.model_file import MAX_BYTES, read_model
from detectors.need_threshold import MODEL
from storage.errors import BadFile
from tests.fakes.detectors.model_files import model_file

ELSEWHERE = "elsewhere.bin"
Change = Callable[[onnx.ModelProto], object]


def tensor(*, outside: bool = True) -> TensorProto:
    """Return a tensor whose number stands in another file, or an ordinary one."""
    made = numpy_helper.from_array(np.zeros(1, np.float32), "more")
    if outside:
        made.ClearField("raw_data")
        made.data_location = TensorProto.EXTERNAL
        made.external_data.add(key="location", value=ELSEWHERE)
    return made


def changed(path: Path, change: Change) -> Path:
    """Write the tiny model with a change."""
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
    """External data is refused wherever a tensor can stand; the same tensor with its numbers inside is not."""
    with pytest.raises(BadFile, match="external data") as refused:
        load_model(changed(tmp_path / "m.onnx", lambda model: PLACES[place](model, tensor())))
    assert "m.onnx" in str(refused.value)
    assert "kairos train" in refused.value.remedy
    assert read_model(changed(tmp_path / "m.onnx", lambda model: PLACES[place](model, tensor(outside=False))))


def test_onnxruntime_alone_would_read_the_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without the check a file that the model names is opened and read, also for a model in memory."""
    (tmp_path / ELSEWHERE).write_bytes(np.float32(41.5).tobytes())
    graph = inner(tensor())
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    monkeypatch.chdir(tmp_path)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(None, {})[0].tolist() == [41.5]


DOMAINS: dict[str, Change] = {
    "node": lambda model: model.graph.node.append(
        helper.make_node("Gelu", ["features"], ["g"], domain="com.microsoft")
    ),
    "set of operators": lambda model: model.opset_import.append(helper.make_opsetid("my.operators", 1)),
    "node in a branch": lambda model: add_attribute(
        model, "b", helper.make_graph([helper.make_node("Op", [], ["o"], domain="my")], "g", [], [])
    ),
    "function": lambda model: model.functions.add(name="f", domain="my.operators"),
    "function's set": lambda model: model.functions.add(name="f").opset_import.append(helper.make_opsetid("mine", 1)),
}


@pytest.mark.parametrize("place", DOMAINS)
def test_a_model_with_operators_that_are_not_the_standard_s_is_refused(tmp_path: Path, place: str) -> None:
    """Only the domains of the standard pass, wherever an operator can stand."""
    with pytest.raises(BadFile, match="domain of its own"):
        load_model(changed(tmp_path / "m.onnx", DOMAINS[place]))


def test_onnxruntime_alone_would_run_operators_of_other_domains(tmp_path: Path) -> None:
    """The control: a model with such an operator is loaded."""
    path = changed(tmp_path / "m.onnx", DOMAINS["node"])
    model = onnx.load(str(path))
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    assert onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def test_a_model_of_more_than_ten_megabytes_is_refused(tmp_path: Path) -> None:
    """Up to the limit it is read; no more than the limit is ever read of a larger one."""

    def of_size(size: int) -> Path:
        path = changed(tmp_path / "m.onnx", lambda model: setattr(model, "doc_string", "x" * (MAX_BYTES - 5000)))
        with path.open("ab") as file:
            piece = b"x" * (size - path.stat().st_size - 3)
            file.write(b"\x32" + bytes([len(piece) & 0x7F | 0x80, len(piece) >> 7]) + piece)  # doc_string again
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
        with pytest.raises(BadFile, match="ONNX file"):
            read_model(tmp_path / "m.onnx")


def test_a_second_piece_of_a_message_counts_too(tmp_path: Path) -> None:
    """Parsers merge the pieces of a message that comes twice, so each piece is looked at."""
    path = model_file(tmp_path / "m.onnx")
    more = onnx.ModelProto()
    more.graph.initializer.append(tensor())
    path.write_bytes(path.read_bytes() + more.SerializeToString())
    assert onnx.load(str(path), load_external_data=False).graph.initializer[-1].external_data
    with pytest.raises(BadFile, match="external data"):
        read_model(path)


def test_work_on_a_hostile_model_is_bounded(tmp_path: Path) -> None:
    """Neither deep nesting nor countless empty parts are followed to their end."""
    path, level = tmp_path / "m.onnx", b""
    for _ in range(200):
        node = b"\x2a" + _size(piece := b"\x32" + _size(level) + level) + piece
        level = b"\x0a" + _size(node) + node
    path.write_bytes(b"\x3a" + _size(level) + level)
    with pytest.raises(BadFile, match="nested"):
        read_model(path)
    path.write_bytes(b"\x1a\x00" * 1_100_000)
    with pytest.raises(BadFile, match="parts"):
        read_model(path)


def test_the_other_format_of_onnxruntime_is_refused(tmp_path: Path) -> None:
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "m.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(model_file(tmp_path / "m.onnx").read_bytes(), options, ["CPUExecutionProvider"])
    content = (tmp_path / "m.ort").read_bytes()
    assert content[4:8] == b"ORTM"
    assert onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    with pytest.raises(BadFile):
        load_model(tmp_path / "m.ort")


def test_it_is_not_taken_for_a_model_even_where_it_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is told which format to expect, so a file that is valid in both is read as what was looked at."""
    test_the_other_format_of_onnxruntime_is_refused(tmp_path)
    monkeypatch.setattr(model_files, "_check", lambda content: None)
    with pytest.raises(BadFile, match="not a model of Kairos"):
        load_model(tmp_path / "m.ort")


def test_what_is_no_plain_file_is_refused_and_a_link_to_one_is_not(tmp_path: Path) -> None:
    """A pipe would wait for ever; a link is what the person named."""
    os.mkfifo(tmp_path / "pipe.onnx")
    for name in ("pipe.onnx", ".", "none.onnx", "a\0b", "none/none.onnx"):
        with pytest.raises(BadFile) as refused:
            read_model(tmp_path / name)
        assert "kairos train" in refused.value.remedy
    (tmp_path / "link.onnx").symlink_to(model_file(tmp_path / "m.onnx"))
    assert load_model(tmp_path / "link.onnx")[1].version == "tiny"


def test_the_shipped_model_passes() -> None:
    """It has trees, so it uses both standard domains."""
    assert b"ai.onnx.ml" in read_model(MODEL)


def test_a_damaged_model_is_refused_or_says_the_same_to_both_parsers(tmp_path: Path) -> None:
    """Whatever bytes are changed: what passes names no other file and no other domain for the reference parser."""
    rng = random.Random(7)
    path = changed(tmp_path / "m.onnx", lambda model: PLACES["attribute"](model, tensor()))
    good, passed = path.read_bytes(), 0
    for _ in range(1000):
        content = bytearray(good)
        for _ in range(rng.randint(1, 6)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
        try:
            read_model(path)
        except BadFile:
            continue
        passed += 1
        model = onnx.ModelProto()
        try:
            model.ParseFromString(bytes(content))
        except Exception:  # noqa: BLE001, S112  # whatever the reference parser raises: it refuses the file as well
            continue
        text = str(model)
        assert "external_data" not in text
        assert "data_location" not in text
    assert passed


def _size(piece: bytes) -> bytes:
    """Return the length of a piece as protocol buffers write it."""
    size, result = len(piece), bytearray()
    while size > 0x7F:
        result.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*result, size])
