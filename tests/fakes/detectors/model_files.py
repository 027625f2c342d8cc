"""A tiny model file, for tests of what reads or names one."""

import json
from pathlib import Path

import numpy as np

from detectors.features.table import features_hash
from lab.training.graph import Graph
from storage.records import State

OUTPUTS = ("states", "need_log_odds", "unlikeness")


def model_file(path: Path, *, outputs: tuple[str, ...] = OUTPUTS, changed: dict[str, str] | None = None) -> Path:
    """Write a tiny model: states are even, log-odds are `undos` less 2, unlikeness is `clicks`."""
    graph = Graph()
    flat = graph.constant(np.zeros((1, len(State))))
    wide = graph.op("Gemm", graph.op("Slice", "features", *_span(graph, 0, 1)), flat, flat)
    graph.op("Softmax", wide, axis=1, output=outputs[0])
    undos = graph.op("Slice", "features", *_span(graph, 0, 1))
    graph.op("Sub", undos, graph.constant(2.0), output=outputs[1])
    graph.op("Slice", "features", *_span(graph, 1, 2), output=outputs[2])
    facts = {
        "version": "tiny",
        "features": json.dumps(["undos", "clicks"]),
        "features_hash": features_hash(["undos", "clicks"]),
        "base_rate": "0.2",
        "unlike_above": "9.5",
        **(changed or {}),
    }
    path.write_bytes(graph.model(2, dict(zip(outputs, (len(State), 1, 1), strict=True)), facts))
    return path


def _span(graph: Graph, start: int, end: int) -> tuple[str, str, str]:
    return graph.whole([start]), graph.whole([end]), graph.whole([1])
