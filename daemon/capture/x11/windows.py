"""Keeps track of the windows of an X11 desktop by its events, so that a state is known without asking for it.

Questions to the server are asked only when a window appears or says something new about itself. A window may be gone
before the answer comes; it then counts as not there. Every change is noted at once as a state of its own (`Scene`):
the fence must see what was on the screen for a moment only, too.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from Xlib import X, error
from Xlib.display import Display

from daemon.capture.scene import DesktopWindow, Scene, intersection
from daemon.capture.x11.properties import Client, Properties
from storage.clock import Clock
from storage.records import Box

logger = logging.getLogger(__name__)

_GONE = (error.BadWindow, error.BadDrawable, error.BadMatch)
_CLIENT_EVENTS = X.PropertyChangeMask | X.FocusChangeMask | X.StructureNotifyMask
_HOLDS = frozenset({X.NotifyAncestor, X.NotifyVirtual, X.NotifyInferior, X.NotifyNonlinear, X.NotifyNonlinearVirtual})
_FRAME_DEPTH = 3


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
    shaped: bool = False
    client: int = 0
    seen: DesktopWindow | None = None


class WindowTable:
    """The windows of one display; used by the thread that owns the connection."""

    def __init__(self, display: Display, clock: Clock) -> None:
        """Look at what is there now and ask for every later change."""
        self._display = display
        self._clock = clock
        self._root = display.screen().root
        self._group_mask = ~display.display.info.resource_id_mask
        self._own_group = display.display.info.resource_id_base & self._group_mask
        self._has_shape = bool(display.has_extension("SHAPE"))
        whole = self._root.get_geometry()
        self._screen = Box(0, 0, whole.width, whole.height)
        self._order: list[int] = []
        self._tops: dict[int, _Top] = {}
        self._clients: dict[int, Client] = {}
        self._focused: set[int] = set()
        self._active = 0
        self._managed = False
        self._compositor = False
        self._scenes: list[Scene] = []
        self._properties = Properties(display)
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
        for child in self._root.query_tree().children:
            self._adopt(child)
        self._read_root()
        self._note()

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def handle(self, event: Any) -> None:
        """Take in one event; one that has nothing to do with windows changes nothing."""
        handler = self._handlers.get(event.type)
        if handler is not None and handler(event):
            self._note()

    def reshape(self, xid: int, *, shaped: bool) -> None:
        """Take in that a window has, or no longer has, a shape of its own."""
        top = self._tops.get(xid)
        if top is not None and top.shaped != shaped:
            top.shaped, top.seen = shaped, None
            self._note()

    # ------------------------------------------------------------ events; each tells whether something changed

    def _on_create(self, event: Any) -> bool:
        if event.parent != self._root or self._is_ours(event.window.id):
            return False
        self._add(event.window, _box_of(event), popup=bool(event.override))
        return False  # nothing is on the screen yet

    def _on_destroy(self, event: Any) -> bool:
        xid = event.window.id
        self._clients.pop(xid, None)
        self._focused.discard(xid)
        return self._remove(xid)

    def _on_map(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.event != self._root or top is None or top.mapped:
            return False
        top.mapped, top.since_ns, top.seen = True, self._clock.now_ns(), None
        self._inspect(event.window, top)
        self._compositor = self._has_compositor()
        return True

    def _on_unmap(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.event != self._root or top is None or not top.mapped:
            return False
        top.mapped = False
        return True

    def _on_reparent(self, event: Any) -> bool:
        if event.event != self._root or self._is_ours(event.window.id):
            return False
        if event.parent == self._root:
            self._add(event.window, Box(event.x, event.y, 1, 1), popup=bool(event.override))
            return self._measure(event.window)
        changed = self._remove(event.window.id)
        top = self._top_above(event.parent)
        if top is not None:
            self._join(event.window, top)
            changed = True
        return changed

    def _on_configure(self, event: Any) -> bool:
        top = self._tops.get(event.window.id)
        if event.window == self._root:
            self._screen = Box(0, 0, event.width, event.height)
            return True
        if event.event != self._root or top is None:
            return False
        box = _box_of(event)
        before = self._order.index(top.xid)
        sibling = event.above_sibling.id if event.above_sibling else 0
        self._order.pop(before)
        at = self._order.index(sibling) + 1 if sibling in self._tops else 0 if not sibling else before
        self._order.insert(at, top.xid)
        if box != top.box:
            top.box, top.seen = box, None
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
        if client is None:
            return False
        try:
            return self._properties.update(event.window, client, event.atom) and self._stale(client)
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
        return xid & self._group_mask in (self._own_group, 0)  # 0: the server's own, such as the compositor's overlay

    def _add(self, window: Any, box: Box, *, popup: bool) -> _Top:
        """Begin to follow a child of the root; without waiting for an answer."""
        xid = window.id
        if xid in self._tops:
            self._order.remove(xid)
        top = _Top(xid=xid, box=box, popup=popup)
        self._tops[xid] = top
        self._order.append(xid)
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

    def _adopt(self, window: Any) -> None:
        """Follow a window that was there before us."""
        if self._is_ours(window.id):
            return
        try:
            attributes = window.get_attributes()
            geometry = window.get_geometry()
        except _GONE:
            return
        top = self._add(window, _box_of(geometry), popup=bool(attributes.override_redirect))
        top.mapped = attributes.map_state != X.IsUnmapped
        self._inspect(window, top)

    def _measure(self, window: Any) -> bool:
        top = self._tops[window.id]
        try:
            top.box = _box_of(window.get_geometry())
            top.mapped = window.get_attributes().map_state != X.IsUnmapped
        except _GONE:
            return self._remove(window.id)
        self._inspect(window, top)
        return top.mapped

    def _inspect(self, window: Any, top: _Top) -> None:
        """Ask what a window on the screen is."""
        try:
            top.visible_kind = window.get_attributes().win_class != X.InputOnly
            if not top.visible_kind:
                return
            top.deep = window.get_geometry().depth == 32  # noqa: PLR2004  # an alpha channel
            top.shaped = self._has_shape and bool(window.shape_query_extents().bounding_shaped)
            if not top.client:
                client = self._find_client(window, _FRAME_DEPTH)
                self._join(client if client is not None else window, top)
        except _GONE:
            logger.debug("a window was gone before it could be asked")

    def _find_client(self, window: Any, depth: int) -> Any | None:
        """Return the program's own window in or at this one."""
        if window.get_property(self._properties.atom("WM_STATE"), X.AnyPropertyType, 0, 1) is not None:
            return window
        if depth:
            for child in window.query_tree().children:
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

    def _join(self, window: Any, top: _Top) -> None:
        """Make `window` the program's own window of `top`, and read what it says about itself."""
        client = self._clients.setdefault(window.id, Client())
        client.top = top.xid
        top.client, top.seen = window.id, None
        if window.id != top.xid:
            window.change_attributes(event_mask=_CLIENT_EVENTS, onerror=error.CatchError(*_GONE))
        try:
            self._properties.read(window, client)
        except _GONE:
            logger.debug("a window was gone before it could be read")

    def _stale(self, client: Client) -> bool:
        top = self._tops.get(client.top)
        if top is None:
            return False
        top.seen = None
        return top.mapped

    # ------------------------------------------------------------ the desktop as a whole

    def _read_root(self) -> bool:
        before = (self._active, self._managed)
        check = self._properties.value(self._root, "_NET_SUPPORTING_WM_CHECK")
        active = self._properties.value(self._root, "_NET_ACTIVE_WINDOW")
        self._managed = check is not None
        self._active = int(active[0]) if active is not None else 0
        self._compositor = self._has_compositor()
        return before != (self._active, self._managed)

    def _has_compositor(self) -> bool:
        return bool(self._display.get_selection_owner(self._properties.atom("_NET_WM_CM_S0")))

    # ------------------------------------------------------------ states

    def _note(self) -> None:
        windows = []
        hidden = set(self._clients)
        for xid in self._order:
            top = self._tops[xid]
            if top.mapped and top.visible_kind and intersection(top.box, self._screen) is not None:
                window = top.seen = top.seen or self._describe(top)
                windows.append(window)
                hidden.discard(window.client)
        self._scenes.append(
            Scene(
                t_ns=self._clock.now_ns(),
                windows=tuple(windows),
                hidden=frozenset(hidden),
                active=self._active,
                focused=frozenset(self._focused),
                managed=self._managed,
                compositor=self._compositor,
            )
        )

    def _describe(self, top: _Top) -> DesktopWindow:
        client = self._clients.get(top.client)
        if client is None:
            client = Client()
        return DesktopWindow(
            xid=top.xid,
            client=top.client or top.xid,
            group=(top.client or top.xid) & self._group_mask,
            app=client.app,
            instance=client.instance,
            title=client.title,
            pid=client.pid,
            transient_for=client.transient_for,
            popup=top.popup,
            dialog=client.dialog,
            full_screen=client.full_screen,
            opaque=not (top.deep or top.shaped or client.see_through),
            box=top.box,
            since_ns=top.since_ns,
        )


def _box_of(place: Any) -> Box:
    """Return the rectangle of a window with its border."""
    border = place.border_width
    return Box(place.x, place.y, place.width + 2 * border, place.height + 2 * border)
