"""Rows of the timeline: those of one day, of one session, each from a second of it to another."""

import datetime as dt
from typing import Any

from storage.clock import NS_PER_S
from storage.timeline import Moment, MomentKind, TimelineDay

WALL_NS = 1_790_000_000 * NS_PER_S
DAY = dt.date(2026, 9, 21)
WINDOW_S = 24


def moment_of(start_s: float = 0, end_s: float | None = None, **facts: Any) -> Moment:
    start_ns = round(start_s * NS_PER_S)
    end_ns = start_ns + WINDOW_S * NS_PER_S if end_s is None else round(end_s * NS_PER_S)
    where = {
        "start_ns": start_ns,
        "end_ns": end_ns,
        "begin_wall_ns": WALL_NS + start_ns,
        "end_wall_ns": WALL_NS + end_ns,
    }
    return Moment(**{"moment_id": f"s/{start_s}", "kind": MomentKind.WORK, "session": "s", **where, **facts})


def day_of(*moments: Moment, **facts: Any) -> TimelineDay:
    return TimelineDay(day=DAY, today=DAY, begin_wall_ns=WALL_NS, end_wall_ns=WALL_NS + 1, moments=moments, **facts)
