"""Which decisions of a policy are decision points of a study.

The policy decides at every estimate, thousands of times a day; most of that is idle and only counted (`DayRow.gates`).
A point is where an offer could have been made. The person was *available* where a lot was drawn, or certainty took its
place: an offer, or one that the arm withheld. They were *unavailable* where the policy called for an offer and a gate
stopped it; while that lasts there is one point for each gate every `OUTCOME_S`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from participant.documents.rows import OUTCOME_S, Category, Outcomes, PointRow, Response
from policies.arms import Call
from policies.gates import CLOSED_GATES, DROPPED, GATES_AFTER_EVIDENCE
from policies.gates.arm import ArmGate
from policies.sampling import NOT_SHOWN
from storage.clock import NS_PER_S
from storage.records import Decision, EventKind, InputEvent, KeyClass, Verdict

Action = Literal["offer", "withheld", "none"]

OTHER = "other"
"""Stands for a code that is not one of ours, as plugins bring them: it could be any text."""


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A decision point: what was done, and the gate that stopped an offer, None where the person was available."""

    action: Action
    gate: str | None = None


def moment_of(decision: Decision, call: Call, threshold: float, *, fresh: bool) -> DecisionPoint | None:
    """Return the decision point that a decision is, or None.

    `fresh`: whether it was made on a new estimate. The gates before the evidence stop a decision without looking at it;
    only with a new estimate is it known to be of this application and of now.
    """
    if decision.verdict is Verdict.OFFER:
        return DecisionPoint("offer")
    if decision.gate == ArmGate.name and decision.reason in NOT_SHOWN:
        return DecisionPoint("withheld")
    if decision.withdraw or decision.reason == "showing":  # an offer is on the screen: its point stands already
        return None
    stopped = (
        (decision.gate, decision.reason) in DROPPED
        or decision.gate in GATES_AFTER_EVIDENCE
        or (decision.gate in CLOSED_GATES and fresh and _calls(decision.numbers, call, threshold))
    )
    return DecisionPoint("none", decision.gate) if stopped else None


def _calls(numbers: Mapping[str, float], call: Call, threshold: float) -> bool:
    """Tell whether the evidence in a decision calls for an offer, by the rule of its arm."""
    if "help_need" not in numbers:
        return False
    if call is Call.UTILITY:
        return numbers.get("sum", -math.inf) >= numbers.get("upper", math.inf)
    return call is Call.ANY or numbers["help_need"] >= threshold


def code_in(code: str, known: Mapping[str, object] | frozenset[str]) -> str:
    """Return a code if it is one of ours, else `OTHER`."""
    return code if code in known else OTHER


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


_TABLE = "categories.txt"


@cache
def _table() -> tuple[dict[str, Category], tuple[tuple[str, Category], ...]]:
    """Return whole names, and the beginnings of names (written with `*` at their end), the longest first."""
    whole: dict[str, Category] = {}
    begins: dict[str, Category] = {}
    for line in (files("participant.documents") / "data" / _TABLE).read_text(encoding="ascii").splitlines():
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        category, _, names = entry.partition(":")
        for name in names.split():
            if name.endswith("*"):
                begins[name[:-1]] = Category(category)
            else:
                whole[name] = Category(category)
    return whole, tuple(sorted(begins.items(), key=lambda item: (-len(item[0]), item[0])))


def category_of(app: str) -> Category:
    """Return the category of an application, by its window class; `OTHER` if the table does not list it."""
    name = app.casefold()
    whole, begins = _table()
    found = whole.get(name)
    if found is not None:
        return found
    return next((category for start, category in begins if name.startswith(start)), Category.OTHER)
