"""What the figures of the interface are made of, and what they are judged by."""

from dataclasses import replace

import pytest

from daemon.cli.main import build_parser
from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.interface.benchmark import LatenessRun, OffersRun, OpeningRun, criteria_of, judged, within
from lab.benchmarks.interface.inside import PERIOD_NS, missed
from lab.benchmarks.interface.paint_watch import Appearance
from storage.errors import UsageError
from storage.records import Decision, Estimate, Offer, State, Verdict

MS = 1_000_000

OFFERED = OffersRun(round=1, delays_ms=(40.0,) * 30, p95_ms=40.0, waited=0, lost=0)
LATE = LatenessRun(round=1, p95_ms=3.0, most_ms=9.0, calls=100, rows_per_s=990.0, control_p95_ms=36.0)
OPENED = OpeningRun(
    round=1, tray_ms=(800.0, 900.0), tray_median_ms=850.0, tray_cpu_ms=700, settings_ms=80.0, settings_again_ms=50.0
)


def estimate(number: int, at_ms: int) -> Estimate:
    return Estimate(
        at_ns=at_ms * MS,
        prefix_id=f"w{number}",
        window_id=number,
        fraction=1.0,
        detector="stuck",
        detector_version="1",
        state_probs={},
        help_need=0.9,
        evidence=(),
        made_at_ns=0,
        ready_at_ns=0,
        confidence_source="none",
        app="",
    )


def decision(number: int, at_ms: int, verdict: Verdict, reason: str) -> Decision:
    return Decision(
        at_ns=at_ms * MS, verdict=verdict, gate="", reason=reason, numbers={}, prefix_ids=("w0", f"w{number}")
    )


def offer(at_ms: int) -> Offer:
    return Offer(
        at_ns=at_ms * MS,
        offer_id="o",
        decision_seq=0,
        prefix_id="",
        app="",
        topic="",
        state=State.FRUSTRATION,
        help_need=0.9,
        evidence=(),
        help=None,
        shown_at_ns=0,
        expires_at_ns=0,
    )


def card(mapped_ms: int, painted_ms: int) -> Appearance:
    return Appearance(1, "Kairos offer", mapped_ms * MS, painted_ms * MS)


def test_a_delay_counts_from_the_estimate_that_was_decided_on_also_over_a_search() -> None:
    """The offer's own time may be later: a search for help came between."""
    rows = [
        estimate(1, 1000),
        decision(1, 1000, Verdict.HOLD, "searching"),
        decision(1, 1030, Verdict.OFFER, "at_break"),
        offer(1030),
    ]
    assert judged(rows, [card(1050, 1060)], 1).delays_ms == (60.0,)


def test_an_offer_that_waited_for_a_break_is_left_out_and_one_without_a_card_is_told() -> None:
    rows = [
        estimate(1, 1000),
        decision(1, 1000, Verdict.HOLD, "waiting_for_break"),
        decision(1, 1400, Verdict.OFFER, "at_break"),
        offer(1400),
        estimate(2, 2000),
        decision(2, 2000, Verdict.OFFER, "at_break"),
        offer(2000),
        estimate(3, 3000),
        decision(3, 3000, Verdict.OFFER, "at_break"),
        offer(3000),
    ]
    found = judged(rows, [card(1410, 1420), card(2020, 2030), card(3020, 0)], 1)
    assert (found.delays_ms, found.waited, found.lost) == ((30.0,), 1, 1)


def test_a_window_is_painted_once_all_of_it_was_drawn() -> None:
    window = Appearance(1)
    window.draw(1, (0, 0, 100, 50), (100, 100))
    assert window.painted_ns == 0
    window.draw(2, (0, 49, 100, 51), (100, 100))
    window.draw(3, (0, 0, 100, 100), (100, 100))
    window.draw(4, (0, 0, 1, 20), (100, 100))
    assert (window.painted_ns, window.settled_ns(5000)) == (2, 3)


def test_calls_that_qt_left_out_are_late_too() -> None:
    assert missed(PERIOD_NS, PERIOD_NS - 1) == [(PERIOD_NS - 1, 0)]
    late = missed(PERIOD_NS, 3 * PERIOD_NS + 5)
    assert late == [(PERIOD_NS, 2 * PERIOD_NS + 5), (2 * PERIOD_NS, PERIOD_NS + 5), (3 * PERIOD_NS, 5)]
    assert within(late, 2 * PERIOD_NS, 3 * PERIOD_NS) == [10.000005, 0.000005]


def test_each_figure_has_its_limit() -> None:
    """A probe that finds nothing wrong with a thread that is held up proves nothing, and fails."""

    def failed(*runs: OffersRun | LatenessRun | OpeningRun) -> set[str]:
        return {criterion.name for criterion in criteria_of(runs) if not criterion.ok}

    assert failed(OFFERED, LATE, OPENED) == set()
    assert failed(replace(OFFERED, p95_ms=101.0, lost=1)) == {"estimate_to_card_p95", "cards_never_seen"}
    assert failed(replace(OFFERED, delays_ms=(40.0,) * 29)) == {"cards_measured"}
    slow = replace(LATE, p95_ms=16.5, control_p95_ms=5.0, rows_per_s=16.0)
    assert failed(slow) == {"interface_late_p95", "interface_late_control", "core_busy_with"}
    assert failed(replace(OPENED, tray_ms=(1001.0,), settings_ms=501.0)) == {"start_to_tray", "open_settings"}


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(UsageError, match="--parts takes timeline, offers, thread, opening, starts"):
        BENCHMARKS["interface"].measure(build_parser().parse_args(["bench", "interface", "--parts", "card"]))
