"""Filters input by the zones of the fence: drops and counts what is in a closed zone, marks what is in our windows.

Counts are reported late and rounded up, because an exact one would give away how long a password is.
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.capture.fence.rules import KeyAccess, Zones
from daemon.capture.scene import contains
from storage.clock import NS_PER_S
from storage.records import PRESENCE, Dropped, EventKind, InputEvent

REPORT_NS = 10 * NS_PER_S
STEP = 10


class InputFilter:
    """Keeps which buttons went down outside closed zones, and how much was dropped."""

    def __init__(self) -> None:
        self._down: set[str | None] = set()
        self._counts: dict[str, int] = {}
        self.due_ns: int | None = None
        """When drops should be reported."""

    def apply(self, events: Sequence[InputEvent], zones: Zones, now_ns: int) -> list[InputEvent]:
        """Return the events that are allowed, given all that was closed at any moment while they came."""
        allowed = []
        for event in events:
            is_key = event.kind in (EventKind.KEY, EventKind.PROTECTED)
            passed = self._key(event, zones) if is_key else self._pointer(event, zones)
            if passed is not None:
                allowed.append(passed)
                continue
            unknown = is_key and zones.keys is KeyAccess.UNKNOWN
            reason = "unknown_windows" if unknown else "excluded"
            self._counts[reason] = self._counts.get(reason, 0) + event.count
            if self.due_ns is None:
                self.due_ns = now_ns + REPORT_NS
        return allowed

    def dropped(self, now_ns: int, *, final: bool = False) -> list[Dropped]:
        """Return the records of drops that are due by now, or all of them if `final`."""
        if self.due_ns is None or (now_ns < self.due_ns and not final):
            return []
        self.due_ns = None
        counts, self._counts = self._counts, {}
        return [Dropped(what="input", count=-(-n // STEP) * STEP, reason=reason) for reason, n in counts.items()]

    def clear(self) -> None:
        """Reset which buttons are down: releases may have been missed."""
        self._down.clear()

    def _key(self, event: InputEvent, zones: Zones) -> InputEvent | None:
        if zones.keys >= KeyAccess.UNKNOWN:
            return None
        return replace(event, own=True) if zones.keys is KeyAccess.OWN else event

    def _pointer(self, event: InputEvent, zones: Zones) -> InputEvent | None:
        x, y = event.x, event.y
        if event.kind in PRESENCE:
            return event
        if x is None or y is None:  # it may have been in any window that is there
            is_closed, is_own = bool(zones.covered) or zones.keys >= KeyAccess.UNKNOWN, zones.keys is KeyAccess.OWN
        else:
            is_closed, is_own = contains(zones.covered, x, y), contains(zones.own, x, y)
        if is_closed:
            if event.kind is EventKind.BUTTON_UP and event.button in self._down:
                self._down.discard(event.button)
                return replace(event, x=None, y=None)  # a press outside the zone must not seem to last for ever
            return None
        if event.kind is EventKind.BUTTON_DOWN:
            self._down.add(event.button)
        elif event.kind is EventKind.BUTTON_UP:
            self._down.discard(event.button)
        return replace(event, own=True) if is_own else event
