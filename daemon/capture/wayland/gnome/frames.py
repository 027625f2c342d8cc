"""GNOME's pictures: what its portal sends, looked at only where the list of windows is surely of the same moment.

The shell sends a picture when it has painted. One is looked at only if it was made after the last change of the list,
and the list was asked for again after it had come: so the list says where everything in it is. Else another picture is
asked for, and until it comes none is looked at. While nothing may be captured there is no session with the portal, so
no sign in the panel; while all of a screen is hidden no picture is sent.
"""

import contextlib
import select
import sys
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

assert sys.platform == "linux"  # nothing else has it

from daemon.capture.backend import NotNow, Wakeup
from daemon.capture.scene import Monitor, intersection
from daemon.capture.source_thread import SourceGone
from daemon.capture.wayland.gnome.pipewire import PictureStream, PipeWireLink
from daemon.capture.wayland.gnome.portal import PortalProcess, SharedScreens, ShareEnd
from daemon.capture.wayland.gnome.windows import GnomeWindows
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault
from storage.records import Box
from storage.state.pictures import PicturePermission

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels

PATIENCE_NS = NS_PER_S // 10
"""How long a picture is waited for that was made after the last change of the list."""

LAST_WORD_S = 1.0
"""How long the portal's word is waited for once a stream has ended, which may be known earlier; a guess."""


class GnomeFrames:
    """The pictures of all monitors that somebody has allowed. `EnvironmentFault` where they end."""

    def __init__(
        self,
        env: Mapping[str, str],
        clock: Clock,
        windows: GnomeWindows,
        connect: Callable[[int], PipeWireLink] = PipeWireLink,
    ) -> None:
        """Take the list of windows that goes with the pictures; nothing is asked for before `watch`."""
        self._env, self._clock, self._windows, self._connect = dict(env), clock, windows, connect
        self._permission = PicturePermission()
        self._poll = select.epoll()
        self._wakeup = Wakeup()
        self._poll.register(self._wakeup.fileno(), select.EPOLLIN)
        self._portal: PortalProcess | None = None
        self._pipewire: PipeWireLink | None = None
        self._streams: dict[Box, PictureStream] = {}
        self._beside: frozenset[Box] = frozenset()
        self._certain_ns: int | None = None
        self.damaged = True
        """Whether anything was painted since the last `take_damage`."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a picture has come."""
        return self._poll.fileno()

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors that are allowed, all of them before anybody was asked."""
        shared = [box for box in self._windows.monitors if box in self._streams or not self._streams]
        return tuple(Monitor(name=f"monitor {box.x},{box.y}", box=box) for box in shared)

    def watch(self, hidden: Collection[Box] | None) -> None:
        """Have pictures sent from now on, but of no monitor that is hidden whole; none at all where it is None."""
        if hidden is None or self._windows.locked:  # a shell that locks ends the session itself
            self._end()
        elif self._portal is None:
            try:
                self._portal = PortalProcess(self._env, self._permission.token or "")
            except OSError as fault:
                raise _unreadable() from fault
            self._poll.register(self._portal.fileno(), select.EPOLLIN)
        for box, stream in self._streams.items():
            stream.activate(on=not any(intersection(box, veil) == box for veil in hidden or ()))

    def note_arrived(self) -> bool:
        """Take in what has come; return whether pictures have begun."""
        if self._wakeup.clear():
            self.damaged = self.damaged or bool(self._streams)
        has_ended = any(stream.has_ended for stream in self._streams.values())
        if has_ended and self._portal is not None:  # if somebody ended it, that is a no
            select.select([self._portal], [], [], LAST_WORD_S)
        if self._streams and frozenset(self._windows.monitors) != self._beside:
            raise EnvironmentFault("the monitors have changed", code="screen_unreadable")
        try:
            told = self._portal.read() if self._portal is not None else None
            if isinstance(told, SharedScreens):
                self._begin(told)
            elif told is not None:
                self._note_end(told)
        except (SourceGone, OSError) as fault:
            raise _unreadable() from fault
        if has_ended and told is None:
            raise _unreadable()
        return isinstance(told, SharedScreens)

    def take_damage(self) -> tuple[Box, ...]:
        """Return where something was painted since the last call, and look at that; nowhere where it cannot be yet."""
        self._certain_ns, self.damaged = None, False
        active = {box: stream for box, stream in self._streams.items() if stream.is_active}
        end_ns, has_asked = self._clock.now_ns() + PATIENCE_NS, False
        while active:
            before = {box: stream.taken_ns for box, stream in active.items()}
            made = {box: stream.take() for box, stream in active.items()}
            self._windows.refresh()
            if min(made.values()) > self._windows.changed_ns:
                self._certain_ns = self._windows.changed_ns
                return tuple(box for box in active if made[box] != before[box])
            if not has_asked:
                self._windows.refresh(repaint=True)
                has_asked = True
            left_ns = end_ns - self._clock.now_ns()
            if left_ns <= 0:
                self.damaged = any(made.values())  # tried again at the next turn, if any ever came
                break
            select.select([self._wakeup], [], [], left_ns / NS_PER_S)
            self._wakeup.clear()
        return ()

    def grab(self, box: Box) -> "Pixels":
        """Return what the picture shows in a rectangle: shape (h, w, 4), BGRA.

        Raises:
            NotNow: where the windows in it are is not known for sure.
        """
        if self._certain_ns is None or self._certain_ns != self._windows.changed_ns:
            raise NotNow
        whole = next((whole for whole in self._streams if intersection(whole, box) == box), None)
        if whole is None:
            raise NotNow
        return self._streams[whole].pixels(Box(box.x - whole.x, box.y - whole.y, box.w, box.h), whole[2:])

    def close(self) -> None:
        """End the session."""
        self._end()
        self._wakeup.close()
        self._poll.close()

    def _begin(self, pictures: SharedScreens) -> None:
        self._beside = frozenset(self._windows.monitors)
        self._pipewire = pipewire = self._connect(pictures.file)
        self._streams = {Box(*place): pipewire.stream(node, self._wakeup.wake) for node, *place in pictures.nodes}
        if not self._beside >= self._streams.keys():
            raise EnvironmentFault("GNOME sends pictures of no known monitor", code="screen_unreadable")
        if pictures.token:
            with contextlib.suppress(OSError):  # asked again at the next start; now would be once a retry
                self._permission.save(pictures.token)

    def _note_end(self, why: ShareEnd) -> None:
        """Take in that somebody said no, or has ended it: that counts until they are asked again."""
        self._windows.refresh()
        if why is ShareEnd.CLOSED and (self._windows.locked or frozenset(self._windows.monitors) != self._beside):
            self._end()
            return
        if why is not ShareEnd.UNANSWERED:
            self._permission.save("")
        elif self._permission.token is None:
            self._permission.put_off()
        raise EnvironmentFault("pictures are not allowed", code="screen_unreadable")

    def _end(self) -> None:
        self._certain_ns, self._streams = None, {}
        if self._pipewire is not None:
            self._pipewire.close()
            self._pipewire = None
        if self._portal is not None:
            with contextlib.suppress(OSError):
                self._poll.unregister(self._portal.fileno())
            self._portal.close()
            self._portal = None


def _unreadable() -> EnvironmentFault:
    return EnvironmentFault("GNOME sends no pictures any more", code="screen_unreadable")
