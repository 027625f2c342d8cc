"""What comes of a judgement: segments, their diagnoses, and the verdict on the whole."""

from dataclasses import dataclass, field
from enum import StrEnum


class SegmentVerdict(StrEnum):
    """Whether a segment's own goal was reached."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAIL = "fail"


class TaskOutcome(StrEnum):
    """Whether the task was reached."""

    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Steps `first` to `last`, both included, and what they were for as the model guessed it."""

    first: int
    last: int
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProblem:
    """What went wrong at a step, and what should have been done."""

    step: int
    cause: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDiagnosis:
    """A diagnosis of one segment (GUIDE framework, equation 4)."""

    reasoning: str
    verdict: SegmentVerdict
    root_cause: str = ""
    problems: tuple[StepProblem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSegment:
    """A segment with its diagnosis; None where the model had no answer, so it is *not diagnosed*.

    `shown` of `given` pictures were sent.
    """

    segment: Segment
    diagnosis: SegmentDiagnosis | None
    shown: int = 0
    given: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCriterion:
    """What a task demands, whether it was met, and at which steps that shows."""

    text: str
    met: bool
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVerdict:
    """What a judge says of a trajectory.

    Attributes:
        outcome: None where the model had no answer.
        reasoning: why, in the model's words; empty where none are asked for.
        segments: the parts of the work, in order; empty where it was not divided.
        fallback: the model could not divide the work, so it is one segment.
        lost: pictures that could not be read.
        criteria: what the task demands, where the judge went by that.
    """

    outcome: TaskOutcome | None = None
    reasoning: str = ""
    segments: tuple[JudgedSegment, ...] = field(default=())
    fallback: bool = False
    lost: int = 0
    criteria: tuple[JudgedCriterion, ...] = ()
