"""What capture needs to know of a desktop, as plain values and one Protocol that an adapter per platform fills.

X11 has one (`daemon.capture.x11.desktop`). A Wayland session has none, even where XWayland offers a DISPLAY: through it
the screen is black and most windows do not exist, so taking it would record nonsense as truth.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from storage.clock import Clock, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box

REMEDY = (
    "Kairos can watch an X11 session only, for now. What needs no running Kairos works all the same: kairos --help; "
    "to see it watch a virtual desktop here: kairos demo"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopWindow:
    """A mapped top-level window with its decorations.

    `xid` names what is on the screen (the window manager's frame), `client` the program's own window. `group` is the
    same for all windows of one connected program. `app` and `instance` are None until the program has named itself.
    `opaque` is false where anything below might show through. `since_ns` is when it appeared.
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
    """One state that the windows of the desktop were in.

    `windows` go from the bottom to the top; `hidden` are clients that exist and are not on the screen. `active` is the
    client that the window manager calls active (0: none), `focused` are clients that hold the keyboard as the server
    itself tells. `managed` says whether a window manager tells `active` at all. `compositor` means that any window
    but the active one may be drawn see-through.
    """

    t_ns: int
    windows: tuple[DesktopWindow, ...] = ()
    hidden: frozenset[int] = field(default_factory=frozenset)
    active: int = 0
    focused: frozenset[int] = field(default_factory=frozenset)
    managed: bool = True
    compositor: bool = False


def intersection(one: Box, other: Box) -> Box | None:
    """Return what two boxes share, or None."""
    left, top = max(one.x, other.x), max(one.y, other.y)
    right, bottom = min(one.x + one.w, other.x + other.w), min(one.y + one.h, other.y + other.h)
    return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """A monitor and its place on the desktop."""

    name: str
    box: Box


class DesktopGone(EnvironmentFault):
    """The connection to the desktop broke."""


class Desk(Protocol):
    """A connection to a desktop, used by one thread."""

    damaged: bool
    """Whether anything was painted since the last `take_damage`."""

    resized: bool
    """Whether monitors changed since this was last set to False."""

    latin_changed: bool
    """Whether the keyboard layout changed since this was last set to False."""

    locked: bool | None
    """Whether the screen is locked or blanked; None where that cannot be told."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when something happens."""
        ...

    def read(self) -> None:
        """Take in what has arrived, without a round trip.

        Raises:
            DesktopGone: the connection broke.
        """
        ...

    def sync(self) -> None:
        """Take in everything that happened on the desktop before this call.

        Raises:
            DesktopGone: the connection broke.
        """
        ...

    def server_ms(self) -> int:
        """Do what `sync` does, and return the time that events of now are stamped with: 32 bits of milliseconds.

        Raises:
            DesktopGone: the connection broke.
        """
        ...

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first; empty if nothing changed."""
        ...

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call, everything painted before this one included.

        Raises:
            DesktopGone: the connection broke.
        """
        ...

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; asks the desktop only after a change."""
        ...

    def pointer(self) -> tuple[int, int]:
        """Ask where the pointer is."""
        ...

    def latin_letters(self) -> Mapping[int, str]:
        """Ask which Latin letter lies on the key of each key symbol, for shortcuts on other layouts."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


def open_desk(clock: Clock | None = None, env: Mapping[str, str] | None = None) -> Desk:
    """Connect to the desktop of this session.

    Args:
        clock: session time, which stamps every state; the real one if None.
        env: the environment that tells which kind of session this is; the process's own if None.

    Raises:
        EnvironmentFault: there is no desktop here that can be watched; says what works all the same.
    """
    missing = why_not(env if env is not None else os.environ)
    if missing:
        raise EnvironmentFault(missing, remedy=REMEDY, code="no_display")
    from daemon.capture.x11.desktop import X11Desktop

    return X11Desktop(clock or SystemClock())


def why_not(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return why this session cannot be watched, in one sentence; empty if it may be tried."""
    if platform == "win32":
        return "watching the screen is not built for Windows yet"
    if platform == "darwin":
        return "watching the screen is not built for macOS yet"
    kind = env.get("XDG_SESSION_TYPE", "").lower()
    if kind == "wayland" or (kind != "x11" and env.get("WAYLAND_DISPLAY")):
        return "this is a Wayland session, where a program may not watch the screen or the input of others"
    if not env.get("DISPLAY"):
        return "there is no display: DISPLAY is not set"
    return ""
