"""The pages about held-out sessions, the thresholds, and the times: every figure handed in is told as what it is."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from detectors.embedded import ModelFacts
from lab.benchmarks.detector import benchmark as report
from lab.benchmarks.detector.benchmark import (
    BehaviorCounts,
    DetectorResult,
    card_of,
    count_behaviors,
    parts_of,
    plots_of,
)
from lab.benchmarks.detector.figures import LateObserver, OfferCounts, clock_figures, curves_of
from lab.benchmarks.detector.speed import DetectorSpeed, step_times_ns
from lab.measure.benchmark import at_least, at_most
from lab.measure.report import page_of
from lab.simulation.persona import Split
from lab.simulation.recording.pack import read_manifest, read_packed
from lab.training.dataset import Samples
from lab.training.detector_metrics import Predictions, choose_thresholds, measure_detector, stored_thresholds
from storage.errors import BadFile
from storage.records import State
from tests.fakes.detectors.model_files import model_file
from tests.fakes.lab.desk_sessions import PLOT, pack_desks
from tests.fakes.lab.samples import clip, samples_from, window
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import work

LATE = {2: LateObserver(recall=0.875, false_positives=0.0625)}
OFFERS = {
    "default policy": OfferCounts(hours=2.0, offers=7, needed=3, hard_hours=0.5, hard_offers=2, between=1),
    "without budget": OfferCounts(hours=2.0, offers=70, needed=30, hard_hours=0.5, hard_offers=20, between=11),
}
FACTS = ModelFacts(version="made-up-1", features=(), base_rate=0.2, ood_limit=1.0, digest="0123456789abcdef")
SPEED = DetectorSpeed(
    sessions=3,
    prefixes=240,
    records=9000,
    prefix_p99_ms=0.75,
    prefix_p99_untrimmed_ms=1.5,
    step_p99_us=40.0,
    step_p99_untrimmed_us=90.5,
    load_ms=5.0,
    model_mb=0.5,
)


BEHAVIORS = BehaviorCounts(labels=50, new_labels=28, scripts=20, new_scripts=5)


def judged() -> tuple[Samples, Predictions]:
    """Return two sessions, and who is right of all of it but of one clip in four."""
    rows = [
        *window(0, (True,) * 4),
        *window(1, (False,) * 4),
        *(row for number in (2, 3) for row in clip(number, State.WAITING)),
        *(row for number in (4, 5) for row in clip(number, State.IDEATION)),
    ]
    samples = samples_from([rows, rows])
    states = samples.state.copy()
    states[(samples.group % 1000) // 2 == 5] = samples.state[samples.clip][0]
    need = samples.need.astype(np.float64)
    return samples, Predictions(state=states, need=need, probability=np.where(samples.need, 0.75, 0.125))


def text(behaviors: BehaviorCounts = BEHAVIORS, **changes: object) -> str:
    samples, opinion = judged()
    compared = {"embedded": measure_detector(samples, opinion, choose_thresholds(samples, opinion.need))}
    result = DetectorResult(
        figures=compared,
        curves=curves_of(samples, opinion),
        senses={},
        clock=clock_figures(samples, opinion),
        auc_by_program={"desk": 0.875},
        offers=OFFERS,
        abstained=0.125,
        late_observers=LATE,
        speed=SPEED,
        bars=[at_least("good", 0.9, 0.5, "of all"), at_most("bad", 0.9, 0.5, "of all")],
    )
    changed = replace(result, **changes)  # type: ignore[arg-type]  # as named there
    parts = parts_of(samples, changed, behaviors, FACTS)
    return card_of(parts, changed.bars, FACTS.version, 1_600_000_059_999_999_999)


def test_the_text_says_what_it_is_about_and_how_it_was_counted() -> None:
    told = text()
    assert "**Simulated sessions: scripted people in real programs." in told
    assert (
        "Model made-up-1, file `0123456789abcdef`; 2 sessions, 1.00 labelled hours in desk, by 2 people; 16 prefixes"
        in told
    )
    assert "(50% with need), of which it abstained on 12.5%" in told
    assert "28 of the 50 behaviors acted out (56%)" in told
    assert "5 of 20 different scripts (25%)" in told
    assert "The calibration error is weighted to a share of need of 20%; all else is as the sessions are." in told
    assert "quiet_start_s = 0," in told
    assert "cooldown_s = 0, novelty_s = 0 and no limit of offers" in told
    assert "`kairos bench policy` judges it by the moment at which it is shown." in told
    assert "default policy: 7 offers in 2.0 h, 3 while help was needed, 2 in 0.5 h of hard negatives, 1 between" in told
    assert "without budget: 70 offers in 2.0 h, 30 while help was needed, 20 in 0.5 h of hard negatives, 11 " in told
    assert "| **embedded** | 0.750 |" in told
    assert "| good | 0.9 | of all, at least 0.5 |  |" in told
    assert "| bad | 0.9 | of all, at most 0.5 | missed |" in told
    assert "p99 1.5 ms over all tries at 240 prefixes, 90.5 us over all passes over 9000 records; no bar." in told


def test_the_looks_before_and_this_one_end_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list as it is kept by hand, and below it this run; each row has a minute (UTC), what was done, a model."""
    kept = report.ACCESS_LOG.read_text(encoding="utf-8")
    rows = [line for line in kept.splitlines() if line.startswith("| 20")]
    assert all(len(row.split("|")) == 5 for row in rows)
    now = "| 2020-09-13 12:27 | `kairos bench detector`: this page, the newest look | made-up-1 |\n"
    assert text().endswith(f"{rows[-1]}\n{now}")
    (tmp_path / "test_set_access_log.md").write_text("| 2020-01-01 | made up | none |\n", encoding="utf-8")
    monkeypatch.setattr(report, "ACCESS_LOG", tmp_path / "test_set_access_log.md")
    assert text().endswith(f"| 2020-01-01 | made up | none |\n{now}")


def test_behaviors_are_counted_by_label_and_by_script(tmp_path: Path) -> None:
    folder = pack_desks(tmp_path, Split.TEST, programs=("a",), people=2)
    sessions = [read_packed(entry.path(folder)) for entry in read_manifest(folder).sessions]
    scripts = len({act.__name__ for _, act, _ in PLOT})
    assert count_behaviors(sessions) == BehaviorCounts(
        labels=2 * len(PLOT), new_labels=2, scripts=scripts, new_scripts=1
    )


def test_the_page_stands_alone_and_shows_what_was_found() -> None:
    """Nothing is fetched; the plots hold the figures, and names of judges are made harmless."""
    samples, opinion = judged()
    html = page_of("<b>", plots_of(samples, opinion, curves_of(samples, opinion)))
    assert "http" not in html.replace("http-equiv", "")
    assert "src=" not in html
    assert html.count("<svg") == 2
    assert "<title>0.125, 0.000</title>" in html  # of the reliability: none of the calm was called likelier
    assert "<title>0.750, 1.000</title>" in html
    assert html.count("<title>1.000, 1.000</title>") == 1  # of the AUC: the whole window
    assert "<td>ideation (4)</td>" in html
    assert "<td>waiting (4)</td>" in html
    assert "<b>" not in html


def test_thresholds_are_those_in_the_model_file(tmp_path: Path) -> None:
    """As written, by the prefix's percentage, or as cut short; of log-odds, so they may be below 0."""
    told = {"25": 1.5, "50": 0.75, "75": 0.0, "100": -2.25, "cut": 3.5}
    path = model_file(tmp_path / "m.onnx", changed={"thresholds": json.dumps(told)})
    assert stored_thresholds(path) == {25: 1.5, 50: 0.75, 75: 0.0, 100: -2.25, "cut": 3.5}


def test_a_model_without_thresholds_is_refused(tmp_path: Path) -> None:
    """None are made up for it."""
    with pytest.raises(BadFile, match=r"m\.onnx has no thresholds"):
        stored_thresholds(model_file(tmp_path / "m.onnx"))


def test_each_record_is_timed_in_each_pass() -> None:
    desk = Desk(1)
    work(desk, 40.0)
    records = [replace(record, at_ns=record.t_ns) for record in desk.records]  # type: ignore[attr-defined]  # all do
    times = step_times_ns([records, records[: len(records) // 2]], passes=2)
    assert len(times) == len(records) + len(records) // 2
    assert {len(passes) for passes in times} == {2}
