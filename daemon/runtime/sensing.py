"""Whether anything may be captured: keeps the reasons for which the gate is closed, and the timer of a pause.

Closing takes effect in the caller's own thread, so that nothing is captured once the call has returned; the record of
it and the timer follow in the core's thread. Every reason counts its requests, and a request to open counts only if
nobody asked to close for the same reason since.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from enum import Enum, auto

from daemon.gate import Gate
from storage.clock import NS_PER_S, Clock
from storage.records import Switch, SwitchName


class Reason(Enum):
    """Why the gate is closed."""

    STARTING = auto()
    PAUSED = auto()
    PRIVATE = auto()
    REVOKED = auto()
    QUITTING = auto()


class SensingControl:
    """Closes and opens the gate; it is open while no reason is left."""

    def __init__(
        self, clock: Clock, *, call: Callable[[Callable[[], object]], None], submit: Callable[[Switch], None]
    ) -> None:
        """Start closed.

        `call` runs an action in the core's thread, soon or at once; `submit` takes the record of a switch there.
        """
        self.gate = Gate()
        self.paused_until_wall_ns: int | None = None
        self._clock = clock
        self._call = call
        self._submit = submit
        self._reasons = {Reason.STARTING}
        self._requests: Counter[Reason] = Counter()
        self._lock = threading.Lock()
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
        """Pause for so long, or until `resume`. Nothing is captured once this has returned."""
        request = self.close(Reason.PAUSED)
        self._call(lambda: self._apply_pause(seconds, request))

    def resume(self) -> None:
        """End a pause."""
        request = self._requests[Reason.PAUSED]
        self._call(lambda: self._end_pause(request, by="person"))

    def set_private(self, on: bool) -> None:
        """Turn private time on or off. Nothing is captured once `set_private(True)` has returned."""
        request = self.close(Reason.PRIVATE) if on else self._requests[Reason.PRIVATE]
        self._call(lambda: self._apply_private(on, request))

    # ------------------------------------------------------------ in the core's thread

    def open(self, reason: Reason, request: int | None = None) -> None:
        """Take a reason away, unless it was given again after `request`; the gate opens when none is left."""
        with self._lock:
            if request in (None, self._requests[reason]):
                self._reasons.discard(reason)
                if not self._reasons:
                    self.gate.open()

    def _apply_pause(self, seconds: float | None, request: int) -> None:
        self._cancel_timer()
        if seconds is not None:
            self.paused_until_wall_ns = self._clock.wall_ns() + round(seconds * NS_PER_S)
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, lambda: self._end_pause(request, by="timer"))
        self._close_again(Reason.PAUSED)
        self._submit(Switch(name=SwitchName.PAUSED, on=True, by="person"))

    def _end_pause(self, request: int, *, by: str) -> None:
        if request != self._requests[Reason.PAUSED]:
            return  # paused again since
        self._cancel_timer()
        self._submit(Switch(name=SwitchName.PAUSED, on=False, by=by))
        self.open(Reason.PAUSED, request)

    def _apply_private(self, on: bool, request: int) -> None:
        if on:
            self._close_again(Reason.PRIVATE)
        elif request != self._requests[Reason.PRIVATE]:
            return  # private again since
        self._submit(Switch(name=SwitchName.PRIVATE, on=on, by="person"))
        if not on:
            self.open(Reason.PRIVATE, request)

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
