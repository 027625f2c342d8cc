"""How to add a feature: one new class and its line in the list of extractors, while models go on as before."""

from functools import partial
from pathlib import Path

import pytest

from detectors.embedded import EmbeddedDetector
from detectors.features import extractor
from detectors.features.extractor import FeatureExtractor
from detectors.features.extractors import EXTRACTORS
from detectors.features.table import FORMER_HASHES, TABLE, TRACKED, extracted, features_hash, is_same_definition
from detectors.features.tracker import FeatureTracker
from lab.training.extract import live_prefixes
from storage.records import Prefix
from storage.settings import DetectorSettings
from tests.fakes.commands.worked_examples import worked_example
from tests.fakes.desktop.watching import NoPictures
from tests.fakes.lab.desk_sessions import desk_session

FORMER = "47adf1af9a577eb4"
FORMER_MODEL = Path(__file__).parents[2] / "data" / "build_2026_11_22" / "embedded.onnx"


def added_extractor() -> type[FeatureExtractor]:
    """Return the class of the worked example in `detectors.features.extractor`."""
    namespace: dict[str, type[FeatureExtractor]] = {}
    exec(worked_example(extractor), namespace)  # noqa: S102  # our own text
    return namespace["PressRate"]


ADDED = (*EXTRACTORS, added_extractor())


def prefixes() -> list[Prefix]:
    """Return the prefixes that the engine derives from a simulated session."""
    return list(live_prefixes(desk_session(1)[0], 24.0))


def test_an_added_extractor_gives_its_feature_in_each_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    """All others keep their values, and the shipped model its estimates."""
    before = prefixes()
    monkeypatch.setattr("daemon.engine.engine.FeatureTracker", partial(FeatureTracker, ADDED))
    after = prefixes()
    assert len(before) == len(after) > 4
    assert max(prefix.features["presses_8s"] for prefix in after) > 0.5
    detector = EmbeddedDetector(DetectorSettings())
    for old, new in zip(before, after, strict=True):
        assert {**old.features, "presses_8s": new.features["presses_8s"]} == new.features
        estimates = [detector.estimate(prefix, NoPictures(), 0) for prefix in (old, new)]
        assert estimates[0] == estimates[1]


def test_models_are_tied_to_the_features_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of former builds are still accepted; an added feature is no matter, a changed definition is refused."""
    larger = {**TRACKED, **extracted(ADDED)}
    assert set(larger) - set(TABLE) == {"presses_8s"}
    for names in (EmbeddedDetector(DetectorSettings(), FORMER_MODEL).facts.features, tuple(TRACKED)):
        assert FORMER_HASHES[features_hash(names)] == FORMER
        for stored in (FORMER, features_hash(names)):
            assert is_same_definition(stored, names)
            assert is_same_definition(stored, names, larger)
            assert not is_same_definition(stored, names, {**larger, names[3]: (larger[names[3]][0], "changed")})
    assert not is_same_definition(FORMER, ("undos", "clicks"))
