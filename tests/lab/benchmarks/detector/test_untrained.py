"""Ranking need by single features: which moments count, and that a clock has nothing to say in equal times."""

import math
from pathlib import Path

import pytest

from lab.benchmarks.detector.untrained import (
    EQUAL_S,
    EVERY_NS,
    FEATURES,
    SCENE_CLOCK,
    Moment,
    lines_of,
    main,
    moments_of,
    parts_of,
    rank,
)
from lab.simulation.recording.pack import read_manifest, read_packed

LOGS = Path(__file__).parents[4] / "lab" / "logs" / "train"


def moment(scene: int, since_s: float, *, need: bool, score: float, in_vain: bool = True, hard: bool = False) -> Moment:
    """Return a moment with one score beside the clock."""
    scores = {SCENE_CLOCK: since_s, "score": score}
    return Moment(
        scene=("a", scene), need=need, in_vain=in_vain, hard_negative=hard, since_s=since_s, scores=scores
    )  # fmt: skip


def test_a_clock_ranks_late_trouble_and_says_nothing_in_equal_times() -> None:
    """What a script does late is found by a clock; among moments of the same ten seconds it is not."""
    moments = [moment(1, at, need=False, score=at % 3) for at in (1.0, 2.0, 11.0)]
    moments += [moment(2, at, need=True, score=5.0) for at in (12.0, 13.0, 25.0)]
    clock, score = rank(moments, SCENE_CLOCK), rank(moments, "score")
    assert clock.auc == 1.0
    assert rank([one for one in moments if one.since_s < EQUAL_S], SCENE_CLOCK).scenes_in_need == 0
    assert score.auc == score.auc_equal_times == score.auc_scenes == 1.0
    assert (score.scenes_in_need, score.scenes_calm) == (1, 1)
    assert math.isnan(rank(moments[:3], "score").auc)


def test_parts_leave_out_what_is_not_asked_about() -> None:
    """Need while acting in vain, other need, and calm scenes that look like trouble."""
    moments = [
        moment(1, 1.0, need=True, score=1.0),
        moment(2, 1.0, need=True, score=1.0, in_vain=False),
        moment(3, 1.0, need=False, score=0.0),
        moment(4, 1.0, need=False, score=0.0, hard=True),
    ]
    assert [[one.scene[1] for one in part] for part in parts_of(moments).values()] == [
        [1, 2, 3, 4], [1, 3, 4], [2, 3, 4], [1, 2, 4],
    ]  # fmt: skip


def test_moments_of_a_session_are_labelled_and_begin_with_need(tmp_path: Path) -> None:
    """They lie inside labels; scenes apart have no more moments than scenes in turn, and their clock begins anew."""
    entry = read_manifest(LOGS, check=False).sessions[0]
    packed = read_packed(entry.path(LOGS))
    chained, apart = (moments_of(packed, apart=one) for one in (False, True))
    labels = {label.start_ns: label for label in packed.labels}
    assert 0 < len(apart) <= len(chained)
    for one in chained:
        label = labels[one.scene[1]]
        assert 0 <= one.since_s * 1e9 < label.end_ns - label.start_ns + EVERY_NS
        assert one.need == (label.need_from_ns is not None)
        assert set(FEATURES) < one.scores.keys()
    assert any("AUC" in line for line in lines_of(chained))
    with pytest.raises(SystemExit):
        main(["--no-such-option", str(tmp_path)])
