"""What a behavior is: a script for one of the nine states, acted out in any program, and how scripts are registered."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from lab.simulation.program import Helpers, Program
from lab.simulation.simulated_user import SimulatedUser
from storage.records import State


class Need(StrEnum):
    """When help is needed during a behavior."""

    NEVER = "never"
    AFTER_FAILURES = "after_failures"
    FROM_START = "from_start"


_NEEDS = {
    State.FRUSTRATION: Need.AFTER_FAILURES,
    State.DEBUGGING: Need.AFTER_FAILURES,
    State.SEEKING_EXTERNAL_HELP: Need.FROM_START,
}
"""When help is needed in a state; never in the others, nor in hard negatives."""

TASK_MARK = ":"
"""Stands between script and task in the name of what people with tasks do."""

EPISODE_S = (30.0, 80.0)
"""How long an episode of frustration or debugging lasts."""

PLAIN_S = (20.0, 50.0)
"""How long plain trouble lasts: hardly any user does the very same thing for longer."""


def script_of(behavior: str) -> str:
    """Return the script of a behavior by its name; in all tasks it is the same one."""
    return behavior.partition(TASK_MARK)[0]


@dataclass(frozen=True, slots=True)
class Scene:
    """The simulated user, the program in use, and what else is on the desktop."""

    user: SimulatedUser
    program: Program
    helpers: Helpers


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a stretch of a session stands for, and when help is needed in it."""

    name: str
    state: State | None
    intent: str
    help: str | None = None
    need: Need = Need.NEVER
    hard_negative: bool = False
    held_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedStretch:
    """A stretch of a session: what it means, how long it is to last, and what the user does in it.

    `act` goes on while `user.has_time()`, in steps of a few seconds, and calls `user.note_failure()` at the end of each
    try that failed.
    """

    meaning: Meaning
    seconds: float
    act: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior(Meaning):
    """One script.

    `act` is that of a `ScriptedStretch`, in whatever scene. `seconds` is the range of how long it lasts (GUIDE's
    segments average 14 s for behavior and 26 s for help). `weight` is its share among the behaviors of its state. A
    `plain` one is the same thing over and over.
    """

    act: Callable[[Scene], None]
    plain: bool = False
    seconds: tuple[float, float] = (12.0, 36.0)
    weight: float = 1.0


Script = Callable[[Scene], None]


def register(
    behaviors: list[Behavior],
    state: State | None,
    intent: str,
    help_text: str | None = None,
    *,
    hard_negative: bool = False,
    held_out: bool = False,
    plain: bool = False,
    seconds: tuple[float, float] = (12.0, 36.0),
    weight: float = 1.0,
) -> Callable[[Script], Script]:
    """Return a decorator that adds a script to `behaviors`, under the script's own name."""

    def add(script: Script) -> Script:
        behaviors.append(
            Behavior(
                name=script.__name__,
                state=state,
                act=script,
                intent=intent,
                help=help_text,
                need=_NEEDS.get(state, Need.NEVER) if state and not hard_negative else Need.NEVER,
                hard_negative=hard_negative,
                held_out=held_out,
                plain=plain,
                seconds=seconds,
                weight=weight,
            )
        )
        return script

    return add
