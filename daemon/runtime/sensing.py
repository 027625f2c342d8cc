"""Whether anything may be captured: keeps the reasons for which the gate is closed, and the timer of a pause.

Closing takes effect in the caller's own thread, so that nothing is captured once the call has returned. By then a pause
and private time also stand in a file, so that a Kairos that was killed begins with them. The record of it and the
timer follow in the core's thread. Every reason counts its requests, and a request to open counts only if nobody asked
to close for the same reason since.
"""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from daemon.capture.gate import Gate
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault
from storage.records import Switch, SwitchName
from storage.state.markers import PAUSED, PRIVATE, Marker

logger = logging.getLogger(__name__)

PAUSE_CHECK_S = 15.0
"""A pause looks at the wall clock this often, because timers stand still while the machine is suspended."""

NO_END_NS = 0
"""The time in the file of a pause without an end."""


class Reason(Enum):
    """Why the gate is closed."""

    STARTING = auto()
    PAUSED = auto()
    PRIVATE = auto()
    REVOKED = auto()
    QUITTING = auto()
    PURGING = auto()


class SensingControl:
    """Closes and opens the gate; it is open while no reason is left."""

    def __init__(
        self,
        clock: Clock,
        *,
        folder: Path,
        call: Callable[[Callable[[], object]], None],
        submit: Callable[[Switch], None],
    ) -> None:
        """Start closed.

        A pause and private time are kept in `folder` for the next start. `call` runs an action in the core's thread,
        soon or at once; `submit` takes the record of a switch there.
        """
        self.gate = Gate()
        self.paused_until_wall_ns: int | None = None
        self._clock = clock
        self._call = call
        self._submit = submit
        self._reasons = {Reason.STARTING}
        self._requests: Counter[Reason] = Counter()
        self._markers = {Reason.PAUSED: Marker(folder / PAUSED), Reason.PRIVATE: Marker(folder / PRIVATE)}
        self._lock = threading.Lock()
        self._marker_lock = threading.Lock()
        self._timer: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------ from any thread

    def close(self, reason: Reason) -> int:
        """Close the gate; return the number of this request, by which `open` recognizes a later one."""
        with self._lock:
            self._requests[reason] += 1
            self._reasons.add(reason)
            self.gate.close()
            return self._requests[reason]

    def is_closed_for(self, reason: Reason) -> bool:
        """Tell whether this is a reason why the gate is closed."""
        return reason in self._reasons

    def pause(self, seconds: float | None) -> None:
        """Pause for so long, or until `resume`. Nothing is captured once this has returned, nor after a kill."""
        request = self.close(Reason.PAUSED)
        until_ns = None if seconds is None else self._clock.wall_ns() + round(seconds * NS_PER_S)
        self._keep(Reason.PAUSED, NO_END_NS if until_ns is None else until_ns)
        self._call(lambda: self._apply_pause(until_ns, request))

    def resume(self) -> None:
        """End a pause."""
        request = self._requests[Reason.PAUSED]
        self._call(lambda: self._end_pause(request, by="person"))

    def set_private(self, on: bool) -> None:
        """Turn private time on or off. Nothing is captured once `set_private(True)` has returned."""
        request = self.close(Reason.PRIVATE) if on else self._requests[Reason.PRIVATE]
        if on:
            self._keep(Reason.PRIVATE, self._clock.wall_ns())
        self._call(lambda: self._apply_private(on, request))

    def _keep(self, reason: Reason, wall_ns: int) -> None:
        """Keep for the next start why the gate is closed; where that fails it holds for as long as this one runs."""
        with self._marker_lock:
            try:
                self._markers[reason].set(wall_ns)
            except EnvironmentFault as fault:
                logger.error("nothing is captured, but the next start will not know why: %s", fault.what)  # noqa: TRY400  # expected, no bug

    # ------------------------------------------------------------ in the core's thread

    def restore(self) -> None:
        """Go on with the pause and the private time in which Kairos ended; before the first session.

        Raises:
            EnvironmentFault: the system does not say whether there are any.
        """
        if self._markers[Reason.PRIVATE].wall_ns() is not None:
            self._apply_private(True, self.close(Reason.PRIVATE))
        until_ns = self._markers[Reason.PAUSED].wall_ns()
        if until_ns is not None:
            self._apply_pause(None if until_ns == NO_END_NS else until_ns, self.close(Reason.PAUSED))

    def open(self, reason: Reason, request: int | None = None) -> None:
        """Take a reason away, unless it was given again after `request`; the gate opens when none is left."""
        with self._lock:
            if request in (None, self._requests[reason]):
                self._reasons.discard(reason)
                if not self._reasons:
                    self.gate.open()

    def _apply_pause(self, until_ns: int | None, request: int) -> None:
        self._cancel_timer()
        self.paused_until_wall_ns = until_ns
        self._close_again(Reason.PAUSED)
        self._submit(Switch(name=SwitchName.PAUSED, on=True, by="person"))
        if until_ns is not None:
            self._wait_for_end(until_ns, request)

    def _wait_for_end(self, until_ns: int, request: int) -> None:
        """End a pause when the wall clock says so, as it was announced, also after a suspend."""
        left_ns = until_ns - self._clock.wall_ns()
        if left_ns <= 0:
            self._end_pause(request, by="timer")
            return
        wait_s = min(left_ns / NS_PER_S, PAUSE_CHECK_S)
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._wait_for_end, until_ns, request)

    def _end_pause(self, request: int, *, by: str) -> None:
        if not self._discard(Reason.PAUSED, request):
            return  # paused again since
        self._cancel_timer()
        self._submit(Switch(name=SwitchName.PAUSED, on=False, by=by))
        self.open(Reason.PAUSED, request)

    def _apply_private(self, on: bool, request: int) -> None:
        if on:
            self._close_again(Reason.PRIVATE)
        elif not self._discard(Reason.PRIVATE, request):
            return  # private again since
        self._submit(Switch(name=SwitchName.PRIVATE, on=on, by="person"))
        if not on:
            self.open(Reason.PRIVATE, request)

    def _discard(self, reason: Reason, request: int) -> bool:
        """Keep a reason no longer for the next start; return False if it was given again after `request`."""
        with self._marker_lock:  # a later request sets the marker after this, an earlier one has set it already
            if request != self._requests[reason]:
                return False
            try:
                self._markers[reason].clear()
            except EnvironmentFault as fault:
                logger.error("the next start will capture nothing either: %s", fault.what)  # noqa: TRY400  # expected, no bug
            return True

    def _close_again(self, reason: Reason) -> None:
        """Close the gate for a request that was already counted: another may have opened it since."""
        with self._lock:
            self._reasons.add(reason)
            self.gate.close()

    def _cancel_timer(self) -> None:
        self.paused_until_wall_ns = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
