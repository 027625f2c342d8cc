"""Acts: what input events do, where and in which program. Every fold of input reads its acts here.

Features, an offer's sightings, the moment of a search, and the steps and episodes of a session are folds of the same
records. What they must agree on stands here: kinds of acts, double clicks, places, the program in use, undone steps,
and when observation stops. Nothing here reads a clock or holds text.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from storage.clock import NS_PER_S
from storage.records import (
    Box,
    ControlAct,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    Record,
    Switch,
    SwitchName,
    UndoLabel,
    Wake,
)

# ------------------------------------------------------------ kinds


class Act(IntEnum):
    """Kinds of acts, few because programs and people differ in their keys; numbers, since sums are indexed by them."""

    TEXT = 0
    ERASE = 1
    COMMIT = 2
    STEP = 3
    UNDO = 4
    REDO = 5
    CLIP = 6
    COMMAND = 7
    ESCAPE = 8
    PRESS = 9
    SCROLL = 10
    MOTION = 11

    __hash__ = int.__hash__  # that of an enumeration is slow Python code, and this runs at every event


_KEYS: dict[KeyClass, Act | None] = {
    KeyClass.CHARACTER: Act.TEXT,
    KeyClass.BACKSPACE: Act.ERASE,
    KeyClass.DELETE: Act.ERASE,
    KeyClass.ENTER: Act.COMMIT,
    KeyClass.TAB: Act.COMMIT,
    KeyClass.NAVIGATION: Act.STEP,
    KeyClass.UNDO: Act.UNDO,
    KeyClass.REDO: Act.REDO,
    KeyClass.COPY: Act.CLIP,
    KeyClass.CUT: Act.CLIP,
    KeyClass.PASTE: Act.CLIP,
    KeyClass.SELECT_ALL: Act.CLIP,
    KeyClass.ESCAPE: Act.ESCAPE,
    KeyClass.MODIFIER: None,
}
_OTHERS = {
    EventKind.BUTTON_DOWN: Act.PRESS,
    EventKind.SCROLL: Act.SCROLL,
    EventKind.MOTION: Act.MOTION,
    EventKind.PROTECTED: Act.TEXT,  # something was typed; content and key class are not known
}
_LOOKING = (None, Act.SCROLL, Act.MOTION)
_HISTORY = (Act.UNDO, Act.REDO)


def act_of(event: InputEvent) -> Act | None:
    """Return the kind of act, or None for a modifier or a button release."""
    if event.kind is EventKind.KEY:
        return None if event.key_class is None else _KEYS.get(event.key_class, Act.COMMAND)
    return _OTHERS.get(event.kind)


def is_act(record: Record) -> bool:
    """Return whether a record is a key, a press or an act on a control; scrolling and motion change nothing."""
    if isinstance(record, InputEvent):
        return act_of(record) not in _LOOKING
    return isinstance(record, ControlAct)


def does_work(record: Record) -> bool:
    """Return whether a record is a key or a press that is neither undo nor redo."""
    return isinstance(record, InputEvent) and is_act(record) and act_of(record) not in _HISTORY


def stops_observation(record: Record) -> bool:
    """Return whether nothing that was in progress goes on after a record: a pause, private time, a suspend."""
    if isinstance(record, Switch):
        return record.on is (record.name is not SwitchName.CONSENT)
    return isinstance(record, Wake)


# ------------------------------------------------------------ presses and places

DOUBLE_NS: Final = 2 * NS_PER_S // 5
"""Presses at one place less than this apart are a double click to features: the default of GTK and Qt."""

TOLD_DOUBLE_NS: Final = NS_PER_S // 2
"""The same where acts are told to people, who may have set a slower one.

They stay apart: the model has learned with the first, and 1 % of all presses in `lab/logs` lie between the two.
"""

ANSWER_NS: Final = 3 * NS_PER_S // 2
"""What changes within this time after an act answers it: frames come every 0.5 s at most, and programs may be slow."""

WAITED_NS: Final = 4 * NS_PER_S
"""The same for a large change after a click, where nothing else is done: pages load slowly, and people wait."""

Reach = tuple[float, float]  # how far two points may be apart, across and down, and still be one place


def is_near(one: Sequence[float], other: Sequence[float], reach: Reach) -> bool:
    """Return whether two points are one place."""
    return abs(one[0] - other[0]) <= reach[0] and abs(one[1] - other[1]) <= reach[1]


def holds(box: Box, x: float, y: float) -> bool:
    """Return whether a point lies in a box."""
    return box.x <= x < box.x + box.w and box.y <= y < box.y + box.h


def is_inside(box: Box, outer: Box, margin: int = 0) -> bool:
    """Return whether a box lies in another one, or in a margin around it."""
    return (
        box.x >= outer.x - margin
        and box.y >= outer.y - margin
        and box.x + box.w <= outer.x + outer.w + margin
        and box.y + box.h <= outer.y + outer.h + margin
    )


# ------------------------------------------------------------ programs

HELP_APPS = (
    "firefox", "chrom", "brave", "opera", "vivaldi", "epiphany", "falkon", "midori", "konqueror", "qutebrowser",
    "librewolf", "edge", "browser", "yelp", "help", "zeal", "devhelp", "khelpcenter", "assistant",
)  # fmt: skip
"""Parts of the names of browsers and help viewers."""


def is_help_app(app: str) -> bool:
    """Return whether an application class is a browser or a help viewer."""
    lowered = app.lower()
    return any(name in lowered for name in HELP_APPS)


class ProgramInUse:
    """Follows which program is in use; it stays while nothing, or a window of ours, has the focus.

    A dialog belongs to the program before it. Its class may differ: LibreOffice's dialogs have another class than its
    main windows.
    """

    def __init__(self) -> None:
        self.app = ""
        self.before = ""
        """The program in use before the last change of focus: another one only if that led to another program."""

    @property
    def switched(self) -> bool:
        """Whether the last change of focus led to another program."""
        return self.app != self.before

    def take(self, focus: Focus) -> bool:
        """Take a change of focus in; return whether it led to another program."""
        self.before = self.app
        if focus.app and not focus.own and not (focus.dialog and self.app):
            self.app = focus.app
        return self.switched


# ------------------------------------------------------------ undo

UNDONE: Final = 3  # from so many undos on they are named in an offer: two in a row are everyday work


class UndoneSteps:
    """Follows which steps were undone, by the digest of the label that the program had given the next undo."""

    def __init__(self) -> None:
        self._label = ""
        self._acted = True
        self.anew = False
        """Whether something was done between the last undo and the one before it."""

    def take(self, record: Record) -> str:
        """Return the label of the step that a record undid; empty for any other record, and where it had none."""
        if isinstance(record, UndoLabel):
            self._label = record.label_digest
        elif isinstance(record, InputEvent) and act_of(record) is Act.UNDO:
            self.anew, self._acted = self._acted, False
            return self._label
        elif does_work(record):
            self._acted = True
        return ""

    def forget(self) -> None:
        """Drop the label: it was that of another program, or observation stopped."""
        self._label = ""
