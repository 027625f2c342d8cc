"""What people say of a stretch of their own recorded work. Standard library only; no rows, but a file beside them.

A label is made before anything else that was said of the stretch is shown, unless the lot says otherwise; `first` and
`shown` keep what was said before and what was shown then, so that anchoring is a number.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from storage.records.estimates import State

ME = "me"
"""Who labels, where nobody says otherwise."""

KAIROS = ""
"""Whose judgement it is if it is none of a person."""

MAX_WORDS, MAX_RATER = 300, 40
"""Characters of what was wanted or would have helped, and of a rater's name."""

QUIZ, QUIZ_PASSED = 9, 8
"""Stretches of a quiz, one of each state, and how many must be right."""


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
        quiz: the digest of the quiz that its rater had passed before (`passed_quiz`); "" if none was wanted.
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
    quiz: str = ""

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
class LabelTask:
    """What a rater is asked: to say how it was, to verify what is `proposed`, or a `quiz` of what somebody said.

    `passed` is the digest of the quiz by which they were let in.
    """

    proposed: str = ""
    quiz: str = ""
    passed: str = ""
    seed: int = 1

    @property
    def is_given(self) -> bool:
        """Whether the stretches are given, and not the rater's to cut."""
        return bool(self.proposed or self.quiz)

    def is_said(self, label: SegmentLabel) -> bool:
        """Tell whether enough is said of a stretch: for a quiz what was being done."""
        return label.is_set or label.dropped or (bool(self.quiz) and bool(label.states))


def answer_id(asked: SegmentLabel, rater: str) -> str:
    """Return the id of what a rater says of a stretch that they were asked about: it tells which that was."""
    return hashlib.blake2b(f"{rater} of {asked.rater} {asked.label_id}".encode(), digest_size=8).hexdigest()


def blank_answer(asked: SegmentLabel, rater: str, *, blind: bool) -> SegmentLabel:
    """Return the label of a stretch that a rater is asked about, before anything is said; shows it unless `blind`."""
    seen = None if blind else (asked.start_ns, asked.end_ns)
    return SegmentLabel(
        label_id=answer_id(asked, rater),
        rater=rater,
        start_ns=asked.start_ns,
        end_ns=asked.end_ns,
        blind=blind,
        shown=None if blind else asked.judgement,
        judged_ns=seen,
    )


def asked_about(labels: Iterable[SegmentLabel], rater: str) -> list[tuple[SegmentLabel, SegmentLabel]]:
    """Return what a rater was asked about, each with what they say."""
    kept = list(labels)
    own = {label.label_id: label for label in kept if label.rater == rater}
    pairs = ((label, own.get(answer_id(label, rater))) for label in kept if label.rater != rater)
    return [(label, answer) for label, answer in pairs if answer is not None]


def without_proposals(labels: Iterable[SegmentLabel]) -> list[SegmentLabel]:
    """Return what people said, without words that they took over from a proposal: these may quote what was said."""
    kept = list(labels)
    proposals = [label for label in kept if label.proposed]
    taken = {words for label in proposals for words in (label.wanted, label.would_help)}
    return [
        replace(
            label,
            wanted="" if label.wanted in taken else label.wanted,
            would_help="" if label.would_help in taken else label.would_help,
        )
        for label in kept
        if not label.proposed
    ]


def draw_quiz(labels: Iterable[SegmentLabel], by: str, seed: int) -> tuple[SegmentLabel, ...]:
    """Return a stretch of each state by lot, of those to which `by` gave it alone; fewer where one is missing."""
    of_state: dict[State, list[SegmentLabel]] = {state: [] for state in State}
    for label in labels:
        if label.rater == by and len(label.states) == 1 and not label.proposed and not label.dropped:
            of_state[label.states[0]].append(label)
    drawn = [min(found, key=lambda label: _lot(seed, label.label_id)) for found in of_state.values() if found]
    return tuple(sorted(drawn, key=lambda label: label.start_ns))


def quiz_answers(labels: Iterable[SegmentLabel], rater: str) -> list[tuple[SegmentLabel, SegmentLabel]]:
    """Return what a rater was asked in a quiz, each with what they said."""
    return [(asked, own) for asked, own in asked_about(labels, rater) if not asked.proposed and own.states]


def quiz_score(labels: Iterable[SegmentLabel], rater: str) -> tuple[int, int]:
    """Return how many answers to a quiz say the states that are right, and how many there are."""
    answers = quiz_answers(labels, rater)
    return sum(asked.states == own.states for asked, own in answers), len(answers)


def passed_quiz(labels: Iterable[SegmentLabel], rater: str) -> str:
    """Return the digest of a quiz that somebody has passed, of all that was asked and said; "" if they have not.

    One begun with several seeds has more answers, and no more may be wrong.
    """
    answers = quiz_answers(labels, rater)
    wrong = sum(asked.states != own.states for asked, own in answers)
    if len(answers) < QUIZ or wrong > QUIZ - QUIZ_PASSED:
        return ""
    said = sorted(f"{asked.label_id} {asked.states} {own.states}" for asked, own in answers)
    return hashlib.blake2b(f"{rater} passed {said}".encode(), digest_size=16).hexdigest()


def _lot(seed: int, text: str) -> bytes:
    return hashlib.blake2b(f"{seed} quiz {text}".encode(), digest_size=8).digest()


def overlapping(labels: Sequence[SegmentLabel], start_ns: int, end_ns: int) -> SegmentLabel | None:
    """Return the label that shares most time with a stretch; None where none does."""

    def shared_ns(label: SegmentLabel) -> int:
        return min(label.end_ns, end_ns) - max(label.start_ns, start_ns)

    best = max(labels, key=shared_ns, default=None)
    return best if best is not None and shared_ns(best) > 0 else None
