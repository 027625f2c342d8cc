"""The policy inside the engine: a replay decides as it was decided live, and learns only what people answered."""

from dataclasses import replace

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from daemon.engine.engine import Engine
from detectors.protocol import Images
from policies.arms import NAMES
from policies.registry import load
from storage.clock import NS_PER_S
from storage.records import (
    Environment,
    Estimate,
    Feedback,
    FeedbackKind,
    Offer,
    Prefix,
    Record,
    SessionStart,
    Switch,
    SwitchName,
    Tick,
)
from storage.settings import PolicySettings, Settings
from tests.fakes.detectors.fake_detectors import START_NS, estimate_of, first_row, focus, key, replayed
from tests.fakes.narrowing import as_a

S = NS_PER_S
BUSY = [HealthCheck.too_slow]  # a busy machine is no fault of the policy's
POLICY = PolicySettings(
    quiet_start_s=5.0, cooldown_s=20.0, novelty_s=25.0, backoff_s=30.0, arm_probability=0.5, exploration=0.5
)


actions = st.lists(
    st.tuples(st.sampled_from(["key", "app", "flag", "pause", "answer"]), st.integers(0, 9_000), st.integers(0, 999)),
    max_size=50,
)


class Wavering:
    """Sees a need that depends on the prefix alone, often high."""

    name = "wavering"
    version = "1"
    uses_images = False

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        need = (0.97, 0.3, 0.99, 0.02)[prefix.window_id % 4]
        return estimate_of(need, prefix_id=prefix.prefix_id, window_id=prefix.window_id, app=prefix.app)


def engine_of(arm: str, *, shown: bool = True) -> Engine:
    settings = Settings(policy=replace(POLICY, name=arm))
    policy = load(settings.policy, 0.05)
    return Engine(detector=Wavering(), policy=policy, settings=settings, is_shown=lambda _: shown)


def play(engine: Engine, start: SessionStart, steps: list[tuple[str, int, int]]) -> list[Record]:
    """Run a session live: wake the engine when it asks, and let a person do things and answer offers."""
    now_ns = START_NS
    rows = engine.take(start, now_ns)
    for kind, wait_ms, number in [*steps, ("key", 9_000, 0), ("key", 60_000, 0)]:
        until_ns = now_ns + wait_ms * 1_000_000
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= until_ns:
            rows += engine.take(Tick(), due_ns)
        now_ns = until_ns
        record: Record = key(now_ns)
        match kind:
            case "app":
                record = focus(("editor", "browser")[number % 2], now_ns)
            case "flag":
                record = Environment(full_screen=number % 3 == 0)
            case "pause":
                record = Switch(name=SwitchName.PAUSED, on=number % 3 == 0, by="person")
            case "answer" if engine.showing is not None:
                kinds = list(FeedbackKind)
                record = Feedback(offer_id=engine.showing.offer_id, kind=kinds[number % len(kinds)])
            case _:
                pass
        rows += engine.take(record, now_ns)
    return rows


def started(**saved: object) -> SessionStart:
    return replace(first_row(Settings()), policy_state={"saved": saved, "elapsed_ns": 3 * S})


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=BUSY)
@given(actions, st.sampled_from(NAMES), st.integers(0, 2**48))
def test_a_replay_of_the_source_rows_is_the_session_itself(
    steps: list[tuple[str, int, int]], arm: str, seed: int
) -> None:
    first, second = engine_of(arm), engine_of(arm)
    rows = play(first, started(seed=seed), steps)
    assert replayed(second, rows) == rows
    assert first.saved_policy() == second.saved_policy()


def test_sessions_like_these_hold_offers_and_answers() -> None:
    """Control: the sessions compared above are not empty."""
    engine = engine_of("utility")
    steps = [("key", 8_000, 0), ("answer", 1, 1)] * 30
    rows = play(engine, started(seed=1), steps)
    assert any(isinstance(row, Offer) for row in rows)
    assert any(isinstance(row, Feedback) and row.by == "person" for row in rows)
    learned = as_a(dict, engine.saved_policy()["learned"])
    assert learned["tallies"]


def test_nothing_is_learned_from_offers_that_nobody_saw() -> None:
    engine = engine_of("always", shown=False)
    rows = play(engine, started(seed=1), [("key", 8_000, 0)] * 30)
    assert any(isinstance(row, Offer) and row.counterfactual for row in rows)
    learned = as_a(dict, engine.saved_policy()["learned"])
    assert learned["tallies"] == []
    assert engine.saved_policy()["backoffs"] == []
