"""The embedded detector: reads a model file, shifts to the base rate, abstains, and refuses what is not its own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from detectors.embedded import FALSE_AN_HOUR, NAMELESS_FROM, EmbeddedDetector, load_model
from detectors.features.table import FAILED_RUNS, FRUITLESS, REFUSALS, REVISITED, TABLE, VIEWS_AGAIN, features_hash
from detectors.need_threshold import log_odds
from detectors.registry import identity, load
from storage.errors import BadFile
from storage.records import Evidence, State
from storage.settings import DetectorSettings
from tests.fakes.desktop.watching import prefix_of
from tests.fakes.detectors.fake_detectors import NoPictures
from tests.fakes.detectors.model_files import model_file

SEEN = {"inputs": 40.0, "frames": 20.0}
RAISE = {
    "fruitless": json.dumps({"start": 1.0, "full": 3.0, "log_odds": 2.0, "most": 0.6}),
    "fruitless_hash": features_hash((FRUITLESS,)),
}
BY_VIEWS = {
    "revisited": json.dumps({"start": 3.0, "full": 5.0, "log_odds": 6.0, "most": 0.6}),
    "revisited_hash": features_hash((REVISITED,)),
    "views_again": json.dumps({"start": 3.0, "full": 5.0, "log_odds": 6.0, "most": 0.6}),
    "views_again_hash": features_hash((VIEWS_AGAIN,)),
}


MASK = json.dumps(["undos", "keys_seen"])


def detector(path: Path, base_rate: float = 0.05) -> EmbeddedDetector:
    return EmbeddedDetector(DetectorSettings(base_rate=base_rate), path)


def test_log_odds_are_shifted_to_the_base_rate_of_the_settings(tmp_path: Path) -> None:
    path = model_file(tmp_path / "m.onnx")
    prefix = prefix_of({**SEEN, "undos": 5.0}, 24.0)
    needs = [detector(path, rate).estimate(prefix, NoPictures(), 7).help_need for rate in (0.2, 0.05)]
    assert log_odds(needs[0]) == pytest.approx(3.0, abs=1e-4)
    assert log_odds(needs[1]) == pytest.approx(3.0 + log_odds(0.05) - log_odds(0.2), abs=1e-4)


def test_an_estimate_names_its_prefix_model_and_probabilities(tmp_path: Path) -> None:
    estimate = detector(model_file(tmp_path / "m.onnx")).estimate(prefix_of(SEEN, 24.0), NoPictures(), 7)
    assert (estimate.detector, estimate.detector_version, estimate.confidence_source) == (
        "embedded",
        "tiny",
        "calibrated",
    )
    assert list(estimate.state_probs) == [state.value for state in State]
    assert sum(estimate.state_probs.values()) == pytest.approx(1.0, abs=1e-4)
    assert (estimate.made_at_ns, estimate.ready_at_ns, estimate.prefix_id) == (7, 7, "w1/24.0")
    assert not estimate.abstained


@pytest.mark.parametrize(
    ("unsensed", "abstains"),
    [
        ((), False),
        (("clicks",), True),
        (("keys", "pointer"), True),
        (("pointer",), False),
        (("frames",), True),
        (("shortcuts", "tray"), False),
    ],
)
def test_it_has_no_opinion_where_what_it_learned_with_is_not_sensed(
    tmp_path: Path, unsensed: tuple[str, ...], *, abstains: bool
) -> None:
    """Missing is not zero: a session without clicks is not a calm one. What cannot be shown does not matter."""
    prefix = replace(prefix_of({**SEEN, "undos": 5.0}, 24.0), unsensed=unsensed)
    estimate = detector(model_file(tmp_path / "m.onnx"), 0.05).estimate(prefix, NoPictures(), 7)
    assert (estimate.abstained, estimate.help_need == 0.05, estimate.evidence == ()) == (
        abstains,
        abstains,
        abstains,
    )  # the base rate


@pytest.mark.parametrize(("times", "level"), [(1.0, None), (2.0, 1.7), (3.0, 3.4), (7.0, 5.4)])
def test_where_no_model_can_judge_an_error_that_comes_back_speaks(
    tmp_path: Path, times: float, level: float | None
) -> None:
    """How far need then lies above the base rate says to whom help is offered; where the model judges well, it does.

    Where it is not told where the pointer is, the louder of the two counts.
    """
    made = detector(model_file(tmp_path / "m.onnx"), 0.05)
    prefix = prefix_of({**SEEN, REFUSALS: times}, 24.0)
    told = made.estimate(replace(prefix, unsensed=("clicks", "keys")), NoPictures(), 7)
    assert told.abstained is (level is None)
    assert log_odds(told.help_need) - log_odds(0.05) == pytest.approx(level or 0.0, abs=1e-4)
    assert told.evidence == (() if level is None else (Evidence("refused_again", {"count": times}),))
    assert made.estimate(prefix, NoPictures(), 7).evidence == ()
    placeless = made.estimate(replace(prefix, unsensed=("pointer",)), NoPictures(), 7)
    judged = made.estimate(prefix, NoPictures(), 7).help_need
    assert placeless.help_need == (judged if level is None else max(judged, told.help_need))


@pytest.mark.parametrize(("unsensed", "abstains"), [(("keys",), False), (("keys", "frames"), True), ((), False)])
def test_a_model_that_reads_what_is_missing_has_an_opinion_there_alone(
    tmp_path: Path, unsensed: tuple[str, ...], *, abstains: bool
) -> None:
    """The tiny model's unlikeness is its second input, here whether keys are told; the estimate names what is not."""
    changed = {"features": MASK, "features_hash": features_hash(json.loads(MASK)), "unlike_above": "2.0"}
    prefix = replace(prefix_of({**SEEN, "undos": 5.0}, 24.0), unsensed=unsensed)
    estimate = detector(model_file(tmp_path / "m.onnx", changed=changed)).estimate(prefix, NoPictures(), 7)
    assert estimate.abstained is abstains
    assert estimate.senses == "".join(f"-{name}" for name in ("frames", "keys") if name in unsensed)


@pytest.mark.parametrize("features", [{"clicks": 10.0, **SEEN}, {"inputs": 1.0}], ids=["unlike", "empty"])
def test_it_abstains_where_it_knows_nothing(tmp_path: Path, features: dict[str, float]) -> None:
    """Input unlike the training data, or next to none, gives the base rate, no evidence and no opinion."""
    estimate = detector(model_file(tmp_path / "m.onnx")).estimate(
        prefix_of({"undos": 9.0, **features}, 24.0), NoPictures(), 7
    )
    assert estimate.abstained
    assert estimate.help_need == 0.05
    assert estimate.evidence == ()


def test_need_without_a_sign_is_explained_by_the_model_itself(tmp_path: Path) -> None:
    """An offer needs a topic: where no sign can be named the say-so of the model is, and only then."""
    made = detector(model_file(tmp_path / "m.onnx"))
    sure = made.estimate(prefix_of({**SEEN, "undos": 9.0}, 24.0), NoPictures(), 7)
    assert sure.evidence[0].code == "trouble_pattern"
    signed = {**SEEN, "undos": 9.0, "failures": 3.0, "undo_level": 3.0, "undo_count": 3.0, "undo_span_s": 20.0}
    named = made.estimate(prefix_of(signed, 24.0), NoPictures(), 7)
    assert named.evidence[0].code == "undo_bursts"
    calm = made.estimate(prefix_of(SEEN, 24.0), NoPictures(), 7)
    assert "trouble_pattern" not in {item.code for item in calm.evidence}


def test_the_say_so_of_the_model_counts_well_below_even_odds(tmp_path: Path) -> None:
    """Offers made often begin there, and would have nothing to say."""
    made = detector(model_file(tmp_path / "m.onnx"))
    levels = [prefix_of({**SEEN, "undos": step / 10}, 24.0) for step in range(91)]
    estimates = [made.estimate(prefix, NoPictures(), 7) for prefix in levels]
    named = [each.help_need for each in estimates if each.evidence[:1] and each.evidence[0].code == "trouble_pattern"]
    assert NAMELESS_FROM < min(named) < 0.3
    assert all(each.help_need <= NAMELESS_FROM for each in estimates if each.help_need not in named)


@pytest.mark.parametrize(("acts", "raised"), [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0), (3.0, 2.0), (9.0, 2.0)])
def test_acts_that_bring_nothing_raise_need(tmp_path: Path, acts: float, raised: float) -> None:
    """Evenly between the two counts that the file names; an earlier file says nothing of them, and raises nothing."""
    prefix = prefix_of({**SEEN, FRUITLESS: acts}, 24.0)
    made, before = model_file(tmp_path / "m.onnx", changed=RAISE), model_file(tmp_path / "before.onnx")
    need, learned = (detector(path, 0.2).estimate(prefix, NoPictures(), 7).help_need for path in (made, before))
    assert log_odds(learned) == pytest.approx(-2.0, abs=1e-4)
    assert log_odds(need) == pytest.approx(-2.0 + raised, abs=1e-4)


def test_need_is_raised_to_a_limit_and_never_lowered_to_it(tmp_path: Path) -> None:
    path = model_file(tmp_path / "m.onnx", changed=RAISE)
    for undos, need in ((1.5, 0.6), (4.0, 0.881)):
        prefix = prefix_of({**SEEN, FRUITLESS: 9.0, "undos": undos}, 24.0)
        assert detector(path, 0.2).estimate(prefix, NoPictures(), 7).help_need == pytest.approx(need, abs=1e-3)


def test_what_raised_need_is_named_where_no_sign_explains_it(tmp_path: Path) -> None:
    made = detector(model_file(tmp_path / "m.onnx", changed=RAISE))
    signed = {"failures": 3.0, "undo_level": 3.0, "undo_count": 3.0, "undo_span_s": 20.0}
    for features, code in (({FRUITLESS: 3.0}, "nothing_gained"), ({FRUITLESS: 3.0, **signed}, "undo_bursts")):
        found = made.estimate(prefix_of({**SEEN, **features}, 24.0), NoPictures(), 7)
        assert found.evidence[0].code == code
    calm = made.estimate(prefix_of({**SEEN, FRUITLESS: 1.0}, 24.0), NoPictures(), 7)
    assert "nothing_gained" not in {item.code for item in calm.evidence}


@pytest.mark.parametrize("feature", [REVISITED, VIEWS_AGAIN])
def test_views_that_are_looked_at_again_raise_need_and_are_named(feature: str, tmp_path: Path) -> None:
    made = detector(model_file(tmp_path / "m.onnx", changed=BY_VIEWS), 0.2)
    full = made.facts.raises[feature].full
    for views, need, codes in ((2.9, 0.119, set()), (5.8, 0.6, {"same_views"})):
        sure = {"false_an_hour": FALSE_AN_HOUR} if views >= full else {}
        found = made.estimate(prefix_of({**SEEN, feature: views}, 24.0), NoPictures(), 7)
        assert found.help_need == pytest.approx(need, abs=1e-3)
        assert {item.code for item in found.evidence if item.code == "same_views"} == codes
        assert [item.numbers for item in found.evidence if item.code == "same_views"] == [{"count": 5, **sure}] * len(
            codes
        )


def test_runs_that_end_with_the_same_error_raise_need_and_are_named(tmp_path: Path) -> None:
    facts = {
        FAILED_RUNS: json.dumps({"start": 2.0, "full": 3.0, "log_odds": 6.0, "most": 0.6}),
        f"{FAILED_RUNS}_hash": features_hash((FAILED_RUNS,)),
    }
    made = detector(model_file(tmp_path / "m.onnx", changed=facts), 0.2)
    for runs, need, named in (
        (2.0, 0.119, []),
        (4.0, 0.6, [("failed_runs", {"count": 4, "false_an_hour": FALSE_AN_HOUR})]),
    ):
        found = made.estimate(prefix_of({**SEEN, FAILED_RUNS: runs}, 24.0), NoPictures(), 7)
        assert found.help_need == pytest.approx(need, abs=1e-3)
        assert [(item.code, item.numbers) for item in found.evidence if item.code == "failed_runs"] == named


def test_of_two_raises_the_larger_counts_and_is_named(tmp_path: Path) -> None:
    """They are not added: both may see the same acts."""
    made = detector(model_file(tmp_path / "m.onnx", changed={**RAISE, **BY_VIEWS}), 0.2)
    for features, raised, code in (
        ({FRUITLESS: 3.0, REVISITED: 3.5}, 2.0, "nothing_gained"),
        ({FRUITLESS: 2.0, REVISITED: 3.5}, 1.5, "same_views"),
    ):
        found = made.estimate(prefix_of({**SEEN, **features}, 24.0), NoPictures(), 7)
        assert log_odds(found.help_need) == pytest.approx(-2.0 + raised, abs=1e-4)
        assert found.evidence[0].code == code


@pytest.mark.parametrize(
    "fruitless",
    [
        '{"start": 1.0, "full": 1.0, "log_odds": 2.0, "most": 0.6}',
        '{"start": 1.0, "full": 3.0, "log_odds": NaN, "most": 0.6}',
        '{"start": 1.0, "full": 3.0, "log_odds": 2.0, "most": 1.0}',
        '{"start": 1.0}',
        "[1.0]",
    ],
)
def test_a_raise_out_of_range_is_refused(tmp_path: Path, fruitless: str) -> None:
    """It would divide by zero, or give a need that is no number."""
    with pytest.raises(BadFile, match=r"m\.onnx"):
        load_model(model_file(tmp_path / "m.onnx", changed={**RAISE, "fruitless": fruitless}))


def test_a_raise_by_acts_that_are_defined_otherwise_is_refused(tmp_path: Path) -> None:
    """The count has a digest of its own, since the model does not read it."""
    with pytest.raises(BadFile, match="defined otherwise"):
        load_model(model_file(tmp_path / "m.onnx", changed={**RAISE, "fruitless_hash": "other"}))


@pytest.mark.parametrize(
    "changed", [{"features_hash": "other"}, {"features": '["no_such"]'}, {"features": "nonsense"}, {"base_rate": "x"}]
)
def test_a_model_of_other_features_is_refused(tmp_path: Path, changed: dict[str, str]) -> None:
    """Same names with other definitions would give wrong numbers without a word."""
    with pytest.raises(BadFile, match=r"m\.onnx"):
        load_model(model_file(tmp_path / "m.onnx", changed=changed))


@pytest.mark.parametrize("base_rate", ["0", "1", "1.5", "-0.1", "nan", "inf"])
def test_a_base_rate_without_log_odds_is_refused(tmp_path: Path, base_rate: str) -> None:
    """It would divide by zero, or pass on a need that is no number."""
    with pytest.raises(BadFile, match=r"m\.onnx"):
        load_model(model_file(tmp_path / "m.onnx", changed={"base_rate": base_rate}))


@pytest.mark.parametrize("ood_limit", ["nan", "inf", "-inf"])
def test_a_limit_that_never_or_always_abstains_is_refused(tmp_path: Path, ood_limit: str) -> None:
    """Nothing is greater than what is no number: such a model would have an opinion on anything."""
    with pytest.raises(BadFile, match=r"m\.onnx"):
        load_model(model_file(tmp_path / "m.onnx", changed={"unlike_above": ood_limit}))


@pytest.mark.parametrize("names", [["undos"], ["undos", "clicks", "redos"]])
def test_a_graph_of_another_width_than_its_names_is_refused(tmp_path: Path, names: list[str]) -> None:
    """Said when the file is loaded, not at the first estimate; the names are ones that this version computes."""
    assert set(names) <= TABLE.keys()
    changed = {"features": json.dumps(names), "features_hash": features_hash(names)}
    with pytest.raises(BadFile, match="other inputs"):
        load_model(model_file(tmp_path / "m.onnx", changed=changed))


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    """No file, no model, half a model, and a model of somebody else: each is named with what to do."""
    good = model_file(tmp_path / "good.onnx").read_bytes()
    (tmp_path / "text.onnx").write_text("no model")
    (tmp_path / "half.onnx").write_bytes(good[: len(good) // 2])
    model_file(tmp_path / "other.onnx", outputs=("a", "b", "c"))
    for name in ("none.onnx", "text.onnx", "half.onnx", "other.onnx"):
        with pytest.raises(BadFile) as caught:
            load_model(tmp_path / name)
        assert "kairos train" in (caught.value.remedy or "")


def test_a_model_file_can_be_named_as_the_detector(tmp_path: Path) -> None:
    one = load(DetectorSettings(name=str(model_file(tmp_path / "one.onnx"))))
    two = load(DetectorSettings(name=str(model_file(tmp_path / "two.onnx", changed={"version": "other"}))))
    assert identity(one)[:2] == ("embedded", "tiny")
    assert identity(one)[2] != identity(two)[2]
