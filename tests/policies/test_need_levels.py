"""The level of evidence that calls for an offer: how it follows a person's own time, and its bounds."""

import json
import math
from dataclasses import replace

import pytest

from policies.need_levels import (
    ABSOLUTE_LEVEL,
    APART_NS,
    FLOOR,
    GRID,
    MOST_ABOVE,
    MOST_PROGRAMS,
    OFFERS_AN_HOUR,
    calm_rates,
    count_evidence,
    counts_of,
    discount_need,
    level_of,
    save_need_history,
    start_need_history,
)
from policies.state import NeedHistory
from storage.clock import HOUR_NS, NS_PER_S
from storage.records import Estimate
from storage.settings import setting_infos
from tests.fakes.detectors.fake_detectors import estimate_of

NOW = OFFERS_AN_HOUR["now and then"]


def of_app(app: str, **changes: object) -> Estimate:
    return replace(estimate_of(0.5, app=app), **changes)  # type: ignore[arg-type]  # fields of an estimate


def worked(hours: float, totals: list[float], app: str = "editor", history: NeedHistory | None = None) -> NeedHistory:
    history = history or NeedHistory()
    steps = round(hours * 3600 / 6)
    start_ns = history.seen_ns
    reached = {round((number + 0.5) * steps / max(len(totals), 1)): total for number, total in enumerate(totals)}
    for step in range(steps):
        now_ns = start_ns + (step + 1) * 6 * NS_PER_S
        history = count_evidence(history, of_app(app), reached.get(step, -5.0), now_ns)
    return history


def test_without_own_time_the_level_is_what_was_measured() -> None:
    for choice, per_hour in OFFERS_AN_HOUR.items():
        level = level_of(NeedHistory(detector="embedded"), "editor", "controls+tiles", per_hour)
        rates = calm_rates("embedded", "controls+tiles")
        below = max((rate for at, rate in zip(GRID, rates, strict=True) if at >= level), default=0.0)
        assert below <= per_hour or level == GRID[-1], choice
    levels = [level_of(NeedHistory(), "editor", "", per_hour) for per_hour in OFFERS_AN_HOUR.values()]
    assert levels == sorted(levels, reverse=True)
    assert levels[1] == pytest.approx(ABSOLUTE_LEVEL)


def test_what_a_desktop_does_not_tell_has_levels_of_its_own() -> None:
    """Where the pointer's place alone is missing need lies as high; where keys are, pictures make no difference."""
    missing = ("+tiles", "", "+tiles-pointer", "-frames-pointer", "+tiles-keys-pointer", "-frames-keys-pointer")
    levels = [level_of(NeedHistory(detector="embedded"), "editor", f"controls{told}", NOW) for told in missing]
    assert len(set(levels)) == 4
    assert levels[2] == levels[0] < levels[-1] == levels[-2] < levels[3]


def test_the_choices_are_those_of_the_setting() -> None:
    assert setting_infos()["policy.how_often"].choices == tuple(OFFERS_AN_HOUR)


def test_calm_hours_lower_the_level_and_busy_ones_raise_it() -> None:
    new = level_of(NeedHistory(), "editor", "", NOW)
    calm = level_of(worked(8.0, [0.0] * 8), "editor", "", NOW)
    busy = level_of(worked(8.0, [4.0] * 16), "editor", "", NOW)
    assert FLOOR <= calm < new < busy <= new + MOST_ABOVE


def test_evidence_beyond_the_grid_raises_the_level_to_its_bound_alone() -> None:
    always = level_of(worked(2.0, [9.0] * 20), "editor", "", NOW)
    assert always == pytest.approx(ABSOLUTE_LEVEL + MOST_ABOVE)


def test_counted_offers_come_to_the_chosen_rate() -> None:
    """Where evidence reaches 2 twice an hour and 3 once in two hours, "now and then" settles between them."""
    totals = [3.0 if number % 4 == 0 else 2.0 for number in range(80)]
    level = level_of(worked(40.0, totals), "editor", "", NOW)
    assert 2.0 < level <= 3.0


def test_the_offers_that_are_usually_needed_come_on_top() -> None:
    """But no more than were chosen: who wants help rarely is not given it often for trouble that nobody knows of."""
    for choice, most in (("now and then", 0.75), ("rarely", 0.19)):
        per_hour = OFFERS_AN_HOUR[choice]
        times = round(32 * most)
        less, more = (level_of(worked(32.0, [3.0] * count), "editor", "", per_hour) for count in (times, 2 * times))
        assert less <= 3.0 < more


def test_one_program_says_something_of_others_but_more_of_itself() -> None:
    history = worked(6.0, [4.0] * 6)
    new = level_of(NeedHistory(), "editor", "", NOW)
    assert new < level_of(history, "browser", "", NOW) <= level_of(history, "editor", "", NOW)


def test_trouble_at_hand_does_not_raise_its_own_level() -> None:
    history = worked(1.0, [])
    before = level_of(history, "editor", "", NOW, history.seen_ns)
    now_ns = history.seen_ns + 6 * NS_PER_S
    history = count_evidence(history, of_app("editor"), 5.0, now_ns)
    assert level_of(history, "editor", "", NOW, now_ns) <= before
    assert level_of(history, "editor", "", NOW, now_ns + APART_NS) > before


def test_a_level_reached_again_at_once_was_reached_once() -> None:
    history = NeedHistory()
    for step in range(1, 60):
        history = count_evidence(history, of_app("editor"), 3.0, step * 2 * NS_PER_S)
    assert counts_of(history, "editor", "").counts[0] == pytest.approx(1.0, abs=0.01)
    history = count_evidence(history, of_app("editor"), 3.0, 2 * NS_PER_S + APART_NS)
    assert counts_of(history, "editor", "").counts[0] == pytest.approx(2.0, abs=0.02)


def test_what_the_person_said_was_needed_is_no_calm_work() -> None:
    history = worked(2.0, [4.0] * 4)
    less = history
    for _ in range(4):
        less = discount_need(less, "editor", "", 4.0)
    assert level_of(less, "editor", "", NOW) < level_of(history, "editor", "", NOW)
    assert all(count >= 0.0 for counted in less.programs for count in counted.counts)


def test_senses_and_models_are_counted_apart() -> None:
    history = worked(2.0, [4.0] * 8)
    assert counts_of(history, "editor", "tiles").hours == 0.0
    answered = count_evidence(history, of_app("editor", detector="cascade"), 0.0, history.seen_ns + 1)
    assert counts_of(answered, "editor", "").hours > 1.9
    other = count_evidence(history, of_app("editor", detector_version="2"), 0.0, history.seen_ns + 1)
    assert counts_of(other, "editor", "").hours == 0.0


def test_only_time_with_estimates_is_use() -> None:
    history = count_evidence(NeedHistory(), of_app("editor"), 0.0, HOUR_NS)
    history = count_evidence(history, of_app("editor"), 0.0, 3 * HOUR_NS)
    assert counts_of(history, "editor", "").hours == 0.0


def test_programs_used_longest_ago_are_forgotten_but_not_what_is_of_all() -> None:
    history = NeedHistory()
    for number in range(MOST_PROGRAMS + 10):
        history = count_evidence(history, of_app(f"app{number}"), 0.0, (number + 1) * 6 * NS_PER_S)
    assert len(history.programs) == MOST_PROGRAMS
    assert counts_of(history, "", "").hours > 0.0
    assert history.programs[-1].app == f"app{MOST_PROGRAMS + 9}"
    assert all(counted.app != "app0" for counted in history.programs)


def test_the_history_outlives_the_session_as_plain_values() -> None:
    history = worked(2.0, [4.0] * 3)
    saved = json.loads(json.dumps(save_need_history(history)))
    again = start_need_history(saved)
    assert level_of(again, "editor", "", NOW) == pytest.approx(level_of(history, "editor", "", NOW))
    assert (start_need_history({}), save_need_history(NeedHistory())) == (NeedHistory(), {})


@pytest.mark.parametrize(
    "damage",
    [
        5,
        {"programs": 5},
        {"detector": "a", "version": "b", "programs": [{"app": "a", "senses": "", "hours": -1, "counts": [0] * 29}]},
        {"detector": "a", "version": "b", "programs": [{"app": "a", "senses": "", "hours": math.nan, "counts": [0]}]},
        {"detector": "a", "version": "b", "programs": [{"app": "a", "senses": "", "hours": 1, "counts": [0]}]},
        {"detector": "a", "version": "b", "programs": [{"app": "a"}]},
    ],
)
def test_a_damaged_history_is_refused(damage: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        start_need_history({"need_history": damage})
