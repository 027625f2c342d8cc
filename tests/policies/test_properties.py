"""Whatever happens in whatever order: budgets, manners and bounds hold, and what is learned stays within limits."""

import ast
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import policies
import policies.sampling
from policies.arms import NAMES
from policies.gates import GATES, REASONS, SUPPRESSING_GATES
from policies.gates.breaks import LATE_NS
from policies.gates.utility import utility_of
from policies.learning import LEAST_THRESHOLD, MOST_THRESHOLD, TIMING_LIMIT, acceptance, learn_answer, shift_of
from policies.protocol import Policy
from policies.registry import load
from policies.state import Learned, OfferSubject
from storage.records import (
    Box,
    Context,
    Decision,
    Environment,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    Offer,
    Switch,
    SwitchName,
    Tick,
    Trigger,
    Verdict,
)
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of, offer_of

S = 1_000_000_000
BUSY = [HealthCheck.too_slow]  # a busy machine is no fault of the policy's
HOUR = 3600 * S
SETTINGS = PolicySettings(
    quiet_start_s=8.0,
    cooldown_s=40.0,
    offers_per_hour=3,
    offers_per_day=5,
    backoff_s=120.0,
    snooze_s=60.0,
    novelty_s=90.0,
    stale_s=30.0,
)
TOPICS = ("undo_bursts", "menu_wandering")
FLAGS = ("consent", "paused", "excluded", "full_screen", "locked", "do_not_disturb", "call")

steps = st.tuples(
    st.sampled_from(["estimate"] * 5 + ["answer"] * 3 + ["flag"] * 2 + ["input", "button", "focus", "tick", "wait"]),
    st.sampled_from([0, 300, 2_000, 7_000, 21_000]),  # milliseconds that pass before
    st.floats(0.0, 1.0),
    st.integers(0, 1_000_000),
)


@dataclass
class World:
    """A world in which things happen, and a policy that is asked as the engine asks it."""

    policy: Policy[Any]
    state: Any
    context: Context
    now_ns: int = 0
    tick_ns: int | None = None
    window_id: int = 0
    estimates: int = 0
    shown: list[int] = field(default_factory=list)
    said: list[tuple[str | None, int]] = field(default_factory=list)
    reasons: set[str] = field(default_factory=set)
    estimated_ns: int | None = None
    waiting_ns: int | None = None

    def ask(self, trigger: Trigger) -> None:
        context = replace(self.context, in_word=self.context.in_word and self.now_ns - self.context.last_input_ns < S)
        self.state, decision = self.policy.decide(self.state, trigger, context, self.now_ns)
        self.reasons.add(decision.reason)
        self.tick_ns = decision.next_tick_ns
        self.check(decision, context)
        waiting = decision.reason == "waiting_for_break"
        self.waiting_ns = (self.now_ns if self.waiting_ns is None else self.waiting_ns) if waiting else None
        if decision.withdraw:
            self.context = replace(self.context, showing=None)
        if decision.verdict is Verdict.OFFER:
            self.shown.append(self.now_ns)
            self.said.append((decision.topic, self.now_ns))
            offer = offer_of(self.now_ns / S, app=context.app, topic=decision.topic)
            self.context = replace(self.context, showing=offer)

    def check(self, decision: Decision, context: Context) -> None:
        assert decision.reason in REASONS
        assert 0.0 < decision.propensity <= 1.0
        assert decision.next_tick_ns is None or decision.next_tick_ns > self.now_ns
        if decision.prefix_ids:
            assert {"help_need", "sum", "upper", "lower"} <= decision.numbers.keys()
        if decision.gate in {"utility", "content", "novelty", "break", "all"}:
            assert {"p", "threshold", "benefit", "cost_false", "cost_interrupt"} <= decision.numbers.keys()
        showing = context.showing
        if decision.withdraw:
            assert showing is not None
        elif showing is not None:
            assert self.now_ns - showing.shown_at_ns < SETTINGS.stale_s * S
            assert showing.app == context.app
        if self.waiting_ns is not None and decision.reason == "waiting_for_break":
            assert self.now_ns - self.waiting_ns < SETTINGS.break_wait_s * S
        if decision.verdict is Verdict.OFFER:
            self.check_offer(decision, context)

    def check_offer(self, decision: Decision, context: Context) -> None:
        assert context.showing is None
        assert context.consent
        assert not any(getattr(context, flag) for flag in FLAGS[1:])
        assert self.now_ns >= SETTINGS.quiet_start_s * S
        assert not any((context.buttons_down, context.dragging, context.in_word))
        if self.waiting_ns is not None:
            assert self.now_ns - self.waiting_ns <= SETTINGS.break_wait_s * S + LATE_NS
        assert self.estimated_ns is not None
        assert self.now_ns - self.estimated_ns < SETTINGS.stale_s * S
        assert decision.topic not in self.state.budget.muted
        assert all(self.now_ns - shown_ns >= SETTINGS.cooldown_s * S for shown_ns in self.shown)
        assert all(
            self.now_ns - at_ns >= SETTINGS.novelty_s * S for topic, at_ns in self.said if topic == decision.topic
        )
        assert sum(1 for shown_ns in self.shown if self.now_ns - shown_ns < HOUR) < SETTINGS.offers_per_hour
        assert sum(1 for shown_ns in self.shown if self.now_ns - shown_ns < 24 * HOUR) < SETTINGS.offers_per_day

    def pass_time(self, until_ns: int) -> None:
        while True:
            showing = self.context.showing
            due = [
                moment for moment in (self.tick_ns, showing.expires_at_ns if showing else None) if moment is not None
            ]
            moment = min(due, default=until_ns + 1)
            if moment > until_ns:
                break
            self.now_ns = moment
            if showing is not None and showing.expires_at_ns == moment:
                self.answer(showing, FeedbackKind.IGNORED)
            if self.tick_ns == moment:
                self.tick_ns = None
                self.ask(Tick())
        self.now_ns = until_ns
        showing = self.context.showing
        assert showing is None or until_ns - showing.shown_at_ns < SETTINGS.stale_s * S

    def answer(self, offer: Offer, kind: FeedbackKind) -> None:
        self.context = replace(self.context, showing=None)
        self.state = self.policy.learn(self.state, Feedback(offer_id="o1", kind=kind), offer, self.now_ns)

    def happen(self, kind: str, need: float, number: int) -> None:
        match kind:
            case "estimate":
                self.window_id += number % 3 == 0
                self.estimates += 1
                self.estimated_ns = self.now_ns
                prefix_id = f"w{self.window_id}/{self.estimates}"
                need = max(need, 0.97 if number % 2 else 0.0)
                topic = Evidence(TOPICS[number % 3 == 0], {"count": 4.0, "tries": 2.0, "span_s": 20.0})
                estimate = estimate_of(need, window_id=self.window_id, prefix_id=prefix_id, evidence=(topic,))
                self.ask(replace(estimate, app=self.context.app))
            case "input":
                self.context = replace(self.context, last_input_ns=self.now_ns, in_word=number % 2 == 0)
            case "button":
                down = number % 2 == 0
                self.context = replace(
                    self.context, last_input_ns=self.now_ns, buttons_down=down, dragging=down and number % 4 == 0
                )
            case "focus":
                app = ("editor", "browser")[number % 2]
                changed = app != self.context.app
                since_ns = self.now_ns if changed else self.context.focus_since_ns
                self.context = replace(self.context, app=app, focus_since_ns=since_ns)
                focus = Focus(t_ns=0, app=app, window=1, title_digest="x", geometry=Box(0, 0, 1, 1))
                self.ask(focus)
            case "flag":
                flag = FLAGS[number % len(FLAGS)]
                change: dict[str, Any] = dict.fromkeys(FLAGS, False) | {"consent": True}
                if number % 2:
                    change[flag] = not change[flag]
                self.context = replace(self.context, **change)
                trigger: Trigger = Environment()
                if flag in {"consent", "paused", "excluded"}:
                    trigger = Switch(name=SwitchName(flag), on=True, by="person")
                self.ask(trigger)
            case "tick":
                self.ask(Tick())
            case "answer" if self.context.showing is not None:
                kinds = list(FeedbackKind)
                self.answer(self.context.showing, kinds[number % len(kinds)])
            case _:
                pass


def live(actions: list[tuple[str, int, float, int]], arm: str = "utility", chance: float = 1.0) -> World:
    policy = load(replace(SETTINGS, name=arm, arm_probability=chance, exploration=1.0 - chance), 0.05)
    world = World(policy=policy, state=policy.start({}, 0, 0), context=context_of())
    for kind, wait_ms, need, number in actions:
        world.pass_time(world.now_ns + wait_ms * 1_000_000)
        world.happen(kind, need, number)
    world.pass_time(world.now_ns + 120 * S)
    return world


@settings(max_examples=120, deadline=None, suppress_health_check=BUSY)
@given(st.lists(steps, min_size=30, max_size=60), st.sampled_from(NAMES), st.sampled_from([1.0, 0.5]))
def test_no_sequence_breaks_a_rule(actions: list[tuple[str, int, float, int]], arm: str, chance: float) -> None:
    """Never an offer too soon, too many, too late, against manners or on old evidence; none stands when it is stale."""
    live(actions, arm, chance)


@settings(max_examples=50, deadline=None, suppress_health_check=BUSY)
@given(st.lists(steps, max_size=60), st.sampled_from(NAMES))
def test_the_same_sequence_gives_the_same_offers(actions: list[tuple[str, int, float, int]], arm: str) -> None:
    first, second = live(actions, arm, 0.5), live(actions, arm, 0.5)
    assert first.shown == second.shown
    assert first.state == second.state


@settings(max_examples=100, deadline=None, suppress_health_check=BUSY)
@given(st.lists(steps, max_size=60), st.integers(0, 10**15))
def test_what_is_saved_is_all_that_outlives_a_session(
    actions: list[tuple[str, int, float, int]], elapsed_ns: int
) -> None:
    world = live(actions, "random", 0.5)
    saved = world.policy.save(world.state, world.now_ns)
    again = world.policy.start(saved, elapsed_ns, elapsed_ns + 7)
    assert world.policy.save(again, 7) == saved


@settings(max_examples=100, deadline=None, suppress_health_check=BUSY)
@given(
    st.lists(st.tuples(st.sampled_from(list(FeedbackKind)), st.integers(0, 400), st.integers(0, 90)), max_size=60),
    st.integers(0, 400),
)
def test_learning_stays_within_its_limits(answers: list[tuple[FeedbackKind, int, int]], days: int) -> None:
    learned, now_ns = Learned(), 0
    for kind, number, wait_days in answers:
        now_ns += wait_days * 24 * HOUR
        offer = offer_of(0.0, app=f"app{number % 3}", topic=f"topic{number // 100}")
        learned = learn_answer(learned, SETTINGS, Feedback(offer_id="o1", kind=kind), offer, now_ns, need=0.5)
    now_ns += days * 24 * HOUR
    for app in ("app0", "app9"):
        accepted = acceptance(learned, SETTINGS, OfferSubject(app=app, state="frustration", topic="topic1"), now_ns)
        assert 0.0 < accepted < 1.0
        threshold = utility_of(0.5, 0.0, accepted, SETTINGS).threshold
        assert LEAST_THRESHOLD - 1e-9 <= threshold <= MOST_THRESHOLD + 1e-9
    assert abs(shift_of(learned, SETTINGS, now_ns)) < TIMING_LIMIT


def test_the_rules_are_tried_for_real() -> None:
    """Control: a plain sequence in this world does lead to offers, so that the checks above see some."""
    stuck = [("estimate", 6000, 0.99, 1), ("estimate", 6000, 0.99, 5)] * 40
    for arm in ("utility", "threshold", "always", "random"):
        world = live(stuck, arm)
        assert len(world.shown) == SETTINGS.offers_per_hour
        assert {"stale", "said_recently", "cooldown", "hour_full"} <= world.reasons
    assert 0 < len(live(stuck, "random", 0.5).shown) <= SETTINGS.offers_per_hour
    assert live(stuck, "silent").shown == []
    typing = [("input", 25_000, 0.0, 1), ("estimate", 300, 0.99, 1), *[("input", 300, 0.0, 1)] * 80]
    assert {"waiting_for_break", "wait_over"} <= live(typing).reasons


def code_constants() -> tuple[set[str], set[str]]:
    """Return the strings in the policies' source that are no keys of a mapping, and those given as a `reason`.

    Questions have reasons of their own, `policies.sampling.REASONS`.
    """
    used: set[str] = set()
    given: set[str] = set()
    for path in set(Path(policies.__file__).parent.rglob("*.py")) - {Path(policies.sampling.__file__)}:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        keys = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
                used.add(node.value)
            if isinstance(node, ast.keyword) and node.arg == "reason":
                given |= {
                    child.value
                    for child in ast.walk(node.value)
                    if isinstance(child, ast.Constant) and isinstance(child.value, str)
                }
    return used, given


def test_every_reason_has_words_and_no_words_are_idle() -> None:
    used, given = code_constants()
    assert len(given) > 12
    assert given <= REASONS.keys()
    assert REASONS.keys() - used == {"stopped", "expired", "replaced"}  # from the engine


def test_gates_differ_in_their_reasons() -> None:
    """No code is registered twice, so a sentence says which gate stopped an offer."""
    codes = [code for gate in GATES for code in gate.reasons]
    assert len(codes) == len(set(codes))
    assert SUPPRESSING_GATES == ("consent", "manners")
