"""Tracks the windows of an X11 desktop by its events, so that its state is known without a query.

A window may be gone before a reply comes; it then counts as not there. Every change becomes a state of its own at once
(`Scene`): the fence must also see what was on the screen for a moment only.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import composite, shape, xfixes
from Xlib.protocol import request

from daemon.capture.scene import DesktopWindow, Scene, WindowKind, intersection, remainder, without
from daemon.capture.x11.properties import Client, Properties, decoded
from daemon.capture.x11.requests import AskedProperty
from storage.clock import Clock
from storage.records import Box

logger = logging.getLogger(__name__)

_GONE = (error.BadWindow, error.BadDrawable, error.BadMatch)
_CLIENT_EVENTS = X.PropertyChangeMask | X.FocusChangeMask | X.StructureNotifyMask
_OWNER_EVENTS = (
    xfixes.XFixesSetSelectionOwnerNotifyMask
    | xfixes.XFixesSelectionWindowDestroyNotifyMask
    | xfixes.XFixesSelectionClientCloseNotifyMask
)
_HOLDS = frozenset({X.NotifyAncestor, X.NotifyVirtual, X.NotifyInferior, X.NotifyNonlinear, X.NotifyNonlinearVirtual})
_FRAME_DEPTH = 3
_MAX_INSIDE = 64
"""How many windows inside a program's window are looked at when it is first seen."""

_SERIALS = 1 << 16
"""The serial numbers of requests begin anew after so many."""

_MAX_PROBED = 4
"""How many windows at the bottom are searched for the picture of a compositor that has begun to draw."""

_FRAME_PROGRAMS = frozenset({"mutter-x11-frames"})
"""Programs other than the window manager that put frames around windows for it."""

_WHOLE_ACTIVE = ("gala", "gnome shell", "kwin", "marco", "metacity", "muffin", "mutter", "xfwm4")
"""Window managers that draw windows themselves, the active one opaque unless its own property says otherwise."""


_OUTLINE_PX = 6
"""So thick an outline of a window is at most; no letter is as low."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a window's shape leaves of it: the largest rectangle, from its upper left corner, at the size it had.

    `outline` says that nothing is left of it but its edge.
    """

    size: tuple[int, int]
    solid: Box
    outline: bool

    def inside(self, box: Box, border: int) -> Box | None:
        """Return where that is on the screen; nowhere while the window has another size: its shape follows later."""
        moved = self.solid._replace(x=box.x + border + self.solid.x, y=box.y + border + self.solid.y)
        return intersection(moved, box) if self.size == box[2:] else None


@dataclass(slots=True)
class _Top:
    """A child of the root window: a program's own window, or the frame a window manager put around it."""

    xid: int
    box: Box
    popup: bool
    mapped: bool = False
    since_ns: int = 0
    visible_kind: bool = True
    deep: bool = False
    shape: "_Shape | None" = None
    see_through: bool = False
    client: int = 0
    embedded: list[int] = field(default_factory=list)
    border: int = 0
    passing: bool = False
    described: DesktopWindow | None = None


class WindowTable:
    """The windows of one display; used by the thread that owns the connection."""

    def __init__(self, display: Display, clock: Clock) -> None:
        self._display = display
        self._clock = clock
        self._root = display.screen().root
        self._group_mask = ~display.display.info.resource_id_mask
        self._own_group = display.display.info.resource_id_base & self._group_mask
        self._has_shape = bool(display.has_extension("SHAPE"))
        self._has_composite = bool(display.has_extension(composite.extname))
        if self._has_composite:
            display.composite_query_version()  # before this the server refuses newer requests
        whole = self._root.get_geometry()
        self._screen = Box(0, 0, whole.width, whole.height)
        self._order: list[int] = []
        self._tops: dict[int, _Top] = {}
        self._clients: dict[int, Client] = {}
        self._focused: set[int] = set()
        self._active = 0
        self._managed = False
        self._manager = 0
        self._wm_group = 0
        self._compositor = 0
        self._redirected = False
        self._draws_active_whole = False
        self._scenes: list[Scene] = []
        self._newest = Scene(t_ns=0)
        self._unsettled: set[int] = set()
        """Windows whose shape was read while events before that may wait."""

        self._ends: Counter[int] = Counter()
        """How often windows go in what is being processed."""

        self._gone: list[int] = []
        """Those that came and went in it: they are in the next state together."""

        self._painted: dict[Box, None] = {}
        self._painted_inside: dict[tuple[int, Box], None] = {}
        self._begun_serial: int | None = None
        self._properties = Properties(display)
        self._opacity_atom = self._properties.atom("_NET_WM_WINDOW_OPACITY")
        self._compositor_atom = self._properties.atom("_NET_WM_CM_S0")
        display.xfixes_select_selection_input(self._root, self._compositor_atom, _OWNER_EVENTS)
        self._root_atoms = {
            self._properties.atom("_NET_ACTIVE_WINDOW"),
            self._properties.atom("_NET_SUPPORTING_WM_CHECK"),
        }
        self._handlers: dict[int, Callable[[Any], bool]] = {
            X.CreateNotify: self._on_create,
            X.DestroyNotify: self._on_destroy,
            X.MapNotify: self._on_map,
            X.UnmapNotify: self._on_unmap,
            X.ReparentNotify: self._on_reparent,
            X.ConfigureNotify: self._on_configure,
            X.CirculateNotify: self._on_circulate,
            X.PropertyNotify: self._on_property,
            X.FocusIn: self._on_focus,
            X.FocusOut: self._on_focus,
        }
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask | X.PropertyChangeMask)
        self._read_root()
        self._read_compositor()
        for child in self._root.query_tree().children:
            if not self._is_ours(child.id):
                self._adopt(child)
        self._add_scene()

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first; the last may repeat the one before."""
        if (self._painted or self._painted_inside) and self._is_starting():
            self._add_scene()  # with a compositor that has begun to draw, what was painted may be what it drew
        self._add_painted()
        scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def expect(self, events: Sequence[Any]) -> list[Any]:
        """Take in what is processed next, and return what is to be handled of it: no property is read twice.

        A window that goes in it is not asked what it is. All that come and go are in one state, or in the next that
        something else brings about, and hide nothing there.
        """
        self._end_passing()
        self._ends = Counter(e.window.id for e in events if e.type == X.DestroyNotify and e.event == self._root)
        read: set[tuple[int, int]] = set()
        left: list[Any] = []
        for event in events:
            if event.type == X.PropertyNotify and (event.window.id in self._clients or event.window == self._root):
                if (event.window.id, event.atom) in read:
                    continue
                read.add((event.window.id, event.atom))
            left.append(event)
        return left

    def handle(self, event: Any) -> None:
        """Process one event; one that does not concern windows changes nothing."""
        handler = self._handlers.get(event.type)
        if handler is None:
            return
        if self._gone and event.window.id not in self._ends:
            self._end_passing()
        if handler(event):
            self._add_scene()

    def _end_passing(self) -> None:
        if self._gone:
            self._add_scene()
            for xid in self._gone:
                self._remove(xid)
            self._gone.clear()
            self._add_scene()

    def note_serial(self, serial: int) -> None:
        """Take in which request of ours the server had last seen when the event came about that is handled next."""
        if self._begun_serial is not None and is_at_or_after(serial, self._begun_serial):
            self._begun_serial = None

    def note_painted(self, box: Box) -> None:
        """Note that a rectangle of the screen was painted in the present state."""
        if self._redirected and self._begun_serial is not None:
            return  # perhaps by a program, before the compositor began
        if self._painted_inside and not self._is_starting():
            self._add_painted()  # so that their order is told
        tops = () if self._redirected else self._tops.values()
        insides = [_inside_border(top) for top in tops if _may_be_border(top, box)]
        self._painted.update(dict.fromkeys(remainder(box, insides)))

    def note_painted_inside(self, xid: int, boxes: Sequence[Box]) -> None:
        """Note that a child of the root, with all in it, painted rectangles at once, given from where its border ends.

        The server reports them like that as what is visible of one rectangle around all that it painted.
        """
        top = self._tops.get(xid)
        if top is None:
            return
        right, down = top.box.x + top.border, top.box.y + top.border
        places = [box._replace(x=box.x + right, y=box.y + down) for box in boxes]
        if any(_may_be_border(top, place) for place in places):
            places = [part for place in places for part in remainder(place, (_inside_border(top),))]
        for place in places:
            self._painted_inside[xid, place._replace(x=place.x - top.box.x, y=place.y - top.box.y)] = None

    def moved_top(self, event: Any) -> int:
        """Return in which child of the root an event not handled yet moves something or changes its size; or 0."""
        if event.send_event:
            return 0  # a window manager's word for what happened before
        top, client = self._tops.get(event.window.id), self._clients.get(event.window.id)
        if top is not None:
            return top.xid if (_box_of(event), event.border_width) != (top.box, top.border) else 0
        return client.top if client is not None else 0

    def reshape(self, window: Any) -> None:
        """Note that the shape of a window changed."""
        top = self._tops.get(window.id)
        if top is None:
            return
        try:
            found = self._read_shape(window)
        except _GONE:
            return
        if top.shape != found:
            top.shape, top.described = found, None
            self._unsettled.add(top.xid)
            self._add_scene()

    def settle(self) -> None:
        """Note that all events have been handled that came before the last reply: shapes are as they were read.

        A shape is read as it is at that moment, while older events may wait: what was painted before it may show what
        was below then.
        """
        for xid in self._unsettled & self._tops.keys():
            self._tops[xid].described = None
        if self._unsettled:
            self._unsettled.clear()
            self._add_scene()

    def _read_shape(self, window: Any) -> _Shape | None:
        """Return the shape of a window; None if it has none. Of one that changes meanwhile another event comes."""
        if not self._has_shape or not window.shape_query_extents().bounding_shaped:
            return None
        geometry = window.get_geometry()
        size = (geometry.width + 2 * geometry.border_width, geometry.height + 2 * geometry.border_width)
        parts = window.shape_get_rectangles(shape.SK.Bounding).rectangles
        boxes = [Box(part.x, part.y, part.width, part.height) for part in parts]
        inner = Box(_OUTLINE_PX, _OUTLINE_PX, size[0] - 2 * _OUTLINE_PX, size[1] - 2 * _OUTLINE_PX)
        outline = min(inner.w, inner.h) > 0 and all(intersection(box, inner) is None for box in boxes)
        solid = max(boxes, key=lambda box: (box.w * box.h, box), default=Box(0, 0, 0, 0))
        return _Shape(size, solid, outline)

    def note_selection_owner(self, selection: int) -> None:
        """Note that the owner of a selection changed: a compositor that starts or ends has one of its own."""
        if selection == self._compositor_atom and self._read_compositor():
            self._add_scene()

    # ------------------------------------------------------------ event handlers: each returns whether anything changed

    def _on_create(self, event: Any) -> bool:
        if event.parent != self._root or self._is_ours(event.window.id):
            return False
        if event.window.id in self._gone:  # its number is given away anew
            if self._ends[event.window.id] and self._tops[event.window.id].box == _box_of(event):
                self._gone.remove(event.window.id)
                return False
            self._end_passing()
        self._add(event.window, _box_of(event), popup=bool(event.override)).border = event.border_width
        return False  # nothing is on the screen yet

    def _on_destroy(self, event: Any) -> bool:
        xid = event.window.id
        if event.event == self._root and xid in self._ends:
            self._ends[xid] -= 1
            if xid in self._tops and self._tops[xid].passing:
                self._gone.append(xid)
                return False
        client = self._clients.pop(xid, None)
        self._focused.discard(xid)
        top = self._tops.get(client.top) if client is not None else None
        left = client is not None and top is not None and bool(top.embedded) and self._leave(xid, client)
        return self._remove(xid) or left  # a frame stays what it was until it goes as well

    def _on_map(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.event != self._root or top is None or top.mapped:
            return False
        top.mapped, top.since_ns, top.described = True, self._clock.now_ns(), None
        if self._ends[top.xid] and not top.client:
            top.passing = top.deep = True
            return False
        self._inspect(event.window, top)
        return True

    def _on_unmap(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.event != self._root or top is None or not top.mapped or top.passing:
            return False
        top.mapped = False
        return True

    def _on_reparent(self, event: Any) -> bool:
        xid = event.window.id
        if self._is_ours(xid) or (event.event != self._root and xid not in self._clients):
            return False
        if event.parent == self._root:
            if xid in self._tops and event.event != self._root:
                return False
            client = self._clients.get(xid)
            left = client is not None and client.top != xid and self._leave(xid, client)
            return self._adopt(event.window) or left
        changed = self._remove(xid)
        top = self._top_above(event.parent)
        if top is None:
            return changed
        client = self._clients.get(xid)
        if client is not None and client.top not in (xid, top.xid):
            self._leave(xid, client)
        if top.client != xid and xid not in top.embedded:
            if self._is_frame(top):
                self._set_client(event.window, top)
            else:
                self._embed(event.window, top)
        return True

    def _is_frame(self, top: _Top) -> bool:
        """Return whether a child of the root is there to hold a program's window, and is none itself."""
        if top.client not in (0, top.xid):
            return False
        if self._is_managers(top):
            return True
        if not top.client:
            self._set_client(self._display.create_resource_object("window", top.xid), top)
        return not self._is_program(top.xid)

    def _is_managers(self, top: _Top) -> bool:
        return self._managed and self._group(top.xid) == self._wm_group

    def _is_program(self, xid: int) -> bool:
        """Return whether a window has a class, and not that of a program that only draws frames."""
        client = self._clients.get(xid)
        return client is not None and client.app is not None and client.app not in _FRAME_PROGRAMS

    def _embed(self, window: Any, top: _Top) -> None:
        """Note a window of another program inside of a program's window, and read its properties."""
        self._follow(window, top)
        top.embedded.append(window.id)

    def _leave(self, xid: int, client: Client) -> bool:
        """Note that a window is no longer in the one that held it; return whether that is on the screen."""
        top = self._tops.get(client.top)
        if top is None or (xid not in top.embedded and top.client != xid):
            return False
        if xid in top.embedded:
            top.embedded.remove(xid)
        else:
            top.client = top.embedded.pop(0) if top.embedded else 0
        top.described = None
        return top.mapped

    def _on_configure(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.window == self._root:
            self._screen = Box(0, 0, event.width, event.height)
            return True
        if event.event != self._root or top is None:
            return False
        box, top.border = _box_of(event), event.border_width
        before = self._order.index(top.xid)
        sibling = event.above_sibling.id if event.above_sibling else 0
        self._order.pop(before)
        at = self._order.index(sibling) + 1 if sibling in self._tops else 0 if not sibling else before
        self._order.insert(at, top.xid)
        if box != top.box:
            top.box, top.described = box, None
        elif at == before:
            return False
        return top.mapped

    def _on_circulate(self, event: Any) -> bool:
        xid = event.window.id
        if xid not in self._tops:
            return False
        self._order.remove(xid)
        self._order.insert(len(self._order) if event.place == X.PlaceOnTop else 0, xid)
        return True

    def _on_property(self, event: Any) -> bool:
        if event.window == self._root:
            return event.atom in self._root_atoms and self._read_root()
        client = self._clients.get(event.window.id)
        try:
            if event.atom == self._opacity_atom and event.window.id in self._tops:
                self._read_opacity(event.window, self._tops[event.window.id])
                return True
            return (
                client is not None
                and self._properties.update(event.window, client, event.atom)
                and self._invalidate(event.window.id, client)
            )
        except _GONE:
            return False

    def _on_focus(self, event: Any) -> bool:
        xid = event.window.id
        if event.detail not in _HOLDS or xid not in self._clients:
            return False
        had = xid in self._focused
        if event.type == X.FocusIn:
            self._focused.add(xid)
        elif event.detail != X.NotifyInferior:
            self._focused.discard(xid)
        return had != (xid in self._focused)

    # ------------------------------------------------------------ windows

    def _is_ours(self, xid: int) -> bool:
        return self._group(xid) in (self._own_group, 0)  # 0: the server's own, such as the compositor's overlay

    def _add(self, window: Any, box: Box, *, popup: bool) -> _Top:
        """Begin to track a child of the root, without waiting for a reply."""
        xid = window.id
        if xid in self._tops:
            self._order.remove(xid)
        top = _Top(xid=xid, box=box, popup=popup)
        self._tops[xid] = top
        self._order.append(xid)
        if self._ends[xid]:
            return top
        catch = error.CatchError(*_GONE)
        window.change_attributes(event_mask=_CLIENT_EVENTS, onerror=catch)
        if self._has_shape:
            window.shape_select_input(1)
        return top

    def _remove(self, xid: int) -> bool:
        top = self._tops.pop(xid, None)
        if top is None:
            return False
        self._order.remove(xid)
        return top.mapped

    def _adopt(self, window: Any) -> bool:
        """Track a window that was created before; return whether it is on the screen."""
        top = self._add(window, Box(0, 0, 1, 1), popup=False)
        try:
            attributes, place = self._ask_what(window)
            top.box, top.border = _box_of(place), place.border_width
        except _GONE:
            return self._remove(window.id)
        top.popup, top.mapped = bool(attributes.override_redirect), attributes.map_state != X.IsUnmapped
        self._inspect(window, top, (attributes, place))
        if top.client:
            self._embed_all_inside(top)
        return top.mapped

    def _group(self, xid: int) -> int:
        """Return what all windows of one connected program share."""
        return int(xid & self._group_mask)

    def _embed_all_inside(self, top: _Top) -> None:
        """Find windows of other programs, which have a class, in a program's window that was not followed before."""
        waiting = [(self._display.create_resource_object("window", top.client), 0)]
        for window, depth in waiting:
            try:
                children = window.query_tree().children if depth < _FRAME_DEPTH else ()
                foreign = self._group(window.id) not in (self._group(top.client), self._own_group)
                if foreign and window.get_wm_class() is not None and window.id not in top.embedded:
                    self._embed(window, top)
            except _GONE:
                continue
            waiting += [(child, depth + 1) for child in children[: max(0, _MAX_INSIDE - len(waiting))]]

    def _ask_what(self, window: Any) -> tuple[Any, Any]:
        """Query attributes and geometry in one round trip; raises where the window is gone."""
        wire = self._display.display
        asked = (
            request.GetWindowAttributes(wire, True, window=window.id),
            request.GetGeometry(wire, True, drawable=window.id),
        )
        for each in asked:
            each.reply()
        return asked

    def _inspect(self, window: Any, top: _Top, asked: tuple[Any, Any] | None = None) -> None:
        """Query what a window on the screen is; `asked` are attributes and geometry if that was done already."""
        try:
            attributes, place = asked or self._ask_what(window)
            top.visible_kind = attributes.win_class != X.InputOnly
            if not top.visible_kind:
                return
            top.deep = place.depth == 32  # noqa: PLR2004  # an alpha channel
            top.shape = self._read_shape(window)
            if top.shape is not None:
                self._unsettled.add(top.xid)
            self._read_opacity(window, top)
            if not top.client:
                client = self._find_client(window, _FRAME_DEPTH)
                self._set_client(client if client is not None else window, top)
                if top.client != top.xid and not self._is_managers(top):
                    self._follow(window, top)
                    self._note_holder(top.xid, top)
        except _GONE:
            logger.debug("a window was gone before it could be queried")

    def _find_client(self, window: Any, depth: int) -> Any | None:
        """Return the program's own window in or at this one."""
        state = AskedProperty(self._display, window.id, self._properties.atom("WM_STATE"), 1)
        tree = request.QueryTree(self._display.display, True, window=window.id) if depth else None
        if state.found() is not None:
            return window
        if tree is not None:
            tree.reply()
            for child in tree.children:
                found = self._find_client(child, depth - 1)
                if found is not None:
                    return found
        return None

    def _top_above(self, window: Any) -> _Top | None:
        """Return the child of the root that holds this window."""
        try:
            for _ in range(_FRAME_DEPTH):
                top = self._tops.get(window.id)
                if top is not None:
                    return top
                window = window.query_tree().parent
        except (*_GONE, AttributeError):
            return None
        return None

    def _set_client(self, window: Any, top: _Top) -> None:
        """Make `window` the program's own window of `top`, and read its properties."""
        top.client = window.id
        self._follow(window, top)

    def _follow(self, window: Any, top: _Top) -> None:
        """Follow the properties of a program's window in `top`."""
        client = self._clients.setdefault(window.id, Client())
        client.top, top.described = top.xid, None
        if window.id != top.xid:
            window.change_attributes(event_mask=_CLIENT_EVENTS, onerror=error.CatchError(*_GONE))
        try:
            self._properties.read(window, client)
        except _GONE:
            logger.debug("a window was gone before it could be read")

    def _invalidate(self, xid: int, client: Client) -> bool:
        """Describe a window anew; also a hidden one, which may close the dialogs of its program."""
        top = self._tops.get(client.top)
        if top is None:
            return False
        top.described = None
        self._note_holder(xid, top)
        return True

    def _note_holder(self, xid: int, top: _Top) -> None:
        """Keep in mind that a program's window holds another: a frame has no class, or belongs to the manager."""
        is_holder = xid == top.xid != top.client and xid not in top.embedded
        if is_holder and self._is_program(xid) and not self._is_managers(top):
            top.embedded.append(xid)

    def _read_opacity(self, window: Any, top: _Top) -> None:
        top.see_through, top.described = self._properties.is_see_through(window), None

    # ------------------------------------------------------------ the desktop as a whole

    def _read_root(self) -> bool:
        before = (self._active, self._manager)
        self._manager = self._properties.number(self._root, "_NET_SUPPORTING_WM_CHECK")
        self._managed, self._wm_group = self._manager != 0, self._group(self._manager)
        self._active = self._properties.number(self._root, "_NET_ACTIVE_WINDOW")
        if before[1] != self._manager:
            for top in self._tops.values():
                top.described = None  # another program's windows are the manager's now
            self._read_compositor()
        return before != (self._active, self._manager)

    def _read_compositor(self) -> bool:
        """Query who draws windows; return whether that changed."""
        before = (self._compositor, self._draws_active_whole)
        owner: Any = self._display.get_selection_owner(self._compositor_atom)
        self._compositor, self._draws_active_whole = owner.id if owner else 0, False
        if self._compositor != before[0]:
            self._redirected = False
        if owner and self._managed and self._group(owner.id) == self._wm_group:
            manager = self._display.create_resource_object("window", self._manager)
            try:
                name = self._properties.value(manager, "_NET_WM_NAME")
            except _GONE:
                name = None
            if isinstance(name, bytes):
                self._draws_active_whole = any(known in decoded(name).lower() for known in _WHOLE_ACTIVE)
        return before != (self._compositor, self._draws_active_whole)

    def _is_starting(self) -> bool:
        """Return whether a compositor has announced itself, and did not draw yet when last asked for."""
        return bool(self._compositor) and not self._redirected

    def _has_begun(self) -> bool:
        """Query whether windows have pictures of their own: a compositor announces itself before it sees to that."""
        seen = (self._tops[xid] for xid in self._order if self._tops[xid].mapped and self._tops[xid].visible_kind)
        return self._has_composite and any(self._has_picture(top.xid) for top in islice(seen, _MAX_PROBED))

    def _has_picture(self, xid: int) -> bool:
        catch = error.CatchError(*_GONE)
        window: Any = self._display.create_resource_object("window", xid)
        self._begun_serial = self._display.display.request_serial  # that of the next request
        picture = window.composite_name_window_pixmap(onerror=catch)
        self._display.sync()
        if catch.get_error() is None:
            picture.free()
            return True
        self._display.display.free_resource_id(picture.id)
        return False

    # ------------------------------------------------------------ states

    def _add_scene(self) -> None:
        if self._is_starting():
            self._redirected = self._has_begun()
            if self._redirected:
                self._painted = {}
        windows: list[DesktopWindow] = []
        hidden: list[DesktopWindow] = []
        for xid in self._order:
            top = self._tops[xid]
            if not top.mapped and not top.client:
                continue  # never shown
            window = top.described = top.described or self._describe(top)
            if not top.mapped:
                hidden.append(window)
            elif top.visible_kind:
                (windows if intersection(top.box, self._screen) is not None else hidden).append(window)
        painted, self._painted = tuple(self._painted), {}
        painted_inside, self._painted_inside = tuple(self._painted_inside), {}
        self._newest = Scene(
            t_ns=self._clock.now_ns(),
            windows=tuple(windows),
            hidden=tuple(hidden),
            active=self._active,
            focused=frozenset(self._focused),
            managed=self._managed,
            compositor=bool(self._compositor),
            redirected=self._redirected,
            was_redirected_later=self._redirected and self._begun_serial is not None,
            draws_active_whole=self._draws_active_whole,
            screen=self._screen,
            painted=painted,
            painted_inside=painted_inside,
        )
        self._scenes.append(self._newest)

    def _add_painted(self) -> None:
        """Add a state that differs from the newest in what was painted alone, if anything was."""
        if self._painted or self._painted_inside:
            painted, self._painted = tuple(self._painted), {}
            inside, self._painted_inside = tuple(self._painted_inside), {}
            now_ns = self._clock.now_ns()
            self._scenes.append(
                replace(self._newest, t_ns=now_ns, painted=painted, painted_inside=inside, repeats=True)
            )

    def _describe(self, top: _Top) -> DesktopWindow:
        inside = tuple(self._describe_part(top, xid, ()) for xid in top.embedded)
        return self._describe_part(top, top.client or top.xid, inside)

    def _solid(self, top: _Top) -> Box | None:
        """Return what of a window with a shape hides all that is below it."""
        if top.shape is None or top.xid in self._unsettled:
            return None
        return top.shape.inside(top.box, top.border)

    def _describe_part(self, top: _Top, xid: int, embedded: tuple[DesktopWindow, ...]) -> DesktopWindow:
        client = self._clients.get(xid)
        if client is None:
            client = Client()
        is_whole = not (top.deep or top.see_through or client.see_through)
        return DesktopWindow(
            xid=top.xid,
            client=xid,
            group=self._group(xid),
            app=client.name,
            instance=client.instance,
            title=client.title,
            readable=client.readable,
            role=client.role,
            pid=client.pid,
            connected=client.connected,
            leaders=frozenset({client.leader, client.window_group} - {0, self._root.id}),
            program=client.program,
            private=client.process.private,
            ordinary_profile=client.process.ordinary_profile,
            kind=WindowKind.MANAGER if self._managed and self._group(xid) == self._wm_group else client.kind,
            transient_for=client.transient_for,
            popup=top.popup,
            dialog=client.dialog,
            full_screen=client.full_screen,
            opaque=is_whole and top.shape is None,
            solid=self._solid(top) if is_whole else None,
            outline=top.shape is not None and top.shape.outline and top.shape.size == top.box[2:],
            box=top.box,
            content=without(without(top.box, client.decorations), client.shadow),
            since_ns=top.since_ns,
            exported=client.exported,
            embedded=embedded,
        )


def _inside_border(top: _Top) -> Box:
    x, y, width, height = top.box
    return Box(x + top.border, y + top.border, width - 2 * top.border, height - 2 * top.border)


def _may_be_border(top: _Top, box: Box) -> bool:
    """Return whether what is painted here may be a window's border alone, reported as a rectangle around all of it."""
    if not top.border or not top.mapped or intersection(top.box, box) != box:
        return False
    return intersection(_inside_border(top), box) != box


def is_at_or_after(serial: int, request_serial: int) -> bool:
    """Return whether an event came about when the server had seen a request: both numbers begin anew after 65,535."""
    return (serial - request_serial) % _SERIALS < _SERIALS // 2


def _box_of(place: Any) -> Box:
    """Return the rectangle of a window with its border."""
    border = place.border_width
    return Box(place.x, place.y, place.width + 2 * border, place.height + 2 * border)
