"""The shared vocabulary: everything that flows through Kairos is one of these frozen records, and is logged as it is.

Standard library and `storage.enrolment` only. Times are integer nanoseconds of session time (`storage.clock`). `t_ns`
is when a thing happened; the core assigns `seq` and `at_ns` when it takes a record in, and everything downstream uses
`at_ns` as *now*. A source creates records with `seq = 0` and `at_ns = 0`. Boxes and points are full-size pixels of the
whole desktop (the X11 root window), so that input, windows and changes compare without conversion. A module for each
subject; others import all of it from here.
"""

from storage.records.base import Box, Record
from storage.records.context import Context, Trigger
from storage.records.controls import (
    ControlAct,
    ControlRole,
    ControlState,
    DialogSeen,
    DocumentLoaded,
    Element,
    Elements,
    MessageClass,
    MessageSeen,
    UndoLabel,
)
from storage.records.desktop import (
    Environment,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    TileDigests,
    WindowEvent,
)
from storage.records.estimates import (
    ClosedBy,
    Estimate,
    Evidence,
    ModelAnswer,
    ModelTier,
    Prefix,
    Sighting,
    State,
    Window,
)
from storage.records.help import Goal, GoalKind, HelpAnswer, HelpFound
from storage.records.offers import (
    Decision,
    EarlierReport,
    Feedback,
    FeedbackKind,
    NeedReport,
    Offer,
    ReportedBy,
    Verdict,
    Withdrawal,
)
from storage.records.session import (
    CONTROLS_GONE,
    CONTROLS_UNANSWERED,
    FORMAT_VERSION,
    SESSION_GONE,
    Anchor,
    Dropped,
    Problem,
    Sense,
    SessionEnd,
    SessionStart,
    Switch,
    SwitchName,
    Tick,
    Wake,
)
from storage.records.studies import (
    Answer,
    AnswerKind,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    StudyStart,
)

__all__ = [
    "CONTROLS_GONE",
    "CONTROLS_UNANSWERED",
    "DERIVED",
    "FORMAT_VERSION",
    "SESSION_GONE",
    "SOURCE",
    "Anchor",
    "Answer",
    "AnswerKind",
    "Box",
    "ClosedBy",
    "Context",
    "ControlAct",
    "ControlRole",
    "ControlState",
    "Decision",
    "DialogSeen",
    "DocumentLoaded",
    "Dropped",
    "EarlierReport",
    "Element",
    "Elements",
    "Environment",
    "Estimate",
    "EventKind",
    "Evidence",
    "Feedback",
    "FeedbackKind",
    "Focus",
    "Frame",
    "Goal",
    "GoalKind",
    "HelpAnswer",
    "HelpFound",
    "InputEvent",
    "KeyClass",
    "MessageClass",
    "MessageSeen",
    "ModelAnswer",
    "ModelTier",
    "NeedReport",
    "Offer",
    "Prefix",
    "Problem",
    "Question",
    "QuestionMoment",
    "QuestionOutcome",
    "QuestionStep",
    "Record",
    "ReportedBy",
    "Sense",
    "SessionEnd",
    "SessionStart",
    "Sighting",
    "State",
    "StudyStart",
    "Switch",
    "SwitchName",
    "Tick",
    "TileDigests",
    "Trigger",
    "UndoLabel",
    "Verdict",
    "Wake",
    "Window",
    "WindowEvent",
    "Withdrawal",
    "is_derived",
    "tiles",
]


SOURCE: tuple[type[Record], ...] = (
    SessionStart,
    SessionEnd,
    Anchor,
    Frame,
    InputEvent,
    Focus,
    WindowEvent,
    Environment,
    Elements,
    Switch,
    Tick,
    Wake,
    Dropped,
    Problem,
    Feedback,
    NeedReport,
    EarlierReport,
    ModelAnswer,
    HelpFound,
    HelpAnswer,
    Goal,
    TileDigests,
    ControlAct,
    DialogSeen,
    MessageSeen,
    DocumentLoaded,
    UndoLabel,
    Sense,
    StudyStart,
    Answer,
)
"""What a source yields."""

DERIVED: tuple[type[Record], ...] = (
    Window,
    Prefix,
    Estimate,
    Decision,
    Offer,
    Withdrawal,
    Question,
    QuestionOutcome,
)
"""What the engine computes. A `Feedback` with `by == "expiry"` is derived too."""


def is_derived(record: Record) -> bool:
    """Return whether the engine computes this record, so that a replay must compute the same."""
    return isinstance(record, DERIVED) or (isinstance(record, Feedback) and record.by == "expiry")
