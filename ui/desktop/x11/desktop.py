"""The few questions that Qt does not answer about an X11 desktop, and the keyboard handed from window to window.

They share one connection, opened for the first of them and kept: opening one takes 5 to 10 ms, and a card asks three
times before it is there. Nothing is selected on it, so nothing wakes up because of it. When the server does not answer,
the answer is "cannot tell".
"""

import os
from collections.abc import Iterator
from typing import Any

from PySide6.QtGui import QGuiApplication
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError
from Xlib.protocol.event import ClientMessage

from storage.records import Box
from storage.settings import InterfaceSettings
from ui.desktop.protocol import Desktop, Shortcuts, WindowPicker
from ui.desktop.x11.pick import X11WindowPicker
from ui.desktop.x11.shortcuts import X11Shortcuts, is_taken
from ui.views.shortcuts import texts_of

_FROM_PAGER = 2
_QT_PLATFORM, _OTHER_PLATFORM = "xcb", "wayland"
_SCREENLESS = ("offscreen", "minimal")
_FAULTS = (DisplayError, ConnectionClosedError, XError, OSError)
_DIALOG = ("_NET_WM_WINDOW_TYPE_DIALOG",)
_NORMAL = ("_NET_WM_WINDOW_TYPE_NORMAL",)
_MAX_PARENTS = 8  # windows above a dialog that are followed: programs have been seen to name each other in a circle


class X11Desktop(Desktop):
    """The X11 desktop that Qt is connected to."""

    can_point = has_shortcuts = True

    def __init__(self) -> None:
        """Open no connection yet."""
        self._display: Display | None = None

    def is_translucent(self) -> bool:
        """Tell whether a compositor runs."""
        return self._has_owner("_NET_WM_CM_S")

    def has_tray(self) -> bool:
        """Tell whether there is an XEmbed tray."""
        return self._has_owner("_NET_SYSTEM_TRAY_S")

    def active_window(self) -> int | None:
        """Return the X window that is active, or None where there is none."""
        display = self._connection()
        return _active(display) if display is not None else None

    def active_window_centre(self) -> tuple[int, int] | None:
        """Return the middle of the active window in desktop pixels, or None where there is none."""
        display = self._connection()
        active = _active(display) if display is not None else None
        if display is None or active is None:
            return None
        try:
            window = display.create_resource_object("window", active)
            geometry = window.get_geometry()
            origin = display.screen().root.translate_coords(window, geometry.width // 2, geometry.height // 2)
        except _FAULTS:
            return None
        return int(origin.x), int(origin.y)

    def open_dialogs(self) -> tuple[Box, ...]:
        """Return where dialogs of the program in front are, in desktop pixels and without their frames.

        That is the active window if it is a dialog, and every dialog in sight that stands above the same main window.
        """
        display = self._connection()
        active = _active(display) if display is not None else None
        if display is None or active is None:
            return ()
        return tuple(_boxes_of_dialogs(display, active))

    def activate(self, window: int, *, ours: bool = False) -> bool:
        """Have the window manager make a window active.

        It is sent as a pager would, because to a window manager a click on a window that takes no focus is no act of
        the person; without a window manager the keyboard is handed over directly, and to a window of ours in any case:
        Openbox does not hear that a window which took no keys when it appeared takes them now.
        """
        if ours:
            QGuiApplication.sync()
        display = self._connection()
        if display is None:
            return True
        try:
            root, active = display.screen().root, display.intern_atom("_NET_ACTIVE_WINDOW")
            known = root.get_full_property(display.intern_atom("_NET_SUPPORTED"), X.AnyPropertyType)
            target = display.create_resource_object("window", window)
            if known is not None and active in known.value:
                data = (32, [_FROM_PAGER, X.CurrentTime, 0, 0, 0])
                message = ClientMessage(window=target, client_type=active, data=data)
                root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
            if ours or known is None or active not in known.value:
                target.set_input_focus(X.RevertToParent, X.CurrentTime)
            display.sync()
        except _FAULTS:
            pass  # the window or the server is gone: nothing is left to be active
        return True

    def offer_focus(self, window: int, *, on: bool) -> None:
        """Have the window manager ask a window of ours whether it takes the keyboard, or never think of it.

        Qt says in the window's hints that it takes none, but leaves WM_TAKE_FOCUS among its protocols; together that
        means "ask the window", so a dialog that closed above ours left the keyboard nowhere.
        """
        display = self._connection()
        if display is None:
            return
        try:
            target = display.create_resource_object("window", window)
            take, protocols = display.intern_atom("WM_TAKE_FOCUS"), display.intern_atom("WM_PROTOCOLS")
            known = target.get_full_property(protocols, Xatom.ATOM)
            others = [protocol for protocol in known.value if protocol != take] if known is not None else []
            target.change_property(protocols, Xatom.ATOM, 32, [*others, take] if on else others)
            display.sync()
        except _FAULTS:
            return

    def shortcuts(self, settings: InterfaceSettings) -> Shortcuts:
        """Return the global shortcuts that are set."""
        return X11Shortcuts(settings)

    def is_shortcut_taken(self, text: str) -> bool:
        """Tell whether somebody has the keys of a shortcut, or they are not there; no where that cannot be told."""
        return is_taken(text)

    def window_picker(self) -> WindowPicker:
        """Return what lets a person point at a window."""
        return X11WindowPicker()

    def _has_owner(self, selection: str) -> bool:
        """Tell whether a manager of this kind runs on the default screen."""
        display = self._connection()
        if display is None:
            return False
        try:
            atom = display.intern_atom(f"{selection}{display.get_default_screen()}")
            return bool(display.get_selection_owner(atom) != X.NONE)
        except _FAULTS:
            return False

    def _connection(self) -> Display | None:
        """Return the connection, a new one where it was lost; None if there cannot be one."""
        try:
            while self._display is not None and self._display.pending_events():  # a keyboard's new layout goes to all
                self._display.next_event()
        except _FAULTS:
            self._display = None
        if self._display is None:
            try:
                self._display = Display()
            except _FAULTS:
                return None
        return self._display


class XWaylandDesktop(X11Desktop):
    """The X11 server inside of a Wayland session: our windows stand there, and it knows no others."""

    can_point = has_shortcuts = False
    places_itself = True

    def shortcuts(self, settings: InterfaceSettings) -> Shortcuts:
        """Return the shortcuts of the portal: keys come here only while an X11 program has them."""
        if not texts_of(settings):
            return Shortcuts(settings)
        from ui.desktop.wayland import PortalShortcuts

        return PortalShortcuts(settings)

    def is_shortcut_taken(self, text: str) -> bool:  # noqa: ARG002  # whatever the keys
        """Tell nothing of keys."""
        return False

    def window_picker(self) -> WindowPicker:
        """Return what says that nobody can point."""
        return WindowPicker()


_DESKTOP, _INSIDE_WAYLAND = X11Desktop(), XWaylandDesktop()


def x11_desktop() -> X11Desktop | None:
    """Return the desktop if Qt is connected to an X11 server."""
    if QGuiApplication.platformName() != _QT_PLATFORM:
        return None
    inside_wayland = os.environ.get("WAYLAND_DISPLAY") and os.environ.get("XDG_SESSION_TYPE", "").lower() != "x11"
    return _INSIDE_WAYLAND if inside_wayland else _DESKTOP


def speaks_wayland() -> bool:
    """Return whether Qt is connected to a Wayland compositor instead."""
    return QGuiApplication.platformName() == _OTHER_PLATFORM


def server_answers() -> str:
    """Return why Qt could not connect to a server, empty where it can or needs none.

    In a Wayland session it is to connect to XWayland if it can: there a card takes no focus and stands in its corner.
    """
    if os.environ.get("QT_QPA_PLATFORM") in _SCREENLESS:
        return ""
    name = os.environ.get("DISPLAY", "")
    if os.environ.get("WAYLAND_DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", _QT_PLATFORM if name else _OTHER_PLATFORM)
        return ""
    if not name:
        return "there is no display"
    try:
        Display(name).close()
    except _FAULTS:
        return f"the display {name} does not answer"
    return ""


def _active(display: Display) -> int | None:
    try:
        root = display.screen().root
        active = root.get_full_property(display.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
    except _FAULTS:
        return None
    return int(active.value[0]) or None if active is not None and active.value else None


def _boxes_of_dialogs(display: Display, active: int) -> Iterator[Box]:
    main, process = _main_window(display, active), _process(display, active)
    for xid in dict.fromkeys((*_numbers(display, display.screen().root, "_NET_CLIENT_LIST"), active)):
        window = display.create_resource_object("window", xid)
        above = _main_window(display, xid)
        try:
            if window.get_attributes().map_state != X.IsViewable:
                continue
            if above == xid:  # it names no window: some programs leave it out
                if not _has_type(display, window, *_DIALOG) or _process(display, xid) != process:
                    continue
            elif above != main or not _has_type(display, window, *_DIALOG, *_NORMAL, ""):
                continue  # of another program; or a panel of tools, which stays open while somebody works
            geometry = window.get_geometry()
            origin = display.screen().root.translate_coords(window, 0, 0)
        except _FAULTS:  # it has been closed meanwhile
            continue
        yield Box(int(origin.x), int(origin.y), int(geometry.width), int(geometry.height))


def _has_type(display: Display, window: Any, *names: str) -> bool:
    """Tell whether a window is of one of these types; "" is a window that says nothing of it."""
    types = _numbers(display, window, "_NET_WM_WINDOW_TYPE")
    return any(display.intern_atom(name) in types if name else not types for name in names)


def _process(display: Display, xid: int) -> tuple[int, ...]:
    return _numbers(display, display.create_resource_object("window", xid), "_NET_WM_PID")


def _main_window(display: Display, xid: int) -> int:
    """Return the window that a dialog stands above, following dialogs of dialogs, or the window itself."""
    found = xid
    for _ in range(_MAX_PARENTS):
        window = display.create_resource_object("window", found)
        try:
            parent = window.get_wm_transient_for()
        except _FAULTS:
            break
        if parent is None or parent.id in (X.NONE, display.screen().root.id, found):
            break
        found = int(parent.id)
    return found


def _numbers(display: Display, window: Any, name: str) -> tuple[int, ...]:
    try:
        found = window.get_full_property(display.intern_atom(name), X.AnyPropertyType)
    except _FAULTS:
        return ()
    return tuple(int(value) for value in found.value) if found is not None and found.format == 32 else ()  # noqa: PLR2004  # bits
