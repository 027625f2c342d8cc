"""Figures of opinions: which samples count where, what is above a threshold, and what was not learned from."""

from dataclasses import replace

import numpy as np
import pytest

from lab.training.detector_metrics import (
    ALWAYS,
    CUT,
    ENDINGS,
    Ending,
    Predictions,
    baseline_metrics,
    choose_thresholds,
    measure_detector,
    metrics_parts,
    rows_by_ending,
    with_cut,
)
from tests.fakes.lab.desk_sessions import desk_samples

SEEN = desk_samples()
SEEN = replace(SEEN, truncated=~SEEN.clip & (SEEN.fraction == 1.0) & (SEEN.truncated | (SEEN.group % 3 == 0)))
"""More windows cut short than at the small desk, some of them without need."""

LIVE = ~SEEN.clip
TRUTH = Predictions(state=np.maximum(SEEN.state, 0), need=SEEN.need.astype(np.float64))
HALF = dict.fromkeys(ENDINGS, 0.5)


def test_each_live_prefix_ends_in_one_way_and_what_was_cut_short_is_no_whole_window() -> None:
    """At 100 % there are whole windows alone; the control: both kinds occur."""
    rows = rows_by_ending(SEEN)
    assert (np.sum(list(rows.values()), axis=0) == LIVE).all()
    assert rows[CUT].any()
    assert rows[100].any()
    assert not SEEN.truncated[rows[100]].any()
    assert SEEN.truncated[rows[CUT]].all()


def test_false_alarms_in_windows_cut_short_are_told_apart_from_those_in_whole_ones() -> None:
    found = measure_detector(SEEN, replace(TRUTH, need=np.where(SEEN.truncated, 1.0, TRUTH.need)), HALF)
    assert (found.recall[100], found.fpr[100], found.auc[100]) == (1.0, 0.0, 1.0)
    assert (found.recall[CUT], found.fpr[CUT], found.auc[CUT]) == (1.0, 1.0, 0.5)


def test_a_model_without_a_threshold_for_windows_cut_short_uses_that_of_whole_ones() -> None:
    """Models know it since they are trained with it; others are judged as they were."""
    old: dict[Ending, float] = {25: 0.5, 50: 0.5, 75: 0.5, 100: 2.0}
    assert with_cut(old)[CUT] == 2.0
    assert measure_detector(SEEN, TRUTH, old).recall[CUT] == 0.0
    assert measure_detector(SEEN, TRUTH, {**old, CUT: 0.5}).recall[CUT] == 1.0
    assert CUT in choose_thresholds(SEEN, TRUTH.need)
    whole = SEEN.where(~SEEN.truncated)
    assert CUT not in choose_thresholds(whole, whole.need.astype(np.float64))


def test_behaviors_that_were_not_learned_from_have_figures_of_their_own() -> None:
    """Who knows all but the held-out one is wrong there alone; the tables say so, and nothing where there is none."""
    held = SEEN.held_out
    state = np.where(held, (TRUTH.state + 1) % 9, TRUTH.state)
    wrong = replace(TRUTH, state=state, need=np.where(held, 1.0 - TRUTH.need, TRUTH.need))
    found = measure_detector(SEEN, wrong, HALF)
    assert found.unseen is not None
    assert (found.unseen.scripts, found.unseen.clip_accuracy, found.unseen.clip_macro_f1) == (1, 0.0, 0.0)
    assert found.unseen.clips == (held & SEEN.clip & (SEEN.fraction == 1.0)).sum()
    assert found.unseen.auc == 0.0
    assert found.clip_accuracy > 0.9
    reported = measure_detector(SEEN, wrong, HALF, ~held).unseen
    assert reported is not None
    assert reported.clip_accuracy == pytest.approx(1.0)
    assert measure_detector(SEEN, wrong, HALF, held & ~held).unseen is None
    assert "not learned from, 1 different" in str(metrics_parts({"wrong": found}))
    assert "not learned from" not in str(metrics_parts({"wrong": replace(found, unseen=None)}))


def test_who_always_helps_finds_every_need_and_is_always_wrong_elsewhere() -> None:
    """No threshold is chosen for it; for the idle timer one is."""
    found = baseline_metrics(SEEN)
    assert set(found[ALWAYS].recall.values()) == set(found[ALWAYS].fpr.values()) == {1.0}
    assert found[ALWAYS].hard_above == 1.0
    assert max(found["idle timer"].fpr.values()) <= 0.05


def test_false_positives_are_told_for_each_program() -> None:
    """Who always helps in one program and is right in the others stands out there alone."""
    found = measure_detector(SEEN, replace(TRUTH, need=np.where(SEEN.program == "b", 1.0, TRUTH.need)), HALF)
    assert found.fpr_by_program == {"a": 0.0, "b": 1.0, "c": 0.0}
    assert 0.0 < found.fpr[100] < 1.0
