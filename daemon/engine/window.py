"""The rolling window: cuts frames and input into windows, and windows into nested prefixes (GUIDE 4.1).

It reads no clock: every method gets the time. A window opens with input, never with screen change alone, and idle time
never closes it early, because a pause is evidence.
"""

from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.records import ClosedBy, Window
from storage.settings import WindowSettings

FRACTIONS = (0.25, 0.5, 0.75, 1.0)  # where prefixes end, as fractions of the planned length


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixBounds:
    """The span and the frames of a prefix; the engine adds the features."""

    window_id: int
    fraction: float
    start_ns: int
    end_ns: int
    slots: tuple[int, ...]
    truncated: bool
    app: str


class RollingWindow:
    """The open window, if any, with the frames for its slots."""

    def __init__(self, settings: WindowSettings) -> None:
        self._planned_ns = round(settings.planned_s * NS_PER_S)
        self._slots = settings.slots
        self._away_ns = round(settings.away_s * NS_PER_S)
        self._next_id = 1
        self._open = False
        self._start_ns = 0
        self._app = ""
        self._events = 0
        self._done = 0
        self._frames: list[tuple[int, int]] = []
        self._before: tuple[int, int] | None = None
        self._last_input_ns: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether a window is open."""
        return self._open

    @property
    def due_ns(self) -> int | None:
        """When the next prefix of the open window ends; None while no window is open."""
        return self._start_ns + self._length_ns(FRACTIONS[self._done]) if self._open else None

    def add_frame(self, seq: int, at_ns: int) -> None:
        """Note a frame: the picture of every slot from now until the next frame.

        Of the frames between two slots only the last is stored, since no slot can show the others.
        """
        if self._open:
            if self._frames and self._slot_of(self._frames[-1][0]) == self._slot_of(at_ns):
                self._frames.pop()
            self._frames.append((at_ns, seq))
        else:
            self._before = (at_ns, seq)

    def add_input(self, count: int, at_ns: int) -> None:
        """Count input events, without those in windows of ours."""
        self._last_input_ns = at_ns
        self._events += count

    def open(self, start_ns: int, app: str) -> None:
        """Open a window over work in `app`, unless one is open."""
        if self._open:
            return
        self._open, self._start_ns, self._app = True, start_ns, app
        self._events = 0
        self._done = 0
        self._frames = [] if self._before is None else [self._before]

    def next_prefix(self, now_ns: int) -> PrefixBounds | None:
        """Return the oldest prefix that has ended by `now_ns` and was not returned yet, else None."""
        due_ns = self.due_ns
        if due_ns is None or due_ns > now_ns:
            return None
        fraction = FRACTIONS[self._done]
        self._done += 1
        return self._bounds(fraction, due_ns, truncated=False)

    def close_full(self) -> Window | None:
        """Close the window if its last prefix was returned; the next begins at once unless the person is away."""
        if not self._open or self._done < len(FRACTIONS):
            return None
        end_ns = self._start_ns + self._planned_ns
        closed = self._close(end_ns, ClosedBy.FULL)
        if self._last_input_ns is not None and end_ns - self._last_input_ns < self._away_ns:
            self.open(end_ns, closed.app)
        return closed

    def close_early(self, now_ns: int, by: ClosedBy) -> tuple[PrefixBounds, Window] | None:
        """Close the open window before its planned end; its last prefix is truncated. None if none is open."""
        if not self._open:
            return None
        bounds = self._bounds(1.0, now_ns, truncated=True)
        return bounds, self._close(now_ns, by)

    def _bounds(self, fraction: float, end_ns: int, *, truncated: bool) -> PrefixBounds:
        return PrefixBounds(
            window_id=self._next_id,
            fraction=fraction,
            start_ns=self._start_ns,
            end_ns=end_ns,
            slots=self._sample(end_ns),
            truncated=truncated,
            app=self._app,
        )

    def _sample(self, end_ns: int) -> tuple[int, ...]:
        """Return the frame on screen at the end of each slot up to `end_ns`, without repetitions."""
        chosen: list[int] = []
        frames = iter(self._frames)
        ahead = next(frames, None)
        current: int | None = None
        for slot in range(1, self._slots + 1):
            at_ns = self._start_ns + self._planned_ns * slot // self._slots
            if at_ns > end_ns:
                break
            while ahead is not None and ahead[0] <= at_ns:
                current = ahead[1]
                ahead = next(frames, None)
            if current is not None and (not chosen or chosen[-1] != current):
                chosen.append(current)
        return tuple(chosen)

    def _close(self, end_ns: int, by: ClosedBy) -> Window:
        inside = [(at_ns, seq) for at_ns, seq in self._frames if at_ns >= self._start_ns]
        closed = Window(
            window_id=self._next_id,
            start_ns=self._start_ns,
            end_ns=end_ns,
            planned_ns=self._planned_ns,
            frames=tuple(seq for _, seq in inside),
            events=self._events,
            closed_by=by,
            app=self._app,
        )
        if self._frames:
            self._before = self._frames[-1]
        self._next_id += 1
        self._open = False
        self._frames = []
        return closed

    def _length_ns(self, fraction: float) -> int:
        return round(self._planned_ns * fraction)

    def _slot_of(self, at_ns: int) -> int:
        return (at_ns - self._start_ns) * self._slots // self._planned_ns
