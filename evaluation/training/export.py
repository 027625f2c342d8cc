"""Writes a trained and calibrated model into one ONNX file as `detectors.embedded` reads it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectors.features.table import features_hash
from evaluation.training.calibrate import BASE_RATE, Calibration
from evaluation.training.candidates import Features, Fitted, Floats
from evaluation.training.dataset import NAMES, STATES
from evaluation.training.figures import Ending
from evaluation.training.graph import Graph
from evaluation.training.scaling import Scaling


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Everything between features and what a detector says of them."""

    scaling: Scaling
    fitted: Fitted
    calibration: Calibration

    def predict(self, features: Features) -> tuple[Floats, Floats, Floats]:
        """Return state probabilities, log-odds of need at `BASE_RATE`, and unlikeness."""
        scores = self.fitted.scores(features, self.scaling.scaled(features))
        states = self.calibration.states(scores.states)
        return states, self.calibration.need(scores.need), self.scaling.unlikeness(features)


def write_onnx(model: Model, *, version: str, trained: str, thresholds: Mapping[Ending, float]) -> bytes:
    """Return the model as a file; `thresholds` of the log-odds are for benchmarks alone."""
    graph = Graph()
    scaled = model.scaling.write(graph, output="unlikeness")
    states, need = model.fitted.write(graph, scaled)
    cooled = graph.op("Mul", states, graph.constant(1.0 / model.calibration.temperature))
    graph.op("Softmax", cooled, axis=1, output="states")
    sloped = graph.op("Mul", need, graph.constant(model.calibration.slope))
    graph.op("Add", sloped, graph.constant(model.calibration.offset), output="need_log_odds")
    facts = {
        "features": json.dumps(NAMES),
        "features_hash": features_hash(NAMES),
        "base_rate": repr(BASE_RATE),
        "unlike_above": repr(float(np.float32(model.calibration.unlike_above))),
        "version": version,
        "trained": trained,
        "thresholds": json.dumps(thresholds),
    }
    return graph.model(len(NAMES), {"states": len(STATES), "need_log_odds": 1, "unlikeness": 1}, facts)
