"""The judges by name, and which one is asked; loads nothing, since the parser is built from the names."""

from dataclasses import dataclass
from enum import StrEnum


class JudgeName(StrEnum):
    """The judges, as named on the command line."""

    SEGMENTED = "segmented"
    WHOLE = "whole"
    FINAL = "final"
    KEY_FRAMES = "key-frames"
    PLANNED = "planned"
    CRITERIA = "criteria"


class JudgeStage(StrEnum):
    """What can be left out of the segmented judge, one at a time (Table 5)."""

    SEGMENTATION = "segmentation"
    DIAGNOSIS = "diagnosis"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """Which judge is asked, and how.

    Attributes:
        judge: its name.
        without: what is left out of the segmented one.
        quality: whether its segments are rated.
        divides_only: whether the work is only divided, and nothing is judged.
        repeat: which repetition this is.
    """

    judge: JudgeName = JudgeName.SEGMENTED
    without: JudgeStage | None = None
    quality: bool = False
    divides_only: bool = False
    repeat: int = 0
