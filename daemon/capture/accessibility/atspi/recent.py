"""What a program said or was asked a moment ago, so that storms of signals cost few questions. Pure."""

from collections import OrderedDict, deque
from collections.abc import Hashable

from daemon.capture.control_source import Control
from storage.clock import NS_PER_S
from storage.records import ControlRole, ControlState

BURST = 12
BURST_NS = NS_PER_S // 4
"""More than `BURST` controls that show within this time are a window that appears."""

APPEARING_NS = NS_PER_S
"""How long a window with many controls goes on to appear, and is not asked what else it shows."""

RESTLESS = 5
RESTLESS_NS = 12 * NS_PER_S
"""A control that changes its name this often in this time only counts something."""

ECHO_NS = NS_PER_S // 4
FLOOD_PER_S = 300
QUIET_NS = 10 * NS_PER_S
_KEPT = 300


class Restless:
    """Recognizes controls that change all the time."""

    def __init__(self) -> None:
        self._changes: OrderedDict[Hashable, deque[int]] = OrderedDict()

    def is_restless(self, key: Hashable, now_ns: int) -> bool:
        """Note a change, and return whether there have been too many lately."""
        times = self._changes.setdefault(key, deque(maxlen=RESTLESS))
        self._changes.move_to_end(key)
        if len(self._changes) > _KEPT:
            self._changes.popitem(last=False)
        times.append(now_ns)
        return len(times) == RESTLESS and times[0] > now_ns - RESTLESS_NS


class Echoes:
    """Recognizes what was said a moment ago already."""

    def __init__(self, echo_ns: int = ECHO_NS) -> None:
        self._echo_ns = echo_ns
        self._heard: OrderedDict[Hashable, int] = OrderedDict()

    def is_echo(self, key: Hashable, now_ns: int) -> bool:
        """Note a thing, and return whether it came a moment ago."""
        before_ns = self._heard.get(key)
        self._heard[key] = now_ns
        self._heard.move_to_end(key)
        if len(self._heard) > _KEPT:
            self._heard.popitem(last=False)
        return before_ns is not None and now_ns - before_ns < self._echo_ns

    def forget(self, key: Hashable) -> None:
        """Forget a thing: nothing came of it."""
        self._heard.pop(key, None)


class Flood:
    """Decides when to stop listening to everything but the rarest signals.

    `FLOOD_PER_S` signals may be looked at; those of a second in which none came may follow in the next: a thread
    that had no processor for a second has them all at once, and that is no flood.
    """

    def __init__(self) -> None:
        self._seen_ns: int | None = None
        self._left = float(FLOOD_PER_S)
        self._until_ns = 0
        self._dropped = 0

    def add(self, now_ns: int) -> bool:
        """Count a signal; return whether it may be looked at."""
        before_ns = self._seen_ns if self._seen_ns is not None else now_ns
        self._left = min(2.0 * FLOOD_PER_S, self._left + (now_ns - before_ns) * FLOOD_PER_S / NS_PER_S)
        self._seen_ns = now_ns
        if self._left < 1.0:
            self._until_ns = now_ns + QUIET_NS
            self._dropped += 1
            return False
        self._left -= 1.0
        return True

    def is_on(self, now_ns: int) -> bool:
        """Return whether only the rarest signals should be listened to."""
        return now_ns < self._until_ns

    def take_dropped(self) -> int:
        """Return how many signals were not looked at since the last call."""
        dropped, self._dropped = self._dropped, 0
        return dropped


RECENT_NS = 3 * NS_PER_S // 2
"""How long what was said of a control counts."""

PLACE_NS = 10 * NS_PER_S
"""The same of a place: a sheet gets the keyboard back after each cell that is typed into."""

PLACES = frozenset({ControlRole.OTHER, ControlRole.DOCUMENT, ControlRole.WINDOW})
"""Roles of what holds controls and has no state of its own."""

_MAX_CONTROLS = 32


class KnownControls:
    """The last few controls, by their objects."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[Control, int]] = OrderedDict()

    def add(self, control: Control, now_ns: int) -> Control:
        """Note what a program has just said of a control, and return it."""
        self._known[control.key] = control, now_ns
        self._known.move_to_end(control.key)
        if len(self._known) > _MAX_CONTROLS:
            self._known.popitem(last=False)
        return control

    def find(self, key: Hashable, now_ns: int, role: ControlRole | None = None) -> Control | None:
        """Return a control that was asked about lately, with that role; without one only if it has no state."""
        control, known_ns = self._known.get(key, (None, 0))
        if control is None or role not in {None, control.role}:
            return None
        if role is None and control.state is not ControlState.PLAIN:
            return None
        lasts_ns = PLACE_NS if control.role in PLACES else RECENT_NS
        return control if now_ns - known_ns <= lasts_ns else None

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()
