"""What failed lately in one application, and what was kept since: the memory behind every sign of being stuck.

A failure (an undo, a cancelled menu, a dead click, an entry taken back) adds to the level of its kind; levels fade by
half in `HALF_LIFE_S`. Work that stays relieves them, because an attempt that succeeds ends the need. Work that is
taken back (undone, erased) relieves nothing.
"""

import math
from collections import deque
from collections.abc import Iterable

from storage.clock import NS_PER_S

KINDS = ("undo", "dead_click", "repeat_click", "menu", "dialog", "retype")
HALF_LIFE_S = 40.0  # a person stuck tries again every 5 to 20 s; a guess
GRACE = 15.0  # so much kept work (about as many characters) is still part of the next try; a guess
SCALE = 15.0  # after that each such amount relieves to 1/e; a guess
OVER = 0.35  # with less than this left, an episode is over and its failures are no longer told
RECENT_NS = 60 * NS_PER_S
PACE_HALF_LIFE_S = 8.0
OTHERS = 0.3  # failures of other kinds count in part beside the kind that failed most
_NAMES = {kind: (f"{kind}_level", f"{kind}_count", f"{kind}_span_s") for kind in KINDS}
_ALL_NAMES = tuple(name for names in _NAMES.values() for name in names)


class AttemptMemory:
    """Failures and kept work in one application."""

    __slots__ = ("_failures", "_levels", "_levels_ns", "_pace", "_pace_ns", "kept", "kept_ns", "last_failure_ns")

    def __init__(self) -> None:
        """Remember nothing."""
        self._levels = dict.fromkeys(KINDS, 0.0)
        self._levels_ns = 0
        self._failures: deque[tuple[int, str]] = deque(maxlen=64)
        self._pace = 0.0
        self._pace_ns = 0
        self.kept = 0.0
        self.kept_ns: int | None = None
        self.last_failure_ns: int | None = None

    def fail(self, kind: str, weight: float, t_ns: int, *, goes_on: bool = False) -> None:
        """Count a failure; one that `goes_on` (a further undo of the same burst) is the same failure, only worse."""
        relief = self.relief
        if relief < 1.0:
            self._scale(relief)
            if relief < OVER:
                self._failures.clear()
        self.kept = 0.0
        self._fade(t_ns)
        self._levels[kind] += weight
        self._pace *= 0.5
        self.last_failure_ns = t_ns
        if not goes_on:
            self._failures.append((t_ns, kind))

    def forgive(self, kind: str, weight: float, t_ns: int, *, whole: bool) -> None:
        """Take the last failure of a kind back, as a whole or in part: what was undone was done again."""
        self._fade(t_ns)
        if whole and self._failures and self._failures[-1][1] == kind:
            self._failures.pop()
        self._levels[kind] = max(0.0, self._levels[kind] - weight)

    def keep(self, amount: float, t_ns: int) -> None:
        """Count work that stays for now; the unit is about one typed character."""
        self.kept += amount
        self.kept_ns = t_ns
        self._pace = self.pace(t_ns) + amount
        self._pace_ns = max(t_ns, self._pace_ns)

    def take_back(self, amount: float, t_ns: int) -> None:
        """Count kept work that was undone or erased."""
        self.kept = max(0.0, self.kept - amount)
        self._pace = max(0.0, self.pace(t_ns) - amount)
        self._pace_ns = max(t_ns, self._pace_ns)

    @property
    def relief(self) -> float:
        """Return 1 while nothing much was kept since the last failure, falling towards 0 with work that stays."""
        excess = self.kept - GRACE
        return 1.0 if excess <= 0.0 else math.exp(-excess / SCALE)

    def felt(self, now_ns: int, *, open_undos: float = 0.0) -> float:
        """Return the failures still felt: those of the worst kind, and others in part.

        `open_undos` is the weight of a burst of undo that has not ended yet, and so is not felt yet.
        """
        undone = max(0.0, self._levels["undo"] - open_undos)
        levels = (self._levels | {"undo": undone}).values()
        worst = max(levels)
        return (worst + OTHERS * (sum(levels) - worst)) * self._faded(now_ns) * self.relief

    @property
    def failures(self) -> Iterable[tuple[int, str]]:
        """Return time and kind of the failures that are still told, in the order in which they were counted."""
        return self._failures

    def pace(self, now_ns: int) -> float:
        """Return work kept lately, fading by half in `PACE_HALF_LIFE_S`."""
        return self._pace * _half(now_ns - self._pace_ns, PACE_HALF_LIFE_S)

    def values(self, now_ns: int) -> dict[str, float]:
        """Return of each kind its level, how often it failed in the last minute, and seconds since the first of these.

        Levels are those still felt, after fading and relief.
        """
        faded, relief = self._faded(now_ns), self.relief
        told = dict.fromkeys(_ALL_NAMES, 0.0)
        for t_ns, kind in self._failures:
            if now_ns - t_ns <= RECENT_NS:
                _, count, span_s = _NAMES[kind]
                if not told[count]:
                    told[span_s] = max(0, now_ns - t_ns) / NS_PER_S
                told[count] += 1.0
        for kind, value in self._levels.items():
            told[_NAMES[kind][0]] = value * faded * relief
        return told

    def _faded(self, now_ns: int) -> float:
        return _half(now_ns - self._levels_ns, HALF_LIFE_S)

    def _fade(self, t_ns: int) -> None:
        self._scale(self._faded(t_ns))
        self._levels_ns = max(t_ns, self._levels_ns)

    def _scale(self, factor: float) -> None:
        for kind in KINDS:
            self._levels[kind] *= factor


def _half(age_ns: int, half_life_s: float) -> float:
    return math.exp2(-max(0, age_ns) / (half_life_s * NS_PER_S))
