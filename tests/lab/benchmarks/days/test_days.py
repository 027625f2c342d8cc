"""Sessions are cut where trouble begins and ends, joined to days, and policies live through these."""

import argparse
import contextlib
import io
import json
import math
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from detectors.rules import EvidenceDetector
from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.days import answers
from lab.benchmarks.days.answers import found_after_answers, live_months
from lab.benchmarks.days.benchmark import count_rare_signs, measure
from lab.benchmarks.days.chain import (
    AFTERMATH_NS,
    DAY_HOURS,
    MOST_EPISODES,
    Stretch,
    days_of,
    live_through,
    stretches_of,
)
from lab.benchmarks.policy.benchmark import UNLIMITED, arm
from lab.benchmarks.policy.trace import load_rules, trace
from lab.benchmarks.policy.truth import truth_of
from lab.simulation.persona import Split
from policies.need_levels import APART_NS, GRID
from storage.clock import HOUR_NS
from storage.errors import UsageError
from storage.records import Estimate, Evidence, FeedbackKind, Trigger
from storage.settings import DetectorSettings
from tests.fakes.lab.desk_sessions import desk_session, pack_desks

GAP_S = load_rules().episodes["merge_gap_s"]
ROWS, LABELS = desk_session(3)


@pytest.fixture(scope="module")
def stretches() -> list[Stretch]:
    recorded = trace("desk", ROWS, LABELS, EvidenceDetector(DetectorSettings()))
    return list(stretches_of(recorded, GAP_S))


def test_calm_work_is_told_from_trouble_and_from_what_follows_it(stretches: list[Stretch]) -> None:
    troubled = [label for label in LABELS if label.need_from_ns is not None]
    assert any(stretch.episode for stretch in stretches)
    for stretch in stretches:
        start_ns = stretch.trace.start_ns
        calm_end_ns = start_ns + round(stretch.calm * HOUR_NS)
        assert not any(label.start_ns < calm_end_ns and label.end_ns > start_ns for label in troubled)
        assert not any(0 <= start_ns - label.end_ns < AFTERMATH_NS for label in troubled)
        assert len(truth_of(stretch.trace, GAP_S).episodes) == stretch.episode


def test_without_its_episode_a_stretch_ends_where_the_trouble_begins(stretches: list[Stretch]) -> None:
    stretch = next(stretch for stretch in stretches if stretch.episode)
    calm = stretch.without_episode()
    assert calm.calm == stretch.calm
    assert truth_of(calm.trace, GAP_S).episodes == ()
    assert 0 <= calm.trace.end_ns - calm.trace.start_ns - round(stretch.calm * HOUR_NS) <= 1


def test_each_stretch_is_in_one_day_once(stretches: list[Stretch]) -> None:
    many = stretches * 40
    days = days_of(many, seed=1)
    assert sum(len(day.stretches) for day in days) == len(many)
    assert sum(day.calm for day in days) == pytest.approx(sum(stretch.calm for stretch in many))
    for day in days:
        assert day.episodes <= MOST_EPISODES
        assert day.calm <= DAY_HOURS[1] + max(stretch.calm for stretch in many)
    assert [day.calm for day in days] == [day.calm for day in days_of(many, seed=1)]
    assert [day.calm for day in days] != [day.calm for day in days_of(many, seed=2)]


def test_trouble_comes_at_any_time_of_a_day(stretches: list[Stretch]) -> None:
    """Not at its beginning alone, where nothing is known yet of what is usual."""
    days = [day.stretches for seed in range(12) for day in days_of(stretches * 60, seed)]
    early = sum(stretch.episode for day in days for stretch in day[: len(day) // 2])
    late = sum(stretch.episode for day in days for stretch in day[len(day) // 2 :])
    assert late > early / 2 > 5


def test_over_several_orders_no_episode_counts_more_than_another(stretches: list[Stretch]) -> None:
    """Which is chance where nobody counts them."""
    many = stretches * 40
    kept: Counter[int] = Counter()
    days = [day for seed in range(24) for day in days_of(many, seed, kept)]
    alone: Counter[int] = Counter()
    for seed in range(24):
        one: Counter[int] = Counter()
        days_of(many, seed, one)
        alone += one
    times = [[counts[at] for at, stretch in enumerate(many) if stretch.episode] for counts in (kept, alone)]
    assert sum(times[0]) == sum(day.episodes for day in days)
    assert max(times[0]) - min(times[0]) < (max(times[1]) - min(times[1])) / 2


def test_what_a_policy_remembers_goes_on_to_the_next_stretch(stretches: list[Stretch]) -> None:
    """With a budget of a day each stretch takes from the same one; the control has none."""
    (day, *_) = days_of(stretches * 3, seed=1)
    free = live_through(day, arm("always", UNLIMITED, 0.05), GAP_S)
    assert len(free.false) > 1
    bound = live_through(day, arm("always", replace(UNLIMITED, offers_per_day=1), 0.05), GAP_S)
    assert len(bound.false) + len(bound.delays_s) <= 1
    assert bound.missed == ("budget",) * (day.episodes - len(bound.delays_s)) != ()
    assert "budget" not in free.missed


def test_who_answers_is_asked_whether_an_offer_was_needed_and_the_policy_learns_of_it(
    stretches: list[Stretch],
) -> None:
    """An offer that is answered is over at once; the control answers nothing, and then nothing is learned."""
    (day, *_) = days_of(stretches * 3, seed=1)
    asked: list[bool] = []

    def refuse(needed: bool) -> FeedbackKind:
        asked.append(needed)
        return FeedbackKind.DISMISSED

    policy = arm("always", UNLIMITED, 0.05)
    silent = live_through(day, policy, GAP_S)
    told = live_through(day, policy, GAP_S, answers=refuse)
    assert len(asked) >= len(told.false) + len(told.delays_s)
    assert asked.count(False) == len(told.false)
    assert told.saved != silent.saved
    assert told.saved["backoffs"]
    assert not silent.saved["backoffs"]


def test_people_live_for_a_month_in_stretches_of_their_own(
    stretches: list[Stretch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is offered help all the time has more false offers than who is offered it never."""
    monkeypatch.setattr(answers, "MONTH_HOURS", 0.2)
    busy = live_months(stretches, partial(arm, "always", UNLIMITED, 0.05), GAP_S, people=2)
    never = live_months(stretches, partial(arm, "silent", UNLIMITED, 0.05), GAP_S, people=2)
    assert 0.0 < busy.least <= busy.false_an_hour <= busy.most
    assert busy.found > 0.0
    assert (never.false_an_hour, never.found) == (0.0, 0.0)


def test_wrong_answers_come_before_right_ones_and_what_is_found_is_compared(
    stretches: list[Stretch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusals of what was needed keep a topic quiet, so less is found; the control: without answers all is equal."""
    days = [replace(days_of(stretches, seed=1)[0]) for _ in range(2)]
    make = partial(arm, "always", replace(UNLIMITED, backoff_s=1e6, backoff_max_s=1e6), 0.05)
    monkeypatch.setattr(answers, "WRONG", 1000)
    before, after = found_after_answers(days, make, GAP_S)
    assert before > after
    monkeypatch.setattr(answers, "WRONG", 0)
    monkeypatch.setattr(answers, "RIGHT", 0)
    before, after = found_after_answers(days, make, GAP_S)
    assert before == after


def test_a_rare_sign_counts_once_and_only_in_calm_work(stretches: list[Stretch]) -> None:
    """The control is the same stretch with a sign that is not rare."""

    def shown(stretch: Stretch, false_an_hour: float) -> Stretch:
        sign = (Evidence("same_views", {"false_an_hour": false_an_hour}),)
        steps = tuple(
            replace(step, calls=tuple(replace(call, trigger=_with(call.trigger, sign)) for call in step.calls))
            for step in stretch.trace.steps
        )
        return replace(stretch, trace=replace(stretch.trace, steps=steps))

    troubled = next(stretch for stretch in stretches if stretch.episode)
    assert any(isinstance(call.trigger, Estimate) for step in troubled.trace.steps for call in step.calls)
    most = math.ceil(troubled.calm * HOUR_NS / APART_NS)
    assert 1 <= count_rare_signs(shown(troubled, 0.05)) <= most
    assert count_rare_signs(shown(troubled, 0.5)) == count_rare_signs(troubled) == 0


def _with(trigger: Trigger, sign: tuple[Evidence, ...]) -> Trigger:
    return replace(trigger, evidence=sign) if isinstance(trigger, Estimate) else trigger


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = pack_desks(tmp_path_factory.mktemp("desks") / "test", Split.TEST, programs=("desk",))
    out = io.StringIO()
    rates = folder / "rates.json"
    with contextlib.redirect_stdout(out):
        arguments = argparse.Namespace(
            folders=[folder],
            detector="evidence",
            senses="neither",
            rates=rates,
            folds=None,
            months=False,
            json=True,
            out=None,
        )
        BENCHMARKS["days"].run(arguments)
    return {**json.loads(out.getvalue()), "written": json.loads(rates.read_text(encoding="utf-8"))}


def test_every_choice_is_played_beside_an_absolute_scale(told: dict[str, Any]) -> None:
    (figures,) = told["figures"]
    assert set(figures["choices"]) == {"rarely", "now and then", "often", "absolute scale", "estimates always right"}
    for own in figures["choices"].values():
        assert own["false_an_hour"] == pytest.approx(own["false"] / own["hours"])
        assert own["bound"] > own["false_an_hour"]
    assert figures["choices"]["often"]["false"] >= figures["choices"]["rarely"]["false"]
    assert figures["choices"]["absolute scale"]["false"] <= figures["choices"]["now and then"]["false"]
    assert GRID[0] < figures["one_level"] < GRID[-1]


def test_rates_of_calm_work_fall_with_the_level(told: dict[str, Any]) -> None:
    """But for how much of a count has faded."""
    (rates,) = told["written"].values()
    assert len(rates) == len(GRID)
    assert rates == pytest.approx(sorted(rates, reverse=True), rel=0.01)
    assert rates[0] > 0.0


def test_unknown_senses_are_refused() -> None:
    with pytest.raises(UsageError, match="--senses takes"):
        measure([Path("/nowhere")], None, ["smell"])
