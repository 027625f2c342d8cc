"""What people say of a stretch of their own recorded work. Standard library only; no rows, but a file beside them.

A label is made before anything else that was said of the stretch is shown, unless the lot says otherwise; `first` and
`shown` keep what was said before and what was shown then, so that anchoring is a number.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from storage.records.estimates import State

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
        proposed: whether it is no person's, but to be verified by people.
        dropped: whether a person who verifies it says that the stretch tells nothing.
        reason: why it was dropped, or what shows what is proposed.
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
    proposed: bool = False
    dropped: bool = False
    reason: str = ""

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


def overlapping(labels: Sequence[SegmentLabel], start_ns: int, end_ns: int) -> SegmentLabel | None:
    """Return the label that shares most time with a stretch; None where none does."""

    def shared_ns(label: SegmentLabel) -> int:
        return min(label.end_ns, end_ns) - max(label.start_ns, start_ns)

    best = max(labels, key=shared_ns, default=None)
    return best if best is not None and shared_ns(best) > 0 else None
