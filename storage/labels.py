"""What people say of a stretch of their own recorded work: labels, and what the window for them requests and gets.

Standard library only. `daemon.history.labelling` implements `LabelRequests`, `ui.labelling` the `LabelView`; neither
imports the other. A label is made before anything else that was said of the stretch is shown, unless the lot says
otherwise; `first` and `shown` keep what was said before and what was shown then, so that anchoring is a number.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from storage.records import State
from storage.timeline import Moment, TimelineTrouble

ME = "me"
"""Who labels, where nobody says otherwise."""

KAIROS = ""
"""Whose judgement it is if it is none of a person."""

MAX_WORDS, MAX_RATER = 300, 40
"""Characters of what was wanted or would have helped, and of a rater's name."""


class NeedLabel(StrEnum):
    """Whether help was needed."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What somebody says of a stretch: `by` names the rater, or is `KAIROS`."""

    by: str
    states: tuple[State, ...] = ()
    need: NeedLabel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentLabel:
    """What a rater says of one stretch of a session.

    Attributes:
        label_id: unique in its session.
        rater: who says it.
        start_ns: where the stretch begins, in the session's time.
        end_ns: where it ends.
        at_wall_ns: when it was last kept.
        states: what the person was doing, one state or more, in their order.
        need: whether help was needed; None for not said.
        wanted: what was wanted, in the rater's words.
        would_help: what would have helped.
        blind: whether nothing else that was said of it was shown before `first`.
        first: what the rater had said when something was shown; None while nothing was.
        shown: what was shown.
        judged_ns: from when to when it was shown, as the stretch was then; None while nothing was.
    """

    label_id: str
    rater: str
    start_ns: int
    end_ns: int
    at_wall_ns: int = 0
    states: tuple[State, ...] = ()
    need: NeedLabel | None = None
    wanted: str = ""
    would_help: str = ""
    blind: bool = True
    first: Judgement | None = None
    shown: Judgement | None = None
    judged_ns: tuple[int, int] | None = None

    @property
    def is_set(self) -> bool:
        """Whether it says what the person was doing, and whether help was needed."""
        return bool(self.states) and self.need is not None

    @property
    def judgement(self) -> Judgement:
        """What it says now."""
        return Judgement(by=self.rater, states=self.states, need=self.need)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindLot:
    """Draws which labels are made blind: this share of them, by a seed."""

    share: float = 1.0
    seed: int = 1

    def draws(self, session: str, rater: str, start_ns: int) -> bool:
        """Tell whether a label that begins there is made before anything else is shown."""
        drawn = hashlib.blake2b(f"{self.seed} label {session} {rater} {start_ns}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn) / 2**64 < self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAct:
    """A step of the recorded work: its verb, how often, and the control's name where the recording has it."""

    start_ns: int
    end_ns: int
    verb: str
    count: int = 0
    target: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A sentence that the person said aloud meanwhile."""

    start_ns: int
    end_ns: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionToLabel:
    """A recorded session as the window for labels shows it; `pictures` are the times of those that were stored."""

    session: str
    begin_wall_ns: int
    begin_ns: int
    end_ns: int
    pictures: tuple[int, ...]
    acts: tuple[LabelledAct, ...]
    spoken: tuple[Spoken, ...]
    moments: tuple[Moment, ...]
    labels: tuple[SegmentLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPicture:
    """The screen at a time of the session, `rgb` with three bytes a pixel; empty where the picture was lost."""

    at_ns: int
    width: int = 0
    height: int = 0
    rgb: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsKept:
    """All labels of the session, as its folder holds them now; `failed` says that the newest change is not in it."""

    labels: tuple[SegmentLabel, ...]
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsClosed:
    """What the window shows was forgotten meanwhile, or is about to be: the window goes."""


LabelReply = SessionToLabel | SessionPicture | LabelsKept | LabelsClosed | TimelineTrouble
"""What the window gets; a `TimelineTrouble` says that something could not be read or kept."""


class LabelView(Protocol):
    """The window, as its reader sees it. Called on the reader's thread; returns at once."""

    def show_reply(self, reply: LabelReply) -> None:
        """Show what was requested."""


class LabelRequests(Protocol):
    """What the window requests. Every call returns at once; replies come to the view."""

    def attach(self, view: LabelView) -> None:
        """Name the view, once."""

    def open(self, session: str) -> None:
        """Begin to answer about a session, named by its id or its folder; a `SessionToLabel` follows."""

    def request_picture(self, at_ns: int, width: int) -> None:
        """Request what was on the screen then, at most so wide, in place of pictures that were not read yet."""

    def put(self, label: SegmentLabel) -> None:
        """Keep a label, in place of the one with its id, on the disk at once."""

    def remove(self, label_id: str) -> None:
        """Delete a label."""

    def close(self) -> None:
        """End once what was put is kept, and give everything back."""


def overlapping(labels: Sequence[SegmentLabel], start_ns: int, end_ns: int) -> SegmentLabel | None:
    """Return the label that shares most time with a stretch; None where none does."""

    def shared_ns(label: SegmentLabel) -> int:
        return min(label.end_ns, end_ns) - max(label.start_ns, start_ns)

    best = max(labels, key=shared_ns, default=None)
    return best if best is not None and shared_ns(best) > 0 else None
