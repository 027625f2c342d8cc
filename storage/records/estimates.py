"""Windows of work, their prefixes, and the estimates of behavior state and help need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, NamedTuple

from storage.records.base import Record


class State(StrEnum):
    """The nine behavior states of the GUIDE benchmark (Table C3), in its four phases."""

    TASK_UNDERSTANDING = "task_understanding"
    IDEATION = "ideation"
    EXPLORATION = "exploration"
    PERFORMING_ACTIONS = "performing_actions"
    FRUSTRATION = "frustration"
    DEBUGGING = "debugging"
    SEEKING_EXTERNAL_HELP = "seeking_external_help"
    WAITING = "waiting"
    ASSESSMENT = "assessment"


class WorkPhase(StrEnum):
    """The four phases of work that GUIDE groups the states in (Table C3)."""

    PLANNING = "planning"
    EXECUTION = "execution"
    PROBLEM_SOLVING = "problem_solving"
    EVALUATION = "evaluation"


PHASES: Mapping[str, WorkPhase] = {
    State.TASK_UNDERSTANDING: WorkPhase.PLANNING,
    State.IDEATION: WorkPhase.PLANNING,
    State.EXPLORATION: WorkPhase.EXECUTION,
    State.PERFORMING_ACTIONS: WorkPhase.EXECUTION,
    State.FRUSTRATION: WorkPhase.PROBLEM_SOLVING,
    State.DEBUGGING: WorkPhase.PROBLEM_SOLVING,
    State.SEEKING_EXTERNAL_HELP: WorkPhase.PROBLEM_SOLVING,
    State.WAITING: WorkPhase.EVALUATION,
    State.ASSESSMENT: WorkPhase.EVALUATION,
}


def phase_of(state: str) -> WorkPhase | None:
    """Return the phase of a state; None for what is none."""
    return PHASES.get(state)


class ClosedBy(StrEnum):
    """Why a window ended."""

    FULL = "full"
    APP_SWITCH = "app_switch"
    PAUSE = "pause"
    STOP = "stop"
    WAKE = "wake"


class ModelTier(StrEnum):
    """A model above the embedded detector: the one on this machine or near it, or the strong one."""

    LOCAL = "local"
    STRONG = "strong"


class Evidence(NamedTuple):
    """One observation: a code of `storage.messages.EVIDENCE` and the numbers behind it. Never text from the screen."""

    code: str
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What was seen that an offer can name: a code of `storage.messages.SIGHTINGS`, empty for nothing, and its counts.

    `digests` are those of the words that its sentences can quote, by their place in them ("message", "control"). The
    words themselves are never here.
    """

    code: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Record):
    """A closed window ("segment"): the frames its slots could show, by `seq`, and how many input events it held."""

    KIND: ClassVar[str] = "window"
    window_id: int
    start_ns: int
    end_ns: int
    planned_ns: int
    frames: tuple[int, ...]
    events: int
    closed_by: ClosedBy
    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix(Record):
    """The first part of a window: the input of a detector (GUIDE 4.1, online setting).

    `fraction` is of the planned length: 0.25, 0.5, 0.75 or 1.0. A window that closed early yields a last prefix with
    `fraction = 1.0` and `truncated = True`. `slots` are the `seq` of at most 32 frames, in time order, equal
    neighbors once. `features` are the values of `detectors.features.tracker` at `end_ns` that are not 0: an estimate is
    a function of the prefix alone. `unsensed` names what the desktop does not tell (`storage.capabilities`): a feature
    of it that is 0 says nothing. `sources` is a digest of every source row so far, so that a replay notices altered
    ones.
    """

    KIND: ClassVar[str] = "prefix"
    prefix_id: str
    window_id: int
    fraction: float
    start_ns: int
    end_ns: int
    slots: tuple[int, ...]
    features: Mapping[str, float]
    truncated: bool
    app: str
    sources: str = ""
    unsensed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Record):
    """The output of a detector for a prefix: probabilities of the nine states and of help need.

    `confidence_source` is where the probabilities come from ("evidence", "calibrated", "model", ...). `senses` names
    what was sensed beside input and frames, "controls", "tiles" or "controls+tiles", and what was not told of these,
    "controls-keys-clicks": scales of need differ by it. An estimate with `abstained` or `error` (a code) carries no
    opinion. `cost` is in US dollars. A prefix has further estimates (`detector` = "cascade") where models have answered
    about it.
    """

    KIND: ClassVar[str] = "estimate"
    prefix_id: str
    window_id: int
    fraction: float
    detector: str
    detector_version: str
    state_probs: Mapping[str, float]
    help_need: float
    evidence: tuple[Evidence, ...]
    made_at_ns: int
    ready_at_ns: int
    confidence_source: str
    app: str
    intent: str | None = None
    help: str | None = None
    abstained: bool = False
    cost: float = 0.0
    error: str | None = None
    senses: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer(Record):
    """What a model answered about a prefix, or why it did not (`trouble`, a code); none of its free text is stored.

    `state_probs` is empty and `help_need` None where the answer lacks them. `confidence_source` is where its
    probabilities come from ("log_probabilities", "self_report", ...). `pictures` were sent; `tokens_in`, `tokens_out`
    and `dollars` are what it cost, `latency_ns` how long it took from `asked_at_ns` on. `sent` are ids of entries in
    the sent log. An answer is no estimate: the engine derives one from it only while its prefix is the newest.
    """

    KIND: ClassVar[str] = "model_answer"
    prefix_id: str
    window_id: int
    tier: ModelTier
    model: str
    asked_at_ns: int
    latency_ns: int
    state_probs: Mapping[str, float] = field(default_factory=dict)
    help_need: float | None = None
    confidence_source: str = "none"
    trouble: str | None = None
    pictures: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0
    sent: tuple[str, ...] = ()
