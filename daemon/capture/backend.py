"""What capture needs of a desktop: one Protocol for windows, pixels and input, and a table of the backends there are.

A new backend is one class, named by one line in `BACKENDS`. Which one is opened goes by what answers: an environment
variable may be of another session, and through XWayland the screen is black and most windows are missing.
"""

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from daemon.capture.scene import Monitor, Scene
from storage.capabilities import Capabilities
from storage.clock import Clock, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box, InputEvent

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels
    from daemon.capture.input import InputQueue

BACKENDS = {
    "x11": "daemon.capture.x11.desktop:X11Backend",
    "wayland": "daemon.capture.wayland.desktop:WaylandBackend",
}
"""Session type to the class that captures it, called with the clock; loaded only when such a session is opened."""

XWAYLAND = "xwayland"
"""Code of the fault that an X display is one inside of a Wayland session."""

_UNAVAILABLE = {
    "windows": "watching the screen is not built for Windows yet",
    "macos": "watching the screen is not built for macOS yet",
    "": "there is no display: DISPLAY is not set",
}
_REMEDY = (
    "Kairos can watch X11 and Wayland sessions only, for now. What needs no running Kairos works all the same: "
    "kairos --help; to see it watch a virtual desktop here: kairos demo"
)


_LIMITS = {
    "wayland": (
        "This is said to be a Wayland session, and its compositor does not answer. So Kairos cannot notice that you "
        "are stuck, offer help, point at a control or take a keyboard shortcut. Nothing was watched, and nothing is "
        "asked of you. What needs no running Kairos works here too: kairos --help."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MayAsk:
    """Whether programs may be asked now what windows they have, and which are excluded: where a desktop lists none."""

    now: Callable[[], bool] = lambda: False
    excluded: Callable[[], tuple[str, ...]] = tuple


class NotNow(EnvironmentFault):
    """No picture can be taken at this moment; `damaged` says when one can."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("no picture can be taken at this moment", code="screen_unreadable")


_ALL = 1 << 16
"""More than is ever written to wake a thread before it wakes."""


class CaptureBackend(Protocol):
    """One connection to a desktop, used by one thread; only input may come from threads of the backend's own.

    Every method raises `EnvironmentFault` if the connection broke; the capture thread then opens a new one.
    """

    capabilities: Capabilities
    """What there is on this desktop; what is missing is missing for as long as the connection lasts."""

    damaged: bool
    """Whether anything was painted since the last `take_damage`."""

    resized: bool
    """Whether monitors changed since the caller last set this to False."""

    locked: bool | None
    """Whether the screen is locked or blanked; None if unknown."""

    behind: bool
    """Whether more happened to windows than the last `read` had time for."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when something happens."""

    def has_unread(self) -> bool:
        """Return whether something has arrived that `read` will process and the descriptor says nothing of any more."""

    def read(self) -> None:
        """Process the events that have arrived, without a round trip; raise also if input no longer arrives."""

    def sync(self) -> None:
        """Process everything that happened on the desktop before this call, a new keyboard layout included."""

    def event_time_ms(self) -> int:
        """Do what `sync` does, and return the present time of the clock that stamps input: 32 bits of milliseconds."""

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return every state passed through since the last call, oldest first; empty if nothing changed."""

    def watch_painting(self, *, on: bool, inside: frozenset[int] = frozenset()) -> None:
        """Say in the states what was painted between them: on the screen if `on`, and `inside` windows (`xid`).

        It is cheap if that is so already, and may be left out for a while where too much is painted to follow.
        """

    def follow_damage(self, *, on: bool, hidden: Collection[Box] = ()) -> None:
        """Say from now on what is painted, but where it is hidden; it is cheap if that is so already.

        A backend that learns of painting by copying pixels must not copy those that are hidden, nor any while not `on`.
        """

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call, including everything painted before this one."""

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; queries the desktop only after a change."""

    def pointer(self) -> tuple[int, int]:
        """Return the position of the pointer."""

    @property
    def look_ns(self) -> int | None:
        """When to look again where the pointer is; None where its moves are told, or nobody is active."""
        return None

    def look_for_pointer(self) -> None:
        """Tell the queue where the pointer is now, once that is due."""
        return

    def with_places(self, events: "list[InputEvent]") -> "list[InputEvent]":
        """Return events that have just come with the place of the pointer, where they lack it and it can be had."""
        return events

    def grab(self, box: Box) -> "Pixels":
        """Return a fresh picture of a rectangle of the desktop: shape (h, w, 4), BGRA, A is padding.

        It is the caller's, to write on as well, until the next `take_damage`, which may overwrite it.

        Raises:
            NotNow: none can be taken at this moment.
        """

    def ask(self, box: Box) -> "Pixels":
        """Do what `grab` does, where that is cheaper without the picture, which is there once `sync` has returned."""
        return self.grab(box)

    def start_input(self, queue: "InputQueue") -> None:
        """Pass each key and pointer event on to `queue` if `queue.accepts` its time; return once events arrive."""

    def close(self) -> None:
        """End input and the connection; no error if it is broken."""


class Wakeup:
    """Wakes a thread that waits for its descriptor, from any other and at any time, even after `close`."""

    def __init__(self) -> None:
        self._waiting, self._waking = socket.socketpair()
        self._lock = threading.Lock()
        self._closed = False
        for end in (self._waiting, self._waking):
            end.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._waiting.fileno()

    def wake(self) -> None:
        """Wake the waiting thread."""
        with self._lock, contextlib.suppress(BlockingIOError):  # full: it is awake
            if not self._closed:
                self._waking.send(b"!")

    def clear(self) -> bool:
        """Reset it; return whether it was set since the last call."""
        try:
            return bool(self._waiting.recv(_ALL))
        except BlockingIOError:
            return False

    def close(self) -> None:
        """Close it; a second call changes nothing."""
        with self._lock:
            self._closed = True
            self._waiting.close()
            self._waking.close()

    def __del__(self) -> None:
        """Close it with its owner: a thread that never ran closes nothing."""
        self.close()


def session_type(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return which kind of desktop session an environment describes; empty if there is none."""
    if platform in ("win32", "darwin"):
        return "windows" if platform == "win32" else "macos"
    declared = env.get("XDG_SESSION_TYPE", "").lower()
    if declared == "wayland" or (declared != "x11" and env.get("WAYLAND_DISPLAY")):
        return "wayland"
    return "x11" if env.get("DISPLAY") else ""


def limits_of(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return in plain words what will not work in the session that an environment describes; empty: nothing."""
    return _LIMITS.get(session_type(env, platform), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedDesktop:
    """What came of trying a desktop: what there is, how many monitors were read, and the windows there were."""

    capabilities: Capabilities
    monitors: int
    scene: Scene


def try_desktop(clock: Clock) -> TriedDesktop:
    """Read a pixel of each monitor and begin to listen, as capture will; of those that may be asked for it nobody is.

    Raises:
        EnvironmentFault: one of it does not work.
    """
    from daemon.capture.gate import Gate
    from daemon.capture.input import InputQueue

    backend = open_backend(clock)
    try:
        read = 0
        for monitor in backend.monitors():
            with contextlib.suppress(NotNow):
                backend.grab(Box(monitor.box.x, monitor.box.y, 1, 1))
                read += 1
        backend.start_input(InputQueue(clock, Gate(), lambda: None, lambda _: None))
        backend.sync()
        scene = next(iter(reversed(backend.take_scenes())), Scene(t_ns=0))
    finally:
        backend.close()
    return TriedDesktop(capabilities=backend.capabilities, monitors=read, scene=scene)


def open_backend(
    clock: Clock | None = None, env: Mapping[str, str] | None = None, may_ask: MayAsk | None = None
) -> CaptureBackend:
    """Connect to the desktop of this session, or of the one that `env` describes.

    What the environment says comes first, and counts only if it answers: a variable may be left over from a session
    that is another one, or over.

    Raises:
        EnvironmentFault: there is no desktop here that can be captured; the remedy names what works without one.
    """
    env = env if env is not None else os.environ
    found = session_type(env)
    if found not in BACKENDS:
        raise EnvironmentFault(_UNAVAILABLE[found], remedy=_REMEDY, code="no_display")
    clock = clock or SystemClock()
    try:
        return _open(found, clock, may_ask)
    except EnvironmentFault as fault:
        other = "x11" if found == "wayland" else "wayland"
        if not (env.get("DISPLAY") if other == "x11" else fault.code == XWAYLAND):
            raise
        try:
            return _open(other, clock, may_ask)
        except EnvironmentFault:
            raise fault from None


def _open(kind: str, clock: Clock, may_ask: MayAsk | None) -> CaptureBackend:
    module, _, name = BACKENDS[kind].partition(":")
    made = getattr(import_module(module), name)
    backend: CaptureBackend = made(clock, may_ask=may_ask) if may_ask is not None and kind != "x11" else made(clock)
    return backend
