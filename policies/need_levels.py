"""From which level of evidence on help is offered: where so much is rare enough in a person's own time.

A person chooses how often an offer may come in an hour of calm work. What level of evidence keeps to that differs from
program to program, and from person to person, far more than an absolute scale of need can say. So for every level on a
fixed grid the policy counts how often evidence reached it, by hours of use: for each program, and for all of them
together. A level is counted again only after `APART_NS`, as offers have a cool-down.

Counted is all use, and in some of it help is needed: nobody tells which. So a level may be reached more often than was
chosen, by the offers that are usually needed, but by no more than were chosen.

A count is read as that of a Poisson process whose rate has a gamma prior. For a program that prior is what was counted
in all of the person's programs; for these it is what was measured in calm work in programs that no model had been
trained on (`data/calm_rates.toml`). So the first hours go by what was measured, and the person's own time takes over as
it comes in. Counts fade in hours of use. Evidence is counted apart for each set of senses that an estimate had, and
anew for another model, since their scales differ.

Bounded both ways: a level never lies below `FLOOR`, and never more than `MOST_ABOVE` above what was measured, or
somebody who is stuck every hour would not be offered help any more.
"""

import math
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from policies.state import NeedCounts, NeedHistory
from storage.clock import HOUR_NS, NS_PER_S
from storage.records import Estimate

GRID = tuple(-1.0 + 0.25 * step for step in range(29))
"""Levels of evidence: sums of log-likelihood ratios, as `policies.gates.evidence` computes them."""

APART_NS = 120 * NS_PER_S
"""A level that is reached again within this time was reached once."""

OFFERS_AN_HOUR: Mapping[str, float] = {"rarely": 0.1, "now and then": 0.5, "often": 2.0}
"""Offers to expect in an hour of calm work, for each choice of `policy.how_often`."""

NEEDED_AN_HOUR = 0.3
"""Offers in an hour at which help was needed, whatever the choice; about that on simulated days."""

CASCADE = "cascade"  # the detector that estimates with models' answers name
MEMORY_HOURS = 40.0  # of use in which a count fades to 1/e; a guess
MOST_PROGRAMS = 64  # the one used longest ago goes first
MOST_ABOVE = 1.5
LONGEST_GAP_NS = 30 * NS_PER_S  # estimates further apart than this are not of one stretch of use

_MEASURED = tomllib.loads((Path(__file__).parent / "data" / "calm_rates.toml").read_text(encoding="utf-8"))
FLOOR: float = _MEASURED["floor"]
SHAPE: float = _MEASURED["shape"]  # how alike programs are: a program's rate varies around the mean by 1/sqrt(shape)
ABSOLUTE_LEVEL = 3.0
"""The level of an absolute scale, "now and then": need is more likely than not if one window in 20 has it."""


def _falling(level: float, fade: float) -> tuple[float, ...]:
    return tuple(OFFERS_AN_HOUR["now and then"] * math.exp(fade * (level - at)) for at in GRID)


_OTHERS = _falling(ABSOLUTE_LEVEL, fade=1.0)
"""Rates where nothing was measured (another detector): those of an absolute scale."""
_FALLING = {name: _falling(**ends) for name, ends in _MEASURED["falling"].items()}
_WITHOUT_TILES: tuple[float, ...] = tuple(_MEASURED["without_tiles"])


def calm_rates(detector: str, senses: str) -> tuple[float, ...]:
    """Return how often an hour calm work in an unknown program reaches each level of `GRID`."""
    if detector != _MEASURED["detector"]:
        return _OTHERS
    _, *lacking = senses.split("-")
    if not lacking and "tiles" not in senses:
        return _WITHOUT_TILES
    return _FALLING[next((name for name in ("keys", "frames") if name in lacking), "all")]


def share_needed(per_hour: float) -> float:
    """Return how many of the offers are needed that come as often in calm work as was chosen."""
    return NEEDED_AN_HOUR / (NEEDED_AN_HOUR + per_hour)


def level_of(history: NeedHistory, app: str, senses: str, per_hour: float, now_ns: int | None = None) -> float:
    """Return the level from which on evidence is rare enough for so many offers an hour.

    Args:
        history: what was counted.
        app: the program; empty: one that was never used.
        senses: of the estimate.
        per_hour: offers to expect.
        now_ns: the session time; what was reached shortly before may be the trouble at hand, and does not count yet.
    """
    rates: Iterable[float] = map(_with_trouble, reversed(calm_rates(history.detector, senses)))
    for name in ("", app) if app else ("",):
        rates = _with_counts(rates, counts_of(history, name, senses), now_ns)
    most = _calm_level(history.detector, senses, per_hour) + MOST_ABOVE
    return max(FLOOR, min(_level(rates, _with_trouble(per_hour)), most))


def count_evidence(history: NeedHistory, estimate: Estimate, total: float, now_ns: int) -> NeedHistory:
    """Return the history after the evidence at an estimate.

    It begins anew with another model, but not with a second estimate by a model's answer: that is on the same scale.
    """
    app, senses = estimate.app, estimate.senses
    model = (estimate.detector, estimate.detector_version)
    if model != (history.detector, history.version) and estimate.detector != CASCADE:
        history = NeedHistory(detector=estimate.detector, version=estimate.detector_version)
    gap_ns = now_ns - history.seen_ns
    hours = gap_ns / HOUR_NS if 0 < gap_ns <= LONGEST_GAP_NS and history.seen_ns else 0.0
    reached = bisect_right(GRID, total)
    changed = [_counted(counts_of(history, name, senses), reached, hours, now_ns) for name in ("", app)]
    others = [counted for counted in history.programs if counted.senses != senses or counted.app not in ("", app)]
    programs = (*others, *changed)
    while len(programs) > MOST_PROGRAMS:
        oldest = next(counted for counted in programs if counted.app)
        programs = tuple(counted for counted in programs if counted is not oldest)
    return NeedHistory(detector=history.detector, version=history.version, programs=programs, seen_ns=now_ns)


def discount_need(history: NeedHistory, app: str, senses: str, total: float) -> NeedHistory:
    """Return the history without a moment in which help was needed, as the person said: it was no calm work."""
    reached = bisect_right(GRID, total)
    return replace(
        history,
        programs=tuple(
            replace(counted, counts=tuple(max(0.0, count - (at < reached)) for at, count in enumerate(counted.counts)))
            if counted.senses == senses and counted.app in {"", app}
            else counted
            for counted in history.programs
        ),
    )


def counts_of(history: NeedHistory, app: str, senses: str) -> NeedCounts:
    """Return what was counted in a program (or in all: ""), nothing if that is new."""
    for counted in history.programs:
        if counted.app == app and counted.senses == senses:
            return counted
    return NeedCounts(app=app, senses=senses, counts=(0.0,) * len(GRID), reached_ns=(None,) * len(GRID))


def save_need_history(history: NeedHistory) -> dict[str, object]:
    """Return the counts as plain values; nothing if there are none."""
    if not history.programs:
        return {}
    programs = [
        {"app": counted.app, "senses": counted.senses, "hours": counted.hours, "counts": list(counted.counts)}
        for counted in history.programs
    ]
    return {"need_history": {"detector": history.detector, "version": history.version, "programs": programs}}


def start_need_history(saved: Mapping[str, object]) -> NeedHistory:
    """Return what `save_need_history` gave.

    Raises:
        TypeError, ValueError, KeyError: `saved` has another shape.
    """
    if "need_history" not in saved:
        return NeedHistory()
    values = saved["need_history"]
    if not isinstance(values, Mapping) or not isinstance(values["programs"], Iterable):
        raise TypeError
    return NeedHistory(
        detector=str(values["detector"]),
        version=str(values["version"]),
        programs=tuple(
            NeedCounts(
                app=str(row["app"]),
                senses=str(row["senses"]),
                hours=_number(row["hours"]),
                counts=tuple(_number(count) for _, count in zip(GRID, row["counts"], strict=True)),
                reached_ns=(None,) * len(GRID),
            )
            for row in values["programs"]
        )[-MOST_PROGRAMS:],
    )


def _with_trouble(rate: float) -> float:
    """Return how many offers an hour there are in all use where calm work has so many; no more than half are needed."""
    return rate + min(rate, NEEDED_AN_HOUR)


def _counted(counted: NeedCounts, reached: int, hours: float, now_ns: int) -> NeedCounts:
    left = math.exp(-hours / MEMORY_HOURS)
    counts, times = [left * count for count in counted.counts], list(counted.reached_ns)
    for at, before_ns in enumerate(times[:reached]):
        if before_ns is None or now_ns - before_ns >= APART_NS:
            counts[at] += 1.0
            times[at] = now_ns
    return NeedCounts(
        app=counted.app,
        senses=counted.senses,
        hours=left * counted.hours + hours,
        counts=tuple(counts),
        reached_ns=tuple(times),
    )


def _with_counts(rates: Iterable[float], counted: NeedCounts, now_ns: int | None) -> Iterator[float]:
    """Yield rates after what was counted, the trouble at hand aside; all from the highest level down."""
    hours = counted.hours
    for rate, times, at_ns in zip(rates, reversed(counted.counts), reversed(counted.reached_ns), strict=True):
        is_at_hand = now_ns is not None and at_ns is not None and now_ns - at_ns < APART_NS
        yield (SHAPE + (max(0.0, times - 1.0) if is_at_hand else times)) / (SHAPE / rate + hours)


@lru_cache(maxsize=64)
def _calm_level(detector: str, senses: str, per_hour: float) -> float:
    return _level(reversed(calm_rates(detector, senses)), per_hour)


def _level(rates: Iterable[float], per_hour: float) -> float:
    """Return where rates come down to `per_hour`, between the levels of the grid by their logarithm.

    They are from the highest level down, and no more of them are worked out than it takes: most levels are below.
    """
    below: float | None = None
    for rate, at in zip(rates, reversed(range(len(GRID))), strict=True):
        if rate > per_hour:
            if below is None:
                return GRID[-1]
            high, low = math.log(rate), math.log(below)
            return GRID[at] + (GRID[at + 1] - GRID[at]) * (high - math.log(per_hour)) / (high - low)
        below = rate
    return GRID[0]


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
        raise ValueError
    return float(value)
