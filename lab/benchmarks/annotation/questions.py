"""The questions about a segment, and what comes back: states, goal, help, what to keep, and wrong answers.

A quote that does not stand in the transcript makes an answer unusable: it is asked for once more, and then there is
none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from msgspec import convert

from daemon.diagnosis.goals.material import Material, quoted
from daemon.diagnosis.goals.questions import inquiry_about
from daemon.diagnosis.model_queries.asking import Inquiry
from detectors.mllm.questions import AnswerField, Brief, EnumShape, IntegerShape, ListShape, ObjectShape, TextShape
from lab.benchmarks.annotation import wording
from lab.benchmarks.annotation.segments import NarratedSegment, words_of
from storage.records import MAX_WORDS, State

STATES, GOAL, HELP, KEEP, WRONG = "states", "segment_goal", "segment_help", "keep", "wrong"
"""Kinds of inquiries."""

MAX_PARTS, CANDIDATES = 4, 6
QUOTE_LIMIT, SAID_LIMIT, ENTRY_LIMIT, NAME_LIMIT = 400, 2000, 300, 80


class HelpSource(StrEnum):
    """Where it shows that help was sought."""

    SCREEN = "screen"
    NARRATION = "narration"
    BOTH = "both"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePart:
    """A part of a segment in one state; it ends `until` seconds after the segment began."""

    state: State
    until: int
    reason: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedGoal:
    """What was wanted as a segment ended, with the words that show it; an empty `goal` is none at all."""

    goal: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedHelp:
    """Which help was sought, and what shows it; empty where none was."""

    help: str
    source: HelpSource
    quote: str
    seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepEntry:
    """One line of a list from which some are kept."""

    what: str
    seen: str
    said: str


def stands_in(quote: str, said: str) -> bool:
    """Tell whether a quote stands word for word in what was said; an empty one does."""
    searched, words = words_of(quote), words_of(said)
    if not searched:
        return not quote.strip()
    return any(words[at : at + len(searched)] == searched for at in range(len(words) - len(searched) + 1))


def states_inquiry(material: Material, segment: NarratedSegment, task: str) -> Inquiry:
    """Return the question what was done in a segment."""
    part = ObjectShape(
        fields=(
            _text("reason", wording.REASON, may_be_empty=False),
            _text("quote", wording.QUOTE),
            AnswerField(
                name="state", shape=EnumShape(values=tuple(state.value for state in State)), words=wording.STATE
            ),
            AnswerField(name="until", shape=IntegerShape(least=1, most=segment.length_s), words=wording.UNTIL),
        )
    )
    shape = ObjectShape(fields=(AnswerField(name="parts", shape=ListShape(of=part, least=1, most=MAX_PARTS)),))

    def check(facts: Mapping[str, object]) -> str:
        parts = parts_in(facts)
        ends = [each.until for each in parts]
        if ends != sorted(set(ends)) or ends[-1] != segment.length_s:
            return wording.PARTS_COVER.format(seconds=segment.length_s)
        return "" if all(stands_in(each.quote, segment.said) for each in parts) else wording.INVENTED

    brief = Brief(system=wording.STATES_SYSTEM, words=wording.STATES_WORDS, shape=shape, check=check)
    return _about(STATES, material, segment, task, brief)


def parts_in(facts: Mapping[str, object]) -> tuple[StatePart, ...]:
    """Return the parts in an answer."""
    return convert(facts["parts"], tuple[StatePart, ...])


def goal_inquiry_of(material: Material, segment: NarratedSegment, task: str) -> Inquiry:
    """Return the question what was wanted as a segment ended."""
    shape = ObjectShape(
        fields=(
            _text("reason", wording.REASON, may_be_empty=False),
            _text("quote", wording.QUOTE),
            _text("goal", wording.GOAL_FIELD, may_be_empty=False),
        )
    )
    check = partial(_quote_check, segment)
    brief = Brief(system=wording.GOAL_SYSTEM, words=wording.GOAL_WORDS, shape=shape, check=check)
    return _about(GOAL, material, segment, task, brief)


def help_inquiry(material: Material, segment: NarratedSegment, task: str) -> Inquiry:
    """Return the question which help was sought in a segment."""
    shape = ObjectShape(
        fields=(
            _text("quote", wording.QUOTE),
            _text("seen", wording.BEHAVIOR),
            AnswerField(
                name="source",
                shape=EnumShape(values=tuple(source.value for source in HelpSource)),
                words=wording.SOURCE,
            ),
            _text("help", wording.HELP_FIELD),
        )
    )

    def check(facts: Mapping[str, object]) -> str:
        if (facts.get("source") == HelpSource.NONE.value) is bool(facts.get("help")):
            return wording.HELP_FITS
        return _quote_check(segment, facts)

    brief = Brief(system=wording.HELP_SYSTEM, words=wording.HELP_WORDS, shape=shape, check=check)
    return _about(HELP, material, segment, task, brief)


def keep_inquiry(kind: str, entries: Sequence[KeepEntry], most: int) -> Inquiry:
    """Return the question which entries of a list to keep; numbers count from 1, at most so many."""
    lines = [
        wording.ENTRY.format(
            number=number,
            what=quoted(entry.what, ENTRY_LIMIT),
            seen=quoted(entry.seen, ENTRY_LIMIT) if entry.seen else wording.NOTHING_SEEN,
            said=quoted(entry.said, ENTRY_LIMIT),
        )
        for number, entry in enumerate(entries, start=1)
    ]
    number = IntegerShape(least=1, most=len(entries))
    kept = ListShape(of=number, most=min(most, len(entries)))
    shape = ObjectShape(fields=(AnswerField(name="kept", shape=kept, words=wording.KEPT),))
    words = "\n\n".join((wording.KEEP[kind].format(most=most), "\n".join(lines)))
    brief = Brief(system=wording.KEEP_SYSTEM, words=words, shape=shape)
    return Inquiry(kind=f"{KEEP}_{kind}", brief=brief)


def wrong_inquiry(material: Material, segment: NarratedSegment, task: str, kind: str, right: str) -> Inquiry:
    """Return the request for wrong answers beside a right one; `kind` is "goal" or "help"."""
    wrong = ListShape(of=TextShape(limit=MAX_WORDS), least=CANDIDATES, most=CANDIDATES)
    shape = ObjectShape(fields=(AnswerField(name="wrong", shape=wrong, words=wording.WRONG),))
    words = wording.WRONG_WORDS[kind].format(right=quoted(right, MAX_WORDS), count=CANDIDATES)
    brief = Brief(system=wording.WRONG_SYSTEM, words=words, shape=shape)
    return _about(f"{WRONG}_{kind}", material, segment, task, brief)


def _about(
    kind: str,
    material: Material,
    segment: NarratedSegment,
    task: str,
    brief: Brief,
) -> Inquiry:
    """Return a question with what is known of the segment before its own words."""
    context = wording.CONTEXT.format(
        app=quoted(segment.app or wording.NOTHING_SEEN, NAME_LIMIT),
        task=wording.TASK.format(task=quoted(task)) if task else "",
        seconds=segment.length_s,
        said=quoted(segment.said, SAID_LIMIT) if segment.said else wording.SAID_NOTHING,
    )
    return inquiry_about(kind, material, replace(brief, words=f"{context}\n\n{brief.words}"))


def _text(name: str, words: str, *, may_be_empty: bool = True) -> AnswerField:
    limit = QUOTE_LIMIT if name == "quote" else MAX_WORDS
    return AnswerField(name=name, shape=TextShape(limit=limit, may_be_empty=may_be_empty), words=words)


def _quote_check(segment: NarratedSegment, facts: Mapping[str, object]) -> str:
    return "" if stands_in(str(facts.get("quote", "")), segment.said) else wording.INVENTED
