"""`kairos bench demos` from folders of demos to figures, bars and exit code, with a model that counts undos."""

import argparse
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectors.embedded import EmbeddedDetector
from lab.benchmarks.demos.command import DEMOS
from lab.benchmarks.demos.figures import CALM, NEVER_STUCK, figures_of, samples_of, time_alone
from lab.benchmarks.demos.recordings import ABOUT, Demos, Phase, read_demos
from lab.training.detector_metrics import CUT, ENDINGS, MAX_FPR, NEED_SHARE, PERCENTS, Ending, predict_with
from storage.errors import BadFile
from storage.settings import DetectorSettings
from tests.fakes.detectors.model_files import model_file
from tests.fakes.lab.demos import made_up_demo
from tests.fakes.sessions import people

THRESHOLDS = dict.fromkeys(map(str, PERCENTS), -0.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two demos in which somebody undoes again and again, and of one that goes well."""
    folder = tmp_path_factory.mktemp("demos")
    made_up_demo(folder / "a", seed=1)
    made_up_demo(folder / "b", seed=2, program="calc")
    made_up_demo(folder / "c", seed=3, kind=None)
    return folder


@pytest.fixture(scope="module")
def demos(folder: Path) -> Demos:
    """Return what is read in it."""
    return read_demos(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model that sees need in undos and nothing else."""
    return model_file(tmp_path_factory.mktemp("model") / "m.onnx", changed={"thresholds": json.dumps(THRESHOLDS)})


def bench(folder: Path, model: Path, *, as_json: bool = False) -> int:
    """Run the command."""
    return DEMOS.run(argparse.Namespace(folder=folder, model=model, json=as_json))


def as_json(folder: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """Run the command and return its exit code and its JSON, in which nothing is NaN."""
    code = bench(folder, model, as_json=True)
    told = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    return code, told


def test_a_model_that_sees_need_meets_the_bars(folder: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Undos are all there is to need here, so both bars are held; what nothing is known of is null."""
    code, told = as_json(folder, model, capsys)
    assert code == 0
    assert {one["name"]: one["ok"] for one in told["bars"]} == {"recall_100": True, "recall_25": True}
    assert (told["simulated"], told["rounds"], told["recordings"], told["fluent"]) == (True, [], 3, 1)
    assert "cpu" in told["machine"]
    assert told["embedded"]["endings"][CUT]["auc"] is None
    assert told["evidence"]["endings"]["100"]["shipped"] is None


def test_a_model_that_does_not_see_need_misses_the_bars(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The control: people are stuck without an undo, which is not to be told from fluent work by undos."""
    made_up_demo(tmp_path / "a", kind="hidden", act=people.write_prose)
    made_up_demo(tmp_path / "b", seed=2, kind=None)
    code, told = as_json(tmp_path, model, capsys)
    assert code == 1
    assert {one["name"]: one["ok"] for one in told["bars"]} == {"recall_100": False, "recall_25": False}


def test_it_says_first_that_nobody_worked_there(folder: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Then that it is no held-out test, and of the evidence detector who wrote it looking at what."""
    assert bench(folder, model) == 0
    told = capsys.readouterr().out
    assert told.startswith("Nobody worked here: scripted people did")
    assert told.index("no held-out test") < told.index("recordings, in 1 of them nobody got stuck")
    assert "ITS RULES WERE WRITTEN LOOKING AT SUCH RECORDINGS" in told
    assert "a clock alone reaches an AUC of 1.000" in told
    assert "held   recall_100" in told


def test_only_calm_and_need_have_figures(demos: Demos, model: Path) -> None:
    """Groups and endings count the same prefixes; the chosen threshold keeps its share, the shipped one is as given."""
    samples = samples_of(demos.recordings)
    opinion = predict_with(EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model), samples)
    nobody, everybody = (dict.fromkeys(ENDINGS, one) for one in (math.inf, -math.inf))
    strict, loose = (figures_of(samples, opinion, shipped) for shipped in (nobody, everybody))
    assert all(one.chosen.false <= MAX_FPR for ending, one in strict.endings.items() if ending != CUT)
    for ending in PERCENTS:
        low, high = strict.endings[ending].shipped, loose.endings[ending].shipped
        assert low is not None
        assert high is not None
        assert (low.recall, low.false, high.recall, high.false) == (0.0, 0.0, 1.0, 1.0)
    assert sum(one.prefixes for one in strict.groups) == len(samples)
    assert sum(one.calm + one.need for one in strict.endings.values()) == len(samples)
    assert [(one.program, one.kind) for one in strict.groups] == [
        ("calc", CALM),
        ("calc", "undo_loop"),
        ("mousepad", NEVER_STUCK),
        ("mousepad", CALM),
        ("mousepad", "undo_loop"),
    ]
    assert len(samples) < sum(len(one.prefixes) for one in demos.recordings)


def test_shuffled_labels_are_unpredictable(demos: Demos, model: Path) -> None:
    """The control of all figures: around a half, where the true labels give nearly all."""
    samples = samples_of(demos.recordings)
    opinion = predict_with(EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model), samples)
    rng = np.random.default_rng(1)

    def aucs(need: np.ndarray[Any, np.dtype[np.bool_]]) -> dict[Ending, float]:
        found = figures_of(replace(samples, need=need), opinion).endings
        return {ending: found[ending].auc for ending in PERCENTS}

    shuffled = [value for _ in range(6) for value in aucs(rng.permutation(samples.need)).values()]
    assert min(aucs(samples.need).values()) > 0.9
    assert float(np.nanmean(shuffled)) == pytest.approx(0.5, abs=0.12)


def test_a_clock_predicts_need_that_always_comes_late(demos: Demos) -> None:
    """All of it here; and were it the calm that comes late, the clock would be as wrong."""
    samples = samples_of(demos.recordings)
    assert time_alone(samples) == 1.0
    assert time_alone(replace(samples, need=~samples.need)) == 0.0


@pytest.mark.parametrize(
    ("kind", "why"), [(None, "nobody needed help"), ("undo_loop", "in every demo in .* somebody gets stuck")]
)
def test_demos_of_one_kind_are_refused(tmp_path: Path, model: Path, kind: str | None, why: str) -> None:
    """What is missing is said, with how it is made."""
    made_up_demo(tmp_path / "a", kind=kind)
    with pytest.raises(BadFile, match=f"(?s){why}.*kairos demo"):
        bench(tmp_path, model)


def test_too_little_need_is_refused(demos: Demos) -> None:
    """Without need at a whole window no figure is made up for it."""
    cut = [
        replace(
            one, prefixes=tuple(seen for seen in one.prefixes if seen.phase != Phase.NEED or seen.prefix.fraction < 1.0)
        )
        for one in demos.recordings
    ]
    with pytest.raises(BadFile, match=r"too few: at 100 % of a window nobody is in need"):
        samples_of(cut)


def test_a_demo_that_cannot_be_read_is_named_and_left_out(
    folder: Path, tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, and counted; it is an error only when none is left."""
    for one in folder.iterdir():
        (tmp_path / one.name).symlink_to(one)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ABOUT).write_text("{")
    assert bench(tmp_path, model) == 0
    said = capsys.readouterr().err
    assert "skipped broken: " in said
    assert "skipped 1 of 4 demos" in said
    for one in folder.iterdir():
        (tmp_path / one.name).unlink()
    with pytest.raises(BadFile, match="none of the 1 demos"):
        bench(tmp_path, model)
