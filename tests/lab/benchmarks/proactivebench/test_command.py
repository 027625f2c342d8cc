"""The ProactiveBench benchmark, on made-up data: what it says where there is something to find, and where not."""

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools
from lab.benchmarks.proactivebench import benchmark as bench_proactivebench
from lab.benchmarks.proactivebench import protocol as proactivebench_protocol
from lab.benchmarks.proactivebench.benchmark import ProactiveResult, report_of, score, speaking_figures, verdict
from lab.benchmarks.proactivebench.command import PROACTIVEBENCH
from lab.benchmarks.proactivebench.event_sentences import acts, cues, stems
from lab.benchmarks.proactivebench.protocol import (
    CANDIDATES,
    SCORED,
    leave_one_trace_out,
    share_below,
    threshold_for_share,
)
from lab.benchmarks.proactivebench.study import Sentence, read
from lab.measure import metrics
from storage.errors import BadFile
from tests.fakes.lab import studies as made_up_studies

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@pytest.fixture(scope="module", autouse=True)
def _few() -> Iterator[None]:
    """Few candidates and few draws: what is tested here hangs on neither."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proactivebench_protocol, "CANDIDATES", CANDIDATES[::6])
        patch.setattr(proactivebench_protocol, "CHOSEN", 2)
        patch.setattr(metrics, "bootstrap", partial(resampling.bootstrap, draws=60))
        yield


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ProactiveResult:
    """The benchmark where a search means need."""
    folder = tmp_path_factory.mktemp("telling")
    made_up_studies.proactivebench(folder, traces=5)
    return score(read(folder))


def test_need_that_words_predict_is_found(result: ProactiveResult) -> None:
    """Where every search means need the bars are held, and always and never speaking are told from it."""
    assert all(bar.ok for bar in result.bars)
    assert [row.figures.speaks for row in result.events[:2]] == [1.0, 0.0]
    assert [row.figures.balanced_accuracy for row in result.events[:2]] == [0.5, 0.5]
    assert {row.who for row in result.events} >= set(made_up_studies.MODELS)
    assert [one.verdict for one in result.differences] == ["better", "better"]


def test_silence_and_its_published_reading_are_two_rows(result: ProactiveResult) -> None:
    """A model that always writes null is silent here, and speaks by the published count."""
    meant = {row.who: row.figures.speaks for row in result.events}
    counted = {row.who: row.figures.speaks for row in result.as_published}
    assert (meant["nuller"], counted["nuller"]) == (0.0, 1.0)
    assert (meant["talker"], counted["talker"]) == (1.0, 1.0)


def test_unpredictable_labels_miss_the_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels that nothing foretells end with status 1: the check can fail."""
    made_up_studies.proactivebench(tmp_path, traces=5, telling=False, seed=4)
    assert PROACTIVEBENCH.run(Namespace(path=tmp_path, json=True)) == 1
    found = json.loads(capsys.readouterr().out)
    assert {bar["name"]: bar["ok"] for bar in found["bars"]}["help_need_auc"] is False
    assert found["variants_scored"] == len(SCORED) == len(found["variants"])
    assert len(found["rounds"]) == 5
    assert found["machine"]["cores"] > 0
    assert any("leaks" in warning for warning in found["warnings"])
    assert any("no text" in warning for warning in found["warnings"])


def test_the_table_names_variants_and_the_leak(
    result: ProactiveResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a person reads says how often these labels were scored, and that the official split leaks."""
    made_up_studies.proactivebench(tmp_path, traces=3, length=2)
    monkeypatch.setattr(bench_proactivebench, "measure", lambda _: report_of(result))
    assert PROACTIVEBENCH.run(Namespace(path=tmp_path, json=False)) == 0
    said = capsys.readouterr().out
    assert f"variants ever scored on these labels: {len(SCORED)}" in said
    assert "5 of 5 histories" in said


def test_a_left_out_trace_is_judged_without_its_labels(tmp_path: Path) -> None:
    """Turning all labels of one trace round changes none of its scores, and some of the others'."""
    made_up_studies.proactivebench(tmp_path, traces=4)
    bench = read(tmp_path)
    turned = tuple(
        replace(moment, help_needed=not moment.help_needed, votes=1 - moment.votes) if moment.trace == 2 else moment
        for moment in bench.moments
    )
    scores, spoke, _ = leave_one_trace_out(bench)
    after, spoke_after, _ = leave_one_trace_out(replace(bench, moments=turned))
    own = bench.traces == 2
    assert (scores[own] == after[own]).all()
    assert (spoke[own] == spoke_after[own]).all()
    assert (scores[~own] != after[~own]).any()


def test_too_few_traces_are_refused(tmp_path: Path) -> None:
    """With two traces nothing can be chosen while one is left out."""
    made_up_studies.proactivebench(tmp_path, traces=2)
    with pytest.raises(BadFile, match="too few traces"):
        score(read(tmp_path))


@given(SCORES, st.floats(0, 1))
def test_the_threshold_never_speaks_more_than_it_may(scores: list[float], share: float) -> None:
    """At most the share speaks, and the next lower score would be one too many unless it ties."""
    found = np.array(scores)
    threshold = threshold_for_share(found, share)
    assert (found >= threshold).sum() <= share * len(found) + 1e-9
    below = found[found < threshold]
    if len(below):
        assert (found >= below.max()).sum() > np.floor(share * len(found) + 1e-9)


@given(SCORES, SCORES)
def test_shares_keep_the_order_and_lie_between_none_and_all(others: list[float], scores: list[float]) -> None:
    """Putting scores on one scale turns no two of them round."""
    found = np.array(sorted(scores))
    shares = share_below(np.array(others), found)
    assert (np.diff(shares) >= 0).all()
    assert ((shares >= 0) & (shares <= 1)).all()
    assert share_below(np.array(others), np.array([np.inf])) == 1


@settings(max_examples=25)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=50))
def test_speaking_figures_equal_scikit_learns(pairs: list[tuple[bool, bool]]) -> None:
    """Precision, recall, F1, accuracy and balanced accuracy are those everybody means."""
    need: Bools = np.array([need for need, _ in pairs])
    spoke: Bools = np.array([spoke for _, spoke in pairs])
    found = speaking_figures(need, spoke)
    assert found.speaks == pytest.approx(spoke.mean())
    assert found.precision == pytest.approx(sk.precision_score(need, spoke, zero_division=0))
    assert found.recall == pytest.approx(sk.recall_score(need, spoke, zero_division=0))
    assert found.f1 == pytest.approx(sk.f1_score(need, spoke, zero_division=0))
    assert found.accuracy == pytest.approx(sk.accuracy_score(need, spoke))
    if len(set(need.tolist())) == 2:
        assert found.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(need, spoke))


@pytest.mark.parametrize(("low", "high", "word"), [(0.1, 0.2, "better"), (-0.2, -0.1, "worse"), (-0.1, 0.1, "level")])
def test_only_an_interval_without_zero_is_a_difference(low: float, high: float, word: str) -> None:
    """Level is a result; better and worse need an interval on one side."""
    assert verdict(Interval(value=(low + high) / 2, low=low, high=high)) == word


def test_acts_are_without_endings_and_quotes() -> None:
    """One trace says searches, another searched; what is searched for is another matter."""
    assert stems("The user searched") == stems("the user searches") == stems("The user searching")
    assert acts("The user's tab 'how to sort' closed") == acts("the user's tab 'Tom's code' closes")


def test_cues_look_at_the_recent_events_alone() -> None:
    """An event further back than the recent ones changes no cue; the last one does."""
    calm = [Sentence(str(n), "The user scrolls down.") for n in range(8)]
    before = [Sentence("0", "The user meets an error."), *calm[1:]]
    now = [*calm[:-1], Sentence("7", "The user meets an error.")]
    assert cues(before) == cues(calm)
    assert cues(now) != cues(calm)
