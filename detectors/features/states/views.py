"""Which views of a program and which titles were there before; bounded.

A view is a set of digests of patches, which do not depend on how far something is scrolled.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from detectors.features.fading import remember
from storage.clock import NS_PER_S
from storage.records import Box

MAX_KNOWN = 4096  # patches that are remembered of one program; those shown longest ago go first
MAX_SHOWN = 4  # views that may be on the screen of one program: panes, and what a press showed beside or over them
FEWEST_CAME = 4  # new patches from which on another view was scrolled to
PAUSE_NS = NS_PER_S  # what was there less than this before an act does not come back by it, and was not known before it
RECENT_NS = 90 * NS_PER_S  # how long a look counts: a page that is needed again later is not looked through in vain


class View(NamedTuple):
    """Patches that were shown in a part of the screen."""

    region: Box
    patches: frozenset[int]

    def covers(self, other: Box) -> bool:
        """Return whether it takes up at least half of another part of the screen."""
        return 2 * _shared(self.region, other) >= other.w * other.h

    def after(self, earlier: "View | None") -> "View":
        """Return what stands there once this was drawn over an earlier view, all or a part of it."""
        if earlier is None or self.covers(earlier.region):
            return self
        return View(earlier.region, earlier.patches | self.patches)


class Looked(NamedTuple):
    """What scrolling led to: the share never seen before, and how often the rest was looked at of late."""

    new: float
    times: int


class ViewMemory:
    """The views of one program."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, int]] = {}
        """Patch -> (since when it is known, when it was looked at last, how often of late), looked at last at the end.

        There are thousands for hours, so those of one look that say the same share it: a third of the memory.
        """
        self._shown: list[View] = []
        self._worked_ns = 0

    def __len__(self) -> int:
        """Return how many patches are remembered."""
        return len(self._known)

    def work(self, t_ns: int) -> None:
        """Note that work was done: who looks through a text after it checks, and has not looked in vain before."""
        self._worked_ns = max(self._worked_ns, t_ns)

    def show(self, view: View, t_ns: int) -> None:
        """Take in what was shown otherwise than by scrolling: beside what stands there, or over it."""
        self._note(view, t_ns)
        self._shown = [*self._shown, view][-MAX_SHOWN:]

    def looked(self, view: View, start_ns: int) -> Looked | None:
        """Return what scrolling led to that began at `start_ns`; None where it moved too little to tell."""
        came = self._came(view)
        if len(came) < FEWEST_CAME:
            return None
        times = [self._times(patch, start_ns) for patch in came if self._is_known(patch, start_ns)]
        return Looked(1.0 - len(times) / len(came), sorted(times)[(len(times) - 1) // 2] if times else 0)

    def keep(self, view: View, t_ns: int) -> None:
        """Remember the view that scrolling led to, in place of those that stood there."""
        self._note(view, t_ns)
        self._shown = [*(shown for shown in self._shown if not _overlap(view.region, shown.region)), view][-MAX_SHOWN:]

    def _came(self, view: View) -> list[int]:
        """Return the patches that were not on the screen, in a fixed order."""
        return sorted(view.patches.difference(*(shown.patches for shown in self._shown)))

    def _is_known(self, patch: int, start_ns: int) -> bool:
        known = self._known.get(patch)
        return known is not None and known[0] < start_ns - PAUSE_NS

    def _times(self, patch: int, now_ns: int) -> int:
        _, last_ns, times = self._known[patch]
        return times if last_ns >= max(self._worked_ns, now_ns - RECENT_NS) else min(1, times)

    def _note(self, view: View, t_ns: int) -> None:
        shared: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        for patch in self._came(view):
            first_ns, times = t_ns, 0
            if patch in self._known:
                times = self._times(patch, t_ns)
                first_ns = self._known.pop(patch)[0]
            what = first_ns, t_ns, times + 1
            self._known[patch] = shared.setdefault(what, what)
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]


def changed_part(boxes: Sequence[Box]) -> Box:
    """Return the part of the screen that changed, of at least one box: the largest, and those above and below it.

    A clock beside it is no part of a view.
    """
    largest = max(boxes, key=lambda box: (box.w * box.h, box))
    column = [box for box in boxes if box.x < largest.x + largest.w and largest.x < box.x + box.w]
    x, y = min(box.x for box in column), min(box.y for box in column)
    return Box(x, y, max(box.x + box.w for box in column) - x, max(box.y + box.h for box in column) - y)


def _shared(one: Box, other: Box) -> int:
    """Return the area that two parts of the screen share."""
    wide = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    high = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return max(0, wide) * max(0, high)


def _overlap(one: Box, other: Box) -> bool:
    """Return whether two parts of the screen share half of the smaller one."""
    return 2 * _shared(one, other) >= min(one.w * one.h, other.w * other.h)


MAX_TITLES = 128


class TitleChange(NamedTuple):
    """What a change of focus or title led to: something never seen, or what was left at `left_ns` and comes back."""

    new: bool = False
    left_ns: int | None = None


class TitleMemory:
    """The titles of all programs."""

    def __init__(self) -> None:
        self._left_ns: OrderedDict[tuple[str, str, bool], int] = OrderedDict()
        self.current: tuple[str, str, bool] | None = None

    def take(self, app: str, digest: str, t_ns: int, *, dialog: bool, pause_ns: int) -> TitleChange:
        """Take in what has the focus now.

        A dialog that opens again comes back, and so does another title of the same window; a window from which a
        dialog is gone was never away. What was left less than `pause_ns` ago does not count.
        """
        token = (app, digest, dialog)
        before, self.current = self.current, token
        if before == token or not digest:
            return TitleChange()
        left_ns = self._left_ns.get(token)
        if before is not None:
            remember(self._left_ns, before, t_ns, MAX_TITLES)
        closed = before is not None and before[2] and not dialog
        if left_ns is None:
            remember(self._left_ns, token, t_ns, MAX_TITLES)
            return TitleChange(new=True)
        return TitleChange() if closed or t_ns - left_ns < pause_ns else TitleChange(left_ns=left_ns)

    def forget(self, app: str) -> None:
        """Forget the titles of a program."""
        for token in [token for token in self._left_ns if token[0] == app]:
            del self._left_ns[token]
