"""The model that is shipped: it passes what a freshly trained one must, and a broken one does not."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from detectors import registry
from detectors.embedded import load_model
from detectors.model_file import read_metadata
from detectors.need_threshold import MODEL
from lab.benchmarks.detector.benchmark import CARD, model_words
from storage.settings import DetectorSettings
from tests.fakes.lab.model_checks import check_model


def test_it_is_the_default_and_passes_the_checks() -> None:
    """Whoever sets nothing gets it, and its card lies beside it and says what the data are."""
    detector = registry.load(DetectorSettings())
    assert detector.name == "embedded"
    check_model(MODEL)
    card = MODEL.with_name("MODEL.md").read_text(encoding="utf-8")
    assert "**Everything here is simulated.**" in card


def test_its_card_is_its_own() -> None:
    trained = json.loads(read_metadata(MODEL)["trained"])
    card = MODEL.with_name("MODEL.md").read_text(encoding="utf-8")
    assert re.findall("manifest `([0-9a-f]+)`", card) == [trained["data"]]
    assert f"| **{trained['model']}** |" in card
    assert f"| {trained['model']}, gestures alone |" in card, "it learned from both kinds of sessions"


def test_its_held_out_figures_are_its_own(tmp_path: Path) -> None:
    """They name this very file by its digest; the control: the same model with one more fact in its file is another."""
    _, facts = load_model(MODEL)
    page = MODEL.with_name(CARD).read_text(encoding="utf-8")
    assert re.findall(r"^Model .*(?=; \d+ sessions)", page, re.MULTILINE) == [model_words(facts)]
    model = onnx.load(MODEL)
    model.metadata_props.add(key="note", value="other")
    onnx.save(model, tmp_path / "other.onnx")
    _, other = load_model(tmp_path / "other.onnx")
    assert other.version == facts.version
    assert model_words(other) not in page


def test_a_model_that_ranks_need_the_wrong_way_fails_them(tmp_path: Path) -> None:
    """The control: the shipped graph with need turned around."""
    model = onnx.load(MODEL)
    (last,) = [node for node in model.graph.node if node.output[0] == "need_log_odds"]
    last.output[0] = "need_before"
    less = numpy_helper.from_array(np.array(-1.0, np.float32), "less")
    model.graph.initializer.append(less)
    model.graph.node.append(helper.make_node("Mul", ["need_before", less.name], ["need_log_odds"]))
    onnx.save(model, tmp_path / "turned.onnx")
    with pytest.raises(AssertionError):
        check_model(tmp_path / "turned.onnx")
