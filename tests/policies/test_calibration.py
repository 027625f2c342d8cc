"""A person's own scale of need: bounded, monotone, unmoved by what was to be expected, kept, shown and forgotten."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.calibration import (
    LIMITS,
    NEEDED,
    learn_need,
    learn_needs,
    save_calibration,
    scaling_of,
    start_calibration,
)
from policies.learning import LEAST_THRESHOLD
from policies.memory import export_memory, without_learned
from policies.protocol import LearnsReports
from policies.state import Calibration, NeedScaling
from storage.clock import DAY_NS
from storage.records import FeedbackKind, NeedReport, ReportedBy, Verdict
from tests.fakes.detectors.fake_detectors import estimate_of
from tests.fakes.detectors.policy_story import SETTINGS, S, Story

AS_ESTIMATED = NeedScaling()
APPS = ("writer", "calc", "browser")
Answers = list[tuple[str, float, bool, float, int]]

answers = st.lists(
    st.tuples(st.sampled_from(APPS), st.floats(-14.0, 14.0), st.booleans(), st.floats(0.01, 1.0), st.integers(0, 90)),
    max_size=40,
)


def learned(given_answers: Answers) -> tuple[Calibration, int]:
    calibration, now_ns = Calibration(), 0
    for app, log_odds, needed, weight, days in given_answers:
        now_ns += days * DAY_NS
        calibration = learn_need(calibration, SETTINGS, app, log_odds, needed=needed, weight=weight, now_ns=now_ns)
    return calibration, now_ns


def repeated(count: int, log_odds: float, *, needed: bool, app: str = "writer") -> Calibration:
    return learned([(app, log_odds, needed, 1.0, 0)] * count)[0]


def scaling(calibration: Calibration, app: str = "writer", now_ns: int = 0) -> NeedScaling:
    return scaling_of(calibration, SETTINGS, app, now_ns)


@given(answers, st.integers(0, 400))
def test_shift_and_scale_keep_their_limits(given_answers: Answers, days: int) -> None:
    calibration, now_ns = learned(given_answers)
    for app in (*APPS, "never seen"):
        shift, scale = scaling(calibration, app, now_ns + days * DAY_NS)
        assert LIMITS.shift.least <= shift <= LIMITS.shift.most
        assert 1.0 + LIMITS.scale.least <= scale <= 1.0 + LIMITS.scale.most
    assert len(calibration.programs) <= min(len(APPS), LIMITS.programs)


@given(answers, st.sampled_from(APPS), st.floats(-14.0, 14.0), st.floats(0.0, 1.0))
def test_an_answer_never_moves_need_the_other_way(
    given_answers: Answers, app: str, log_odds: float, weight: float
) -> None:
    calibration, now_ns = learned(given_answers)
    before = scaling(calibration, app, now_ns).apply(log_odds)
    for needed, sign in ((True, 1.0), (False, -1.0)):
        after = learn_need(calibration, SETTINGS, app, log_odds, needed=needed, weight=weight, now_ns=now_ns)
        assert sign * (scaling(after, app, now_ns).apply(log_odds) - before) >= -1e-9


@given(answers, st.integers(0, 10**15))
def test_what_was_learned_survives_as_json(given_answers: Answers, elapsed_ns: int) -> None:
    calibration, now_ns = learned(given_answers)
    saved = json.loads(json.dumps(save_calibration(calibration, now_ns)))
    again = start_calibration(saved, elapsed_ns, now_ns + elapsed_ns)
    assert (again.overall, again.programs) == (calibration.overall, calibration.programs)
    assert save_calibration(again, now_ns + elapsed_ns) == save_calibration(calibration, now_ns + elapsed_ns)


def test_without_answers_need_counts_as_estimated() -> None:
    assert scaling(Calibration()) == AS_ESTIMATED
    assert start_calibration({"learned": {}}, 5, 9) == Calibration(at_ns=9)
    assert save_calibration(Calibration(), 9) == {}


def test_answers_as_estimated_leave_need_where_it_is() -> None:
    log_odds = math.log(0.7 / 0.3)
    for order in ([True] * 7 + [False] * 3, [False] * 3 + [True] * 7, [True, True, False, True, True, True, False] * 3):
        calibration, _ = learned([("writer", log_odds, needed, 1.0, 0) for needed in order])
        assert abs(scaling(calibration).apply(log_odds) - log_odds) < 0.5
    always = repeated(10, log_odds, needed=False)
    assert scaling(always).apply(log_odds) < log_odds - 1.0


def test_a_program_differs_from_the_others() -> None:
    calibration = repeated(8, 1.0, needed=False, app="writer")
    assert scaling(calibration, "writer").shift < scaling(calibration, "calc").shift < 0.0


def test_wrong_answers_are_overtaken_by_right_ones() -> None:
    wrong = [("writer", 2.0, False, 1.0, 0)] * 200
    calibration, _ = learned([*wrong, *[("writer", 2.0, True, 1.0, 0)] * 40])
    assert scaling(repeated(200, 2.0, needed=False)).apply(2.0) < 1.0
    assert scaling(calibration).apply(2.0) > 2.0


def test_answers_fade() -> None:
    calibration = repeated(20, 1.0, needed=False)
    later = round(10 * SETTINGS.learning_half_life_days * DAY_NS)
    assert abs(scaling(calibration, now_ns=later).shift) < 0.02 < abs(scaling(calibration).shift)


def test_no_evidence_is_never_worth_an_offer() -> None:
    for shift in (LIMITS.shift.least, LIMITS.shift.most):
        for scale in (1.0 + LIMITS.scale.least, 1.0 + LIMITS.scale.most):
            need = 1.0 / (1.0 + math.exp(-NeedScaling(shift, scale).apply(math.log(0.05 / 0.95))))
            assert need < LEAST_THRESHOLD


def test_asking_in_calm_moments_teaches_little() -> None:
    """Nobody says each time that no help is needed, so a request counts as much as the estimate let expect it."""

    def shift_after(log_odds: float, *, asked: bool) -> float:
        calibration = Calibration()
        for _ in range(5):
            calibration = learn_needs(calibration, SETTINGS, {"writer": log_odds}, needed=True, asked=asked, now_ns=0)
        return scaling(calibration).shift

    assert 0.0 < shift_after(-3.0, asked=True) < 0.3 * shift_after(-3.0, asked=False)
    assert shift_after(0.0, asked=True) > shift_after(-3.0, asked=True)


@pytest.mark.parametrize(
    "saved",
    [
        3,
        {},
        {"age_ns": 0, "fits": 4},
        {"age_ns": 0, "fits": [1]},
        {"age_ns": 0, "fits": []},
        {"age_ns": 0, "fits": [{"app": "", "shift": [0], "scale": [0, 0], "answers": 1}]},
        {"age_ns": 0, "fits": [{"app": "", "shift": [0, -1], "scale": [0, 0], "answers": 1}]},
        {"age_ns": 0, "fits": [{"app": "", "shift": [0, "x"], "scale": [0, 0], "answers": 1}]},
        {"age_ns": 0, "fits": [{"app": "", "shift": [math.inf, 0], "scale": [0, 0], "answers": 1}]},
        {"age_ns": None, "fits": [{"app": "", "shift": [0, 0], "scale": [0, 0], "answers": 1}]},
    ],
)
def test_a_damaged_memory_is_refused(saved: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        start_calibration({"calibration": saved}, 0, 0)


# ---------------------------------------------------------------- in the policy


def test_answers_move_the_need_that_an_offer_takes() -> None:
    settings = replace(SETTINGS, cooldown_s=0.0, backoff_s=0.0)
    fresh = Story(settings).decide(estimate_of(0.85))
    assert fresh.verdict is Verdict.OFFER
    assert not {"shift", "scale"} & fresh.numbers.keys()
    story = Story(settings)
    for _ in range(8):
        story.answer(FeedbackKind.WRONG, help_need=0.85)
    held = story.decide(estimate_of(0.85))
    assert (held.gate, held.reason) == ("utility", "not_worth_it")
    assert held.numbers["p"] < 0.75
    assert held.numbers["shift"] < 0.0


def test_an_answer_is_held_against_the_evidence_of_its_offer() -> None:
    """Not the newest estimate but all that led to the offer counts, so a second window's surprise is the smaller."""
    settings = replace(SETTINGS, cooldown_s=0.0)
    shifts = []
    for earlier in (False, True):
        story = Story(settings)
        if earlier:
            story.decide(estimate_of(0.7, window_id=1, prefix_id="w1/100"))
        offered = story.decide(estimate_of(0.85, window_id=2, prefix_id="w2/100"))
        assert offered.verdict is Verdict.OFFER
        story.answer(FeedbackKind.TOO_EARLY, help_need=0.85)
        shifts.append(scaling_of(story.state.calibration, settings, "editor", story.now_ns).shift)
    assert shifts[1] < shifts[0] < 0.0


def test_each_kind_of_answer_says_its_part_about_need() -> None:
    assert NEEDED.keys() == set(FeedbackKind) - {FeedbackKind.IGNORED, FeedbackKind.SNOOZED}
    for kind in FeedbackKind:
        story = Story()
        story.answer(kind, help_need=0.6)
        moved = scaling_of(story.state.calibration, SETTINGS, "editor", story.now_ns).shift
        assert (moved > 0.0, moved < 0.0) == (NEEDED.get(kind) is True, NEEDED.get(kind) is False)


def test_a_report_moves_the_programs_it_is_about() -> None:
    for needed in (True, False):
        story = Story()
        assert isinstance(story.policy, LearnsReports)
        report = NeedReport(start_ns=0, end_ns=S, needed=needed, by=ReportedBy.SAID)
        state = story.policy.learn_report(story.state, report, {"editor": 0.4, "browser": 0.3}, story.now_ns)
        assert len(state.calibration.programs) == 2
        shift = scaling_of(state.calibration, SETTINGS, "browser", story.now_ns).shift
        assert (shift > 0.0) is needed


def test_what_was_learned_of_need_is_shown_and_forgotten() -> None:
    settings = replace(SETTINGS, cooldown_s=0.0, backoff_s=0.0)
    story = Story(settings)
    for _ in range(6):
        story.answer(FeedbackKind.WRONG, help_need=0.8)
    saved = json.loads(json.dumps(story.policy.save(story.state, story.now_ns)))
    seen: Any = export_memory(saved, 0, settings)
    assert [row["app"] for row in seen["need"]] == ["", "editor"]
    assert [row["answers"] for row in seen["need"]] == pytest.approx([6.0, 6.0])
    assert seen["need"][1]["shift"] < seen["need"][0]["shift"] < 0.0
    assert seen["need_limits"]["shift"] == [LIMITS.shift.least, LIMITS.shift.most]
    forgotten = without_learned(saved, mutes=False)
    assert export_memory(forgotten, 0, settings)["need"] == []
    fresh, again = Story(settings), Story(settings)
    again.state = again.policy.start(forgotten, 0, again.now_ns)
    for need in (0.5, 0.7, 0.9):
        assert again.decide(estimate_of(need)) == fresh.decide(estimate_of(need))


def test_a_surprise_teaches_more_than_what_was_to_be_expected() -> None:
    """A refusal where help was likely moves more than one where it was not, so offers alone do not end in silence."""
    expected, surprise = (abs(scaling(repeated(1, x, needed=False)).shift) for x in (-3.0, 3.0))
    assert 0.0 < 5.0 * expected < surprise


def test_the_program_answered_longest_ago_is_dropped() -> None:
    calibration, _ = learned([(f"app{number}", 1.0, False, 1.0, 0) for number in range(LIMITS.programs + 5)])
    assert [fit.app for fit in calibration.programs][:: LIMITS.programs - 1] == ["app5", f"app{LIMITS.programs + 4}"]
    assert calibration.overall.answers == LIMITS.programs + 5
