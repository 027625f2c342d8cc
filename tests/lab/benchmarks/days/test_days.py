"""Sessions are cut where trouble begins and ends, joined to days, and policies live through these."""

import argparse
import contextlib
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from detectors.rules import EvidenceDetector
from lab.benchmarks.commands import BENCHMARKS
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
from storage.records import Estimate, Evidence, Trigger
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


def test_what_a_policy_remembers_goes_on_to_the_next_stretch(stretches: list[Stretch]) -> None:
    """With a budget of a day each stretch takes from the same one; the control has none."""
    (day, *_) = days_of(stretches * 3, seed=1)
    free = live_through(day, arm("always", UNLIMITED, 0.05), GAP_S)
    assert len(free.false) > 1
    bound = live_through(day, arm("always", replace(UNLIMITED, offers_per_day=1), 0.05), GAP_S)
    assert len(bound.false) + len(bound.delays_s) <= 1


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
    """Return the JSON of a run."""
    folder = pack_desks(tmp_path_factory.mktemp("desks") / "test", Split.TEST, programs=("desk",))
    out = io.StringIO()
    rates = folder / "rates.json"
    with contextlib.redirect_stdout(out):
        arguments = argparse.Namespace(
            folders=[folder], detector="evidence", senses="neither", rates=rates, json=True, out=None
        )
        BENCHMARKS["days"].run(arguments)
    return {**json.loads(out.getvalue()), "written": json.loads(rates.read_text(encoding="utf-8"))}


def test_every_choice_is_played_beside_an_absolute_scale(told: dict[str, Any]) -> None:
    (figures,) = told["figures"]
    assert set(figures["choices"]) == {"rarely", "now and then", "often", "absolute scale"}
    for own in figures["choices"].values():
        assert own["false_an_hour"] == pytest.approx(own["false"] / own["hours"])
        assert own["bound"] > own["false_an_hour"]
    assert figures["choices"]["often"]["false"] >= figures["choices"]["rarely"]["false"]


def test_rates_of_calm_work_fall_with_the_level(told: dict[str, Any]) -> None:
    (rates,) = told["written"].values()
    assert len(rates) == len(GRID)
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.0


def test_unknown_senses_are_refused() -> None:
    with pytest.raises(UsageError, match="--senses takes"):
        measure([Path("/nowhere")], None, ["smell"], None)
