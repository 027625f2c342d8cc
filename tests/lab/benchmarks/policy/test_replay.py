"""The loop that replays a trace decides as the engine does, and traces can be changed without losing their way."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from daemon.engine.engine import Engine
from daemon.engine.ticks import MAX_TICKS_PER_RECORD
from detectors.rules import EvidenceDetector
from lab.benchmarks.policy.benchmark import ARMS, SETTINGS, UNLIMITED, arm
from lab.benchmarks.policy.trace import SLOT_NS, UNWELCOME, Trace, baselines, load_rules, play, trace, with_unwelcome
from lab.benchmarks.policy.truth import FALSE, OfferKind, judge, truth_of, unwelcome, with_true_need
from lab.training.extract import is_sensed
from policies.protocol import Policy
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Context, Decision, Feedback, Offer, Record, SessionStart, Tick, Trigger, Verdict
from storage.settings import DetectorSettings, Settings
from tests.fakes.lab.desk_sessions import desk_session

S = NS_PER_S
BASE_RATE = DetectorSettings().base_rate
NUMBERS = load_rules().baselines
DETECTOR = EvidenceDetector(DetectorSettings())
ROWS, LABELS = desk_session(3)


@pytest.fixture(scope="module")
def calm() -> Trace:
    return trace("desk", ROWS, LABELS, DETECTOR)


def by_engine(policy: Policy[Any], saved: Mapping[str, object]) -> list[Record]:
    engine = Engine(detector=DETECTOR, policy=policy, settings=Settings(), is_shown=lambda _: False)
    rows: list[Record] = []
    for row in ROWS:
        if not is_sensed(row):
            continue
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= row.at_ns:
            rows += engine.take(Tick(), due_ns)
        told = replace(row, policy_state={"saved": saved}) if isinstance(row, SessionStart) else row
        rows += engine.take(told, row.at_ns)
    return rows


POLICIES = [
    *(arm(name, limits, BASE_RATE) for name in ARMS for limits in (SETTINGS, UNLIMITED)),
    *baselines(NUMBERS),
    *baselines(NUMBERS, SETTINGS),
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: one.name)
def test_the_loop_decides_as_the_engine(calm: Trace, policy: Policy[Any]) -> None:
    rows = by_engine(policy, {"seed": 5})
    played = play(calm, policy, saved={"seed": 5})
    assert played.decisions == [(row.at_ns, replace(row, seq=0, at_ns=0)) for row in rows if isinstance(row, Decision)]
    offers = [(row.shown_at_ns, row.app, row.help_need) for row in rows if isinstance(row, Offer)]
    assert [(offer.at_ns, offer.app, offer.help_need) for offer in played.shown] == offers
    assert not any(isinstance(row, Feedback) for row in rows)


def test_something_is_offered_here(calm: Trace) -> None:
    """The comparison above is not one of silences: this session brings offers, ticks and withdrawals."""
    played = play(calm, arm("utility", UNLIMITED, BASE_RATE))
    assert len(played.shown) >= 3
    assert any(decision.withdraw for _, decision in played.decisions)
    assert any(decision.reason == "waiting_for_break" for _, decision in played.decisions)


class InsistentPolicy:
    """Holds, and asks for its next tick `ahead_ns` from now; stops a loop that would never end."""

    name, version = "insistent", "1"

    def __init__(self, ahead_ns: int) -> None:
        self.ahead_ns = ahead_ns

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> int:
        return 0

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
        assert state < 100_000, "the loop spins"
        due_ns = now_ns + self.ahead_ns
        return state + 1, Decision(verdict=Verdict.HOLD, gate="x", reason="x", next_tick_ns=due_ns)

    def learn(self, state: int, feedback: Feedback, offer: Offer, now_ns: int) -> int:
        return state

    def save(self, state: int, now_ns: int) -> Mapping[str, object]:
        return {}


@pytest.mark.parametrize("ahead_ns", [-5 * S, 0, 1])
def test_a_policy_cannot_make_the_loop_spin(calm: Trace, ahead_ns: int) -> None:
    rows = by_engine(InsistentPolicy(ahead_ns), {})
    decisions = [(row.at_ns, replace(row, seq=0, at_ns=0)) for row in rows if isinstance(row, Decision)]
    assert play(calm, InsistentPolicy(ahead_ns)).decisions == decisions


def test_an_endless_number_of_ticks_is_refused(calm: Trace) -> None:
    """A session dated centuries later does not keep the loop busy for ever."""
    with pytest.raises(BadFile, match=f"more than {MAX_TICKS_PER_RECORD} ticks"):
        play(replace(calm, steps=(*calm.steps[:-1], replace(calm.steps[-1], at_ns=10**17))), InsistentPolicy(S))


def test_nobody_speaks_out_of_bounds(calm: Trace) -> None:
    bounded = with_unwelcome(calm)
    assert {span.why for span in bounded.spans} <= set(UNWELCOME)
    assert len(bounded.spans) == int((calm.end_ns - calm.start_ns) / SLOT_NS / 2 + 0.5)
    for name in ARMS:
        assert unwelcome(bounded, play(bounded, arm(name, UNLIMITED, BASE_RATE)).shown) == 0
    free = replace(calm, spans=bounded.spans)
    assert unwelcome(free, play(free, arm("always", UNLIMITED, BASE_RATE)).shown) > 0
    always = next(baseline for baseline in baselines(NUMBERS) if baseline.name == "always")
    assert unwelcome(bounded, play(bounded, always).shown) > 0


def test_right_estimates_leave_only_what_the_policy_misses(calm: Trace) -> None:
    """With them most episodes are covered, fewer offers are false than with ours, and nothing else has changed."""
    truth = truth_of(calm, 8.0)
    known = with_true_need(calm, truth)
    assert [step.at_ns for step in known.steps] == [step.at_ns for step in calm.steps]
    policy = arm("utility", UNLIMITED, BASE_RATE)
    ours, best = (judge(truth, play(session, policy).shown) for session in (calm, known))
    assert sum(offer.kind is OfferKind.HIT for offer in best) >= 0.75 * len(truth.episodes)
    assert sum(offer.kind in FALSE for offer in best) < sum(offer.kind in FALSE for offer in ours)
