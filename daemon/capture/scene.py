"""The state of a desktop as plain values: its monitors, its windows and their order on the screen."""

from dataclasses import dataclass, field

from storage.records import Box


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopWindow:
    """A mapped top-level window with its decorations.

    `xid` identifies what is on the screen (the window manager's frame), `client` the program's own window. `group` is
    the same for all windows of one connected program. `app` and `instance` are None until the program has set them.
    `opaque` is false where anything below might show through. `since_ns` is when the window appeared.
    """

    xid: int
    client: int
    group: int
    app: str | None
    instance: str | None = None
    title: str = ""
    pid: int = 0
    transient_for: int = 0
    popup: bool = False
    dialog: bool = False
    full_screen: bool = False
    opaque: bool = True
    box: Box
    since_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All windows of the desktop at one moment.

    `windows` go from the bottom to the top; `hidden` are clients that exist and are not on the screen. `active` is the
    client that the window manager calls active (0: none), `focused` are clients that hold the keyboard according to
    the display server. `managed` says whether a window manager reports `active` at all. `compositor` means that any
    window but the active one may be drawn see-through.
    """

    t_ns: int
    windows: tuple[DesktopWindow, ...] = ()
    hidden: frozenset[int] = field(default_factory=frozenset)
    active: int = 0
    focused: frozenset[int] = field(default_factory=frozenset)
    managed: bool = True
    compositor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """A monitor and its place on the desktop."""

    name: str
    box: Box


def intersection(first: Box, second: Box) -> Box | None:
    """Return the overlap of two boxes, or None."""
    left, top = max(first.x, second.x), max(first.y, second.y)
    right, bottom = min(first.x + first.w, second.x + second.w), min(first.y + first.h, second.y + second.h)
    return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None
