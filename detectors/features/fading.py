"""Exponentially fading sums at three half-lives side by side.

Instead of letting every sum fade at each event, later amounts are added with a larger weight, and reading a sum divides
by the weight of the moment. So an addition costs three multiplications, late records get their right weight, nothing
needs a tick, and reading changes nothing.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from math import exp2, hypot, log, log1p, sqrt
from typing import TypeVar

from storage.clock import NS_PER_S

HALF_LIVES_S = (2.0, 6.0, 8.0)  # longer ones describe earlier work rather than the present
SPANS = ("2s", "6s", "8s")  # the half-lives in the names of features
REBASE_NS = 900 * NS_PER_S  # 450 of the shortest half-lives: weights stay far from overflow
_SHORT, _MIDDLE, _LONG = (1.0 / (half_life_s * NS_PER_S) for half_life_s in HALF_LIVES_S)
_SHORT_S, _MIDDLE_S, _LONG_S = (half_life_s / log(2.0) for half_life_s in HALF_LIVES_S)

PerHalfLife = tuple[float, float, float]  # one number for each half-life
ZEROS: PerHalfLife = (0.0, 0.0, 0.0)
PRIOR = 0.5  # added to what shares divide by: a share of next to nothing is near 0
FAINT = 1e-3  # less than this remains after ten half-lives: forgotten


class Sums:
    """Faded sums, by index, at the two longer half-lives."""

    __slots__ = ("long", "middle")

    def __init__(self, middle: list[float], long: list[float]) -> None:
        self.middle = middle
        self.long = long

    def add(self, which: int, amount: float, weights: PerHalfLife) -> None:
        """Add to one of them, with the weights of a moment."""
        self.middle[which] += amount * weights[1]
        self.long[which] += amount * weights[2]

    def read(self, factors: PerHalfLife) -> tuple[list[float], list[float]]:
        """Return all of them as of the moment of `factors`, the shorter half-life first."""
        return scaled(self.middle, factors[1]), scaled(self.long, factors[2])


class Fade:
    """Gives moments their weights, and keeps all sums in range."""

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.resumed_ns: int | None = None
        self._origin_ns = 0
        self._known_ns = self._before_ns = 0
        self._known: PerHalfLife = (1.0, 1.0, 1.0)
        self._before = self._known
        self._read_ns: int | None = None  # all sums are read at the same moment, one after the other
        self._factors = self._observed_s = self._known
        self._shorts: list[list[float]] = []
        self._middles: list[list[float]] = []
        self._longs: list[list[float]] = []

    def begin(self, t_ns: int) -> None:
        """Note that observation began or resumed at `t_ns`, unless it is in progress."""
        if self.resumed_ns is None:
            self.resumed_ns = t_ns
            if self.start_ns is None:
                self.start_ns = t_ns
                self._read_ns = None

    def forget(self) -> None:
        """Stop observation until the next `begin`."""
        self.resumed_ns = None

    def sums(self, size: int) -> Sums:
        """Return new sums at the two longer half-lives."""
        self._middles.append([0.0] * size)
        return Sums(self._middles[-1], self.long_sums(size))

    def long_sums(self, size: int) -> list[float]:
        """Return new sums at the longest half-life alone; callers add: `sums[which] += amount * weights[2]`."""
        self._longs.append([0.0] * size)
        return self._longs[-1]

    def short_sums(self, size: int) -> list[float]:
        """Return new sums at the shortest half-life alone."""
        self._shorts.append([0.0] * size)
        return self._shorts[-1]

    def weights_at(self, t_ns: int) -> PerHalfLife:
        """Return the weights of a moment; use them at once, since sums may be rescaled later."""
        if t_ns == self._known_ns:
            return self._known
        if t_ns - self._origin_ns > REBASE_NS:
            self._rebase(t_ns)
        weights = self._before if t_ns == self._before_ns else self._weights(t_ns)
        self._before_ns, self._before = self._known_ns, self._known
        self._known_ns, self._known = t_ns, weights
        return weights

    def weights_between(self, begin_ns: int, end_ns: int) -> PerHalfLife:
        """Return the weighted seconds from one moment to a later one; add them at once."""
        end = self.weights_at(end_ns)
        begin = self._before if begin_ns == self._before_ns else self._weights(begin_ns)
        return (end[0] - begin[0]) * _SHORT_S, (end[1] - begin[1]) * _MIDDLE_S, (end[2] - begin[2]) * _LONG_S

    def factors(self, now_ns: int) -> PerHalfLife:
        """Return by what to multiply sums to read them at `now_ns`."""
        self._read_at(now_ns)
        return self._factors

    def remaining(self, t_ns: int, now_ns: int) -> PerHalfLife:
        """Return what remains at `now_ns` of 1 added at `t_ns`, for amounts that are read but not yet added."""
        age_ns = min(0, t_ns - now_ns)
        return exp2(age_ns * _SHORT), exp2(age_ns * _MIDDLE), exp2(age_ns * _LONG)

    def elapsed_s(self, begin_ns: int | None, now_ns: int) -> PerHalfLife:
        """Return the faded seconds from a moment until now: a sum that grew by 1 a second would read so."""
        if begin_ns is None or now_ns <= begin_ns:
            return ZEROS
        age_ns = begin_ns - now_ns
        return (
            (1.0 - exp2(age_ns * _SHORT)) * _SHORT_S,
            (1.0 - exp2(age_ns * _MIDDLE)) * _MIDDLE_S,
            (1.0 - exp2(age_ns * _LONG)) * _LONG_S,
        )

    def observed_s(self, now_ns: int) -> PerHalfLife:
        """Return the faded seconds observed so far, at least half a second: what rates divide by."""
        self._read_at(now_ns)
        return self._observed_s

    def _read_at(self, now_ns: int) -> None:
        if now_ns == self._read_ns:
            return
        age_ns = min(self._origin_ns - now_ns, REBASE_NS)  # a foreign record may lie years ahead of now
        self._factors = exp2(age_ns * _SHORT), exp2(age_ns * _MIDDLE), exp2(age_ns * _LONG)
        short, middle, long = self.elapsed_s(self.start_ns, now_ns)
        self._observed_s = max(0.5, short), max(0.5, middle), max(0.5, long)
        self._read_ns = now_ns

    def _weights(self, t_ns: int) -> PerHalfLife:
        age_ns = t_ns - self._origin_ns
        return exp2(age_ns * _SHORT), exp2(age_ns * _MIDDLE), exp2(age_ns * _LONG)

    def _rebase(self, t_ns: int) -> None:
        for lists, factor in zip((self._shorts, self._middles, self._longs), self.factors(t_ns), strict=True):
            for sums in lists:
                sums[:] = scaled(sums, factor)
        self._origin_ns = t_ns
        self._read_ns = None
        self._known, self._before = self._weights(self._known_ns), self._weights(self._before_ns)


def scaled(sums: Iterable[float], factor: float) -> list[float]:
    """Return sums multiplied by a factor."""
    return [value * factor for value in sums]


def mean(count: float, total: float) -> float:
    """Return the mean of a faded count and total, 0 if nothing remains."""
    return total / count if count > FAINT else 0.0


def spread(count: float, total: float, squares: float) -> float:
    """Return the standard deviation, 0 if nothing remains."""
    if count <= FAINT:
        return 0.0
    middle = total / count
    return sqrt(max(0.0, squares / count - middle * middle))


def scatter(count: float, across: float, across_squares: float, down: float, down_squares: float) -> float:
    """Return how widely places are scattered: the standard deviation of their distance from the middle."""
    return hypot(spread(count, across, across_squares), spread(count, down, down_squares))


def log_age(t_ns: int | None, now_ns: int) -> float:
    """Return the time since a moment as ln(1 + 10 s), the form of all times here; 0 if there was none."""
    return 0.0 if t_ns is None else log1p(max(0, now_ns - t_ns) * 1e-8)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def remember(store: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Set a value as the newest, and drop the oldest beyond `limit`."""
    store[key] = value
    store.move_to_end(key)
    if len(store) > limit:
        store.popitem(last=False)
