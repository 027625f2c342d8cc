"""Off-policy estimates against a simulated truth that is known exactly, and silence where there is no overlap."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from daemon.engine.engine import Engine
from daemon.figures.off_policy import LoggedDecision, Target, estimate
from detectors.rules import EvidenceDetector
from lab.benchmarks.policy.benchmark import UNLIMITED, arm, off_policy
from lab.benchmarks.policy.figures import NO_OVERLAP, logged_in, target_policies
from lab.benchmarks.policy.trace import load_rules
from storage.clock import NS_PER_S
from storage.records import Decision, Feedback, FeedbackKind, Offer, Record, Tick, Verdict
from storage.settings import DetectorSettings, PolicySettings, Settings
from storage.testing import plain
from tests.fakes.lab.desk_sessions import desk_session

S = NS_PER_S
RULES = load_rules()
TARGETS = target_policies(0.1, 0.6)
SESSIONS, A_SESSION = 50, 40

Chance = Callable[[float], float]


def reward(need: float) -> float:
    """Return what an offer is worth on average at this help need: more than a line can say."""
    return 100.0 * need**2 - 30.0


def known(need: float) -> dict[str, float]:
    """Return the numbers of a decision."""
    return {"help_need": need, "p": need, "threshold": 0.5, "sum": 4.0 if need > 0.3 else 0.0, "upper": 3.0}


def world(chance: Chance, seed: int, rewards: Callable[[float], float] = reward) -> list[LoggedDecision]:
    """Return the log of one who offers with a chance that may depend on help need, in sessions that differ."""
    rng = np.random.default_rng(seed)
    found = []
    for session in range(SESSIONS):
        mood = rng.normal(0.0, 5.0)
        for _ in range(A_SESSION):
            need = float(rng.uniform(0.02, 0.98))
            probability = chance(need)
            offered = bool(rng.random() < probability)
            found.append(
                LoggedDecision(
                    session=session,
                    numbers=known(need),
                    offered=offered,
                    propensity=probability if offered else 1.0 - probability,
                    reward_s=rewards(need) + mood + float(rng.normal(0.0, 15.0)) if offered else 0.0,
                )
            )
    return found


def worth(target: Target) -> float:
    """Return what a policy is truly worth a decision, by summing over all help needs."""
    grid = np.linspace(0.02, 0.98, 4001).tolist()
    return float(np.mean([target(known(need)) * reward(need) for need in grid]))


@pytest.mark.parametrize("name", ["random", "always", "threshold"])
@pytest.mark.parametrize("chance", [lambda need: 0.3, lambda need: 0.15 + 0.5 * need], ids=["even", "leaning"])
def test_both_estimators_find_the_truth(name: str, chance: Chance) -> None:
    """From the log of another who drew, the intervals hold the true worth, and the estimates lie around it."""
    target = TARGETS[name]
    held, errors = 0, []
    for seed in range(12):
        found = estimate(world(chance, seed), target)
        assert found is not None
        held += (found.ips_s.low <= worth(target) <= found.ips_s.high) + (
            found.dr_s.low <= worth(target) <= found.dr_s.high
        )
        errors.append((found.ips_s.value - worth(target), found.dr_s.value - worth(target)))
    assert held >= 20
    bias = np.abs(np.mean(errors, axis=0))
    assert (bias <= 1.5).all()


def test_the_plain_mean_would_be_wrong() -> None:
    """The control: what a leaning log earned an offer, on average, is not what one would have who always offers."""
    target = TARGETS["always"]
    logs = [world(lambda need: 0.15 + 0.5 * need, seed) for seed in range(8)]
    found = [estimate(log, target) for log in logs]
    plain = np.mean([logged_decision.reward_s for log in logs for logged_decision in log if logged_decision.offered])
    assert plain - worth(target) > 5.0
    assert abs(np.mean([value.dr_s.value for value in found if value]) - worth(target)) < 1.0


def test_a_model_of_the_reward_helps() -> None:
    """Doubly robust estimates scatter less than those by propensity alone."""
    found = [estimate(world(lambda need: 0.2, seed), TARGETS["threshold"]) for seed in range(12)]
    ips = np.std([value.ips_s.value for value in found if value])
    dr = np.std([value.dr_s.value for value in found if value])
    assert dr < ips


def test_rewards_of_holding_count_where_there_are_any() -> None:
    """With an outcome after every decision a policy is worth what both of its actions bring."""

    def with_outcomes(seed: int) -> list[LoggedDecision]:
        log = world(lambda need: 0.15 + 0.5 * need, seed)
        return [
            logged_decision
            if logged_decision.offered
            else replace(logged_decision, reward_s=40.0 * logged_decision.numbers["help_need"])
            for logged_decision in log
        ]

    for name in ("silent", "always", "threshold"):
        target = TARGETS[name]
        grid = [known(need) for need in np.linspace(0.02, 0.98, 4001).tolist()]
        held = np.mean([(1.0 - target(numbers)) * 40.0 * numbers["help_need"] for numbers in grid])
        found = [estimate(with_outcomes(seed), target) for seed in range(8)]
        assert np.mean([value.dr_s.value for value in found if value]) == pytest.approx(worth(target) + held, abs=1.0)
        assert np.mean([value.ips_s.value for value in found if value]) == pytest.approx(worth(target) + held, abs=2.0)
    always = [replace(logged_decision, reward_s=5.0) for logged_decision in world(lambda need: 0.999, 1)]
    assert estimate(always, TARGETS["silent"]) is None


def test_without_chance_there_is_no_overlap() -> None:
    """One who never offers somewhere tells nothing about one who would; few offers tell nothing either."""
    never_high = world(lambda need: 0.0 if need > 0.7 else 0.4, 1)
    assert estimate(never_high, TARGETS["threshold"]) is None
    assert estimate(never_high, TARGETS["silent"]) is not None
    assert estimate(world(lambda need: 0.3, 1)[:30], TARGETS["always"]) is None
    assert estimate([], TARGETS["always"]) is None
    assert off_policy([], RULES) == dict.fromkeys(TARGETS, NO_OVERLAP)


def test_a_log_without_the_numbers_of_a_policy_has_no_overlap_with_it() -> None:
    """Who needs a number that was not logged cannot be judged."""
    log = [LoggedDecision(session=n % 9, numbers={}, offered=n % 2 == 0, propensity=0.5) for n in range(400)]
    assert estimate(log, TARGETS["utility"]) is None
    assert estimate(log, TARGETS["always"]) is not None


def logged_by(name: str, sessions: int, settings: PolicySettings) -> list[LoggedDecision]:
    """Return what the engine logs with an arm in sessions at the small desk."""
    policy = arm(name, settings, DetectorSettings().base_rate)
    found: list[LoggedDecision] = []
    for session in range(sessions):
        engine = Engine(detector=EvidenceDetector(DetectorSettings()), policy=policy, settings=Settings())
        rows: list[Record] = []
        for row in desk_session(session)[0]:
            while (due_ns := engine.next_wake_ns) is not None and due_ns <= row.at_ns:
                rows += engine.take(Tick(), due_ns)
            rows += engine.take(row, row.at_ns)
        found += logged_in(rows, session, RULES.costs)
    return found


def test_the_log_of_our_random_arm_reaches_every_arm() -> None:
    """What the engine logs with the random arm suits all arms, for it never holds by its own judgement."""
    log = logged_by("random", 5, replace(UNLIMITED, arm_probability=0.5))
    assert {logged_decision.offered for logged_decision in log} == {True, False}
    assert all(logged_decision.propensity < 1.0 for logged_decision in log)
    for name, target in TARGETS.items():
        assert max(target(logged_decision.numbers) for logged_decision in log) > 0.0 or name == "silent"
    assert estimate(log, TARGETS["always"]) is not None


def test_the_log_of_our_own_arm_reaches_none_that_would_speak_elsewhere() -> None:
    """With lots it tells of itself and of silence; all else would also speak where it surely held."""
    wanted = target_policies(0.1, 0.5)
    log = logged_by("utility", 2, replace(UNLIMITED, exploration=0.3))
    drawn = [logged_decision for logged_decision in log if logged_decision.propensity < 1.0]
    assert 0 < len(drawn) < len(log)
    assert not any(logged_decision.offered for logged_decision in log if logged_decision.propensity == 1.0)
    many = [
        replace(logged_decision, session=2 * turn + logged_decision.session)
        for logged_decision in log
        for turn in range(6)
    ]
    reached = {name for name, target in wanted.items() if estimate(many, target) is not None}
    assert reached == {"silent", "utility"}
    own = estimate(many, wanted["utility"])
    assert own is not None
    assert own.decisions == 6 * len(drawn)
    blind = {name for name, target in wanted.items() if estimate([o for o in many if o.propensity < 1.0], target)}
    assert blind == set(wanted)  # the control: the drawn alone look as if they reached everybody
    certain = [logged_decision for logged_decision in log if logged_decision.propensity == 1.0]
    assert all(estimate(certain, target) is None for target in wanted.values())


def test_few_sessions_leave_the_interval_open() -> None:
    """Four sessions can be drawn again and again without saying much: the interval then has no ends."""
    log = [
        replace(logged_decision, session=logged_decision.session % 4) for logged_decision in world(lambda need: 0.3, 1)
    ]
    found = estimate(log, TARGETS["always"])
    assert found is not None
    assert (found.ips_s.low, found.ips_s.high) == (-math.inf, math.inf)


def decision(
    seq: int, verdict: Verdict, propensity: float, why: tuple[str, str] = ("all", "at_break"), *, withdraw: bool = False
) -> Decision:
    """Return a decision as it is logged."""
    return Decision(
        seq=seq,
        at_ns=seq * S,
        verdict=verdict,
        gate=why[0],
        reason=why[1],
        propensity=propensity,
        numbers={"p": 0.4},
        withdraw=withdraw,
    )


def offer(seq: int, decision_seq: int) -> Offer:
    """Return an offer as it is logged."""
    given = {"offer_id": f"o{seq}", "decision_seq": decision_seq, "app": "desk", "help_need": 0.4}
    return plain(Offer, seq * S, seq=seq, at_ns=seq * S, **given)


def test_drawn_decisions_and_an_arms_own_holds_count() -> None:
    """No hold that every arm would keep to does; what an offer earned is how it was answered."""
    rows: list[Record] = [
        decision(1, Verdict.HOLD, 1.0, ("budget", "cooldown")),
        decision(1, Verdict.HOLD, 1.0, ("evidence", "other_app")),
        decision(1, Verdict.HOLD, 1.0, ("withdrawal", "moved_on"), withdraw=True),
        decision(1, Verdict.HOLD, 1.0, ("evidence", "not_enough")),
        decision(2, Verdict.HOLD, 0.9),
        decision(3, Verdict.OFFER, 0.1),
        offer(4, 3),
        Feedback(seq=5, at_ns=5 * S, offer_id="o4", kind=FeedbackKind.ACCEPTED),
        decision(6, Verdict.OFFER, 0.1),
        offer(7, 6),
        Feedback(seq=8, at_ns=8 * S, offer_id="o7", kind=FeedbackKind.DISMISSED),
        decision(9, Verdict.OFFER, 0.1),
        offer(10, 9),
    ]
    costs = RULES.costs
    found = logged_in(rows, 3, costs)
    assert [
        (logged_decision.session, logged_decision.offered, logged_decision.propensity) for logged_decision in found
    ] == [
        (3, False, 1.0),
        (3, False, 0.9),
        (3, True, 0.1),
        (3, True, 0.1),
        (3, True, 0.1),
    ]
    interrupt_s = costs.interrupt_at_break_s
    assert [logged_decision.reward_s for logged_decision in found] == [
        0.0,
        0.0,
        costs.benefit_s - interrupt_s,
        -costs.false_s - interrupt_s,
        -interrupt_s,
    ]
