"""Decides when the next picture of the screen is due. Pure: it is given events and times, and reads no clock.

Nothing is due while nothing was painted. While input is active at most `active_fps`, otherwise `passive_fps`, half of
both on battery; and the first paint after a click, a switch or a new window does not wait for its turn.
"""

from storage.clock import NS_PER_S
from storage.settings import CaptureSettings

PAINT_NS = 60_000_000
"""Time given to a paint to complete; a guess."""

MIN_INTERVAL_NS = 100_000_000
"""However much happens, pictures are this far apart."""

ANSWER_NS = NS_PER_S
"""How long after a click, a switch or a new window a paint still counts as its answer."""


class FrameScheduler:
    """Knows when a picture was last taken, when something was painted, and when there was input."""

    def __init__(self, settings: CaptureSettings) -> None:
        """Take the rates; the first picture is due at once."""
        self._active_ns = round(NS_PER_S / settings.active_fps)
        self._passive_ns = round(NS_PER_S / settings.passive_fps)
        self._recent_ns = round(settings.input_recent_s * NS_PER_S)
        self._input_ns: int | None = None
        self._frame_ns: int | None = None
        self._painted_ns: int | None = None
        self._cause_ns: int | None = None
        self.on_battery = False

    def note_paint(self, now_ns: int) -> None:
        """Take in that something was painted, or uncovered."""
        if self._painted_ns is None:
            self._painted_ns = now_ns

    def note_input(self, t_ns: int) -> None:
        """Take in an input event."""
        self._input_ns = t_ns

    def expect_answer(self, t_ns: int) -> None:
        """Take in a click, or a window that appeared or came to the front: what follows is due soon."""
        self._cause_ns = t_ns

    def note_frame(self, t_ns: int, *, changed: bool) -> None:
        """Take in that a picture was taken; if it shows a change and came late enough, it was the answer expected."""
        self._frame_ns, self._painted_ns = t_ns, None
        if changed and self._cause_ns is not None and t_ns >= self._cause_ns + PAINT_NS:
            self._cause_ns = None

    def is_input_active(self, now_ns: int) -> bool:
        """Return whether there was input recently."""
        return self._input_ns is not None and now_ns - self._input_ns <= self._recent_ns

    def due_ns(self, now_ns: int) -> int | None:
        """Return when the next picture is due; None while nothing was painted."""
        if self._painted_ns is None:
            return None
        if self._frame_ns is None:
            return self._painted_ns
        if self._cause_ns is not None and now_ns - self._cause_ns <= ANSWER_NS:
            return max(self._painted_ns + PAINT_NS, self._cause_ns + PAINT_NS, self._frame_ns + MIN_INTERVAL_NS)
        interval_ns = self._active_ns if self.is_input_active(now_ns) else self._passive_ns
        return max(self._painted_ns + PAINT_NS, self._frame_ns + interval_ns * (2 if self.on_battery else 1))
