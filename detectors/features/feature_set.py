"""Hands each record to those who follow one aspect of it, so that the tracker of features need not know them singly.

What they share is worked out once here: the kind of act, the weight of the moment, how much of the screen changed and
whether anybody had asked for it. None of them looks at text, and none changes when it is read.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from detectors.features.acts import Act, act_of
from detectors.features.extractors import answers, cycles, hand, openings, places, pointer, rhythm
from detectors.features.extractors import spontaneous_changes as unasked
from detectors.features.extractors import time_shares as spending
from detectors.features.extractors import undo_patterns as mending
from detectors.features.extractors.answers import Answers
from detectors.features.extractors.cycles import Cycles
from detectors.features.extractors.hand import Hand
from detectors.features.extractors.openings import Openings
from detectors.features.extractors.places import Places
from detectors.features.extractors.pointer import Pointer
from detectors.features.extractors.rhythm import Rhythm
from detectors.features.extractors.spontaneous_changes import SpontaneousChanges
from detectors.features.extractors.time_shares import TimeShares
from detectors.features.extractors.undo_patterns import UndoPatterns
from detectors.features.fading import Fade
from detectors.features.front import Front
from detectors.features.screen import QUIET_NS, Screen, is_near, measure
from storage.records import Box, EventKind, Focus, Frame, InputEvent, WindowEvent

TABLE: Mapping[str, tuple[str, str]] = {
    **spending.TABLE,
    **rhythm.TABLE,
    **pointer.TABLE,
    **answers.TABLE,
    **unasked.TABLE,
    **hand.TABLE,
    **cycles.TABLE,
    **mending.TABLE,
    **openings.TABLE,
    **places.TABLE,
}


_TYPED = frozenset({Act.TEXT, Act.ERASE, Act.COMMIT})


class FeatureExtractor(Protocol):
    """Follows one aspect; what it takes in differs, this is what all have in common."""

    def forget(self) -> None:
        """Break off what goes on: nobody watches for a while."""
        ...

    def values(self, now_ns: int) -> dict[str, float]:
        """Return its features; this must change nothing."""
        ...


class FeatureSet:
    """All followers of one stream of records."""

    __slots__ = (
        "_act",
        "_act_ns",
        "_answers",
        "_at",
        "_cycles",
        "_fade",
        "_front",
        "_hand",
        "_mending",
        "_openings",
        "_places",
        "_pointer",
        "_rhythm",
        "_spending",
        "_unasked",
        "followers",
    )

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._fade = fade = Fade()
        self._front = front = Front()
        self._spending = TimeShares(fade)
        self._rhythm = Rhythm(fade)
        self._pointer = Pointer(fade, front)
        self._answers = Answers(fade, front)
        self._unasked = SpontaneousChanges(fade, front)
        self._hand = Hand(fade, front)
        self._cycles = Cycles(fade, front)
        self._mending = UndoPatterns(fade)
        self._openings = Openings(fade)
        self._places = Places(fade)
        self.followers: tuple[FeatureExtractor, ...] = (
            *(self._spending, self._rhythm, self._pointer, self._answers, self._unasked),
            *(self._hand, self._cycles, self._mending, self._openings, self._places),
        )
        self._act = Act.MOTION
        self._act_ns: int | None = None
        self._at = (0, 0)

    def begin(self, t_ns: int) -> None:
        """Note that watching goes on from `t_ns` at the latest."""
        self._fade.begin(t_ns)

    def input(self, event: InputEvent) -> None:
        """Take input in that is not our own windows'."""
        t_ns, act = event.t_ns, act_of(event)
        self._fade.begin(t_ns)
        if event.x is not None and event.y is not None:
            self._at = (event.x, event.y)
        if act is None:
            if event.kind is EventKind.BUTTON_UP:
                self._rhythm.release(t_ns)
                self._hand.release(*self._at, t_ns)
            return
        self._spending.act(act, t_ns)
        if act is Act.MOTION:
            self._pointer.move(*self._at, event.path, t_ns)
            self._unasked.move(*self._at, t_ns)
            return
        self._act = act
        self._act_ns = t_ns if self._act_ns is None else max(self._act_ns, t_ns)
        self._rhythm.act(act, event.count, t_ns)
        self._pointer.act(t_ns, press=act is Act.PRESS)
        self._answers.act(act, t_ns)
        self._cycles.act(act, event.count, t_ns)
        self._mending.act(act, event.count, t_ns)
        self._openings.act(act, self._at, t_ns)
        self._places.act(act, event.count, t_ns)
        if act is Act.PRESS:
            self._rhythm.press(t_ns)
            self._hand.press(*self._at, event.button, t_ns)
        elif act is Act.SCROLL:
            self._hand.scroll(event.dy, event.count, t_ns)

    def frame(self, frame: Frame, boxes: Sequence[Box], screen: Screen) -> None:
        """Take a frame in that `screen` has sorted: `boxes` are those that are not background."""
        t_ns = frame.t_ns
        self._fade.begin(t_ns)
        self._front.frame(frame)
        if self._is_quiet(t_ns):
            self._unasked.frame(t_ns, measure(frame.changed), known=screen.known)
        elif boxes:
            found = measure(boxes)
            typed = self._act in _TYPED  # a letter is no larger than a caret
            if found.wide or typed or any(is_near(box, *self._at) for box in boxes):
                self._answers.frame(t_ns, found, screen.state)
                self._cycles.change(t_ns, found.x, found.y)

    def opened(self, record: WindowEvent) -> None:
        """Take a window in that opened or went."""
        if record.popup:
            self._openings.take(record)

    def focus(self, focus: Focus) -> None:
        """Take a change of focus in."""
        if self._fade.resumed_ns is not None and self._is_quiet(focus.t_ns):
            self._unasked.focus(focus)
        self._front.focus(focus)
        self._openings.focus(focus)
        self._places.focus(focus)

    def _is_quiet(self, t_ns: int) -> bool:
        return self._act_ns is None or t_ns - self._act_ns > QUIET_NS

    def forget(self) -> None:
        """Break off what goes on: nobody watches for a while."""
        self._act_ns = None
        self._fade.forget()
        for follower in self.followers:
            follower.forget()

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        values: dict[str, float] = {}
        for follower in self.followers:
            values |= follower.values(now_ns)
        return values
