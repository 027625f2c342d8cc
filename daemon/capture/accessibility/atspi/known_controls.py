"""Controls of one program that were asked about a moment ago: click, focus and choice say the same of one thing.

Pure, in memory alone, and small.
"""

from collections import OrderedDict
from collections.abc import Hashable

from daemon.capture.accessibility.source import Control
from storage.clock import NS_PER_S
from storage.records import ControlRole, ControlState

RECENT_NS = 3 * NS_PER_S // 2
"""So long what was said of a control counts."""

PLACE_NS = 10 * NS_PER_S
"""The same of a place: a sheet gets the keyboard back after each cell that is typed into."""

PLACES = frozenset({ControlRole.OTHER, ControlRole.DOCUMENT, ControlRole.WINDOW})
"""Roles of what holds controls and has no state of its own."""

_MAX = 32


class KnownControls:
    """The last few controls, by their objects."""

    def __init__(self) -> None:
        """Know none."""
        self._known: OrderedDict[Hashable, tuple[Control, int]] = OrderedDict()

    def add(self, control: Control, now_ns: int) -> Control:
        """Note what a program has just said of a control, and return it."""
        self._known[control.key] = control, now_ns
        self._known.move_to_end(control.key)
        if len(self._known) > _MAX:
            self._known.popitem(last=False)
        return control

    def find(self, key: Hashable, now_ns: int, role: ControlRole | None = None) -> Control | None:
        """Return a control that was asked about a moment ago; with a role only if it still has that.

        Without a role it must have no state: that may be another by now.
        """
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
