"""What the engine makes of models' answers: an estimate of the newest prefix, or nothing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.engine.engine import Engine
from detectors.mllm.cascade import Combiner, combine, shipped_weights
from policies import registry
from storage.clock import NS_PER_S
from storage.db.codec import canonical
from storage.records import (
    ClosedBy,
    Decision,
    Estimate,
    Frame,
    ModelAnswer,
    ModelTier,
    Offer,
    Prefix,
    Record,
    State,
    Switch,
    SwitchName,
    Tick,
    Wake,
    Window,
    is_derived,
)
from storage.settings import Settings, WindowSettings
from tests.fakes.detectors.fake_detectors import (
    RECKONED,
    START_NS,
    EagerPolicy,
    FixedDetector,
    first_row,
    focus,
    key,
    make_engine,
    of,
    replayed,
)
from tests.fakes.narrowing import as_a, present

S = NS_PER_S
SETTINGS = Settings(policy=RECKONED, window=WindowSettings(planned_s=8.0, away_s=20.0))


def answer(prefix_id: str, **changes: Any) -> ModelAnswer:
    fields: dict[str, Any] = {
        "window_id": 1,
        "tier": ModelTier.STRONG,
        "model": "big",
        "asked_at_ns": 0,
        "latency_ns": 1,
    }
    return ModelAnswer(prefix_id=prefix_id, **(fields | {"help_need": 0.97} | changes))


def make(need: float, **changes: Any) -> Engine:
    parts = {"policy": registry.load(SETTINGS.policy, 0.05), "combine": Combiner(0.05)}
    return make_engine(SETTINGS, detector=FixedDetector(need), **(parts | changes))


def engine_with(need: float = 0.3, **changes: Any) -> Engine:
    engine = make(need, **changes)
    engine.take(focus("editor", START_NS), START_NS)
    engine.take(key(START_NS), START_NS)
    return engine


def estimated(**changes: Any) -> Engine:
    engine = engine_with(**changes)
    engine.take(Tick(), START_NS + 2 * S)
    return engine


def test_an_answer_about_the_newest_prefix_becomes_its_second_estimate() -> None:
    engine = engine_with()
    before = engine.take(Tick(), START_NS + 2 * S)
    rows = engine.take(answer("w1/25", dollars=0.25), START_NS + 3 * S)
    assert [type(row) for row in rows][:3] == [ModelAnswer, Estimate, Decision]
    (first,), (second,) = of(before, Estimate), of(rows, Estimate)
    assert (second.prefix_id, second.window_id, second.fraction) == (first.prefix_id, first.window_id, first.fraction)
    assert (second.detector, second.confidence_source, second.cost) == ("cascade", "stacked", 0.25)
    assert second.help_need > first.help_need
    assert second.made_at_ns == second.ready_at_ns == START_NS + 3 * S
    assert of(rows, Decision)[0].numbers["help_need"] == second.help_need
    (offer,) = of(rows, Offer)
    assert (offer.prefix_id, offer.help_need) == ("w1/25", second.help_need)


def test_both_rungs_answers_are_combined_and_a_later_one_of_a_rung_replaces_the_first() -> None:
    engine = estimated(policy=EagerPolicy())
    needs = []
    for tier, need in ((ModelTier.LOCAL, 0.9), (ModelTier.STRONG, 0.9), (ModelTier.STRONG, 0.1)):
        rows = engine.take(answer("w1/25", tier=tier, help_need=need), START_NS + 3 * S)
        needs.append(of(rows, Estimate)[0].help_need)
    assert needs[1] > needs[0] > needs[2]


@pytest.mark.parametrize(
    "changes", [{"trouble": "busy"}, {"help_need": None}, {"trouble": "deadline", "help_need": None}]
)
def test_an_answer_without_information_derives_nothing(changes: dict[str, Any]) -> None:
    engine = estimated()
    assert len(engine.take(answer("w1/25", **changes), START_NS + 3 * S)) == 1


def test_an_answer_that_comes_after_the_next_prefix_derives_nothing() -> None:
    """Also where that prefix only falls due with it; the control is an answer in time."""
    for late_s, combined in ((3.9, 1), (4.0, 0), (5.0, 0)):
        engine = estimated()
        rows = engine.take(answer("w1/25"), START_NS + round(late_s * S))
        assert len([row for row in of(rows, Estimate) if row.detector == "cascade"]) == combined


ENDS: dict[str, Record] = {
    "paused": Switch(name=SwitchName.PAUSED, on=True, by="person"),
    "private": Switch(name=SwitchName.PRIVATE, on=True, by="person"),
    "revoked": Switch(name=SwitchName.CONSENT, on=False, by="person"),
    "another application": focus("browser", START_NS),
    "woken": Wake(slept_ns=S),
}


@pytest.mark.parametrize("why", list(ENDS))
def test_an_answer_about_a_situation_that_is_over_derives_nothing(why: str) -> None:
    """The control: without that, it does."""
    for over in (True, False):
        engine = estimated()
        if over:
            engine.take(ENDS[why], START_NS + 3 * S)
        rows = [
            row
            for prefix_id in ("w1/25", "w1/100t")
            for row in engine.take(answer(prefix_id), START_NS + 3 * S)
            if isinstance(row, Estimate)
        ]
        assert bool(rows) is not over


def test_a_combiner_that_gives_no_probability_is_caught() -> None:
    engine = estimated(combine=lambda estimate, _: replace(estimate, help_need=float("nan")))
    (estimate,) = of(engine.take(answer("w1/25"), START_NS + 3 * S), Estimate)
    assert (estimate.abstained, estimate.error) == (True, "no_probability")


# ---------------------------------------------------------------- whatever comes in whatever order

PREFIXES = [f"w{window}/{percent}" for window in (1, 2, 3, 4) for percent in (25, 50, 75, 100, "25t", "100t")]
answers = st.builds(
    answer,
    st.sampled_from(PREFIXES) | st.just("newest"),
    tier=st.sampled_from(ModelTier),
    window_id=st.integers(-3, 9),
    help_need=st.none() | st.floats(-2.0, 2.0),
    trouble=st.none() | st.sampled_from(["busy", "deadline"]),
    state_probs=st.just({})
    | st.just({"dancing": 3.0})
    | st.fixed_dictionaries({s.value: st.floats(0, 1) for s in State}),
    latency_ns=st.integers(-S, 10**12),
    dollars=st.floats(-1, 1),
)
others = st.sampled_from(
    [
        *(Switch(name=name, on=on, by="person") for name in SwitchName for on in (True, False)),
        *(focus(app, 0) for app in ("editor", "browser")),
        Wake(slept_ns=S),
        Frame(t_ns=0, monitor="", size=(9, 9), digest="", changed=()),
        *[key(0)] * 4,
    ]
)
histories = st.lists(
    st.tuples(st.sampled_from([0.0, 0.4, 1.9, 2.0, 6.0, 25.0]), answers | answers | others), min_size=1, max_size=40
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.floats(0.0, 1.0))
def test_no_history_makes_the_engine_estimate_an_old_prefix(history: list[tuple[float, Record]], need: float) -> None:
    engine, again = make(need), make(need)
    now_ns = START_NS
    rows: list[Record] = []

    def take(record: Record) -> None:
        rows.extend(engine.take(record, now_ns))
        _check(rows, record)

    for after_s, record in [(0.0, focus("editor", 0)), (0.0, key(0)), *history]:
        end_ns = now_ns + round(after_s * S)
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= end_ns:
            now_ns = due_ns
            take(Tick())
        now_ns = end_ns
        if isinstance(record, ModelAnswer) and record.prefix_id == "newest":
            newest = [row.prefix_id for row in rows if isinstance(row, Prefix)][-1:] or ["w1/25"]
            take(replace(record, prefix_id=newest[0]))
        else:
            take(record)
    assert [canonical(row) for row in replayed(again, rows)] == [canonical(row) for row in rows]


def _check(rows: list[Record], source: Record) -> None:
    """Make sure of the newest step: one estimate at most that comes of an answer, and of the newest prefix."""
    step = [row for row in rows[-12:] if row.seq >= _first(rows, source)]
    combined = [row for row in step if isinstance(row, Estimate) and row.detector == "cascade"]
    assert len(combined) <= isinstance(source, ModelAnswer)
    for row in combined:
        assert isinstance(step[0], ModelAnswer)
        earlier = rows[: rows.index(row)]
        newest = max(at for at, row in enumerate(earlier) if isinstance(row, Prefix))
        prefix = as_a(Prefix, earlier[newest])
        assert row.prefix_id == prefix.prefix_id == step[0].prefix_id
        ended = [later for later in earlier[newest:] if isinstance(later, Wake) or _is_end(later)]
        assert ended == []
        assert 0.0 <= row.help_need <= 1.0
        assert row.made_at_ns == row.at_ns == step[0].at_ns


def _first(rows: list[Record], source: Record) -> int:
    return next(row.seq for row in reversed(rows) if type(row) is type(source) and not is_derived(row))


def _is_end(row: Record) -> bool:
    if isinstance(row, Window):
        return row.closed_by is not ClosedBy.FULL
    paused = isinstance(row, Switch) and row.name in (SwitchName.PAUSED, SwitchName.PRIVATE) and row.on
    return paused or (isinstance(row, Switch) and row.name is SwitchName.CONSENT and not row.on)


def test_without_a_combiner_answers_derive_nothing() -> None:
    """As in a replay with another detector."""
    engine = estimated(combine=None)
    assert len(engine.take(answer("w1/25"), START_NS + 3 * S)) == 1


def test_the_shipped_weights_move_need_the_way_an_answer_points() -> None:
    estimate = FixedDetector(0.3).estimate(
        Prefix(prefix_id="w1/25", window_id=1, fraction=0.25, start_ns=0, end_ns=1, slots=(), features={},
               truncated=False, app="editor"), None, 0,  # type: ignore[arg-type]  # it looks at no picture
    )  # fmt: skip
    weights = shipped_weights()

    def after(**changes: Any) -> float:
        found = present(combine(estimate, [answer("w1/25", **changes)], 0.05, weights))
        return found.help_need

    strong, local = after(help_need=0.95), after(help_need=0.95, tier=ModelTier.LOCAL)
    assert strong > local > 0.3 > after(help_need=0.05, tier=ModelTier.LOCAL) > after(help_need=0.05)
    assert combine(estimate, [answer("w1/25", trouble="busy")], 0.05, weights) is None
    assert first_row(SETTINGS).combiner_hash == ""
