"""A decision point whose outcomes are still coming: what is counted in the 300 s after it.

From estimates and input alone, never from the state of the policy, which an accepted offer resets.
"""

import msgspec

from participant.documents.rows import OUTCOME_S, Outcomes, PointRow, Response
from storage.clock import NS_PER_S
from storage.records import EventKind, InputEvent, KeyClass

SPAN_NS = OUTCOME_S * NS_PER_S
NOTHING_YET = Outcomes(watched_s=0, need=None, recovered=None, active_s=0, undos=0)
RECOVERED_BELOW = 0.5
PLACES = 4
"""Decimal places of what was estimated."""

_MAX_WAIT_S = 3600.0


def seconds_of(seconds: float) -> float:
    """Return how long something waited as a row holds it: to a tenth of a second, at most an hour."""
    return min(max(round(seconds, 1), 0.0), _MAX_WAIT_S)


class OpenPoint(msgspec.Struct, kw_only=True):
    """A point without its outcomes. Times are session time, and are moved when the next session takes over.

    `row` lacks outcomes and response. `decision_seq` is its decision while its session lasts, and `offer_id` the offer
    that it made while that is on the screen.
    """

    row: PointRow
    at_ns: int
    wall_ns: int
    decision_seq: int
    offer_id: str | None = None
    response: Response | None = None
    watched_ns: int = 0
    needs: float = 0.0
    prefixes: int = 0
    last_need: float | None = None
    last_prefix: str = ""
    active_s: int = 0
    last_second: int = -1
    undos: int = 0

    @property
    def end_ns(self) -> int:
        """When its outcomes end."""
        return self.at_ns + SPAN_NS

    def watch(self, since_ns: int, until_ns: int) -> None:
        """Count a stretch in which Kairos watched."""
        self.watched_ns += max(0, min(until_ns, self.end_ns) - max(since_ns, self.at_ns))

    def add_need(self, need: float, prefix_id: str) -> None:
        """Count an estimate; a later one of the same prefix, with a model's answer, takes its place."""
        if prefix_id == self.last_prefix and self.last_need is not None:
            self.needs -= self.last_need
        else:
            self.prefixes += 1
        self.needs += need
        self.last_need, self.last_prefix = need, prefix_id

    def add_input(self, event: InputEvent) -> None:
        """Count an input event of the person's."""
        second = (event.at_ns - self.at_ns) // NS_PER_S
        if second != self.last_second and self.active_s < OUTCOME_S:
            self.active_s += 1
            self.last_second = second
        if event.kind is EventKind.KEY and event.key_class is KeyClass.UNDO:
            self.undos += event.count

    def finished(self) -> PointRow:
        """Return the row with all that came."""
        need = None if self.last_need is None else round(min(max(self.needs / self.prefixes, 0.0), 1.0), PLACES)
        outcomes = Outcomes(
            watched_s=round(self.watched_ns / NS_PER_S),
            need=need,
            recovered=None if self.last_need is None else self.last_need < RECOVERED_BELOW,
            active_s=self.active_s,
            undos=self.undos,
        )
        return msgspec.structs.replace(self.row, outcomes=outcomes, response=self.response)
