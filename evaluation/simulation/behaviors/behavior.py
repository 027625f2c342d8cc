"""What a behavior is: one way of being in one of the nine states, acted out in any program."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Program
from evaluation.simulation.scenery.helpers import Helpers
from storage.records import State


class Need(StrEnum):
    """When help is needed during a behavior."""

    NEVER = "never"
    AFTER_FAILURES = "after_failures"
    FROM_START = "from_start"


@dataclass(frozen=True, slots=True)
class Scene:
    """Who is at it, in what, and what else is on the desktop."""

    actor: Actor
    program: Program
    helpers: Helpers


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """One script.

    `act` goes on while `actor.has_time()`, in steps of a few seconds, and calls `actor.failed()` at the end of each
    try that failed. `seconds` is the range of how long it lasts (GUIDE's segments average 14 s for behavior and 26 s
    for help). `weight` is its share among the behaviors of its state. A `plain` one is the same thing over and over.
    """

    name: str
    state: State | None
    act: Callable[[Scene], None]
    intent: str
    help: str | None = None
    need: Need = Need.NEVER
    hard_negative: bool = False
    held_out: bool = False
    plain: bool = False
    seconds: tuple[float, float] = (12.0, 36.0)
    weight: float = 1.0
