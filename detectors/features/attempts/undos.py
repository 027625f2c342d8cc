"""Undo and redo: bursts of undo are failed attempts, unless what was undone is redone to compare."""

from collections import deque

from detectors.features.attempts.memory import AttemptMemory
from storage.clock import NS_PER_S

BURST_NS = 5 * NS_PER_S // 2  # undos closer than this, with nothing between, are one burst
OVER_NS = 6 * NS_PER_S // 5  # after this long without another undo, what was tried counts as failed; a guess
TAKES = 20.0  # programs undo a word to a line at once; a guess
RECENT_NS = 60 * NS_PER_S
FURTHER = 0.15  # each further undo of a burst makes it this much worse, up to `FULL` undos
FULL = 5
COMPARING = 0.5  # an undo right after a whole redo compares, rather than fails


class Undos:
    """Follows undo and redo keys; bounded memory."""

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
        goes_on = self._run > 0 and self._last_ns is not None and t_ns - self._last_ns <= BURST_NS
        if not goes_on:
            self._run = self._undone = 0
            self._weight = 0.0
        weight = max(0, min(self._run + count, FULL) - max(self._run, 1)) * FURTHER
        if not goes_on:
            weight += COMPARING if self._redone else 1.0
        self.alternations = (self.alternations + 1 if self._redone else self.alternations) if recent else 0
        memory.remove_work(TAKES * count, t_ns)
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
        """Return the weight of a burst that may still go on: a try has failed only when its undoing has ended."""
        going = self._run > 0 and self._last_ns is not None and now_ns - self._last_ns <= OVER_NS
        return self._weight if going else 0.0

    def recent_presses(self, now_ns: int) -> int:
        """Return the undo keys of the last minute."""
        return sum(1 for t_ns in self._presses if now_ns - t_ns <= RECENT_NS)
