"""The time that is to be forgotten, by the wall clock, and the times that a session's clock showed."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from daemon.purge.intent import ALL
from storage.clock import NS_PER_S, local_time
from storage.records import Anchor, SessionStart

LAST = "last"
DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeSpan:
    """From `begin_wall_ns` on, to before `end_wall_ns`; None: to whatever the clocks showed, also times to come."""

    scope: str
    begin_wall_ns: int
    end_wall_ns: int | None

    def holds(self, wall_ns: int) -> bool:
        """Tell whether a time lies in it."""
        return self.begin_wall_ns <= wall_ns and (self.end_wall_ns is None or wall_ns < self.end_wall_ns)


def everything() -> PurgeSpan:
    """Return the span of all that there is."""
    return PurgeSpan(scope=ALL, begin_wall_ns=0, end_wall_ns=None)


def last(seconds: float, now_wall_ns: int) -> PurgeSpan:
    """Return the span of the last seconds."""
    return PurgeSpan(scope=LAST, begin_wall_ns=max(0, now_wall_ns - round(seconds * NS_PER_S)), end_wall_ns=None)


def of_day(day: dt.date) -> PurgeSpan:
    """Return the span of a local day, from midnight to midnight; it may have 23 or 25 hours."""
    local_time(0)  # the zone may have been changed since this process looked
    begin, end = (dt.datetime.combine(date, dt.time()).astimezone() for date in (day, day + dt.timedelta(days=1)))
    return PurgeSpan(
        scope=DAY,
        begin_wall_ns=max(0, round(begin.timestamp()) * NS_PER_S),
        end_wall_ns=max(0, round(end.timestamp()) * NS_PER_S),
    )


def first_inside(
    span: PurgeSpan, start: SessionStart, anchors: Iterable[Anchor], last_ns: int, ahead_ns: int | None = None
) -> int | None:
    """Return the session time at which a session first lies in a span; None if it does not.

    Where the wall clock was set while it ran, a row has the time that was shown when it was written. For the last
    minutes or hours it also has the time by the clock of its end, so that those are the ones that really passed,
    and by the clock of now, which may have been set between two sessions.

    Args:
        span: the span.
        start: its first row.
        anchors: its rows that give the wall clock anew, in order.
        last_ns: session time of its last row.
        ahead_ns: how far the wall clock is ahead of session time now; None where the machine was started since.
    """
    stretches = _stretches(start, anchors, last_ns)
    if span.scope == LAST:
        known = (stretches[-1][2], ahead_ns)
        stretches += [(start.at_ns, last_ns + 1, offset) for offset in known if offset is not None]
    return min(_entries(span, stretches), default=None)


def shown_from(entry_ns: int, start: SessionStart, anchors: Iterable[Anchor], last_ns: int) -> list[tuple[int, int]]:
    """Return from when to before when the wall clock showed from a session time on, for each time that it was set."""
    return [
        (max(begin_ns, entry_ns) + offset, end_ns + offset)
        for begin_ns, end_ns, offset in _stretches(start, anchors, last_ns)
        if entry_ns < end_ns
    ]


def _stretches(start: SessionStart, anchors: Iterable[Anchor], last_ns: int) -> list[tuple[int, int, int]]:
    """Return from when to before when the wall clock ran evenly, and how far it was ahead of session time."""
    shown = [(start.at_ns, start.wall_ns - start.at_ns), *((row.at_ns, row.wall_ns - row.at_ns) for row in anchors)]
    return [(at_ns, end_ns, offset) for (at_ns, offset), (end_ns, _) in pairwise([*shown, (last_ns + 1, 0)])]


def _entries(span: PurgeSpan, stretches: Iterable[tuple[int, int, int]]) -> Iterator[int]:
    """Yield for each stretch, in which the wall clock runs evenly, the session time at which it enters the span."""
    for begin_ns, end_ns, offset in stretches:
        entry_ns = max(begin_ns, span.begin_wall_ns - offset)
        if entry_ns < end_ns and span.holds(entry_ns + offset):
            yield entry_ns


def wall_at(at_ns: int, start: SessionStart, anchors: Iterable[Anchor]) -> int:
    """Return what the wall clock showed at a session time."""
    offset = start.wall_ns - start.at_ns
    for row in anchors:
        if row.at_ns > at_ns:
            break
        offset = row.wall_ns - row.at_ns
    return at_ns + offset
