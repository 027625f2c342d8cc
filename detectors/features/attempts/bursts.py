"""Bursts of unanswered clicks and of undo: failed attempts.

A burst of clicks at one place is one failed attempt, and a long one becomes the next. A burst of undo is one, unless
what was undone is redone to compare.
"""

from collections import deque

from detectors.features.attempts.memory import AttemptMemory
from detectors.features.screen import ClickOutcome
from storage.clock import NS_PER_S

FIRST = 0.4  # a single click without an answer is everyday work
AGAIN = 0.6  # the second at the same place makes it a whole failed attempt
FURTHER = 0.15  # each further click or undo of a burst makes it this much worse, up to `WORST` or `FULL`
WORST = 1.45
CLICK_GAP_NS = 3 * NS_PER_S // 2  # after this long the next click at the place is another attempt; a guess
LONG_BURST_NS = 4 * NS_PER_S  # and so is a burst that goes on for this long; a guess
RETURNED = 0.7  # a click at the same place after which the screen is as before
DRAG_WORK = 6.0
CLICK_WORK = 2.0
RECENT_NS = 60 * NS_PER_S
UNDO_GAP_NS = 5 * NS_PER_S // 2  # undos closer than this, with nothing between, are one burst
UNDO_OVER_NS = 6 * NS_PER_S // 5  # after this long without another undo, what was tried counts as failed; a guess
UNDO_WORK = 20.0  # programs undo a word to a line at once; a guess
FULL = 5  # further undos of a burst add nothing
COMPARING = 0.5  # an undo right after a whole redo compares, rather than fails


class Clicks:
    """Counts clicks by their outcomes."""

    def __init__(self) -> None:
        """Begin with none."""
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
        """Begin with none."""
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
