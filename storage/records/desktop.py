"""What happened on the desktop: input by class, frames and digests of their tiles, windows and circumstances."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Box, Record


class EventKind(StrEnum):
    """What an input event is; `PROTECTED` is a span of protected entry without counts or single times.

    `ACTIVE` and `IDLE`: somebody began to be active, or ended, by whatever input; where a desktop tells no more.
    """

    KEY = "key"
    BUTTON_DOWN = "button_down"
    BUTTON_UP = "button_up"
    SCROLL = "scroll"
    MOTION = "motion"
    PROTECTED = "protected"
    ACTIVE = "active"
    IDLE = "idle"


PRESENCE = (EventKind.ACTIVE, EventKind.IDLE)
"""Kinds that say that there was input, and not which."""

IDLE_NS = 1_000_000_000
"""How long there was no input when `IDLE` comes."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Record):
    """A screen frame in which something changed, after the fence.

    `changed` are exact changed boxes against the frame before; `own` and `covered` are the rectangles of our own and
    of excluded windows, whose pixels were never stored. `digest` is keyed per session. `image_ref` names the picture
    (`"screen-000.mp4@12000"`: file and milliseconds) and is None where no picture was stored.
    """

    KIND: ClassVar[str] = "frame"
    t_ns: int
    monitor: str
    size: tuple[int, int]
    digest: str
    changed: tuple[Box, ...]
    own: tuple[Box, ...] = ()
    covered: tuple[Box, ...] = ()
    image_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound(Record):
    """The microphone was opened or closed (`on`), or its sound is kept from `t_ns` on.

    Where sound is kept `sound_ref` names the place of `t_ns` in its file, as `image_ref` does that of a picture:
    where a stretch begins, where a file does, and once a minute. Otherwise it is None. `drift_ms` is by how much the
    microphone's clock has gone wrong since it was opened; the file is corrected for it.
    """

    KIND: ClassVar[str] = "sound"
    t_ns: int
    on: bool
    sound_ref: str | None = None
    drift_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDigests(Record):
    """Digests of changed tiles of the newest `Frame` before it: they tell whether a place shows what it showed before.

    `now` holds two bytes for each tile of `tiles.digested_tiles`, as base64 without padding. `before` holds as
    many of what stood there before, where that was not known from earlier rows; otherwise it is empty. A digest depends
    on the place, and on a key that is never stored.

    `patches` holds two bytes for each of some patches of a tall change, in no order of places, as base64 without
    padding. They are as large as tiles, at any height, and the same picture gives the same ones wherever it is scrolled
    to in its column. It is empty where no change is tall.
    """

    KIND: ClassVar[str] = "tiles"
    now: str
    before: str = ""
    patches: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus(Record):
    """The active window changed: application, keyed title digest, geometry.

    `window` is a number that is stable within the session. `dialog` tells a dialog or utility window from a main
    window. `title` is stored only with the recording consent. `app` is empty when nothing is active.
    """

    KIND: ClassVar[str] = "focus"
    t_ns: int
    app: str
    window: int
    title_digest: str
    geometry: Box
    dialog: bool = False
    own: bool = False
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowEvent(Record):
    """A window appeared or vanished without (or before) a change of focus: a menu, a dialog, a tool tip.

    `popup` is true for menus and other override-redirect windows. Windows of ours and excluded ones leave none.
    """

    KIND: ClassVar[str] = "opened"
    t_ns: int
    app: str
    popup: bool
    gone: bool
    geometry: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment(Record):
    """Sensed facts of the desktop, logged on change; None where the platform does not provide them.

    `full_screen`: the program worked in fills a screen. `call`: a microphone, a camera or a shared screen is in use,
    by whatever program.
    """

    KIND: ClassVar[str] = "environment"
    full_screen: bool | None = None
    locked: bool | None = None
    do_not_disturb: bool | None = None
    call: bool | None = None
    on_battery: bool | None = None
