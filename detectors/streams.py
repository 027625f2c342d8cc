"""Hands each record to those who follow one aspect of it, so that the tracker of features need not know them singly.

What they share is worked out once here: the kind of act, and the weight of the moment. None of them looks at text, and
none changes when it is read.
"""

from collections.abc import Mapping

from detectors import pointer, rhythm, spending
from detectors.acts import Act, act_of
from detectors.fading import Fade
from detectors.pointer import Pointer
from detectors.rhythm import Rhythm
from detectors.spending import Spending
from storage.records import EventKind, Focus, Frame, InputEvent

TABLE: Mapping[str, tuple[str, str]] = {**spending.TABLE, **rhythm.TABLE, **pointer.TABLE}


class Streams:
    """All followers of one stream of records."""

    __slots__ = ("_fade", "_pointer", "_rhythm", "_spending")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._fade = Fade()
        self._spending = Spending(self._fade)
        self._rhythm = Rhythm(self._fade)
        self._pointer = Pointer(self._fade)

    def begin(self, t_ns: int) -> None:
        """Note that watching goes on from `t_ns` at the latest."""
        self._fade.begin(t_ns)

    def input(self, event: InputEvent) -> None:
        """Take input in that is not our own windows'."""
        t_ns, act = event.t_ns, act_of(event)
        self._fade.begin(t_ns)
        if act is None:
            if event.kind is EventKind.BUTTON_UP:
                self._rhythm.release(t_ns)
            return
        self._spending.act(act, t_ns)
        if act is Act.MOTION:
            if event.x is not None and event.y is not None:
                self._pointer.move(event.x, event.y, event.path, t_ns)
            return
        pressed = act is Act.PRESS
        self._rhythm.act(act, event.count, t_ns)
        self._pointer.act(t_ns, press=pressed)
        if pressed:
            self._rhythm.press(t_ns)

    def frame(self, frame: Frame) -> None:
        """Take a frame in."""
        self._fade.begin(frame.t_ns)
        self._pointer.height = float(frame.size[1] or 1)

    def focus(self, focus: Focus) -> None:
        """Take a change of focus in."""
        if focus.geometry.w > 0 and focus.geometry.h > 0:
            self._pointer.box = focus.geometry

    def forget(self) -> None:
        """Break off what goes on: nobody watches for a while."""
        self._rhythm.forget()
        self._pointer.forget()

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        return {
            **self._spending.values(now_ns),
            **self._rhythm.values(now_ns),
            **self._pointer.values(now_ns),
        }
