"""What the graph of a model file gives, held against onnxruntime, which needs 20 MB for the same numbers."""

import subprocess
import sys

import numpy as np
import onnxruntime
import pytest

from detectors.graph import INPUT, OUTPUTS, Graph
from detectors.need_threshold import MODEL

ESTIMATE = """
import sys
from detectors.embedded import EmbeddedDetector
from storage.settings import DetectorSettings
EmbeddedDetector(DetectorSettings())
print(*sys.modules)
"""


def test_the_shipped_model_gives_what_onnxruntime_gives() -> None:
    """On 400 rows, ordinary and far from anything; log-odds are compared as probabilities, as they are used."""
    content = MODEL.read_bytes()
    graph = Graph(content)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(3)
    for spread in (0.5, 1.0, 2.0, 4.0):
        shape = (100, graph.width)
        rows = (rng.lognormal(0.0, spread, shape) * (rng.random(shape) < 0.3)).astype(np.float32)
        ours, theirs = graph.run(rows), session.run(OUTPUTS, {INPUT: rows})
        assert ours[0] == pytest.approx(theirs[0], abs=1e-6)
        assert np.tanh(ours[1] / 2) == pytest.approx(np.tanh(theirs[1] / 2), abs=2e-6)
        assert ours[2] == pytest.approx(theirs[2], rel=1e-6)
        assert len(np.unique(ours[1])) > 50


def test_what_is_no_number_goes_through_as_in_onnxruntime() -> None:
    content = MODEL.read_bytes()
    rows = np.full((2, Graph(content).width), 1.0, np.float32)
    rows[0, 3] = np.nan
    theirs = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(OUTPUTS, {INPUT: rows})
    for one, other in zip(Graph(content).run(rows), theirs, strict=True):
        assert np.isnan(one).tolist() == np.isnan(other).tolist()


def test_a_detector_loads_no_runtime() -> None:
    done = subprocess.run([sys.executable, "-c", ESTIMATE], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "numpy" in loaded
    assert not loaded & {"onnxruntime", "onnx", "google.protobuf"}
