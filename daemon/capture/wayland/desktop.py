"""The Wayland backend: put together from what the compositor offers, looked for and never concluded from a name.

Pixels are taken only where every window that they may show is listed by the compositor itself. Everywhere else there
are none: what programs say to the accessibility bus, if the person chose that, and whether somebody is at work.
"""

import contextlib
import os
import select
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

# ruff: noqa: E402  # type checkers must know the platform before the imports: elsewhere these modules hold nothing
assert sys.platform == "linux"  # noqa: S101  # nothing else has a compositor of this kind

from daemon.capture.backend import CaptureBackend, MayAsk
from daemon.capture.input import InputQueue
from daemon.capture.scene import DesktopWindow, Monitor, Scene
from daemon.capture.wayland.capabilities import NO_PIXELS, SILENT_SWAY, SWAY, with_interface
from daemon.capture.wayland.connection import WaylandConnection
from daemon.capture.wayland.idle import IdleNotice, offers_idle
from daemon.capture.wayland.programs import ProgramWindows
from daemon.capture.wayland.screencopy import ScreencopyFrames, offers_frames
from daemon.capture.wayland.sway import SwayWindows
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.records import Box

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels
    from daemon.capture.x11.xwayland import XWaylandPopups


class WaylandBackend(CaptureBackend):
    """Captures the session of a compositor: with pixels where its windows are known, else without."""

    def __init__(self, clock: Clock, env: Mapping[str, str] | None = None, may_ask: MayAsk | None = None) -> None:
        env = os.environ if env is None else env
        self.damaged, self.resized, self.locked = False, False, None
        self._clock = clock
        self._queue: InputQueue | None = None
        self._frames: ScreencopyFrames | None = None
        self._sway: SwayWindows | None = None
        self._popups: XWaylandPopups | None = None
        self._shown_popups: tuple[DesktopWindow, ...] = ()
        self._newest = Scene(t_ns=clock.now_ns())
        self._poll = select.epoll()
        self._connection = WaylandConnection(env, clock)
        self._programs = ProgramWindows(env, clock, may_ask or MayAsk())
        try:
            with contextlib.suppress(EnvironmentFault):
                self._sway = SwayWindows(env, clock, self._connection.compositor)
            if self._sway is not None and offers_frames(self._connection):
                self._frames = _frames(self._connection)
            self._popups = _popups(env, clock) if self._frames is not None else None
            tells_idle = offers_idle(self._connection)
            if tells_idle:
                IdleNotice(self._connection, self._note_presence)
        except EnvironmentFault:
            self.close()
            raise
        found = SWAY if self._frames is not None else NO_PIXELS
        if self._sway is None and env.get("SWAYSOCK"):
            found = SILENT_SWAY
        self.capabilities = with_interface(found, env, tells_idle=tells_idle)
        self.damaged = self._frames is not None
        for source in (self._connection, self._sway, self._programs, self._popups):
            if source is not None:
                self._poll.register(source.fileno(), select.EPOLLIN)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when any of the parts has something."""
        return self._poll.fileno()

    def has_unread(self) -> bool:
        """Return False: each part reads all that has arrived."""
        return False

    def read(self) -> None:
        """Take in what has arrived from all parts."""
        self._connection.read()
        if self._frames is not None:
            if self._connection.changed and self._frames.follow_outputs():
                self.resized = True
            self._frames.note_arrived()
            self.damaged = self._frames.damaged
        if self._sway is not None:
            self._sway.read()
        self._programs.read()
        if self._popups is not None:
            self._popups.read()

    def sync(self) -> None:
        """Take in everything that happened before this call, and ask for the windows: moves are told by no event."""
        self._connection.round_trip()
        if self._sway is not None:
            self._sway.read()
            self._sway.refresh()
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
        listed = self._sway.take_scenes() if self._sway is not None else ()  # taken in any case, or it would pile up
        scenes = list(listed if self._sway is not None and self._frames is not None else told)
        popups = self._popups.popups if self._popups is not None else ()
        if popups != self._shown_popups:
            self._shown_popups = popups
            scenes = scenes or [replace(self._newest, t_ns=self._clock.now_ns())]
        self._newest = scenes[-1] if scenes else self._newest
        return tuple(replace(scene, windows=(*scene.windows, *popups)) for scene in scenes)

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
        """Return the middle of the first monitor: nobody tells where the pointer is."""
        box = self.monitors()[0].box if self.monitors() else Box(0, 0, 0, 0)
        return box.x + box.w // 2, box.y + box.h // 2

    def grab(self, box: Box) -> "Pixels":
        """Return a fresh picture of a rectangle of the desktop."""
        if self._frames is None:
            raise EnvironmentFault("this desktop gives no pictures", code="screen_unreadable")
        return self._frames.grab(box)

    def start_input(self, queue: InputQueue) -> None:
        """Pass on that somebody is at work, and what programs tell of typing."""
        self._queue = queue
        self._programs.start_typing(queue)

    def close(self) -> None:
        """End all parts."""
        self._programs.close()
        for part in (self._poll, self._sway, self._popups, self._connection):
            if part is not None:
                part.close()

    def _note_presence(self, is_active: bool) -> None:
        if self._queue is not None:
            self._queue.presence(active=is_active)


def _frames(connection: WaylandConnection) -> ScreencopyFrames | None:
    """Return what reads pixels; None where a screen is turned, or there is none."""
    with contextlib.suppress(EnvironmentFault):
        frames = ScreencopyFrames(connection)
        frames.follow_outputs()
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
