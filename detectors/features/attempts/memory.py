"""Failed attempts in one application and the work done since: the memory behind every sign of being stuck.

A failure (an undo, a cancelled menu, a dead click, an entry taken back) adds to the level of its kind; levels fade by
half in `HALF_LIFE_S`. Work that stays relieves them, because an attempt that succeeds ends the need. Work that is
taken back (undone, erased) relieves nothing. Beside the levels there are plain counts over short times, so that a
model can find other half-lives than those set by hand.
"""

import math
from collections import deque

from detectors.features.extractor import defined
from detectors.features.fading import log_age
from detectors.features.screen import ClickOutcome
from storage.clock import NS_PER_S

HALF_LIFE_S = 40.0  # a person stuck tries again every 5 to 20 s; a guess
GRACE = 15.0  # so much work (about as many characters) is still part of the next attempt; a guess
SCALE = 15.0  # after that each such amount relieves to 1/e; a guess
RELIEVED_BELOW = 0.35  # below this relief an episode is over and its failures are dropped
RECENT_NS = 60 * NS_PER_S
PACE_HALF_LIFE_S = 8.0
OTHERS = 0.3  # failures of other kinds count in part beside the kind that failed most
SPANS_S = (15, 30)
KINDS = ("undo", "dead_click", "repeat_click", "menu", "dialog", "retype")  # of failed attempts
_NAMES = {kind: (f"{kind}_level", f"{kind}_count", f"{kind}_span_s") for kind in KINDS}
KIND_TABLE = defined("failure_kinds")  # which the evidence detector reads
TABLE = defined("failures")


class AttemptMemory:
    """Failures and work in one application."""

    def __init__(self) -> None:
        self._levels = dict.fromkeys(KINDS, 0.0)
        self._levels_ns = 0
        self._failures: deque[tuple[int, str]] = deque(maxlen=64)
        self._pace = 0.0
        self._pace_ns = 0
        self.work = 0.0
        self.work_ns: int | None = None
        self.last_failure_ns: int | None = None

    def add_failure(self, kind: str, weight: float, t_ns: int, *, goes_on: bool = False) -> None:
        """Count a failure; one that `goes_on` (a further undo of the same burst) only adds weight."""
        relief = self.relief
        if relief < 1.0:
            self._scale(relief)
            if relief < RELIEVED_BELOW:
                self._failures.clear()
        self.work = 0.0
        self._fade(t_ns)
        self._levels[kind] += weight
        self._pace *= 0.5
        self.last_failure_ns = t_ns
        if not goes_on:
            self._failures.append((t_ns, kind))

    def withdraw_failure(self, kind: str, weight: float, t_ns: int, *, whole: bool) -> None:
        """Withdraw the last failure of a kind, wholly or in part: what was undone was redone."""
        self._fade(t_ns)
        if whole and self._failures and self._failures[-1][1] == kind:
            self._failures.pop()
        self._levels[kind] = max(0.0, self._levels[kind] - weight)

    def add_work(self, amount: float, t_ns: int) -> None:
        """Add work that stays for now; the unit is about one typed character."""
        self.work += amount
        self.work_ns = t_ns
        self._pace = self.pace(t_ns) + amount
        self._pace_ns = max(t_ns, self._pace_ns)

    def remove_work(self, amount: float, t_ns: int) -> None:
        """Remove work that was undone or erased."""
        self.work = max(0.0, self.work - amount)
        self._pace = max(0.0, self.pace(t_ns) - amount)
        self._pace_ns = max(t_ns, self._pace_ns)

    @property
    def relief(self) -> float:
        """Return 1 while there was little work since the last failure, falling towards 0 with work that stays."""
        excess = self.work - GRACE
        return 1.0 if excess <= 0.0 else math.exp(-excess / SCALE)

    def active_failures(self, now_ns: int, *, pending_undos: float = 0.0) -> float:
        """Return the faded and relieved failures: those of the worst kind, and others in part.

        `pending_undos` is the weight of a burst of undo that has not ended, and so does not count yet.
        """
        undone = max(0.0, self._levels["undo"] - pending_undos)
        levels = (self._levels | {"undo": undone}).values()
        worst = max(levels)
        return (worst + OTHERS * (sum(levels) - worst)) * self._faded(now_ns) * self.relief

    def pace(self, now_ns: int) -> float:
        """Return recent work, fading by half in `PACE_HALF_LIFE_S`."""
        return self._pace * _half(now_ns - self._pace_ns, PACE_HALF_LIFE_S)

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `KIND_TABLE` and `TABLE`; levels are those after fading and relief."""
        faded, relief = self._faded(now_ns), self.relief
        values = dict.fromkeys(KIND_TABLE, 0.0)
        recent = [(t_ns, kind) for t_ns, kind in self._failures if now_ns - t_ns <= RECENT_NS]
        for t_ns, kind in recent:
            _, count, span_s = _NAMES[kind]
            if not values[count]:
                values[span_s] = max(0, now_ns - t_ns) / NS_PER_S
            values[count] += 1.0
        for kind, level in self._levels.items():
            values[_NAMES[kind][0]] = level * faded * relief
        for span in SPANS_S:
            values[f"failed_{span}s"] = float(sum(now_ns - t_ns <= span * NS_PER_S for t_ns, _ in recent))
        two = recent[-2:]
        several = len(two) > 1
        values["failed_kinds"] = float(len({kind for _, kind in recent}))
        values["failed_alike"] = float(several and two[0][1] == two[1][1])
        values["failed_gap"] = log_age(two[0][0], two[1][0]) if several else 0.0
        values["failed_first"] = log_age(recent[0][0], now_ns) if recent else 0.0
        values["kept_since"] = math.log1p(self.work)
        return values

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


FIRST = 0.4  # a single click without an answer is everyday work
AGAIN = 0.6  # the second at the same place makes it a whole failed attempt
FURTHER = 0.15  # each further click or undo of a burst makes it this much worse, up to `WORST` or `FULL`
WORST = 1.45
CLICK_GAP_NS = 3 * NS_PER_S // 2  # after this long the next click at the place is another attempt; a guess
LONG_BURST_NS = 4 * NS_PER_S  # and so is a burst that goes on for this long; a guess
RETURNED = 0.7  # a click at the same place after which the screen is as before
DRAG_WORK = 6.0
CLICK_WORK = 2.0
UNDO_GAP_NS = 5 * NS_PER_S // 2  # undos closer than this, with nothing between, are one burst
UNDO_OVER_NS = 6 * NS_PER_S // 5  # after this long without another undo, what was tried counts as failed; a guess
UNDO_WORK = 20.0  # programs undo a word to a line at once; a guess
FULL = 5  # further undos of a burst add nothing
COMPARING = 0.5  # an undo right after a whole redo compares, rather than fails


class Clicks:
    """Counts clicks by their outcomes."""

    def __init__(self) -> None:
        self._dead: deque[int] = deque(maxlen=64)
        self._last_ns: int | None = None
        self._try_ns = 0
        self._weight = 0.0

    def add_outcome(self, outcome: ClickOutcome, memory: AttemptMemory) -> None:
        """Count what became of a click: dead, in vain, or work."""
        click = outcome.click
        if outcome.dead:
            if not click.drag:
                self._fail(click.t_ns, outcome.same_place, memory)
        elif outcome.same_place and outcome.returned:
            memory.add_failure("repeat_click", RETURNED, click.t_ns)
        elif click.answered and not click.inside:
            memory.add_work(DRAG_WORK if click.drag else CLICK_WORK, click.t_ns)

    def recent_unanswered(self, now_ns: int) -> int:
        """Return the clicks of the last minute that got no answer."""
        return sum(1 for t_ns in self._dead if now_ns - t_ns <= RECENT_NS)

    def _fail(self, t_ns: int, same_place: bool, memory: AttemptMemory) -> None:
        last_ns, self._last_ns = self._last_ns, t_ns
        self._dead.append(t_ns)
        again = same_place and last_ns is not None
        if again and last_ns is not None and t_ns - last_ns < CLICK_GAP_NS and t_ns - self._try_ns < LONG_BURST_NS:
            weight = AGAIN if self._weight < AGAIN else min(FURTHER, max(0.0, WORST - self._weight))
            memory.add_failure("dead_click", weight, t_ns, goes_on=True)
            self._weight += weight
            return
        self._try_ns = t_ns
        self._weight = 1.0 if again else FIRST
        memory.add_failure("dead_click", self._weight, t_ns)


class Undos:
    """Follows undo and redo keys."""

    def __init__(self) -> None:
        self._presses: deque[int] = deque(maxlen=64)
        self._last_ns: int | None = None
        self._run = 0
        self._weight = 0.0
        self._undone = 0
        self._redone = False
        self.alternations = 0

    def undo(self, count: int, t_ns: int, memory: AttemptMemory) -> int:
        """Take undo keys in; return how many came in a row."""
        recent = self._last_ns is not None and t_ns - self._last_ns <= RECENT_NS
        goes_on = self._run > 0 and self._last_ns is not None and t_ns - self._last_ns <= UNDO_GAP_NS
        if not goes_on:
            self._run = self._undone = 0
            self._weight = 0.0
        weight = max(0, min(self._run + count, FULL) - max(self._run, 1)) * FURTHER
        if not goes_on:
            weight += COMPARING if self._redone else 1.0
        self.alternations = (self.alternations + 1 if self._redone else self.alternations) if recent else 0
        memory.remove_work(UNDO_WORK * count, t_ns)
        memory.add_failure("undo", weight, t_ns, goes_on=goes_on)
        self._weight += weight
        self._run += count
        self._undone += count
        self._last_ns = t_ns
        self._redone = False
        self._presses.extend([t_ns] * min(count, 16))
        return self._run

    def redo(self, count: int, t_ns: int, memory: AttemptMemory) -> None:
        """Take redo keys in: what was undone and is done again did not fail."""
        if self._undone:
            share = min(1.0, count / self._undone)
            self._redone = count >= self._undone
            memory.withdraw_failure("undo", self._weight * share, t_ns, whole=self._redone)
            self._weight *= 1.0 - share
            self._undone = max(0, self._undone - count)
        self._run = 0
        self.alternations += 1

    def other_act(self) -> None:
        """Something else was done: the next undo begins a new burst."""
        self._run = 0
        self._redone = False

    def pending_weight(self, now_ns: int) -> float:
        """Return the weight of a burst that may still go on: an attempt has failed only when its undoing has ended."""
        going = self._run > 0 and self._last_ns is not None and now_ns - self._last_ns <= UNDO_OVER_NS
        return self._weight if going else 0.0

    def recent_presses(self, now_ns: int) -> int:
        """Return the undo keys of the last minute."""
        return sum(1 for t_ns in self._presses if now_ns - t_ns <= RECENT_NS)
