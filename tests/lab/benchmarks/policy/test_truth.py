"""Offers are judged by labels and input alone, and their utility is that of the committed file."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.benchmarks.policy.figures import BETWEEN, by_behavior
from lab.benchmarks.policy.trace import Costs, load_rules
from lab.benchmarks.policy.truth import (
    Episode,
    InputTimes,
    OfferKind,
    episodes_of,
    judge,
    most_covered,
    oracle_s,
    utility_s,
    violations,
)
from storage.errors import BadFile
from storage.records import EventKind
from tests.fakes.lab.judged_sessions import LABELS, S, button, focus, key, shown, truth
from tests.fakes.lab.packs import label

COSTS = Costs(
    benefit_s=100.0, benefit_half_life_s=10.0, false_s=50.0, interrupt_at_break_s=5.0, interrupt_in_action_s=20.0
)


def test_stretches_of_need_close_together_are_one_episode() -> None:
    assert episodes_of(LABELS, 8.0) == (Episode(60 * S, 120 * S), Episode(220 * S, 260 * S))
    assert len(episodes_of(LABELS, 2.0)) == 3


def test_each_offer_is_what_it_is() -> None:
    """The first offer in an episode is a hit, the next a repeat; outside, what it was false for is told."""
    offers = [shown(at) for at in (20, 55, 70, 91, 119, 121, 140, 160, 190, 210, 225)]
    kinds = [offer.kind for offer in judge(truth(), offers)]
    assert kinds == [
        OfferKind.CALM,
        OfferKind.EARLY,
        OfferKind.HIT,
        OfferKind.REPEAT,
        OfferKind.REPEAT,
        OfferKind.LATE,
        OfferKind.CALM,
        OfferKind.TRAP,
        OfferKind.CALM,
        OfferKind.EARLY,
        OfferKind.HIT,
    ]


def test_delay_and_fluent_work_are_recorded() -> None:
    """The delay counts from the episode's onset; fluent work is action that never needs help."""
    judged = judge(truth(), [shown(20), shown(70.5), shown(225)])
    assert [offer.delay_ns for offer in judged] == [0, 10.5 * S, 5 * S]
    assert [offer.fluent for offer in judged] == [True, False, False]


def test_a_break_follows_from_the_time_of_input_and_not_of_its_arrival() -> None:
    """A key pressed just before is no break, though nobody had heard of it yet; nor is a held button."""
    hands = InputTimes([key(10, late_s=0.25), button(20, EventKind.BUTTON_DOWN), button(25, EventKind.BUTTON_UP)])
    assert hands.at_break(9 * S)
    assert not hands.at_break(round(10.1 * S))
    assert hands.at_break(11 * S)
    assert not hands.at_break(23 * S)
    assert not hands.at_break(round(25.5 * S))
    assert hands.at_break(26 * S)


@given(st.lists(st.floats(0.0, 60.0), max_size=40), st.floats(0.0, 60.0), st.floats(0.0, 20.0))
def test_no_break_lies_before_the_first(at_s: list[float], start_s: float, for_s: float) -> None:
    """Whatever the hands did: on a grid of moments none before the first break is one."""
    hands = InputTimes([key(at) for at in sorted(at_s)])
    start_ns, end_ns = round(start_s * S), round((start_s + for_s) * S)
    first = hands.first_break(start_ns, end_ns)
    assert first is None or (start_ns <= first <= end_ns and hands.at_break(first))
    until_ns = end_ns if first is None else first - 1
    assert not any(hands.at_break(now) for now in range(start_ns, until_ns + 1, S // 20))


def test_utility_follows_from_the_costs() -> None:
    """A hit brings its benefit, halved by the delay; every offer costs its moment; a false one costs more."""
    calm = judge(truth(), [shown(70), shown(80), shown(140)])
    assert utility_s(calm, COSTS) == pytest.approx(50.0 - 5.0 - 5.0 - 50.0 - 5.0)
    busy = judge(truth(key(69.9)), [shown(70)])
    assert utility_s(busy, COSTS) == pytest.approx(50.0 - 20.0)
    assert utility_s(calm, COSTS.times(2.0)) == pytest.approx(50.0 - 10.0 - 10.0 - 100.0 - 10.0)


def test_the_oracle_speaks_when_it_pays_most() -> None:
    """At the onset if that is a break; else there all the same or at the first break, whichever is better; or never."""
    one = (label(51, 90, need_s=60),)
    assert oracle_s(truth(labels=one), COSTS) == pytest.approx(95.0)
    soon = [key(60.0)]
    assert oracle_s(truth(*soon, labels=one), COSTS) == pytest.approx(100.0 * 2.0**-0.09 - 5.0)
    typing = [key(60 + at / 2) for at in range(40)]
    assert oracle_s(truth(*typing, labels=one), COSTS) == pytest.approx(80.0)
    assert oracle_s(truth(*typing, labels=one), COSTS.times(6.0)) == pytest.approx(0.0)


@given(st.lists(st.floats(0.0, 270.0), max_size=12), st.lists(st.floats(0.0, 270.0), max_size=60))
def test_nobody_beats_the_oracle(offers: list[float], keys: list[float]) -> None:
    """Whoever offers whenever: it is never worth more than what the oracle makes of the session."""
    known = truth(*[key(at) for at in sorted(keys)])
    judged = judge(known, [shown(at) for at in sorted(offers)])
    for factor in (0.5, 1.0, 2.0):
        costs = COSTS.times(factor)
        assert utility_s(judged, costs) <= oracle_s(known, costs) + 1e-6


def test_a_budget_bounds_what_can_be_covered() -> None:
    episodes = [Episode(at * S, (at + 30) * S) for at in (0, 150, 320, 500)]
    assert most_covered(episodes, 300.0, 4) == 2
    assert most_covered(episodes, 0.0, 4) == 4
    assert most_covered(episodes, 0.0, 3) == 3
    assert most_covered([], 0.0, 3) == 0


def test_the_committed_file_says_where_it_stands() -> None:
    """It was committed before anything was scored, its three tables are there, and its threshold follows from it."""
    rules = load_rules()
    assert rules.committed_before_scoring
    assert rules.factors["costs"] == (0.5, 1.0, 2.0)
    costs = rules.costs
    implied = (costs.false_s + costs.interrupt_at_break_s) / (costs.benefit_s + costs.false_s)
    assert rules.baselines.threshold == pytest.approx(implied, abs=0.005)


def test_each_behavior_answers_for_its_own_offers() -> None:
    """Episodes count where they begin, false offers where they fall, also between two behaviors."""
    acts = ("write", "rage", "rage", "watch", "loop")
    labels = tuple(replace(one, behavior=name) for one, name in zip(LABELS, acts, strict=True))
    known = truth(labels=labels)
    offers = judge(known, [shown(at) for at in (20, 30, 70, 75, 140, 210, 221)])
    found = {figures.behavior: figures for figures in by_behavior([known], [offers])}
    assert (found["write"].false, found["write"].episodes) == (2, 0)
    assert (found["rage"].episodes, found["rage"].covered, found["rage"].delay_s) == (1, 1, 10.0)
    assert (found["loop"].false, found["loop"].covered, found["loop"].delay_s) == (1, 1, 1.0)
    assert found[BETWEEN].false == 1
    assert (found["watch"].false, found["watch"].minutes) == (0, 0.5)
    assert by_behavior([known], [offers])[0].behavior == "write"


def test_coming_to_another_application_is_a_break() -> None:
    hands = InputTimes([focus(5, "a"), focus(10, "b"), key(9.9), focus(12, "b"), key(11.9)])
    assert hands.at_break(10 * S)
    assert not hands.at_break(round(10.1 * S))
    assert not hands.at_break(12 * S)


def test_the_first_break_of_a_stretch_is_found() -> None:
    """It is the stretch's start if that is one, else about a second after the hands rest, or an arrival, or none."""
    typing = [key(at / 2) for at in range(20, 40)]
    hands = InputTimes([*typing, focus(15.2, "b")])
    assert hands.first_break(5 * S, 30 * S) == 5 * S
    assert hands.first_break(12 * S, 15 * S) is None
    assert hands.first_break(12 * S, 16 * S) == round(15.2 * S)
    assert hands.first_break(16 * S, 30 * S) == round(20.4 * S)


def test_offers_too_close_together_are_counted() -> None:
    assert violations([shown(0), shown(200), shown(600)], 300.0) == 1


def test_a_broken_file_of_costs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    path.write_text("version = 1\ncommitted_before_scoring = true\n", encoding="utf-8")
    with pytest.raises(BadFile, match="costs"):
        load_rules(path)
