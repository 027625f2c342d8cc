"""What the person did with keyboard and pointer, by class."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Record


class EventKind(StrEnum):
    """What an input event is; `PROTECTED` is a span of protected entry without counts or single times."""

    KEY = "key"
    BUTTON_DOWN = "button_down"
    BUTTON_UP = "button_up"
    SCROLL = "scroll"
    MOTION = "motion"
    PROTECTED = "protected"


class KeyClass(StrEnum):
    """What a key press was for. There is no class for separators, which would reveal the lengths of words."""

    CHARACTER = "character"
    ENTER = "enter"
    TAB = "tab"
    BACKSPACE = "backspace"
    DELETE = "delete"
    ESCAPE = "escape"
    NAVIGATION = "navigation"
    MODIFIER = "modifier"
    FUNCTION = "function"
    HELP = "help"
    UNDO = "undo"
    REDO = "redo"
    COPY = "copy"
    CUT = "cut"
    PASTE = "paste"
    SAVE = "save"
    FIND = "find"
    SELECT_ALL = "select_all"
    MENU = "menu"
    SHORTCUT = "shortcut"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEvent(Record):
    """One input event, or `count` equal neighbors merged; `x`, `y` is the pointer (last one of merged motion).

    `button` is "left", "middle", "right" or "other"; `dx`, `dy` are scroll steps (positive: right, up);
    `path` is the length in pixels of merged motion. `own` marks input inside a window of ours. `t_ns` of a key is
    rounded down (`daemon.capture.keys`), so it may be earlier than that of the record before.
    """

    KIND: ClassVar[str] = "input_event"
    t_ns: int
    kind: EventKind
    key_class: KeyClass | None = None
    button: str | None = None
    x: int | None = None
    y: int | None = None
    dx: int = 0
    dy: int = 0
    path: int = 0
    count: int = 1
    own: bool = False
