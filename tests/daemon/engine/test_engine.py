"""The engine: what is derived from which record, in which order, and when a tick is due."""

from typing import Any

import pytest

from daemon.engine.engine import Engine
from daemon.engine.ticks import MAX_TICKS_PER_RECORD, TICK_STEP_NS
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import (
    ClosedBy,
    Context,
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    Frame,
    Offer,
    Prefix,
    Record,
    SessionEnd,
    Switch,
    SwitchName,
    Tick,
    Trigger,
    Verdict,
    Wake,
    Window,
    Withdrawal,
    is_derived,
)
from storage.settings import InterfaceSettings, Settings
from tests.fakes.detectors.fake_detectors import (
    START_NS,
    EagerPolicy,
    FixedDetector,
    first_row,
    focus,
    key,
    make_engine,
    of,
)

S = NS_PER_S


def tick_until(engine: Engine, end_ns: int) -> list[Record]:
    rows: list[Record] = []
    while (due_ns := engine.next_wake_ns) is not None and due_ns <= end_ns:
        rows += engine.take(Tick(), due_ns)
    return rows


def typing(settings: Settings | None = None, **changes: Any) -> Engine:
    engine = make_engine(settings, **changes)
    engine.take(key(0), START_NS)
    return engine


def test_rows_are_numbered_one_after_the_other() -> None:
    engine = typing()
    rows = engine.take(Tick(), START_NS + 6 * S)
    assert [row.seq for row in rows] == list(range(3, 3 + len(rows)))
    assert {row.at_ns for row in rows} == {START_NS + 6 * S}
    assert [type(row) for row in rows] == [Tick, Prefix, Estimate, Decision, Offer]
    assert [is_derived(row) for row in rows] == [False, True, True, True, True]


def test_a_late_record_finds_all_prefixes_that_had_ended() -> None:
    engine = typing(detector=FixedDetector(0.0))
    rows = engine.take(key(0), START_NS + 13 * S)
    assert [(prefix.end_ns - START_NS) // S for prefix in of(rows, Prefix)] == [6, 12]


class BreakPolicy(EagerPolicy):
    """Notes how long the hands had been still at each decision, by what it was about."""

    def __init__(self) -> None:
        self.idle_s: list[tuple[str, float]] = []

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
        self.idle_s.append((type(trigger).__name__, (now_ns - context.last_input_ns) / S))
        return super().decide(state, trigger, context, now_ns)


@pytest.mark.parametrize(
    ("record", "idle_s"), [(key(0), 0.0), (key(0, own=True), 7.0), (Tick(), 7.0)], ids=["key", "own", "tick"]
)
def test_a_decision_that_comes_due_with_input_knows_of_it(record: Record, idle_s: float) -> None:
    """A tick waits for input that is on its way, and the first key of it finds the end of a prefix: no pause then.

    Input in a window of ours is none, and a tick leaves the pause as long as it is (the controls).
    """
    policy = BreakPolicy()
    engine = Engine(detector=FixedDetector(), policy=policy, settings=Settings())
    engine.take(first_row(Settings()), START_NS)
    engine.take(key(0), START_NS)
    rows = engine.take(record, START_NS + 7 * S)
    assert [prefix.end_ns - START_NS for prefix in of(rows, Prefix)] == [6 * S]
    assert policy.idle_s == [("Estimate", idle_s)]


def test_an_unanswered_offer_expires_as_ignored_and_is_learned_from() -> None:
    engine = typing(Settings(interface=InterfaceSettings(offer_visible_s=2)))
    rows = tick_until(engine, START_NS + 9 * S)
    (offer,) = of(rows, Offer)
    (answer,) = of(rows, Feedback)
    assert (answer.offer_id, answer.kind, answer.by) == (offer.offer_id, FeedbackKind.IGNORED, "expiry")
    assert answer.at_ns == offer.expires_at_ns
    assert engine.saved_policy() == {"answers": 1}


def test_an_answer_takes_its_offer_down_and_no_other_changes_anything() -> None:
    engine = typing()
    (offer,) = of(engine.take(Tick(), START_NS + 6 * S), Offer)
    for offer_id, stands in (("o99", True), (offer.offer_id, False), (offer.offer_id, False)):
        engine.take(Feedback(offer_id=offer_id, kind=FeedbackKind.ACCEPTED), START_NS + 7 * S)
        assert (engine.showing is not None) is stands
    assert engine.saved_policy() == {"answers": 1}


def test_a_counterfactual_offer_is_never_answered() -> None:
    engine = typing(Settings(interface=InterfaceSettings(offer_visible_s=2)), is_shown=lambda _: False)
    rows = tick_until(engine, START_NS + 9 * S)
    (offer,) = of(rows, Offer)
    assert offer.counterfactual
    assert not of(rows, Feedback)
    assert [end.reason for end in of(rows, Withdrawal)] == ["expired"]
    assert engine.saved_policy() == {"answers": 0}


def test_another_application_closes_the_window_and_withdraws_the_offer() -> None:
    engine = make_engine()
    engine.take(focus("editor", 0), START_NS)
    engine.take(key(0), START_NS)
    engine.take(Tick(), START_NS + 6 * S)
    assert engine.showing is not None
    rows = engine.take(focus("browser", 0), START_NS + 8 * S)
    (window,) = of(rows, Window)
    assert (window.closed_by, window.app) == (ClosedBy.APP_SWITCH, "editor")
    (prefix,) = of(rows, Prefix)
    assert (prefix.truncated, prefix.app) == (True, "editor")
    assert of(rows, Withdrawal)
    assert engine.next_wake_ns == START_NS + 14 * S


def test_a_dialog_of_the_same_application_does_not_close_the_window() -> None:
    """Not even one of another class, as LibreOffice has; an empty focus and our own windows do not either."""
    engine = make_engine(detector=FixedDetector(0.0))
    engine.take(focus("editor", 0), START_NS)
    engine.take(key(0), START_NS)
    for change in (focus("editor", 0), focus("Soffice", 0, dialog=True), focus("", 0), focus("kairos", 0, own=True)):
        assert not of(engine.take(change, START_NS + S), Window)


@pytest.mark.parametrize(
    ("record", "closed_by"),
    [
        (Switch(name=SwitchName.PAUSED, on=True, by="person"), ClosedBy.PAUSE),
        (Switch(name=SwitchName.PRIVATE, on=True, by="person"), ClosedBy.PAUSE),
        (Wake(slept_ns=S), ClosedBy.WAKE),
        (SessionEnd(reason="quit"), ClosedBy.STOP),
    ],
)
def test_a_pause_a_wake_and_the_end_close_the_window_without_an_offer(record: Record, closed_by: ClosedBy) -> None:
    engine = typing()
    rows = engine.take(record, START_NS + 2 * S)
    assert [window.closed_by for window in of(rows, Window)] == [closed_by]
    assert len(of(rows, Estimate)) == 1
    assert all(decision.verdict is not Verdict.OFFER for decision in of(rows, Decision))
    assert not of(rows, Offer)


def test_the_policy_decides_at_its_tick_and_not_before() -> None:
    engine = typing()
    engine.take(Tick(), START_NS + 6 * S)
    early = engine.take(Tick(), START_NS + 7 * S)
    assert not of(early, Decision)
    late = engine.take(Tick(), START_NS + 12 * S)
    assert of(late, Decision)


def test_time_never_runs_backwards() -> None:
    engine = make_engine()
    engine.take(key(0), START_NS + 5 * S)
    assert engine.take(key(0), START_NS)[0].at_ns == START_NS + 5 * S


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.1, 1.1])
def test_numbers_that_are_no_probability_become_an_abstention(number: float) -> None:
    """A third-party detector may be wrong; its estimate becomes an abstention with the error."""
    engine = typing(detector=FixedDetector(number))
    (estimate,) = of(engine.take(Tick(), START_NS + 6 * S), Estimate)
    assert (estimate.error, estimate.abstained, estimate.help_need) == ("no_probability", True, 0.0)
    assert sum(estimate.state_probs.values()) == pytest.approx(1.0)


class NumberlessPolicy(EagerPolicy):
    """Divides by zero somewhere."""

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
        numbers = {"good": 1.0, "bad": float("nan"), "worse": float("inf")}
        return state, Decision(verdict=Verdict.HOLD, gate="g", reason="r", numbers=numbers, propensity=float("nan"))


def test_numbers_of_a_policy_that_are_none_are_left_out() -> None:
    """A third-party policy may be wrong, too; its decision can still be logged."""
    engine = typing(policy=NumberlessPolicy())
    (decision,) = of(engine.take(Tick(), START_NS + 6 * S), Decision)
    assert (dict(decision.numbers), decision.propensity) == ({"good": 1.0}, 0.0)


class InsistentPolicy(EagerPolicy):
    """Offers at every decision, shown or not, and asks for its next tick `ahead_ns` from now."""

    def __init__(self, ahead_ns: int) -> None:
        self.ahead_ns = ahead_ns

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
        return state, Decision(
            verdict=Verdict.OFFER, gate="all", reason="at_break", topic="x", next_tick_ns=now_ns + self.ahead_ns
        )


@pytest.mark.parametrize("ahead_ns", [-5 * S, 0, 1])
def test_a_policy_cannot_make_the_engine_spin(ahead_ns: int) -> None:
    engine = make_engine(policy=InsistentPolicy(ahead_ns))
    rows = engine.take(focus("editor", START_NS), START_NS)
    for _ in range(500):
        assert engine.next_wake_ns is not None
        rows += engine.take(Tick(), engine.next_wake_ns)
    assert rows[-1].at_ns - START_NS >= 300 * TICK_STEP_NS
    assert all(row.next_tick_ns > row.at_ns for row in of(rows, Decision))


def test_ticks_that_a_policy_asks_for_in_time_are_as_it_asked() -> None:
    """The control: neither a late one nor a few quick ones are moved."""
    for ahead_ns, ticks in ((TICK_STEP_NS, 300), (1, 50)):
        engine = make_engine(policy=InsistentPolicy(ahead_ns))
        rows = engine.take(focus("editor", START_NS), START_NS)
        for _ in range(ticks):
            assert engine.next_wake_ns is not None
            rows += engine.take(Tick(), engine.next_wake_ns)
        assert {row.next_tick_ns - row.at_ns for row in of(rows, Decision)} == {ahead_ns}


def test_an_offer_in_place_of_another_ends_that_one_first() -> None:
    engine = typing(policy=InsistentPolicy(S))
    rows = tick_until(engine, START_NS + 9 * S)
    shown = [(row.KIND, row.offer_id) for row in rows if isinstance(row, (Offer, Withdrawal))]
    assert shown[:5] == [("offer", "o1"), ("withdrawal", "o1"), ("offer", "o2"), ("withdrawal", "o2"), ("offer", "o3")]
    assert {row.reason for row in of(rows, Withdrawal)} == {"replaced"}
    assert engine.showing is not None
    assert engine.showing.offer_id == shown[-1][1]


def test_an_endless_number_of_ticks_before_one_record_is_refused() -> None:
    """A record dated centuries later does not keep a replay busy for ever; a policy that ticks is no excuse."""
    engine = make_engine(policy=InsistentPolicy(S))
    engine.take(focus("editor", START_NS), START_NS)
    with pytest.raises(BadFile, match=f"more than {MAX_TICKS_PER_RECORD} ticks"):
        for _ in engine.take_with_ticks(key(0), START_NS + 10**17):
            pass
    late = make_engine(policy=InsistentPolicy(S))
    late.take(focus("editor", START_NS), START_NS)
    assert len(list(late.take_with_ticks(key(0), START_NS + 1000 * S))) == 1001


def test_no_wake_up_is_due_before_any_input() -> None:
    """Without input there is no window and so nothing to wake for, whatever the screen does."""
    engine = make_engine()
    engine.take(Frame(t_ns=0, monitor="", size=(9, 9), digest="", changed=()), START_NS)
    assert engine.next_wake_ns is None


def test_input_in_a_window_of_ours_starts_nothing() -> None:
    engine = make_engine()
    engine.take(key(0, own=True), START_NS)
    assert engine.next_wake_ns is None


def test_no_window_opens_while_paused() -> None:
    """Input that slipped through while pausing starts nothing."""
    engine = make_engine()
    engine.take(Switch(name=SwitchName.PAUSED, on=True, by="person"), START_NS)
    engine.take(key(0), START_NS + S)
    assert not of(tick_until(engine, START_NS + 60 * S), Prefix)


def test_the_policy_starts_from_what_was_saved() -> None:
    engine = make_engine()
    engine.take(first_row(Settings(), saved={"answers": 4}), START_NS)
    assert engine.saved_policy() == {"answers": 4}
