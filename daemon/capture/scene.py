"""The state of a desktop as plain values: monitors, windows, their order, and rectangles of the screen."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import NamedTuple

from storage.records import Box

MAX_PARTS = 256

_ANY_SCREEN = Box(0, 0, 1 << 15, 1 << 15)


class Edges(NamedTuple):
    """How wide something around a window is at each side, in pixels."""

    left: int
    right: int
    top: int
    bottom: int


NO_EDGES = Edges(0, 0, 0, 0)


class WindowKind(StrEnum):
    """What a window is for: most are a program's own, others belong to the desktop and may show titles of others."""

    PROGRAM = auto()
    DESKTOP = auto()
    DOCK = auto()
    NOTIFICATION = auto()
    MANAGER = auto()


class ExportedMenus(NamedTuple):
    """Where a window says that its program exports menus and actions: a name on the session bus, and objects of it."""

    name: str
    menu_bar: str = ""
    app_menu: str = ""
    application: str = ""
    window: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopWindow:
    """A mapped top-level window with its decorations.

    `xid` identifies what is on the screen (the window manager's frame), `client` the program's own window. `group` is
    the same for all windows of one connected program, `leaders` are windows that stand for it. `app` and `instance` are
    None until the program has set them. `readable` is false where the title could not be read whole. `pid` is the
    process that the window names; `connected` are the process of its connection and, where it names none, those that
    started it, nearest first. `program` are the names of the file that runs, `private` whether it was begun as a
    private browser, and `ordinary_profile` whether it is a browser of the Firefox family whose profile is known not to
    be always private. `kind` says what a window of the desktop itself is. `embedded` are windows of other programs
    inside of it. `opaque` is false where anything below might show through; of one that is so for its shape alone, as a
    frame with round corners, `solid` is the largest part in which nothing does. `outline`: it has nothing but an edge,
    too thin for text, as what some window managers put around the window that is next. `since_ns` is when the window
    appeared, 0 if before it could be seen. `content` is the part of `box` in which the program has its controls:
    without the decorations, and without the shadow that it draws itself. `corner` is the place of the upper left corner
    of what it draws, where a program does not know its place and counts from there. `exported` is where to ask for its
    menus.
    """

    xid: int
    client: int
    group: int
    app: str | None
    instance: str | None = None
    title: str = ""
    readable: bool = True
    role: str = ""
    pid: int = 0
    connected: tuple[int, ...] = ()
    leaders: frozenset[int] = frozenset()
    program: frozenset[str] = frozenset()
    private: bool = False
    ordinary_profile: bool = False
    kind: WindowKind = WindowKind.PROGRAM
    transient_for: int = 0
    popup: bool = False
    dialog: bool = False
    full_screen: bool = False
    opaque: bool = True
    solid: Box | None = None
    outline: bool = False
    box: Box
    content: Box | None = None
    corner: tuple[int, int] | None = None
    since_ns: int = 0
    exported: ExportedMenus | None = None
    embedded: tuple["DesktopWindow", ...] = ()

    @property
    def hiding(self) -> Box | None:
        """Where nothing below it can be seen."""
        return self.box if self.opaque else self.solid


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All windows of the desktop at one moment.

    `windows` go from the bottom to the top; `hidden` are those that exist and are not on the screen. `active` is the
    client that the window manager calls active (0: none), `focused` are clients that hold the keyboard according to
    the display server. `managed` says whether a window manager reports `active` at all. `compositor` means that any
    window may be drawn see-through, but the active one where `draws_active_whole`; `redirected` that it has begun to
    draw: windows have pictures of their own, and what is on the screen is its work. `was_redirected_later` that this
    state may have begun before the compositor did. `screen` holds all of them. `outputs` are the monitors of a desktop
    that does not tell of popups: there a window that must not be seen closes the whole monitor that it is on, because
    its menus reach over others and stand in no list.

    `painted` is what was painted after the state before this one began and before this one did, by whatever window was
    visible there; `painted_inside`, by `xid`, what a window with all in it painted after that into its own picture or,
    where it was visible, on the screen, in coordinates from the upper left corner of its box. Both are empty unless
    somebody asked for it. A scene that `repeats` differs from the one before in these alone.
    """

    t_ns: int
    windows: tuple[DesktopWindow, ...] = ()
    hidden: tuple[DesktopWindow, ...] = ()
    active: int = 0
    focused: frozenset[int] = frozenset()
    managed: bool = True
    compositor: bool = False
    redirected: bool = False
    was_redirected_later: bool = False
    draws_active_whole: bool = False
    screen: Box = _ANY_SCREEN
    outputs: tuple[Box, ...] = ()
    painted: tuple[Box, ...] = ()
    painted_inside: tuple[tuple[int, Box], ...] = ()
    repeats: bool = False

    @property
    def clients(self) -> frozenset[int]:
        """All clients that exist, on the screen or not, embedded ones too."""
        present = (*self.windows, *self.hidden)
        return frozenset(part.client for window in present for part in (window, *window.embedded))


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """A monitor and its place on the desktop."""

    name: str
    box: Box


def without(box: Box, edges: Edges) -> Box:
    """Return what is inside of the edges of a box; all of it where they leave no room."""
    width, height = box.w - edges.left - edges.right, box.h - edges.top - edges.bottom
    return Box(box.x + edges.left, box.y + edges.top, width, height) if width > 0 and height > 0 else box


def intersection(first: Box, second: Box) -> Box | None:
    """Return the overlap of two boxes, or None."""
    left, top = max(first.x, second.x), max(first.y, second.y)
    right, bottom = min(first.x + first.w, second.x + second.w), min(first.y + first.h, second.y + second.h)
    return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None


def remainder(box: Box, above: Iterable[Box]) -> list[Box]:
    """Return the parts of `box` not hidden by any box of `above`; the whole box where there are too many parts."""
    pieces = [box] if box.w > 0 and box.h > 0 else []
    for cover in above:
        pieces = [part for piece in pieces for part in _without(piece, cover)]
        if len(pieces) > MAX_PARTS:
            return [box]
    return pieces


def contains(boxes: Iterable[Box], x: int, y: int) -> bool:
    """Return whether a point lies in any of the boxes."""
    return any(box.x <= x < box.x + box.w and box.y <= y < box.y + box.h for box in boxes)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest rectangle that holds all of these, of which there is at least one."""
    left, top, right, bottom = zip(*((box.x, box.y, box.x + box.w, box.y + box.h) for box in boxes), strict=True)
    return Box(min(left), min(top), max(right) - min(left), max(bottom) - min(top))


def _without(piece: Box, cover: Box) -> list[Box]:
    shared = intersection(piece, cover)
    if shared is None:
        return [piece]
    right, bottom = piece.x + piece.w, piece.y + piece.h
    shared_right, shared_bottom = shared.x + shared.w, shared.y + shared.h
    parts = (
        Box(piece.x, piece.y, piece.w, shared.y - piece.y),
        Box(piece.x, shared_bottom, piece.w, bottom - shared_bottom),
        Box(piece.x, shared.y, shared.x - piece.x, shared.h),
        Box(shared_right, shared.y, right - shared_right, shared.h),
    )
    return [part for part in parts if part.w > 0 and part.h > 0]
