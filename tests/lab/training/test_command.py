"""`kairos train` and `kairos bench detector`, from packed sessions of the small desk to a model that Kairos loads."""

import json
import re
from pathlib import Path

import pytest

from daemon.cli.main import main
from detectors import registry
from lab.benchmarks.days.benchmark import measure
from lab.simulation.persona import Split
from lab.training.card import count_settings
from lab.training.command import EXPERIMENT_LOG, CandidateResult, choose
from lab.training.detector_metrics import ENDINGS, DetectorMetrics, Ending, UnseenMetrics, hidden_from
from lab.training.model import Calibration, Line
from storage.errors import BadFile
from storage.settings import DetectorSettings
from tests.fakes.lab.desk_sessions import pack_desks
from tests.fakes.lab.model_checks import check_model


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_small_run_trains_a_model_that_loads_and_is_benchmarked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Card and file stand side by side; the benchmark prints every bar and fails, since the data are far too few.

    Models of the folds judge days in programs that they do not know. A training session of a program that no model left
    out is in no day.
    """
    data, model = pack_desks(tmp_path / "train", programs=("a", "b"), people=1), tmp_path / "out" / "model.onnx"
    folds = tmp_path / "folds"
    assert main(["train", "--data", str(data), "--out", str(model), "--folds", str(folds), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["bytes"] == model.stat().st_size < 2_000_000
    assert reported["chosen"] in reported["candidates"]
    assert {"majority, always help", "idle timer", "evidence", "linear", "trees", "network"} <= reported[
        "candidates"
    ].keys()
    assert sorted(tuple(hidden_from(path)) for path in folds.iterdir()) == [("a",), ("b",)]
    (figures,) = measure([data], "evidence", ["neither"], folds=folds).fields["figures"]
    assert figures["hours"] > 0.03
    with pytest.raises(BadFile, match="no session has the senses"):
        measure([data], "evidence", ["neither"], folds=tmp_path / "nowhere")
    card = model.with_name("MODEL.md").read_text()
    assert "| keys, controls | " in card
    assert "**Everything here is simulated.**" in card
    for part in ("## Data", "## Splits", "## Compared on the folds", "## Variants tried", "## Limits"):
        assert part in card
    assert card.count(f"| **{reported['chosen']}** |") == 2, "among all, and on behaviors that folds hid"
    assert f"At whole windows, for {reported['chosen']}: a 0." in card
    assert f"{reported['chosen']}, gestures alone" not in card, "all sessions are of one kind"
    assert f"The settings listed come to {count_settings(EXPERIMENT_LOG.read_text())} in all." in card
    detector = registry.load(DetectorSettings(name=str(model)))
    assert detector.name == "embedded"
    assert detector.version == reported["version"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-[0-9a-f]{6}-[0-9a-f]{6}", reported["version"])
    assert f"Version {reported['version']}." in card
    check_model(model)

    test = pack_desks(tmp_path / "test", Split.TEST, programs=("x",), people=1)
    out = tmp_path / "figures"
    command = ["bench", "detector", "--data", str(test), "--model", str(model), "--out", str(out), "--json"]
    assert main(command) == 1
    result = json.loads(capsys.readouterr().out)
    bars = {bar["name"]: bar for bar in result["bars"]}
    assert not bars["calibration_windows"]["ok"]
    assert bars["model_size"]["ok"]
    assert {
        "clips_accuracy", "clips_macro_f1", "clips_frustration", "clips_debugging", "live_recall_100", "live_false_100",
        "live_recall_25", "live_false_25", "auc_rises_to_50", "auc_rises_to_75", "auc_rises_to_100",
        "live_auc_100", "live_auc_100_x", "clock_alone", "equal_times_apart", "equal_times_chained",
        "hard_negatives_above", "hard_negative_offers", "calibration_error", "calibration_windows", "prefix_p99",
        "step_p99", "load", "model_size",
    } == bars.keys()  # fmt: skip
    assert result["figures"].keys() == {"majority, always help", "idle timer", "evidence", "embedded"}
    assert "Simulated" in (out / "detector.html").read_text()
    beside = (out / "HELD_OUT.md").read_text()
    assert beside.count("| **embedded** |") == 2, "among all, and on held-out behaviors"
    assert all(f"| {name} |" in beside for name in bars)
    assert f"Model {reported['version']}, file `" in beside
    speed = result["speed"]
    assert f"p99 of {speed['prefixes']} prefixes of 1 sessions, median of 15 tries each" in bars["prefix_p99"]["unit"]
    assert f"p99 of {speed['records']} records of 1 sessions, least of 5 passes each" in bars["step_p99"]["unit"]


def test_a_candidate_is_chosen_also_by_what_its_folds_hid() -> None:
    """Of two that are equal on all samples, the one that knows hidden behaviors; the control: without any they tie."""
    good, poor = _result(_unseen(0.9)), _result(_unseen(0.6))
    assert good.merit > poor.merit
    assert _result(None).merit == pytest.approx(0.7)


def _unseen(value: float) -> UnseenMetrics:
    return UnseenMetrics(scripts=3, clips=9, clip_accuracy=value, clip_macro_f1=value, auc=value)


def _result(unseen: UnseenMetrics | None) -> CandidateResult:
    rates: dict[Ending, float] = dict.fromkeys(ENDINGS, 0.7)
    figures = DetectorMetrics(
        clips=9, windows=9, clip_accuracy=0.7, clip_macro_f1=0.7, clip_recalls={}, live_accuracy=0.0, live_macro_f1=0.0,
        auc=rates, recall=rates, fpr=rates, fpr_by_program={}, hard_above=0.0, ece=None, unseen=unseen,
    )  # fmt: skip
    line = Line(slope=1.0, offset=0.0)
    calibration = Calibration(temperature=1.0, with_tiles=line, without_tiles=line, ood_limit=1.0)
    return CandidateResult(calibration=calibration, figures=figures)


def test_too_little_data_ends_with_status_4_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack_desks(tmp_path / "train", programs=("a",), people=1)
    assert main(["train", "--data", str(data), "--out", str(tmp_path / "model.onnx")]) == 4
    assert "simulate at least two" in capsys.readouterr().err
    assert main(["train", "--data", str(tmp_path), "--out", str(tmp_path / "model.onnx")]) == 4
    assert not (tmp_path / "model.onnx").exists()


def test_what_cannot_be_written_is_refused_before_anything_is_trained_or_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are no sessions here, so whoever looked for them first would end with another message."""
    (tmp_path / "file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "MODEL.md").touch()
    for out, status, reported in (
        (tmp_path, 2, "is a folder"),
        (tmp_path / "MODEL.md", 2, "is where the card goes"),
        (tmp_path / "other" / "new.onnx", 2, "is the card of another model"),
        (tmp_path / "file" / "model.onnx", 2, "is a file, not a folder"),
        (tmp_path / "file" / "deeper" / "model.onnx", 3, "cannot be written to"),
    ):
        assert main(["train", "--data", str(tmp_path / "nowhere"), "--out", str(out)]) == status
        assert reported in capsys.readouterr().err
    nowhere = ["--data", str(tmp_path / "nowhere"), "--out"]
    assert main(["bench", "detector", *nowhere, str(tmp_path / "file")]) == 2
    assert "is a file, not a folder" in capsys.readouterr().err
    assert main(["train", *nowhere, str(tmp_path / "new" / "model.onnx")]) == 4
    assert "holds no packed sessions" in capsys.readouterr().err


def test_what_is_compared_with_is_looked_at_before_anything_takes_minutes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without recordings of people is named first, though there are no sessions either."""
    none, nowhere = tmp_path / "empty", str(tmp_path / "nowhere")
    none.mkdir()
    assert main(["train", "--data", nowhere, "--people", str(none), "--out", str(tmp_path / "m.onnx")]) == 4
    assert f"{none} holds no recording of people" in capsys.readouterr().err


def test_a_mean_of_models_is_taken_where_it_is_as_good_within_the_noise() -> None:
    """The best single model is taken only where it is better by more than the seed moves."""
    merits = {"network": 0.70, "trees + network": 0.69, "linear + network": 0.685, "linear + trees + network": 0.67}
    assert choose(merits) == "trees + network"
    assert choose(merits | {"network": 0.72}) == "network"
    assert choose(merits | {"linear + trees + network": 0.695}) == "linear + trees + network"
