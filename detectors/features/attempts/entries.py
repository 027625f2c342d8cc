"""Entries: runs of characters, how they end, and whether the same value is entered again and again.

An entry taken back (erased, replaced, escaped from) is a failed attempt. Without key content, "the same value" is
recognized by place: a click at the same spot, screen changes in the same fields, or one step back after Enter. One
that brought something new by Enter or a button, as a search does, was a success, whatever replaces it.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from detectors.acts import is_near
from detectors.features.attempts.memory import AttemptMemory
from detectors.features.screen import MARK, marks_of
from detectors.features.states.judging import ActOutcome, BurstKind
from storage.clock import NS_PER_S
from storage.records import Box, KeyClass

SHORT_RUN = 20  # characters; longer runs are text, not values
SAME_NS = NS_PER_S  # two reasons within this time are one failure
AGAIN_NS = 30 * NS_PER_S
COMMIT_WORK = 4.0
SIMILAR = 0.75
UNLIKE = 0.3
PLACE = (40, 10)  # pixels; inside one cell, and a row is taller
FIELD = (160, 10)  # pixels; inside one field of a form
FIRST_AGAIN = 1.5  # entering something again says that it had failed before, too
SHORT_ERASE = 0.4  # alone it is a typo; when it happens again, the rest is added
LONG_ERASE = 8  # backspaces in a row; longer than a typo
MAX_MARKS = 48
BROUGHT_ROWS = 2
"""Rows of tiles with never-seen content, the entry's own aside, that are more than a message that repeats it."""

USED = 2  # presses elsewhere, each with an effect, after which the entry counts as used
_COMMITS = frozenset({KeyClass.ENTER, KeyClass.TAB})


@dataclass(slots=True)
class Run:
    """One run of characters at one place."""

    start_ns: int = 0
    end_ns: int = 0
    chars: int = 0
    piece: int = 0  # characters since the last erasure
    click: tuple[int, int] | None = None
    marks: set[tuple[int, int]] = field(default_factory=set)
    ended_by: KeyClass | None = None
    brought: bool = False  # something new: a success, whatever replaces it
    returned: bool = False  # a state that was there before, counted once
    used: int = 0  # presses elsewhere since that changed something


class Entries:
    """Follows what is entered; bounded memory."""

    def __init__(self) -> None:
        self._run = Run()
        self._before: Run | None = None
        self._erased = 0
        self._erased_ns = 0
        self._failed_ns: int | None = None
        self._deferred_weight = 0.0
        self._steps = 0
        self._cleared = False
        self._replacing = False
        self._click: tuple[int, int] | None = None
        self._click_ns = 0
        self._elsewhere_ns: deque[int] = deque(maxlen=4)
        self.sees_tiles = False  # sessions without digests of tiles are judged as they were when they were recorded

    def characters(self, count: int, t_ns: int, memory: AttemptMemory) -> None:
        """Take character keys in."""
        if self._replacing:
            self._replace(t_ns, memory)
        if self._erased:
            self._judge_erased(t_ns, memory)
        if self._run.chars == 0:
            self._run.start_ns = t_ns
            self._run.click = self._click
        self._run.chars += count
        self._run.piece += count
        self._run.end_ns = t_ns
        memory.add_work(count, t_ns)

    def erase(self, count: int, t_ns: int, memory: AttemptMemory) -> None:
        """Take backspace or delete keys in."""
        if self._replacing:
            self._replace(t_ns, memory)
            return
        if self._run.chars == 0 and self._erased == 0:
            self._cleared = True  # a value entered before may be cleared as a whole
        self._erased += count
        self._erased_ns = t_ns
        memory.remove_work(count, t_ns)

    def select_all(self) -> None:
        """What is typed or erased next replaces everything."""
        self._replacing = True

    def keep_selection(self) -> None:
        """The selection was copied or left: nothing is replaced."""
        self._replacing = False

    def on_menu_opened(self) -> None:
        """The last click opened a menu: it chose no place to enter anything."""
        self._click = None
        if self._elsewhere_ns and self._elsewhere_ns[-1] == self._click_ns:
            self._elsewhere_ns.pop()

    def step(self, count: int, t_ns: int, memory: AttemptMemory) -> None:
        """Take navigation keys in: they end a run, and lead elsewhere or one step back."""
        self.finish(KeyClass.NAVIGATION, t_ns, memory)
        self._steps += count
        self._click = None
        self._replacing = False

    def click(self, x: int, y: int, t_ns: int, memory: AttemptMemory) -> None:
        """Take a click in: it ends a run and chooses a place."""
        self.finish(None, t_ns, memory)
        self._click, self._click_ns = (x, y), t_ns
        if self._before is not None and not self._may_be_in(self._before, x, y):
            self._elsewhere_ns.append(t_ns)
        self._replacing = False

    def finish(self, ended_by: KeyClass | None, t_ns: int, memory: AttemptMemory) -> None:
        """End the run: by Enter, Tab, Escape, navigation or (None) a click."""
        if self._erased:
            self._judge_erased(t_ns, memory)
        run = self._run
        if run.chars == 0:
            return
        run.end_ns, run.ended_by = t_ns, ended_by
        self._judge_again(run, memory)
        if ended_by in _COMMITS:
            memory.add_work(COMMIT_WORK, t_ns)
        self._before = run
        self._run = Run()
        self._steps = 0
        self._cleared = False
        if ended_by is not None:
            self._click = None

    def on_frame(self, t_ns: int, boxes: Sequence[Box]) -> None:
        """Take in where the screen changed."""
        run = self._run if self._run.chars else self._before
        if run is None or t_ns < run.start_ns or len(run.marks) >= MAX_MARKS:
            return
        if run is self._run or t_ns - run.end_ns <= NS_PER_S // 4:
            run.marks |= marks_of(boxes)

    def on_judged(self, outcome: ActOutcome) -> None:
        """Take in what came of an act that has ended, by the memory of states."""
        before = self._before
        if before is None or before.brought:
            return
        start_ns, last_ns = outcome.start_ns, outcome.last_ns
        if outcome.kind is BurstKind.PRESSED:
            if start_ns >= before.end_ns and any(start_ns <= t_ns <= last_ns for t_ns in self._elsewhere_ns):
                before.used += bool(outcome.changed) and start_ns > before.end_ns  # the press that ends it sends it
                before.brought = outcome.new_rows >= BROUGHT_ROWS or before.used >= USED
        elif before.ended_by is KeyClass.ENTER and start_ns <= before.end_ns <= last_ns:
            before.brought = outcome.new_rows >= BROUGHT_ROWS

    def settle(self, now_ns: int, memory: AttemptMemory) -> None:
        """Judge what was erased, once nothing followed for a second."""
        if self._erased and now_ns - self._erased_ns > NS_PER_S:
            self._judge_erased(self._erased_ns, memory)

    def on_state_returned(self, weight: float, t_ns: int, memory: AttemptMemory) -> None:
        """An edit brought an earlier state of the document back: something goes to and fro."""
        before = self._before
        if self.sees_tiles and self._run.chars:  # what is typed comes by again letter by letter
            if self._run.returned or (before is not None and before.brought):  # results of a search as one types
                return
            self._run.returned = True
        memory.remove_work(COMMIT_WORK + (before.chars if before is not None else 0) + self._run.chars, t_ns)
        self._fail(weight, t_ns, memory)

    def on_undo(self) -> None:
        """An undo took the run back: it is judged as an undo, not here."""
        self._run = Run()
        self._erased = 0
        self._replacing = False

    def forget(self) -> None:
        """Drop everything: a pause, or another application."""
        self.on_undo()
        self._before = None
        self._steps = 0
        self._cleared = False
        self._click = None

    def _replace(self, t_ns: int, memory: AttemptMemory) -> None:
        self._replacing = False
        recent = self._run if self._run.chars else self._before
        if recent is not None and self._is_here(recent) and not recent.brought and t_ns - recent.end_ns <= AGAIN_NS:
            memory.remove_work(recent.chars, t_ns)
            self._fail(1.0, t_ns, memory)
        self._run = Run()
        self._before = None
        self._erased = 0

    def _is_here(self, recent: Run) -> bool:
        """Whether what is replaced now is that entry: nobody went elsewhere since."""
        if recent is self._run:
            return True
        if not self.sees_tiles:
            return recent.ended_by is not KeyClass.NAVIGATION
        here, there = self._click, recent.click
        if here is not None and there is not None:
            return is_near(here, there, FIELD)
        left = here is not None and recent.ended_by is None
        return not left and recent.ended_by not in (KeyClass.NAVIGATION, KeyClass.TAB)

    def _may_be_in(self, run: Run, x: int, y: int) -> bool:
        """Whether a click may be in an entry's field: near the click before it, or in a row that it changed."""
        if run.click is not None:
            return is_near(run.click, (x, y), FIELD)
        return any(abs(row * MARK[1] - y) <= 2 * MARK[1] for _, row in run.marks)

    def _fail(self, weight: float, t_ns: int, memory: AttemptMemory) -> None:
        """Count a failure, unless it was just counted for another reason."""
        if self._failed_ns is None or t_ns - self._failed_ns > SAME_NS:
            memory.add_failure("retype", weight, t_ns)
            self._failed_ns = t_ns

    def _judge_erased(self, t_ns: int, memory: AttemptMemory) -> None:
        erased, self._erased = self._erased, 0
        run = self._run
        long = erased >= LONG_ERASE
        if run.chars and (long or erased >= max(2.0, 0.6 * run.piece)):
            again = self._failed_ns is not None and t_ns - self._failed_ns <= AGAIN_NS // 2
            weight = 1.0 + (self._deferred_weight if again else 0.0) if again or long else SHORT_ERASE
            self._deferred_weight = max(0.0, 1.0 - weight)
            self._fail(weight, t_ns, memory)
        run.chars = max(0, run.chars - erased)
        run.piece = 0

    def _judge_again(self, run: Run, memory: AttemptMemory) -> None:
        before = self._before
        if before is None or max(run.chars, before.chars) > SHORT_RUN or run.start_ns - before.end_ns > AGAIN_NS:
            return
        if before.brought:
            return
        same_click = run.click is not None and before.click is not None and is_near(run.click, before.click, PLACE)
        similar = _overlap(run.marks, before.marks)
        if same_click and (similar is None or similar >= UNLIKE):
            weight = 1.0
        elif similar is not None:
            weight = 1.0 if similar >= SIMILAR and self._stepped_back(before) else 0.0
        else:
            stepped = before.ended_by is not KeyClass.ESCAPE and self._stepped_back(before)
            weight = 0.6 if stepped else 0.0
        if weight:
            memory.remove_work(before.chars + COMMIT_WORK, run.end_ns)
            first = self._failed_ns is None or run.end_ns - self._failed_ns > AGAIN_NS
            self._fail(weight * (FIRST_AGAIN if first else 1.0), run.end_ns, memory)

    def _stepped_back(self, before: Run) -> bool:
        if before.ended_by is KeyClass.ESCAPE:
            return self._steps == 0
        if before.ended_by is KeyClass.NAVIGATION:
            return self._steps == 2 or self._cleared  # noqa: PLR2004  # one step that ended it, one back
        if before.ended_by in _COMMITS:
            return 1 <= self._steps <= 2 or self._cleared  # noqa: PLR2004  # back up, perhaps once more
        return False


def _overlap(first: set[tuple[int, int]], second: set[tuple[int, int]]) -> float | None:
    if not first or not second:
        return None
    return len(first & second) / min(len(first), len(second))
