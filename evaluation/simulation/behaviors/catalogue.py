"""All behaviors by name, and which of them a training session may use."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from evaluation.simulation.behaviors import (
    assessing,
    debugging,
    executing,
    exploring,
    outbursts,
    plain_debugging,
    plain_trouble,
    planning,
    traps,
    trouble,
    turning,
)
from evaluation.simulation.behaviors.behavior import Behavior
from evaluation.simulation.behaviors.improvised import debugging as improvised_debugging
from evaluation.simulation.behaviors.improvised import elsewhere as improvised_elsewhere
from evaluation.simulation.behaviors.improvised import planning as improvised_planning
from evaluation.simulation.behaviors.improvised import traps as improvised_traps
from evaluation.simulation.behaviors.improvised import trouble as improvised_trouble
from evaluation.simulation.behaviors.improvised import work as improvised_work
from storage.records import State

_PARTS = (
    (
        planning,
        exploring,
        executing,
        trouble,
        plain_trouble,
        outbursts,
        debugging,
        plain_debugging,
        turning,
        assessing,
        traps,
    ),
    (
        improvised_planning,
        improvised_work,
        improvised_trouble,
        improvised_debugging,
        improvised_elsewhere,
        improvised_traps,
    ),
)

BEHAVIORS: Mapping[str, Behavior] = MappingProxyType(
    {behavior.name: behavior for parts in _PARTS for part in parts for behavior in part.BEHAVIORS}
)


def catalogue_hash(folder: Path = Path(__file__).parents[1]) -> str:
    """Return a hash of the code of all behaviors, programs and stories: with other code the same seed tells others."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        code = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{path.relative_to(folder).as_posix()} {code}\n".encode())
    return found.hexdigest()


def training() -> tuple[Behavior, ...]:
    """Return the behaviors that training sessions are made of."""
    return tuple(behavior for behavior in BEHAVIORS.values() if not behavior.held_out)


def held_out() -> tuple[Behavior, ...]:
    """Return the behaviors that no training session contains."""
    return tuple(behavior for behavior in BEHAVIORS.values() if behavior.held_out)


def of_state(state: State | None) -> tuple[Behavior, ...]:
    """Return the behaviors of a state, hard negatives included; None asks for people who are away."""
    return tuple(behavior for behavior in BEHAVIORS.values() if behavior.state is state)
