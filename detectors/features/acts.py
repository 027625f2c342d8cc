"""What kind of act an input event is, for whoever looks at the order and timing of acts and not at their effect.

Key classes fall into few kinds, because programs and people differ in which key they use for the same thing.
"""

from enum import IntEnum

from storage.records import EventKind, InputEvent, KeyClass


class Act(IntEnum):
    """Kinds of acts; numbers, since sums are known by number."""

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

    __hash__ = int.__hash__  # that of an enumeration is written in Python, and these are looked up at every event


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
    EventKind.PROTECTED: Act.TEXT,  # something was typed; nothing else is known
}


def act_of(event: InputEvent) -> Act | None:
    """Return the kind of act, or None for what is none by itself: a modifier, a button let go."""
    if event.kind is EventKind.KEY:
        return None if event.key_class is None else _KEYS.get(event.key_class, Act.COMMAND)
    return _OTHERS.get(event.kind)
