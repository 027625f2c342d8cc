"""All behaviors by name, and which of them a training session may use."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lab.simulation.behaviors import (
    assessing,
    debugging,
    executing,
    exploring,
    frustration,
    hard_negatives,
    help_and_waiting,
    improvised,
    planning,
)
from lab.simulation.behaviors.behavior import Behavior
from storage.records import State

_MODULES = (
    *(planning, exploring, executing, frustration, debugging, help_and_waiting, assessing, hard_negatives),
    improvised,
)
_HASHED = {".py", ".html"}

BEHAVIORS: Mapping[str, Behavior] = MappingProxyType(
    {behavior.name: behavior for module in _MODULES for behavior in module.BEHAVIORS}
)


def simulation_code_hash(folder: Path = Path(__file__).parents[1]) -> str:
    """Return a hash of the code and pages of all behaviors, programs and plans: with others a seed gives others."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _HASHED):
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
    """Return the behaviors of a state, hard negatives included; None is for users who are away."""
    return tuple(behavior for behavior in BEHAVIORS.values() if behavior.state is state)
