"""The thresholds that a model file brings along for the benchmark."""

import json
from pathlib import Path

import pytest

from lab.training.detector_metrics import stored_thresholds
from storage.errors import BadFile
from tests.fakes.detectors.model_files import model_file


def test_thresholds_are_those_in_the_model_file(tmp_path: Path) -> None:
    """As written, by the prefix's percentage, or as cut short; of log-odds, so they may be below 0."""
    told = {"25": 1.5, "50": 0.75, "75": 0.0, "100": -2.25, "cut": 3.5}
    path = model_file(tmp_path / "m.onnx", changed={"thresholds": json.dumps(told)})
    assert stored_thresholds(path) == {25: 1.5, 50: 0.75, 75: 0.0, 100: -2.25, "cut": 3.5}


def test_a_model_without_thresholds_is_refused(tmp_path: Path) -> None:
    """None are made up for it."""
    with pytest.raises(BadFile, match=r"m\.onnx has no thresholds"):
        stored_thresholds(model_file(tmp_path / "m.onnx"))
