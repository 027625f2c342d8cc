"""Goals that people wrote, and how people compared goals: JSON lines from outside.

A goal: `{"key": ..., "by": ..., "goal": ...}`. A verdict: `{"key": ..., "by": ..., "rater": ..., "fulfilled": ...,
"p_satisfies_g": ..., "g_satisfies_p": ...}`, where `by` is whose goal p it is about and null stands for "unsure"; or
`{"key": ..., "gold_fulfilled": false}` for a trajectory that does not fulfil its own goal.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from lab.measure.json_lines import decoded_lines
from storage.errors import BadFile


class WrittenGoal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The goal of a trajectory as somebody wrote it."""

    key: str
    by: str
    goal: str


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody compared the goal p that `by` wrote with the gold goal g; None is unsure or not asked."""

    key: str
    by: str = ""
    rater: str = "people"
    fulfilled: bool | None = None
    p_satisfies_g: bool | None = None
    g_satisfies_p: bool | None = None
    gold_fulfilled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What people contributed."""

    goals: tuple[WrittenGoal, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @property
    def rejected(self) -> frozenset[str]:
        """The trajectories that do not fulfil their own goal, as people say."""
        return frozenset(one.key for one in self.verdicts if one.gold_fulfilled is False)


def read_goals(path: Path) -> tuple[WrittenGoal, ...]:
    """Return the goals in a file.

    Raises:
        BadFile: a line does not fit, or somebody wrote two goals for one trajectory; says which.
    """
    found: dict[tuple[str, str], WrittenGoal] = {}
    for number, one in decoded_lines(path, msgspec.json.Decoder(WrittenGoal), "a goal"):
        if (one.key, one.by) in found:
            raise BadFile(f"{path}: line {number} is a second goal of the same writer for the same trajectory")
        if not one.goal.strip() or not one.by.strip():
            raise BadFile(f"{path}: line {number} has no goal, or does not say by whom")
        found[one.key, one.by] = one
    return tuple(found.values())


def read_verdicts(path: Path) -> tuple[Verdict, ...]:
    """Return the verdicts in a file.

    Raises:
        BadFile: a line does not fit, or somebody judged the same goal twice; says which.
    """
    seen: set[tuple[str, str, str]] = set()
    found = []
    for number, one in decoded_lines(path, msgspec.json.Decoder(Verdict), "a verdict"):
        if (one.key, one.by, one.rater) in seen:
            raise BadFile(f"{path}: line {number} is a second verdict of the same person about the same goal")
        seen.add((one.key, one.by, one.rater))
        found.append(one)
    return tuple(found)
