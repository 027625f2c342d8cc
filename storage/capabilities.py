"""What Kairos can see and do on a desktop: for each thing a level, a reason and a remedy, in one place.

A backend fills it in. `kairos doctor` prints it, the consent window lists it under what is agreed to, and a session
begins with it where anything is less than full: what was not sensed is not the same as what did not happen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum


class Level(StrEnum):
    """How much of a thing there is."""

    NONE = "none"
    PART = "part"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Capability:
    """How much there is of one thing; why it is not all, and what would give more, in a sentence each."""

    level: Level = Level.FULL
    reason: str = ""
    remedy: str = ""


FULL = Capability()
WATCHED = ("frames", "popups", "windows", "keys", "clicks", "scrolls", "pointer", "idle", "controls")
"""What is sensed; the others are what Kairos can show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What there is on one desktop, which `desktop` names; a thing that is not named is there in full."""

    desktop: str
    frames: Capability = FULL
    popups: Capability = FULL
    windows: Capability = FULL
    keys: Capability = FULL
    clicks: Capability = FULL
    scrolls: Capability = FULL
    pointer: Capability = FULL
    idle: Capability = FULL
    controls: Capability = FULL
    overlay: Capability = FULL
    tray: Capability = FULL
    shortcuts: Capability = FULL
    offers: Capability = FULL
    """Whether help is offered unasked: hardly where the detector is not given what it was trained with."""

    @property
    def limited(self) -> dict[str, Capability]:
        """Return what is less than full, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "desktop"}
        return {name: capability for name, capability in found.items() if capability.level is not Level.FULL}

    @property
    def levels(self) -> dict[str, str]:
        """Return the level of what is less than full, by name: as a session keeps it, and a consent."""
        return {name: capability.level.value for name, capability in self.limited.items()}


def unsensed(levels: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is not sensed: what there is none of, and keys where letters alone are told."""
    return tuple(sorted(name for name, level in levels.items() if level == Level.NONE.value or name == "keys"))


def sees_more(now: Mapping[str, str], agreed: Mapping[str, str]) -> bool:
    """Return whether `now` anything is watched more than when it was agreed to; what is not named is full."""
    ranks = {level.value: rank for rank, level in enumerate(Level)}
    return any(ranks.get(now.get(name, "full"), 2) > ranks.get(agreed.get(name, "full"), 0) for name in WATCHED)
