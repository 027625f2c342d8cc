"""Spans of time: local days of any length, clocks that were set, and where a session enters a span."""

import datetime as dt
from collections.abc import Callable

import pytest

from daemon.purge.span import PurgeSpan, everything, first_inside, last, of_day, wall_at
from storage.clock import HOUR_NS, NS_PER_S
from storage.records import Anchor
from tests.fakes.sessions.rows import start

BEGAN_NS = 1_790_000_000 * NS_PER_S
"""The wall clock at session time 0."""


def anchor(at_s: int, shown_s: int) -> Anchor:
    return Anchor(at_ns=at_s * NS_PER_S, wall_ns=BEGAN_NS + shown_s * NS_PER_S, reason="clock_jump")


def entry_s(span: PurgeSpan, *anchors: Anchor, last_s: int = 3600) -> float | None:
    found = first_inside(span, start(at_ns=0, wall_ns=BEGAN_NS), anchors, last_s * NS_PER_S)
    return None if found is None else found / NS_PER_S


def since(shown_s: int, *, until_s: int | None = None) -> PurgeSpan:
    begin_ns = BEGAN_NS + shown_s * NS_PER_S
    if until_s is None:
        return PurgeSpan(scope="last", begin_wall_ns=begin_ns, end_wall_ns=None)
    return PurgeSpan(scope="day", begin_wall_ns=begin_ns, end_wall_ns=BEGAN_NS + until_s * NS_PER_S)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (since(600), 600.0),
        (since(-5), 0.0),  # it began inside
        (since(3600), 3600.0),  # its last row is the first inside
        (since(3601), None),
        (since(600, until_s=700), 600.0),  # what came after the day goes too
        (since(-700, until_s=0), None),  # the day ended as it began
        (since(-700, until_s=1), 0.0),
        (everything(), 0.0),
    ],
)
def test_a_session_is_cut_where_it_enters_a_span(span: PurgeSpan, expected: float | None) -> None:
    assert entry_s(span) == expected


def test_a_clock_that_was_set_back_hides_nothing() -> None:
    """After 30 minutes the clock was set back by 20: what it showed before, and what it shows again, both count."""
    set_back = anchor(1800, 600)
    assert entry_s(since(900), set_back) == 900.0  # shown for the first time at 900 s, again at 2100 s
    assert entry_s(since(1900), set_back) == 3100.0
    assert entry_s(since(2401), set_back) is None
    assert entry_s(since(900, until_s=1000), set_back) == 900.0


def test_a_clock_that_was_set_ahead_hides_nothing() -> None:
    """After 58 minutes it was set ahead by 5 hours; two minutes later the last ten begin at minute 50, not at 58."""
    ahead = anchor(3480, 3480 + 18_000)
    now_s = 3600 + 18_000
    assert entry_s(since(now_s - 600), ahead) == 3000.0
    assert entry_s(since(now_s - 600, until_s=now_s + 9), ahead) == 3480.0  # a day is what the clock showed


def test_times_are_those_that_the_clock_showed_then() -> None:
    rows = [anchor(100, 50), anchor(200, 1000)]
    first = start(at_ns=0, wall_ns=BEGAN_NS)
    shown = [(wall_at(at_s * NS_PER_S, first, rows) - BEGAN_NS) // NS_PER_S for at_s in (0, 99, 100, 199, 200, 201)]
    assert shown == [0, 99, 50, 149, 1000, 1001]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("Europe/Berlin", "2026-11-21", 24),
        ("America/St_Johns", "2026-11-21", 24),
        ("Pacific/Apia", "2026-11-21", 24),
    ],
)
def test_a_day_lasts_from_local_midnight_to_local_midnight(
    set_zone: Callable[[str], None], zone: str, day: str, hours: int
) -> None:
    set_zone(zone)
    date = dt.date.fromisoformat(day)
    span = of_day(date)
    assert span.end_wall_ns is not None
    assert span.end_wall_ns - span.begin_wall_ns == hours * HOUR_NS
    assert of_day(date + dt.timedelta(days=1)).begin_wall_ns == span.end_wall_ns
    assert span.holds(span.begin_wall_ns)
    assert not span.holds(span.end_wall_ns)


def test_the_last_minutes_have_no_end() -> None:
    """Times to come count: the clock may have been set back since."""
    span = last(600.0, BEGAN_NS)
    assert (span.begin_wall_ns, span.end_wall_ns) == (BEGAN_NS - 600 * NS_PER_S, None)
    assert span.holds(BEGAN_NS + HOUR_NS)
    assert last(1e12, BEGAN_NS).begin_wall_ns == 0
