"""Whatever happens in whatever order: budgets, manners and bounds hold."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.arms import NAMES
from policies.breaks import LATE_NS
from policies.protocol import Policy
from policies.registry import load
from storage.records import (
    Box,
    Context,
    Environment,
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
from storage.words import REASONS
from tests.fakes import context_of, estimate_of, offer_of

S = 1_000_000_000
HOUR = 3600 * S
SETTINGS = PolicySettings(
    quiet_start_s=20.0,
    cooldown_s=40.0,
    offers_per_hour=3,
    offers_per_day=5,
    backoff_s=120.0,
    snooze_s=60.0,
    novelty_s=50.0,
)
FLAGS = ("consent", "paused", "excluded", "full_screen", "locked", "do_not_disturb", "call")

steps = st.tuples(
    st.sampled_from(["estimate", "input", "button", "focus", "flag", "tick", "answer", "wait"]),
    st.integers(0, 30_000),  # milliseconds that pass before
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
    shown: list[int] | None = None

    def ask(self, trigger: Trigger) -> None:
        """Ask the policy, check its answer, and do what it says."""
        offers = self.shown = self.shown if self.shown is not None else []
        context = replace(self.context, in_word=self.context.in_word and self.now_ns - self.context.last_input_ns < S)
        self.state, decision = self.policy.decide(self.state, trigger, context, self.now_ns)
        assert decision.reason in REASONS
        assert decision.next_tick_ns is None or decision.next_tick_ns > self.now_ns
        self.tick_ns = decision.next_tick_ns
        showing = context.showing
        if decision.withdraw:
            assert showing is not None
            self.context = replace(self.context, showing=None)
        elif showing is not None:
            assert self.now_ns - showing.shown_at_ns < SETTINGS.stale_s * S
            assert showing.app == context.app
        if decision.verdict is not Verdict.OFFER:
            return
        assert showing is None
        assert context.consent
        assert not any(getattr(context, flag) for flag in FLAGS[1:])
        assert self.now_ns >= SETTINGS.quiet_start_s * S
        assert not any((context.buttons_down, context.dragging, context.in_word))
        assert decision.numbers["waited_s"] * S <= SETTINGS.break_wait_s * S + LATE_NS
        assert decision.topic not in self.state.budget.muted
        assert all(self.now_ns - shown_ns >= SETTINGS.cooldown_s * S for shown_ns in offers)
        assert sum(1 for shown_ns in offers if self.now_ns - shown_ns < HOUR) < SETTINGS.offers_per_hour
        assert sum(1 for shown_ns in offers if self.now_ns - shown_ns < 24 * HOUR) < SETTINGS.offers_per_day
        offers.append(self.now_ns)
        self.context = replace(self.context, showing=offer_of(self.now_ns / S, app=context.app))

    def pass_time(self, until_ns: int) -> None:
        """Let the policy have the ticks it asked for, and offers expire after 45 s."""
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

    def answer(self, offer: Offer, kind: FeedbackKind) -> None:
        """Answer the offer shown."""
        self.context = replace(self.context, showing=None)
        self.state = self.policy.learn(self.state, Feedback(offer_id="o1", kind=kind), offer, self.now_ns)

    def happen(self, kind: str, need: float, number: int) -> None:
        """Let one thing happen."""
        match kind:
            case "estimate":
                self.window_id += number % 3 == 0
                self.estimates += 1
                prefix_id = f"w{self.window_id}/{self.estimates}"
                need = max(need, 0.97 if number % 2 else 0.0)
                self.ask(estimate_of(need, window_id=self.window_id, prefix_id=prefix_id))
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
                change: dict[str, Any] = {flag: (number // 8) % 3 == 0 if flag != "consent" else number % 5 != 0}
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


def run(actions: list[tuple[str, int, float, int]], arm: str = "utility", chance: float = 1.0) -> list[int]:
    """Run a world through actions under an arm; return when offers were shown."""
    policy = load(replace(SETTINGS, name=arm, arm_probability=chance, exploration=1.0 - chance), 0.05)
    world = World(policy=policy, state=policy.start({}, 0, 0), context=context_of())
    for kind, wait_ms, need, number in actions:
        world.pass_time(world.now_ns + wait_ms * 1_000_000)
        world.happen(kind, need, number)
    world.pass_time(world.now_ns + 120 * S)
    return world.shown or []


@settings(max_examples=300, deadline=None)
@given(st.lists(steps, max_size=80), st.sampled_from(NAMES), st.sampled_from([1.0, 0.5]))
def test_no_sequence_breaks_a_rule(actions: list[tuple[str, int, float, int]], arm: str, chance: float) -> None:
    """Never two offers within the cool-down, never over budget or against manners, no deferral beyond its bound."""
    run(actions, arm, chance)


@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=60), st.sampled_from(NAMES))
def test_the_same_sequence_gives_the_same_offers(actions: list[tuple[str, int, float, int]], arm: str) -> None:
    """The policy, lots included, is a function of what it is given."""
    assert run(actions, arm, 0.5) == run(actions, arm, 0.5)


def test_the_rules_are_tried_for_real() -> None:
    """Control: a plain sequence in this world does lead to offers, so that the checks above see some."""
    stuck = [("estimate", 6000, 0.99, 1), ("estimate", 6000, 0.99, 3)] * 30
    for arm in ("utility", "threshold", "always", "random"):
        assert len(run(stuck, arm)) == SETTINGS.offers_per_hour
    assert 0 < len(run(stuck, "random", 0.5)) <= SETTINGS.offers_per_hour
    assert run(stuck, "silent") == []
