"""From recordings to proposed labels, and to a sample with questions for a test of models.

For each recording: what was done, wanted and sought in each segment; then what help is clear enough (another program
was turned to, or help asked for in so many words), at most five stretches in which none was needed, and an end before
help can be seen. Of all together the sample is drawn: so many stretches of each state by lot, and three wrong answers
beside each right one, none of which satisfies it or is satisfied by it, as a judge of goals says.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from lab.benchmarks.annotation.annotators import AskedAnnotator
from lab.benchmarks.annotation.questions import HelpSource, KeepEntry, ProposedGoal, ProposedHelp, StatePart
from lab.benchmarks.annotation.segments import LEAST_S, NarratedRecording, NarratedSegment, words_of
from lab.benchmarks.guide.clips import DISTRACTORS
from storage.clock import NS_PER_S
from storage.records import MAX_WORDS, NeedLabel, SegmentLabel, State

CALM = 5
PER_CLASS = 200
MOST_TRIED = 12
"""Wrong answers that are judged for one right one, at most."""


class Fate(StrEnum):
    """Whether a segment is a question about help, and why not."""

    NEEDED = "help was sought"
    CALM = "no help was needed"
    UNCLEAR = "help that was neither asked for nor looked for in another program"
    NOTHING_LEFT = "nothing before help was looked for"
    NOT_CHOSEN = "not among the calmest"
    UNANSWERED = "no answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedSegment:
    """A segment and what is proposed of it; `help_end_ns` is where it ends as a question about help."""

    segment: NarratedSegment
    parts: tuple[StatePart, ...] | None
    goal: ProposedGoal | None
    help: ProposedHelp | None
    fate: Fate
    help_end_ns: int

    @property
    def stretches(self) -> tuple[tuple[int, int, StatePart], ...]:
        """The parts with their times; the last one ends with the segment."""
        start_ns, end_ns = self.segment.start_ns, self.segment.end_ns
        parts = self.parts or ()
        ends = [*(start_ns + part.until * NS_PER_S for part in parts[:-1]), end_ns]
        return tuple(
            (begin, end, part)
            for (begin, end), part in zip(pairwise([start_ns, *ends]), parts, strict=False)
            if begin < end
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnQuestion:
    """A question of the sample: a stretch, the right answer and three wrong ones; `kind` is "goal" or "help"."""

    kind: str
    session: str
    start_ns: int
    end_ns: int
    right: str
    wrong: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class ProposedSet:
    """What came of it: segments, the stretches of each state that were drawn, and questions; counts of what was not."""

    segments: list[ProposedSegment] = field(default_factory=list)
    drawn: list[tuple[str, int, int, State]] = field(default_factory=list)
    questions: list[DrawnQuestion] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


async def propose(recording: NarratedRecording, annotator: AskedAnnotator) -> list[ProposedSegment]:
    """Return what is proposed of each segment of a recording."""
    found = [
        ProposedSegment(
            segment=segment,
            parts=await annotator.states(segment),
            goal=await annotator.goal(segment),
            help=await annotator.help(segment),
            fate=Fate.UNANSWERED,
            help_end_ns=segment.end_ns,
        )
        for segment in recording.segments
    ]
    fates = await _fates(found, annotator)
    return [replace(each, fate=fate, help_end_ns=end) for each, (fate, end) in zip(found, fates, strict=True)]


async def _fates(found: Sequence[ProposedSegment], annotator: AskedAnnotator) -> list[tuple[Fate, int]]:
    sources = [each.help.source if each.help is not None else None for each in found]
    on_screen = await _kept(found, annotator, "screen", (HelpSource.SCREEN, HelpSource.BOTH))
    in_words = await _kept(found, annotator, "narration", (HelpSource.NARRATION, HelpSource.BOTH))
    calm = await _kept(found, annotator, "calm", (HelpSource.NONE,))
    fates = []
    for place, (each, source) in enumerate(zip(found, sources, strict=True)):
        fate, end_ns = Fate.UNCLEAR, _end_before_help(each.segment)
        if source is None:
            fate = Fate.UNANSWERED
        elif source is HelpSource.NONE:
            fate = Fate.CALM if place in calm else Fate.NOT_CHOSEN
        elif place in on_screen or place in in_words:
            long_enough = end_ns - each.segment.start_ns >= LEAST_S * NS_PER_S
            fate = Fate.NEEDED if long_enough else Fate.NOTHING_LEFT
        fates.append((fate, end_ns))
    return fates


async def _kept(
    found: Sequence[ProposedSegment], annotator: AskedAnnotator, kind: str, sources: Sequence[HelpSource]
) -> frozenset[int]:
    """Return the places of segments that a filter keeps; without an answer none."""
    asked = [place for place, each in enumerate(found) if each.help is not None and each.help.source in sources]
    if not asked:
        return frozenset()
    entries = []
    for place in asked:
        each = found[place]
        assert each.help is not None  # noqa: S101  # chosen above
        goal = each.goal.goal if each.goal is not None else ""
        entries.append(KeepEntry(what=each.help.help or goal or "-", seen=each.help.seen, said=each.segment.said))
    most = CALM if kind == "calm" else len(entries)
    kept = await annotator.kept(kind, entries, most)
    return frozenset(asked[place] for place in sorted(kept or ())[:most])


def _end_before_help(segment: NarratedSegment) -> int:
    """Return where a segment ends as a question about help: before another program is turned to for it."""
    return segment.end_ns if segment.helped_ns is None else min(segment.end_ns, segment.helped_ns)


def labels_of(segments: Iterable[ProposedSegment], rater: str) -> list[SegmentLabel]:
    """Return labels for people to verify: one for each part, with goal and help of its segment."""
    labels = []
    for each in segments:
        wanted = each.goal.goal if each.goal is not None else ""
        would_help = each.help.help if each.help is not None else ""
        need = None if each.help is None else NeedLabel.NO if each.help.source is HelpSource.NONE else NeedLabel.YES
        for begin_ns, end_ns, part in each.stretches:
            key = f"{rater} {each.segment.session} {begin_ns} {end_ns}"
            labels.append(
                SegmentLabel(
                    label_id=hashlib.blake2b(key.encode(), digest_size=8).hexdigest(),
                    rater=rater,
                    start_ns=begin_ns,
                    end_ns=end_ns,
                    states=(part.state,),
                    need=need,
                    wanted=wanted[:MAX_WORDS],
                    would_help=would_help[:MAX_WORDS],
                    blind=False,
                    proposed=True,
                    reason=part.reason[:MAX_WORDS],
                )
            )
    return labels


def draw_stretches(
    segments: Iterable[ProposedSegment], per_class: int, seed: int
) -> tuple[list[tuple[str, int, int, State]], Counter[str]]:
    """Return so many stretches of each state by lot, in the order of their recordings, and how many were not drawn."""
    by_state: dict[State, list[tuple[str, int, int, State]]] = {state: [] for state in State}
    for each in segments:
        for begin_ns, end_ns, part in each.stretches:
            by_state[part.state].append((each.segment.session, begin_ns, end_ns, part.state))
    drawn = [
        stretch
        for stretches in by_state.values()
        for stretch in sorted(stretches, key=lambda each: _lot(seed, each))[:per_class]
    ]
    left = sum(max(0, len(stretches) - per_class) for stretches in by_state.values())
    return sorted(drawn), Counter({"stretches not drawn": left} if left else {})


def _lot(seed: int, of: object) -> bytes:
    return hashlib.sha256(f"{seed} {of}".encode()).digest()


async def draw_questions(
    segments: Sequence[ProposedSegment],
    of_session: Callable[[str], Awaitable[AskedAnnotator]],
    seed: int,
    left_out: Counter[str],
) -> list[DrawnQuestion]:
    """Return the questions about goals and help, each right answer once, with three wrong ones."""
    goals = [
        (each, each.goal.goal, each.segment.end_ns) for each in segments if each.goal is not None and each.goal.goal
    ]
    helps = [
        (each, each.help.help, each.help_end_ns)
        for each in segments
        if each.fate is Fate.NEEDED and each.help is not None
    ]
    questions = []
    for kind, all_of_kind in (("goal", goals), ("help", helps)):
        once: Mapping[tuple[str, ...], tuple[ProposedSegment, str, int]] = {
            words_of(right): (each, right, end_ns) for each, right, end_ns in reversed(all_of_kind)
        }
        left_out[f"{kind}s that were proposed before"] += len(all_of_kind) - len(once)
        for each, right, end_ns in all_of_kind:
            if once[words_of(right)][0] is not each:
                continue
            annotator = await of_session(each.segment.session)
            of_work = (text for other, text, _ in all_of_kind if other.segment.session == each.segment.session)
            others = sorted({*of_work} - {right})  # of this recording alone, so that they go with it
            random.Random(f"{seed} {each.segment.key}").shuffle(others)  # noqa: S311  # which is drawn is no secret
            wrong = await _wrong_answers(annotator, each.segment, kind, right, others)
            if len(wrong) < DISTRACTORS:
                left_out[f"{kind} questions without three wrong answers"] += 1
                continue
            questions.append(
                DrawnQuestion(
                    kind=kind,
                    session=each.segment.session,
                    start_ns=each.segment.start_ns,
                    end_ns=end_ns,
                    right=right,
                    wrong=wrong,
                )
            )
    return questions


async def _wrong_answers(
    annotator: AskedAnnotator, segment: NarratedSegment, kind: str, right: str, others: Sequence[str]
) -> tuple[str, ...]:
    """Return the first three that differ, and of which the judge says both ways that they do not satisfy."""
    found: list[str] = []
    own = await annotator.wrong(segment, kind, right)
    taken = {words_of(right)}
    for tried, candidate in enumerate((*own, *others)):
        if len(found) == DISTRACTORS or tried == MOST_TRIED:
            break
        if not words_of(candidate) or words_of(candidate) in taken:
            continue
        forth = await annotator.satisfies(segment, candidate, right)
        if forth is False and await annotator.satisfies(segment, right, candidate) is False:
            taken.add(words_of(candidate))
            found.append(candidate)
    return tuple(found)
