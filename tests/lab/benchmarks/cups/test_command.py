"""The CUPS benchmark, on made-up data: what it says where there is something to find, and where not."""

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

from daemon.figures import resampling
from lab.benchmarks.cups import benchmark as bench_cups
from lab.benchmarks.cups.benchmark import CupsResult, bottom_quarter, commonest, report_of, score
from lab.benchmarks.cups.command import CUPS
from lab.benchmarks.cups.protocol import SCORED, SEEDS, Forest, ProgrammerFold, area, leave_one_out
from lab.benchmarks.cups.study import read
from lab.measure import metrics
from storage.errors import BadFile
from tests.fakes.lab import studies as made_up_studies

_SMALL = (Forest(trees=6, leaf=2), Forest(trees=6, leaf=6, extra=True))


@pytest.fixture
def rng() -> np.random.Generator:
    """Return seeded random numbers."""
    return np.random.default_rng(3)


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    """Small forests and few draws: what is tested here hangs on neither."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench_cups, "HOLD_FORESTS", _SMALL)
        patch.setattr(bench_cups, "STATE_FORESTS", _SMALL[1:])
        patch.setattr(bench_cups, "all_cores", lambda: 1)
        patch.setattr(metrics, "bootstrap", partial(resampling.bootstrap, draws=60))
        yield


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> CupsResult:
    """The benchmark where sure suggestions are accepted."""
    folder = tmp_path_factory.mktemp("telling")
    made_up_studies.cups(folder, programmers=4)
    return score(read(folder), workers=1)


def test_states_that_telemetry_predicts_are_found(result: CupsResult) -> None:
    """Where confidence decides the bars are held, and the trivial rows are what they have to be."""
    assert all(bar.ok for bar in result.bars)
    everything, chance, confidence, ours = result.holding
    assert (everything.auc.value, everything.held.value, everything.accepted_kept.value) == (0.5, 0.0, 1.0)
    assert chance.accepted_kept.value < 0.85
    assert confidence.auc.value == 1.0
    assert ours.auc.value > 0.8
    assert result.telling[1].accuracy.value > result.telling[0].accuracy.value
    assert [one.seed for one in result.rounds] == list(SEEDS)
    assert ours.auc.value == pytest.approx(np.mean([one.auc for one in result.rounds]), abs=1e-3)


def test_unpredictable_answers_miss_the_bars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers that nothing foretells end with status 1: the check can fail."""
    made_up_studies.cups(tmp_path, programmers=4, telling=False)
    assert CUPS.run(Namespace(path=tmp_path, json=True)) == 1
    found = json.loads(capsys.readouterr().out)
    verdicts = {bar["name"]: bar["ok"] for bar in found["bars"]}
    assert (verdicts["hold_auc"], verdicts["accepted_kept"]) == (False, False)
    assert found["variants_scored"] == len(SCORED)
    assert found["machine"]["cores"] > 0


def test_the_table_names_variants_and_bars(
    result: CupsResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a person reads says how often these labels were scored, and which bars are held."""
    made_up_studies.cups(tmp_path, programmers=1, suggestions=2)
    monkeypatch.setattr(bench_cups, "measure", lambda _: report_of(result))
    assert CUPS.run(Namespace(path=tmp_path, json=False)) == 0
    said = capsys.readouterr().out
    assert f"variants ever scored on these labels: {len(SCORED)}" in said
    assert "held   hold_auc" in said


def test_a_left_out_programmer_is_judged_without_their_answers(rng: np.random.Generator) -> None:
    """Turning all answers of one programmer round changes none of their scores, and some of the others'."""
    x, y, programmers = rng.random((90, 4)), rng.integers(0, 2, 90), np.repeat(np.arange(5), 18)
    own = programmers == 3
    turned = np.where(own, 1 - y, y)
    before, after = (
        leave_one_out(x, answers, programmers, forests=_SMALL, figure=area, workers=1) for answers in (y, turned)
    )
    for a, b in zip(before, after, strict=True):
        assert (a.scores == b.scores).all() == (a.programmer == 3)
    assert (before[3].others == after[3].others).all()


@pytest.mark.slow  # starts processes that import the training libraries anew
def test_folds_in_processes_give_the_same(rng: np.random.Generator) -> None:
    """Where a fold is run changes nothing."""
    x, y, programmers = rng.random((60, 3)), rng.integers(0, 2, 60), np.repeat(np.arange(4), 15)
    here, there = (leave_one_out(x, y, programmers, forests=_SMALL, figure=area, workers=workers) for workers in (1, 2))
    for a, b in zip(here, there, strict=True):
        assert (a.programmer, a.forest) == (b.programmer, b.forest)
        assert (a.scores == b.scores).all()


def test_a_state_nobody_else_has_gets_no_probability(rng: np.random.Generator) -> None:
    """A class that only the left-out programmer knows still has its column, empty."""
    x, programmers = rng.random((40, 3)), np.repeat(np.arange(4), 10)
    y = np.where(programmers == 0, 2, rng.integers(0, 2, 40))
    first, *_ = leave_one_out(x, y, programmers, forests=_SMALL[:1], figure=area, workers=1)
    assert first.scores.shape == (len(SEEDS), 10, 3)
    assert (first.scores[:, :, 2] == 0).all()


def test_the_quarter_is_the_others_quarter() -> None:
    """The threshold comes from the other programmers' scores, so one may have all held and another nothing."""
    others = np.column_stack([np.zeros(100), np.arange(100) / 100])
    folds = [
        ProgrammerFold(programmer=n, forest=_SMALL[0], scores=np.full((len(SEEDS), 2, 2), value), others=others)
        for n, value in enumerate((0.2, 0.3))
    ]
    scores, held = bottom_quarter(folds, np.array([0, 0, 1, 1]))
    assert scores[0].tolist() == [0.2, 0.2, 0.3, 0.3]
    assert held.tolist() == [[True, True, False, False]] * len(SEEDS)


def test_the_commonest_state_is_that_of_the_others() -> None:
    """A programmer who is in one state all the time does not make it their own guess."""
    truth, programmers = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1, 2])
    assert commonest(truth, programmers).tolist() == [[1, 1, 1, 0, 0, 0]]


def test_figures_equal_scikit_learns(rng: np.random.Generator) -> None:
    """With one seed every figure is the one everybody means."""
    truth, guess, programmers = rng.integers(0, 4, 200), rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    told = bench_cups.state_figures("x", truth, guess[None], programmers)
    assert told.accuracy.value == pytest.approx(sk.accuracy_score(truth, guess))
    assert told.macro_f1.value == pytest.approx(sk.f1_score(truth, guess, average="macro"))
    assert told.balanced_accuracy.value == pytest.approx(sk.balanced_accuracy_score(truth, guess))
    states = bench_cups.by_state(("a", "b", "c", "d"), truth, guess[None])
    f1 = dict(zip("abcd", sk.f1_score(truth, guess, average=None), strict=True))
    assert {state.state: state.f1 for state in states} == pytest.approx(f1, abs=1e-3)
    accepted, scores = truth > 1, rng.random(200)
    held = scores < 0.3
    row = bench_cups.hold_figures("x", accepted, scores[None], held[None], programmers)
    assert row.auc.value == pytest.approx(sk.roc_auc_score(accepted, scores))
    assert row.accepted_kept.value == pytest.approx(sk.recall_score(accepted, ~held))
    assert row.accepted_of_held.value == pytest.approx(sk.precision_score(accepted, held))


def test_too_few_programmers_are_refused(tmp_path: Path) -> None:
    """With three nobody is left to choose among."""
    made_up_studies.cups(tmp_path, programmers=3, suggestions=4)
    with pytest.raises(BadFile, match="too few programmers"):
        score(read(tmp_path), workers=1)


def test_answers_of_one_kind_are_refused(tmp_path: Path) -> None:
    """Where everything was accepted nothing can be ranked."""
    made_up_studies.cups(tmp_path, suggestions=4)
    cups = read(tmp_path)
    events = tuple(replace(one, event="Accepted") if one.event == "Rejected" else one for one in cups.events)
    with pytest.raises(BadFile, match="too few programmers"):
        score(replace(cups, events=events), workers=1)
