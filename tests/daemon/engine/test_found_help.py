"""What a search found in the engine: an offer waits for it, names its page, and is held where nothing fits."""

from dataclasses import replace
from typing import Any

import pytest

from daemon.engine.engine import Engine
from daemon.engine.offers import EARLIER_NS, FoundHelp
from policies import registry
from policies.gates.content import SEARCH_NS
from storage.clock import NS_PER_S
from storage.db.codec import canonical, decode, encode
from storage.records import (
    Decision,
    Estimate,
    Evidence,
    Feedback,
    FeedbackKind,
    HelpFound,
    Offer,
    Prefix,
    Record,
    Sense,
    Switch,
    SwitchName,
    Tick,
    Withdrawal,
)
from storage.settings import PolicySettings, Settings, WindowSettings
from tests.fakes.detectors.fake_detectors import (
    START_NS,
    FixedDetector,
    estimate_of,
    focus,
    key,
    make_engine,
    of,
    replayed,
)

S = NS_PER_S
SETTINGS = Settings(policy=PolicySettings(quiet_start_s=0.0), window=WindowSettings(planned_s=12.0))
FOUND = HelpFound(prefix_id="w1/25", window_id=1, app="editor", page_id="calc/freeze", score=0.7, steps=3)
NOTHING = replace(FOUND, page_id="", steps=0)
FAILED = replace(NOTHING, trouble="failed")


class Stuck(FixedDetector):
    """Sees need, with evidence that has words."""

    def estimate(self, *parts: Any) -> Estimate:
        return replace(super().estimate(*parts), evidence=(Evidence("undo_bursts", {"count": 5.0}),))


def bare_engine() -> Engine:
    return make_engine(SETTINGS, detector=Stuck(0.99), policy=registry.load(SETTINGS.policy, 0.05))


class World:
    """An engine over an editor, with the built-in policy, that is fed second by second."""

    def __init__(self, *, library: bool = True) -> None:
        self.engine = bare_engine()
        self.rows: list[Record] = []
        if library:
            self.take(Sense(name="help", on=True), 0)
        self.take(focus("editor", START_NS), 0)
        self.take(key(START_NS), 0)

    def take(self, record: Record, after_ns: int) -> list[Record]:
        taken = [row for step in self.engine.take_with_ticks(record, START_NS + after_ns) for row in step]
        self.rows += taken
        return taken

    def until(self, after_ns: int) -> list[Record]:
        taken: list[Record] = []
        while (due_ns := self.engine.next_wake_ns) is not None and due_ns <= START_NS + after_ns:
            taken += self.engine.take(Tick(), due_ns)
        self.rows += taken
        return taken

    @property
    def reasons(self) -> list[str]:
        return [row.reason for row in of(self.rows, Decision)]


def searching() -> World:
    world = World()
    world.until(3 * S)
    return world


def test_an_offer_waits_for_the_search_and_names_its_page() -> None:
    world = World()
    assert of(world.until(3 * S), Decision)[-1].reason == "searching"
    rows = world.take(FOUND, 3 * S + S // 5)
    assert [type(row) for row in rows] == [HelpFound, Decision, Offer]
    (offer,) = of(rows, Offer)
    assert (offer.page_id, offer.steps, offer.asked) == ("calc/freeze", 3, False)


def test_without_a_library_an_offer_is_made_as_before() -> None:
    """Nobody waits for a search that does not come, and the offer names no page."""
    world = World(library=False)
    (offer,) = of(world.until(3 * S), Offer)
    assert (offer.page_id, offer.steps) == ("", 0)
    assert "searching" not in world.reasons


def test_where_no_page_fits_nothing_is_offered_and_the_reason_is_said() -> None:
    world = searching()
    (decision,) = of(world.take(NOTHING, 3 * S + 1), Decision)
    assert (decision.gate, decision.reason) == ("content", "no_page_fits")
    assert not of(world.until(5 * S), Offer)
    (offer,) = of(world.take(FOUND, 5 * S + 1), Offer)
    assert offer.page_id == "calc/freeze"


def test_a_search_that_failed_or_is_late_leaves_the_advice_of_before() -> None:
    failed, late = World(), World()
    failed.until(3 * S)
    (offer,) = of(failed.take(FAILED, 3 * S + 1), Offer)
    assert offer.page_id == ""
    rows = late.until(3 * S + SEARCH_NS)
    assert [row.page_id for row in of(rows, Offer)] == [""]
    assert of(rows, Offer)[0].shown_at_ns == START_NS + 3 * S + SEARCH_NS


def test_what_was_found_elsewhere_or_long_ago_is_not_used() -> None:
    estimate = replace(estimate_of(0.9), at_ns=20 * S)
    found = FoundHelp()
    found.add(replace(FOUND, at_ns=20 * S - EARLIER_NS), stopped=False)
    found.add_estimate(estimate)
    assert found.current("editor") is not None
    assert found.current("browser") is None
    found.add_estimate(replace(estimate, at_ns=20 * S + 1))
    assert found.current("editor") is None
    found.add(replace(FOUND, at_ns=20 * S), stopped=False)
    found.add(Switch(name=SwitchName.PAUSED, on=True, by="person"), stopped=True)
    assert found.current("editor") is None


def test_what_was_asked_for_is_shown_at_once_and_no_policy_learns_from_it() -> None:
    world = World(library=False)
    asked = replace(FOUND, asked=True)
    (offer,) = of(world.take(asked, S), Offer)
    assert (offer.asked, offer.page_id) == (True, "calc/freeze")
    second = world.take(asked, S + 1)
    assert [type(row) for row in second] == [HelpFound, Withdrawal, Offer]
    world.take(Feedback(offer_id=of(second, Offer)[0].offer_id, kind=FeedbackKind.DISMISSED), S + 2)
    saved = world.engine.saved_policy()
    assert (saved["shown_age_ns"], saved["backoffs"], saved["said"]) == ([], [], [])
    assert world.engine.showing is None


def test_nobody_is_shown_anything_while_paused() -> None:
    for name in (SwitchName.PAUSED, SwitchName.EXCLUDED):
        world = World()
        world.take(Switch(name=name, on=True, by="person"), S)
        assert not of(world.take(FOUND, 2 * S), Offer)
        assert not of(world.take(replace(FOUND, asked=True), 2 * S), Offer)


@pytest.mark.parametrize("found", [FOUND, NOTHING, FAILED, replace(FOUND, asked=True)])
def test_a_session_with_searches_replays_to_the_same_rows_without_a_library(found: HelpFound) -> None:
    world = searching()
    world.take(found, 3 * S + 1)
    world.until(13 * S)
    rows = replayed(bare_engine(), (decode(row.KIND, encode(row)) for row in world.rows))
    assert [canonical(row) for row in rows] == [canonical(row) for row in world.rows]
    assert of(rows, Prefix)


def test_control_a_replay_without_the_record_decides_otherwise() -> None:
    """The record is what decides: without it the rows differ."""
    world = searching()
    world.take(FOUND, 3 * S + 1)
    world.until(13 * S)
    rows = replayed(bare_engine(), (row for row in world.rows if not isinstance(row, HelpFound)))
    assert (len(of(world.rows, Offer)), len(of(rows, Offer))) == (1, 0)
