"""Decides when the next picture of the screen is due. Pure: it is told what happens, and reads no clock.

Nothing is due while nothing was painted. While input flows at most `active_fps`, otherwise `passive_fps`, half of
both on battery; and the first paint after a click, a switch or a new window does not wait for its turn.
"""

from storage.clock import NS_PER_S
from storage.settings import CaptureSettings

PAINT_NS = 60_000_000
"""A first paint is given this long to become a whole one; a guess."""

LEAST_NS = 100_000_000
"""However much happens, pictures are this far apart."""

PROMPT_NS = NS_PER_S
"""How long after a click, a switch or a new window a paint still counts as its answer."""


class FrameScheduler:
    """Knows when a picture was last taken, when something was painted, and when somebody did something."""

    def __init__(self, settings: CaptureSettings) -> None:
        """Take the rates; the first picture is due at once."""
        self._active_ns = round(NS_PER_S / settings.active_fps)
        self._passive_ns = round(NS_PER_S / settings.passive_fps)
        self._recent_ns = round(settings.input_recent_s * NS_PER_S)
        self._input_ns: int | None = None
        self._taken_ns: int | None = None
        self._painted_ns: int | None = None
        self._prompt_ns: int | None = None
        self.on_battery = False

    def painted(self, now_ns: int) -> None:
        """Something was painted, or uncovered."""
        if self._painted_ns is None:
            self._painted_ns = now_ns

    def input(self, t_ns: int) -> None:
        """Somebody did something."""
        self._input_ns = t_ns

    def prompt(self, t_ns: int) -> None:
        """Somebody clicked, or a window appeared or came to the front: what follows is worth seeing soon."""
        self._prompt_ns = t_ns

    def taken(self, t_ns: int, *, changed: bool) -> None:
        """A picture was taken; if it showed a change and came late enough, that was the one worth seeing soon."""
        self._taken_ns, self._painted_ns = t_ns, None
        if changed and self._prompt_ns is not None and t_ns >= self._prompt_ns + PAINT_NS:
            self._prompt_ns = None

    def flows(self, now_ns: int) -> bool:
        """Tell whether input flows."""
        return self._input_ns is not None and now_ns - self._input_ns <= self._recent_ns

    def due_ns(self, now_ns: int) -> int | None:
        """Return when the next picture is due; None while nothing was painted."""
        if self._painted_ns is None:
            return None
        if self._taken_ns is None:
            return self._painted_ns
        if self._prompt_ns is not None and now_ns - self._prompt_ns <= PROMPT_NS:
            return max(self._painted_ns + PAINT_NS, self._prompt_ns + PAINT_NS, self._taken_ns + LEAST_NS)
        interval_ns = self._active_ns if self.flows(now_ns) else self._passive_ns
        return max(self._painted_ns + PAINT_NS, self._taken_ns + interval_ns * (2 if self.on_battery else 1))
