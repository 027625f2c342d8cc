"""The kind of act that an input event is, for features of the order and timing of acts.

There are few kinds, because programs and people differ in which key they use for the same thing.
"""

from enum import IntEnum

from storage.records import EventKind, InputEvent, KeyClass


class Act(IntEnum):
    """Kinds of acts; numbers, since sums are indexed by them."""

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


def act_of(event: InputEvent) -> Act | None:
    """Return the kind of act, or None for a modifier or a button release."""
    if event.kind is EventKind.KEY:
        return None if event.key_class is None else _KEYS.get(event.key_class, Act.COMMAND)
    return _OTHERS.get(event.kind)
