"""Clicks without a response: a burst at one place is one failed attempt, and a long burst becomes the next one."""

from collections import deque

from detectors.features.attempts.memory import AttemptMemory
from detectors.features.screen import ClickOutcome
from storage.clock import NS_PER_S

FIRST = 0.4  # a single click without an answer is everyday work
AGAIN = 0.6  # the second at the same place makes it a whole failed try
FURTHER = 0.15  # each further click of the burst makes it this much worse, up to `WORST`
WORST = 1.45
GAP_NS = 3 * NS_PER_S // 2  # after this long the next click at the place is another try; a guess
LONG_NS = 4 * NS_PER_S  # and so is a burst that goes on for this long; a guess
RETURNED = 0.7  # a click at the same place after which the screen is as before
DRAG_WORK = 6.0
CLICK_WORK = 2.0
RECENT_NS = 60 * NS_PER_S


class Clicks:
    """Judges clicks by their outcomes; bounded memory."""

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
        if again and last_ns is not None and t_ns - last_ns < GAP_NS and t_ns - self._try_ns < LONG_NS:
            weight = AGAIN if self._weight < AGAIN else min(FURTHER, max(0.0, WORST - self._weight))
            memory.add_failure("dead_click", weight, t_ns, goes_on=True)
            self._weight += weight
            return
        self._try_ns = t_ns
        self._weight = 1.0 if again else FIRST
        memory.add_failure("dead_click", self._weight, t_ns)
