"""Figures of policies against numbers worked out by hand, baselines against what their names promise."""

import math

import numpy as np
import pytest

from daemon.figures.intervals import poisson_upper
from daemon.figures.resampling import Draws
from lab.benchmarks.policy.figures import figures_of, regrets, sessions_of
from lab.benchmarks.policy.trace import Baseline, baselines, load_rules, threshold_baseline
from lab.benchmarks.policy.truth import OfferKind, judge
from storage.clock import NS_PER_S
from storage.records import Decision, Tick, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of
from tests.fakes.lab.judged_sessions import shown, truth

S = NS_PER_S
RULES = load_rules()
ALL_GATES = PolicySettings(quiet_start_s=0.0, cooldown_s=60.0)


def test_equal_sessions_leave_no_doubt_and_unequal_ones_do() -> None:
    """A ratio that is the same in every session has an interval of no width; otherwise it holds the whole's."""
    draws = Draws(20)
    same = draws.ratio([2.0] * 20, [4.0] * 20)
    assert (same.value, same.low, same.high) == (0.5, 0.5, 0.5)
    other = draws.ratio([0.0, 4.0] * 10, [4.0] * 20)
    assert other.low < other.value == 0.5 < other.high
    assert draws.upper([0.0, 4.0] * 10, [4.0] * 20) < other.high


def test_a_median_counts_values_and_draws_sessions() -> None:
    """The median is that of all values, also where some never come."""
    draws = Draws(4)
    found = draws.median([1.0, 3.0, 5.0, 7.0, math.inf], [0, 1, 2, 3, 3])
    assert found.value == 5.0
    assert found.low < 5.0 <= found.high


# ---------------------------------------------------------------------- figures


def test_figures_are_those_of_the_offers() -> None:
    truths = [truth(), truth()]
    sessions = sessions_of(truths, [1.0, 1.0], RULES)
    judged = [judge(truths[0], [shown(20), shown(55), shown(70)]), []]
    figures = figures_of(sessions, judged, 1, 0.1)
    assert figures.offers == 3
    assert figures.false_per_hour.value == 1.0
    assert figures.false_but_early == 0.5
    assert figures.covered.value == 0.25
    assert figures.precision.value == pytest.approx(1 / 3)
    assert figures.delay_s.value == 10.0
    assert figures.delay_all_s == math.inf
    assert figures.fluent_per_hour.value == pytest.approx(1 / (2 * 80 / 3600))
    assert figures.kinds[OfferKind.EARLY] == 1
    assert figures.false_upper == pytest.approx(poisson_upper(2, 0.05) / 2)
    labelled_hours = 2 * (50 + 39 + 27 + 30 + 60) / 3600
    assert figures.false_per_labelled_hour.value == pytest.approx(2 / labelled_hours)
    assert figures.false_upper_labelled == pytest.approx(poisson_upper(2, 0.05) / labelled_hours)
    assert (sessions.most_covered(0.0, 4), sessions.most_covered(300.0, 4)) == (4, 2)


def test_regret_is_what_is_lost_against_the_oracle() -> None:
    """Who never speaks loses all that the oracle wins; who speaks at every onset and break loses nothing."""
    truths = [truth()]
    sessions = sessions_of(truths, [1.0], RULES)
    assert regrets(sessions, [[]], "1") == [pytest.approx(2 * (120.0 - 9.0))]
    best = judge(truths[0], [shown(60), shown(220)])
    assert regrets(sessions, [best], "1") == [pytest.approx(0.0)]
    assert regrets(sessions, [best], "2") == [pytest.approx(0.0)]
    worse = judge(truths[0], [shown(60), shown(140), shown(220)])
    assert regrets(sessions, [worse], "0.5") == [pytest.approx(0.5 * 69.0)]


# ---------------------------------------------------------------------- baselines


def says(policy: Baseline, at_s: float, *, last_input_s: float = 0.0, need: float | None = None) -> Decision:
    now_ns = round(at_s * S)
    trigger = Tick() if need is None else estimate_of(need)
    return policy.decide(policy.start({}, 0, 0), trigger, context_of(last_input_ns=round(last_input_s * S)), now_ns)[1]


def named(name: str, settings: PolicySettings | None = None) -> Baseline:
    return next(baseline for baseline in baselines(RULES.baselines, settings) if baseline.name == name)


def test_baselines_do_what_their_names_say() -> None:
    """Never is silent, always speaks at any estimate, the threshold and the model's yes at theirs."""
    assert says(named("never"), 10.0, need=0.99).verdict is Verdict.HOLD
    assert says(named("always"), 10.0, need=0.01).verdict is Verdict.OFFER
    assert says(named("always"), 10.0).verdict is Verdict.HOLD
    assert says(named("fixed threshold"), 10.0, need=0.38).verdict is Verdict.OFFER
    assert says(named("fixed threshold"), 10.0, need=0.37).verdict is Verdict.HOLD
    assert says(named("model says yes"), 10.0, need=0.5).verdict is Verdict.HOLD
    assert says(threshold_baseline(0.9), 10.0, need=0.95).verdict is Verdict.OFFER


def test_the_idle_timer_speaks_once_a_pause() -> None:
    policy = named("idle timer")
    state = policy.start({}, 0, 0)
    state, first = policy.decide(state, Tick(), context_of(last_input_ns=5 * S), 10 * S)
    assert (first.verdict, first.next_tick_ns) == (Verdict.HOLD, 35 * S)
    state, second = policy.decide(state, Tick(), context_of(last_input_ns=5 * S), 35 * S)
    assert second.verdict is Verdict.OFFER
    state, third = policy.decide(state, Tick(), context_of(last_input_ns=5 * S), 90 * S)
    assert third.verdict is Verdict.HOLD
    _, fourth = policy.decide(state, Tick(), context_of(last_input_ns=100 * S), 131 * S)
    assert fourth.verdict is Verdict.OFFER


def test_chance_speaks_as_often_as_it_should_and_alike_for_the_same_seed() -> None:
    def spoken(seed: int) -> list[int]:
        policy = named("random")
        state = policy.start({"seed": seed}, 0, 0)
        found = []
        for at in range(1000):
            state, decision = policy.decide(state, estimate_of(0.5), context_of(), at * S)
            if decision.verdict is Verdict.OFFER:
                found.append(at)
        return found

    assert 70 <= len(spoken(1)) <= 130
    assert spoken(1) == spoken(1)
    assert spoken(1) != spoken(2)


def test_polite_baselines_keep_manners_and_budget_and_bare_ones_consent_alone() -> None:
    polite, bare = named("always", ALL_GATES), named("always")
    loud = context_of(full_screen=True)
    for policy, expected in ((polite, Verdict.HOLD), (bare, Verdict.OFFER)):
        state = policy.start({}, 0, 0)
        assert policy.decide(state, estimate_of(0.9), loud, S)[1].verdict is expected
        state, first = policy.decide(state, estimate_of(0.9), context_of(), S)
        assert first.verdict is Verdict.OFFER
        assert policy.decide(state, estimate_of(0.9), context_of(), 30 * S)[1].verdict is expected
        assert policy.decide(state, estimate_of(0.9), context_of(paused=True), 90 * S)[1].verdict is Verdict.NEVER


def test_nothing_to_divide_by_is_no_number() -> None:
    """Where nobody offers there is no precision and no delay."""
    draws = Draws(3)
    assert math.isnan(draws.ratio([0.0] * 3, [0.0] * 3).value)
    assert math.isnan(draws.median([], []).value)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    draws = Draws(60)
    held = 0
    for _ in range(200):
        found = draws.ratio(rng.poisson(2.0, 60).tolist(), [1.0] * 60)
        held += found.low <= 2.0 <= found.high
    assert 180 <= held <= 198


def test_an_estimate_without_an_opinion_is_no_call_to_speak() -> None:
    """Even who always speaks waits for one that has an opinion."""
    policy = named("always")
    silent = estimate_of(0.5, abstained=True)
    assert policy.decide(policy.start({}, 0, 0), silent, context_of(), S)[1].verdict is Verdict.HOLD
