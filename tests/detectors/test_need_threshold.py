"""From which need on an estimate counts: the shipped model's own thresholds, and one half for every other detector."""

import math
from dataclasses import replace

import onnxruntime
import pytest

from detectors.embedded import load_model
from detectors.model_file import read_metadata
from detectors.need_threshold import DEFAULT, MODEL, need_threshold
from storage.records import Estimate
from storage.testing import plain


def estimate(need: float, prefix_id: str = "w1/100", fraction: float = 1.0) -> Estimate:
    return plain(Estimate, prefix_id=prefix_id, fraction=fraction, help_need=need, app="editor")


def test_metadata_is_what_onnxruntime_reads() -> None:
    session = onnxruntime.InferenceSession(MODEL.read_bytes(), providers=["CPUExecutionProvider"])
    assert read_metadata(MODEL) == session.get_modelmeta().custom_metadata_map


def test_the_shipped_model_has_its_own_at_the_base_rate_in_force() -> None:
    facts = load_model(MODEL)[1]
    trained = need_threshold("embedded", facts.version, facts.base_rate).by_ending
    assert set(trained) == {"25", "50", "75", "100", "cut"}
    live = need_threshold("embedded", facts.version, 0.05).by_ending
    shift = math.log(0.05 / 0.95) - math.log(facts.base_rate / (1 - facts.base_rate))
    for ending, threshold in trained.items():
        moved = math.log(threshold / (1 - threshold)) + shift
        assert live[ending] == pytest.approx(1 / (1 + math.exp(-moved)), abs=1e-5)


@pytest.mark.parametrize(
    ("detector", "version", "base_rate"),
    [("evidence", None, 0.05), ("embedded", "older", 0.05), ("embedded", None, "0.05"), ("embedded", None, 1.0)],
)
def test_without_thresholds_of_its_own_one_half_holds(detector: str, version: str | None, base_rate: object) -> None:
    version = load_model(MODEL)[1].version if version is None else version
    found = need_threshold(detector, version, base_rate)
    assert found.by_ending == {}
    assert not found.is_reached(estimate(DEFAULT - 0.001), own=True)
    assert found.is_reached(estimate(DEFAULT), own=True)


def test_each_part_of_a_window_has_its_own() -> None:
    found = need_threshold("embedded", load_model(MODEL)[1].version, 0.05)
    for ending, prefix_id, fraction in (("25", "w1/25", 0.25), ("100", "w1/100", 1.0), ("cut", "w1/100t", 1.0)):
        at = estimate(found.by_ending[ending], prefix_id, fraction)
        assert found.is_reached(at, own=True)
        assert not found.is_reached(replace(at, help_need=at.help_need - 1e-4), own=True)
        assert not found.is_reached(at, own=False)
