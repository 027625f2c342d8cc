"""The Wayland backend: put together from what the compositor offers, looked for and never concluded from a name.

Pixels are taken only where every window that they may show is listed by the compositor itself. Everywhere else there
are none: what programs say to the accessibility bus, if the person chose that, and whether somebody is at work.
"""

import asyncio
import contextlib
import os
import select
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from daemon.capture.backend import CaptureBackend, MayAsk
from daemon.capture.dbus import Bus, session_address
from daemon.capture.fence.rules import OWN_APP
from daemon.capture.input import InputQueue
from daemon.capture.programs.processes import program_name
from daemon.capture.scene import DesktopWindow, Monitor, Scene
from daemon.capture.source_thread import SourceGone
from daemon.capture.wayland.capabilities import (
    BARE_GNOME,
    GNOME_PICTURES,
    GNOME_REFUSED,
    GNOME_TAKEN_BACK,
    GNOME_WITHOUT_PORTAL,
    KDE_WINDOWS,
    NO_PIXELS,
    SILENT_KWIN,
    SILENT_SWAY,
    SWAY,
    with_input,
    with_interface,
)
from daemon.capture.wayland.gnome.frames import GnomeFrames
from daemon.capture.wayland.gnome.pipewire import has_pipewire
from daemon.capture.wayland.gnome.portal import PortalAccess, access
from daemon.capture.wayland.gnome.windows import GnomeWindows
from daemon.capture.wayland.idle import IdleNotice, MutterIdle, offers_idle
from daemon.capture.wayland.input_service import InputService
from daemon.capture.wayland.keyboard import KeyboardLayout
from daemon.capture.wayland.kwin import KwinWindows
from daemon.capture.wayland.programs import ProgramWindows
from daemon.capture.wayland.screencopy import ScreencopyFrames, offers_frames
from daemon.capture.wayland.sway import SwayWindows
from storage.capabilities import Capabilities
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.ports import OWN_PLACES
from storage.records import Box, EventKind, InputEvent
from storage.state.pictures import PicturePermission
from storage.wayland import WaylandConnection

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels
    from daemon.capture.x11.xwayland import XWaylandPopups


_MENU_CLIENTS, _OWN_CLIENTS = 1 << 50, 1 << 51
"""Where the numbers begin of menus, and of windows of ours on a layer: beyond those of windows."""

_LOOK_NS, _LOOK_TYPING_NS = 250_000_000, 1_000_000_000
"""How often the pointer is asked for, and for who has just typed."""

_NOTIFIER, _NOTIFIER_PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_PORTAL, _PORTAL_PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"

_POINTED = (EventKind.BUTTON_DOWN, EventKind.BUTTON_UP, EventKind.SCROLL)


class WindowList(Protocol):
    """All windows of a desktop, by its compositor. Every method raises `EnvironmentFault` where it does not answer."""

    pointer: tuple[int, int] | None
    """Where the pointer is; None where that is not told."""

    locked: bool | None
    """Whether the screen is locked; None where that is not told."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when something happens to windows."""

    def read(self) -> None:
        """Take in what has arrived."""

    def refresh(self) -> None:
        """Ask for the list as it is now."""

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""

    def close(self) -> None:
        """Disconnect."""


class WaylandBackend(CaptureBackend):
    """Captures the session of a compositor: with pixels where its windows are known, else without."""

    def __init__(self, clock: Clock, may_ask: MayAsk | None = None) -> None:
        env = os.environ
        self.damaged, self.resized, self.behind = False, False, False
        self.locked: bool | None = None
        self._clock = clock
        self._queue: InputQueue | None = None
        self._is_active, self._has_keys = True, False
        self._looked_ns = 0
        self._place: tuple[int, int] | None = None
        self._frames: ScreencopyFrames | GnomeFrames | None = None
        self._windows: WindowList | None = None
        self._popups: XWaylandPopups | None = None
        self._presence: MutterIdle | None = None
        self._shown_popups: tuple[DesktopWindow, ...] = ()
        self._newest = Scene(t_ns=clock.now_ns())
        self._poll = select.epoll()
        self._connection = WaylandConnection(env, clock)
        self._compositor = program_name(self._connection.compositor)
        self._input = InputService(self._told_pointer)
        try:
            try:
                found = self._find_windows(env)
            finally:  # `close` ends it
                is_sway = isinstance(self._windows, SwayWindows)
                self._programs = ProgramWindows(env, clock, may_ask or MayAsk(), with_menus=is_sway)
            tells_idle = offers_idle(self._connection)
            if tells_idle:
                IdleNotice(self._connection, self._note_presence)
            elif self._compositor == "gnome-shell":
                self._presence = MutterIdle(env, self._note_presence)
                tells_idle = self._presence.tells
            has_layers = bool(self._connection.offers("zwlr_layer_shell_v1"))
            notifies, has_shortcuts = _interface_services(env, needs_notifier=not (env.get("DISPLAY") or has_layers))
            self.capabilities = with_interface(
                found,
                env,
                tells_idle=tells_idle,
                notifies=notifies,
                has_shortcuts=has_shortcuts,
                has_layers=has_layers,
            )
            if self._input.is_there:
                self._layout = KeyboardLayout(self._connection, self._input.tell_layout)
                self.capabilities = with_input(
                    self.capabilities, has_mouse=self._input.has_mouse, has_touchpad=self._input.has_touchpad
                )
        except EnvironmentFault:
            self.close()
            raise
        self.damaged = self._frames is not None
        for source in (self._connection, self._windows, self._programs, self._popups, self._input):
            if source is not None:
                self._poll.register(source.fileno(), select.EPOLLIN)

    def _find_windows(self, env: Mapping[str, str]) -> Capabilities:
        """Look for what lists the windows, and for pixels where it lists them all; return what there is."""
        if self._compositor == "kwin_wayland":
            with contextlib.suppress(EnvironmentFault):
                self._windows = KwinWindows(env, self._clock, self._connection.compositor)
            self._popups = _popups(env, self._clock) if self._windows is not None else None
            return KDE_WINDOWS if self._windows is not None else SILENT_KWIN
        if self._compositor == "gnome-shell":
            try:
                self._windows = windows = GnomeWindows(env, self._clock, self._connection.compositor)
            except EnvironmentFault:
                return BARE_GNOME
            found = gnome_pictures(env)
            if found is GNOME_PICTURES:
                self._frames = frames = GnomeFrames(env, self._clock, windows)
                self._poll.register(frames.fileno(), select.EPOLLIN)
            return found
        try:
            sway = SwayWindows(env, self._clock, self._connection.compositor)
        except EnvironmentFault:
            return SILENT_SWAY if env.get("SWAYSOCK") else NO_PIXELS
        if offers_frames(self._connection):
            self._frames = _frames(self._connection, sway.dark)
        if self._frames is None:
            sway.close()
            return NO_PIXELS
        self._windows = sway
        self._popups = _popups(env, self._clock)
        return SWAY

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when any of the parts has something."""
        return self._poll.fileno()

    def has_unread(self) -> bool:
        """Return False: each part reads all that has arrived."""
        return False

    def read(self) -> None:
        """Take in what has arrived from all parts."""
        self._connection.read()
        if isinstance(self._frames, ScreencopyFrames) and self._connection.changed and self._frames.follow_outputs():
            self.resized = True
        if self._windows is not None:
            self._windows.read()
        if self._frames is not None and self._frames.note_arrived():
            self.resized = True
        self._note_told()
        self._input.check()
        self._programs.read()
        if self._popups is not None:
            self._popups.read()

    def sync(self) -> None:
        """Take in everything that happened before this call, and ask for the windows: moves are told by no event."""
        self._connection.round_trip()
        if self._windows is not None:
            self._windows.read()
            self._windows.refresh()
        if self._popups is not None:
            self._popups.read(sync=True)
        self.read()

    def event_time_ms(self) -> int:
        """Return the present time: nothing here is stamped by another clock. Programs may be asked again."""
        self._programs.refresh()
        self.sync()
        return self._clock.now_ns() // 1_000_000 & 0xFFFFFFFF

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states since the last call: as the compositor lists them, else as programs do."""
        told = self._programs.take_scenes()
        scenes = list(self._windows.take_scenes() if self._windows is not None else told)
        popups = (*(self._popups.popups if self._popups is not None else ()), *self._menus(scenes), *_own_windows())
        if popups != self._shown_popups:
            self._shown_popups = popups
            scenes = scenes or [replace(self._newest, t_ns=self._clock.now_ns())]
        self._newest = scenes[-1] if scenes else self._newest
        return tuple(replace(scene, windows=(*scene.windows, *popups)) for scene in scenes)

    def _menus(self, scenes: Sequence[Scene]) -> Iterator[DesktopWindow]:
        """Yield the menus that programs tell of, each as a window over that of its program."""
        scene = scenes[-1] if scenes else self._newest
        for menu in self._programs.menus if self._windows is not None else ():
            windows = [window for window in scene.windows if window.pid == menu.pid]
            parent = next(
                (window for window in windows if window.client == scene.active), next(reversed(windows), None)
            )
            if parent is not None and parent.corner is not None:  # XWayland lists its own
                x, y = parent.corner
                box, client = menu.box._replace(x=x + menu.box.x, y=y + menu.box.y), _MENU_CLIENTS + menu.number
                yield replace(
                    parent,
                    xid=client,
                    client=client,
                    title="",
                    transient_for=parent.client,
                    popup=True,
                    dialog=False,
                    box=box,
                    content=None,
                    corner=None,
                )

    def watch_painting(self, *, on: bool, inside: frozenset[int] = frozenset()) -> None:
        """Do nothing: a compositor leaves no pixels of a window that is gone, so nobody needs to know."""

    def follow_damage(self, *, on: bool, hidden: Collection[Box] = ()) -> None:
        """Have no copy made of a monitor while it is hidden, nor of any while nothing may be captured."""
        if self._frames is not None:
            self._frames.watch(hidden if on else None)

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call, with the windows known as they are before any copy."""
        if self._frames is None:
            return ()
        self.sync()
        painted = self._frames.take_damage()
        self.damaged = False
        return painted

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors whose pixels can be had."""
        return self._frames.monitors() if self._frames is not None else ()

    def pointer(self) -> tuple[int, int]:
        """Return where the pointer is; where nobody tells, the middle of the first monitor."""
        if self._windows is not None and self._windows.pointer is not None:
            return self._windows.pointer
        box = self.monitors()[0].box if self.monitors() else Box(0, 0, 0, 0)
        return box.x + box.w // 2, box.y + box.h // 2

    def grab(self, box: Box) -> "Pixels":
        """Return a fresh picture of a rectangle of the desktop."""
        if self._frames is None:
            raise EnvironmentFault("this desktop gives no pictures", code="screen_unreadable")
        return self._frames.grab(box)

    def ask(self, box: Box) -> "Pixels":
        """Return what `grab` does: it is copied already."""
        return self.grab(box)

    def start_input(self, queue: InputQueue) -> None:
        """Pass on that somebody is at work, and keys and buttons by the service, else what programs tell of typing."""
        self._queue = queue
        if self._input.is_there:
            self._input.start(queue)
        else:
            self._programs.start_typing(queue)

    def close(self) -> None:
        """End all parts."""
        self._programs.close()
        self._input.close()  # its thread asks other parts for the pointer
        frames = self._frames if isinstance(self._frames, GnomeFrames) else None
        for part in (self._poll, frames, self._windows, self._popups, self._presence, self._connection):
            if part is not None:
                part.close()

    def _note_told(self) -> None:
        """Take in what the list of windows says besides."""
        if self._windows is not None:
            self.locked = self._windows.locked
        if isinstance(self._windows, SwayWindows) and isinstance(self._frames, ScreencopyFrames):
            self._frames.note_dark(self._windows.dark)
        if isinstance(self._windows, SwayWindows):
            self._input.tell_group(self._windows.group)
        if self._frames is not None:
            self.damaged = self._frames.damaged

    @property
    def look_ns(self) -> int | None:
        """Return when the list is asked where the pointer is: some times a second for who is active, fewer for keys."""
        if self._queue is None or self._windows is None or self._windows.pointer is None or not self._is_active:
            return None
        return self._looked_ns + (_LOOK_TYPING_NS if self._has_keys else _LOOK_NS)

    def look_for_pointer(self) -> None:
        """Tell the queue where the pointer is now, once that is due."""
        place, due_ns = self._windows.pointer if self._windows is not None else None, self.look_ns
        if due_ns is None or self._queue is None or self._clock.now_ns() < due_ns:
            return
        self._has_keys, self._looked_ns = False, self._clock.now_ns()
        if isinstance(self._windows, GnomeWindows):
            self._windows.ask()
        if place is not None and place != self._place:
            self._place = place
            self._queue.move(*place)

    def with_places(self, events: list[InputEvent]) -> list[InputEvent]:
        """Return events with the place of the pointer, which is asked for now: a click is handed over at once."""
        self._has_keys = self._has_keys or any(event.kind is EventKind.KEY for event in events)
        placeless = [event for event in events if event.kind in _POINTED and event.x is None]
        x, y = (self._find_pointer() if placeless else None) or (None, None)
        if x is None or y is None:
            return events
        for event in placeless:
            is_press = (event.kind, event.button) == (EventKind.BUTTON_DOWN, "left")
            if is_press and self._queue is not None and self._queue.on_press is not None:
                self._queue.on_press(event.t_ns, x, y)
        return [replace(event, x=x, y=y) if event.kind in _POINTED and event.x is None else event for event in events]

    def _find_pointer(self) -> tuple[int, int] | None:
        """Return where the pointer is, as the list of windows tells it."""
        if self._windows is not None and self._windows.pointer is not None:
            self._windows.refresh()
            self._place = self._windows.pointer
        return self._place

    def _told_pointer(self) -> tuple[int, int] | None:
        """Return where the pointer is over a window of ours or of XWayland's, from the thread of the input."""
        return OWN_PLACES.pointer or (self._popups.pointer() if self._popups is not None else None)

    def _note_presence(self, is_active: bool) -> None:
        self._is_active = is_active
        if self._queue is not None:
            self._queue.presence(active=is_active)


def _own_windows() -> Iterator[DesktopWindow]:
    """Yield the windows of ours that the compositor has in no list: they stand on a layer above all others."""
    for number, box in OWN_PLACES.boxes.items():
        client, pid = _OWN_CLIENTS + number, os.getpid()
        yield DesktopWindow(xid=client, client=client, group=pid, app=OWN_APP, pid=pid, popup=True, box=box)


def gnome_pictures(env: Mapping[str, str]) -> Capabilities:
    """Return what there is where GNOME's windows are known: pictures too, if nobody has said no to them."""
    token = PicturePermission().token
    if token == "":
        return GNOME_REFUSED
    found = access(env, token or "") if has_pipewire() else PortalAccess.MISSING
    return {PortalAccess.MISSING: GNOME_WITHOUT_PORTAL, PortalAccess.TAKEN_BACK: GNOME_TAKEN_BACK}.get(
        found, GNOME_PICTURES
    )


def _frames(connection: WaylandConnection, dark: frozenset[Box]) -> ScreencopyFrames | None:
    """Return what reads pixels, also while there is no monitor; None where one cannot be read."""
    with contextlib.suppress(EnvironmentFault):
        frames = ScreencopyFrames(connection)
        frames.follow_outputs()
        frames.note_dark(dark)
        if frames.monitors():
            frames.grab(Box(*frames.monitors()[0].box[:2], 1, 1))
        return frames
    return None


def _popups(env: Mapping[str, str], clock: Clock) -> "XWaylandPopups | None":
    """Return what knows the windows that X11 programs place themselves; None where there is no XWayland."""
    if not env.get("DISPLAY"):
        return None
    from daemon.capture.x11.xwayland import XWaylandPopups

    with contextlib.suppress(EnvironmentFault):
        return XWaylandPopups(env["DISPLAY"], clock)
    return None


def _interface_services(env: Mapping[str, str], *, needs_notifier: bool) -> tuple[bool, bool]:
    """Return whether the session shows notifications that can be clicked, if they are needed, and gives shortcuts."""

    async def ask() -> tuple[object, object]:
        bus = await Bus.connect(session_address(env))
        try:
            service = (_NOTIFIER, _NOTIFIER_PATH, _NOTIFIER, "GetCapabilities")
            told = await bus.call(*service, start=True) if needs_notifier else None
            return told, await bus.property(_PORTAL, _PORTAL_PATH, _SHORTCUTS, "version")
        finally:
            bus.close()

    with contextlib.suppress(SourceGone):
        told, version = asyncio.run(ask())
        return isinstance(told, list) and "actions" in told, isinstance(version, int) and version > 0
    return False, False
