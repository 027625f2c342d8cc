"""How to add a feature: one new class and its line in the list of extractors, while models go on as before."""

from functools import partial

import pytest

from detectors.embedded import EmbeddedDetector
from detectors.features import extractor
from detectors.features.extractor import FeatureExtractor
from detectors.features.extractors import EXTRACTORS
from detectors.features.table import TABLE, TRACKED, extracted, features_hash, values_of
from detectors.features.tracker import FeatureTracker
from lab.training.extract import live_prefixes
from storage.records import Prefix
from storage.settings import DetectorSettings
from tests.fakes.commands.worked_examples import worked_example
from tests.fakes.detectors.fake_detectors import NoPictures
from tests.fakes.lab.desk_sessions import desk_session


def added_extractor() -> type[FeatureExtractor]:
    namespace: dict[str, type[FeatureExtractor]] = {}
    exec(worked_example(extractor), namespace)  # noqa: S102  # our own text
    return namespace["PressRate"]


ADDED = (*EXTRACTORS, added_extractor())


def prefixes() -> list[Prefix]:
    return list(live_prefixes(desk_session(1)[0], 24.0))


def test_an_added_extractor_gives_its_feature_in_each_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    before = prefixes()
    monkeypatch.setattr("daemon.engine.engine.FeatureTracker", partial(FeatureTracker, ADDED))
    after = prefixes()
    assert len(before) == len(after) > 4
    assert max(prefix.features.get("presses_8s", 0.0) for prefix in after) > 0.5
    detector = EmbeddedDetector(DetectorSettings())
    for old, new in zip(before, after, strict=True):
        assert old.features == {name: value for name, value in new.features.items() if name != "presses_8s"}
        estimates = [detector.estimate(prefix, NoPictures(), 0) for prefix in (old, new)]
        assert estimates[0] == estimates[1]


def test_models_are_tied_to_the_features_they_name() -> None:
    larger = {**TRACKED, **extracted(ADDED)}
    assert set(larger) - set(TABLE) == {"presses_8s"}
    names = tuple(TRACKED)
    assert features_hash(names) == features_hash(names, larger)
    assert features_hash(names) != features_hash(names, {**larger, names[3]: (larger[names[3]][0], "changed")})


def test_a_prefix_holds_no_feature_of_0() -> None:
    """Two in three are, and 4 MB an hour would be stored; readers get all of them."""
    for prefix in prefixes():
        assert all(prefix.features.values())
        assert 0 < len(prefix.features) < len(TABLE) < len(values_of(prefix))
