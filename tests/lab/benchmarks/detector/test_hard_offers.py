"""Offers are counted for what was going on when they were called for, also those that waited for a break."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from daemon.engine.engine import Engine
from detectors.rules import EvidenceDetector
from lab.benchmarks.detector.hard_offers import POLICY, UNLIMITED, count_offers, offers_in
from lab.benchmarks.policy.replay import play
from lab.benchmarks.policy.trace import trace
from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Head, Packed, summarize_lateness
from policies import registry
from storage.clock import NS_PER_S
from storage.records import Context, Decision, Estimate, Feedback, Offer, Record, State, Tick, Trigger, Verdict
from storage.settings import DetectorSettings, PolicySettings, Settings
from tests.fakes.detectors.fake_engine_detectors import FixedDetector, first_row, key
from tests.fakes.lab.desk_sessions import desk_session

EAGER = replace(UNLIMITED, acceptance_weight=0.1, evidence_half_life_s=12.0, false_offer_rate=0.1, benefit_s=60.0)
"""Constants with which a policy that learned from offers that expire would soon be silent on the desk below."""
LATE = PolicySettings(name="tests.lab.benchmarks.detector.test_hard_offers:LatePolicy")
WAIT_NS = 2 * NS_PER_S


class LatePolicy:
    """Offers two seconds after each estimate that sees need, and takes the offer down at the next estimate."""

    name = "late"
    version = "1"

    def __init__(self, settings: PolicySettings, base_rate: float) -> None:
        """Need neither."""

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> str | None:
        """Wait for no prefix."""
        return None

    def decide(self, state: str | None, trigger: Trigger, context: Context, now_ns: int) -> tuple[str | None, Decision]:
        """Remember a prefix with need; name it in the offer at the tick."""
        if isinstance(trigger, Estimate) and trigger.help_need > 0.5:
            waiting = Decision(
                verdict=Verdict.HOLD,
                gate="break",
                reason="waiting",
                withdraw=context.showing is not None,
                next_tick_ns=now_ns + WAIT_NS,
            )
            return trigger.prefix_id, waiting
        if isinstance(trigger, Tick) and state is not None:
            return None, Decision(verdict=Verdict.OFFER, gate="all", reason="at_break", prefix_ids=(state,))
        return state, Decision(verdict=Verdict.HOLD, gate="none", reason="none")

    def learn(self, state: str | None, feedback: Feedback, offer: Offer, now_ns: int) -> str | None:
        """Learn nothing."""
        return state

    def save(self, state: str | None, now_ns: int) -> dict[str, object]:
        """Keep nothing."""
        return {}


def label(start_s: float, end_s: float, *, need_from_s: float | None = None, hard: bool = False) -> Label:
    """Return a label of these seconds."""
    return Label(
        behavior="made_up",
        state=State.PERFORMING_ACTIONS,
        start_ns=round(start_s * NS_PER_S),
        end_ns=round(end_s * NS_PER_S),
        need_from_ns=None if need_from_s is None else round(need_from_s * NS_PER_S),
        hard_negative=hard,
        held_out=False,
        program="desk",
        intent="",
        help=None,
    )


def session(rows: list[Record], labels: list[Label]) -> Packed:
    """Return a packed session of these."""
    head = Head(
        name="made-up",
        seed="1",
        person=1,
        program="desk",
        split=Split.TEST,
        planned_s=60.0,
        ended=None,
        settings={},
        versions={},
        lateness=summarize_lateness(()),
        broken=(),
        labels=tuple(labels),
    )
    return Packed(head=head, rows=tuple(rows))


@pytest.fixture
def typing() -> Packed:
    """Return half a minute of typing: prefixes end at 107, 113, 119, 125 and 131 s, offers come 2 s after each."""
    times = [101 * NS_PER_S + number * NS_PER_S // 2 for number in range(67)]
    rows = [replace(first_row(Settings()), at_ns=100 * NS_PER_S), *(replace(key(at), at_ns=at) for at in times)]
    labels = [
        label(101, 108, hard=True),  # ends before the offer that it calls for appears
        label(110, 116, need_from_s=112),  # holds prefix and offer, and needs it
        label(120.5, 124, hard=True),  # begins after the prefix, holds the offer
        label(130, 134),  # holds both, and is neither; the offer before, of 125 s at 127 s, lies in no label
    ]
    return session(rows, labels)


def test_offers_count_for_what_called_for_them(typing: Packed) -> None:
    """Five offers, each counted by hand."""
    found = count_offers([typing], FixedDetector(0.9), 0.05, LATE)
    assert (found.offers, found.needed, found.hard_offers, found.between) == (5, 1, 2, 1)
    assert found.hours == pytest.approx((7 + 6 + 3.5 + 4) / 3600)
    assert found.hard_hours == pytest.approx(10.5 / 3600)
    assert found.hard_per_hour == pytest.approx(2 * 3600 / 10.5)


def test_a_detector_without_need_leads_to_no_offer(typing: Packed) -> None:
    """The control: the same hours, and nothing in them."""
    found = count_offers([typing, typing], FixedDetector(0.1), 0.05, LATE)
    assert (found.offers, found.needed, found.hard_offers, found.between) == (0, 0, 0, 0)
    assert found.hours == pytest.approx(2 * 20.5 / 3600)
    assert found.hard_per_hour == 0.0


def test_offers_are_those_of_the_policy_benchmark() -> None:
    """At the same moments; a policy that had learned from offers that expire would make others."""
    packed = session(*desk_session(1))
    detector, settings = EvidenceDetector(DetectorSettings()), DetectorSettings()
    found = [offer.shown_at_ns for offer, _ in offers_in(packed, detector, settings.base_rate, EAGER)]
    seen = trace(packed.name, packed.rows, packed.labels, detector)
    played = play(seen, registry.load(EAGER, settings.base_rate))
    assert found == [one.at_ns for one in played.shown]
    engine = Engine(detector=detector, policy=registry.load(EAGER, settings.base_rate), settings=Settings(policy=EAGER))
    others = []
    for source in packed.rows:
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= source.at_ns:
            others += engine.take(Tick(), due_ns)
        others += engine.take(source, source.at_ns)
    assert found != [row.shown_at_ns for row in others if isinstance(row, Offer)]


def test_without_budget_the_default_policy_offers_more() -> None:
    """The two policies that the benchmark compares, over the small desk."""
    packed = session(*desk_session(1, rounds=2))
    settings = DetectorSettings()
    usual, free = (
        count_offers([packed], EvidenceDetector(settings), settings.base_rate, policy) for policy in (POLICY, UNLIMITED)
    )
    assert 0 < usual.offers < free.offers
    assert free.needed > 0
