"""Who proposes labels: a model that is asked, or rules alone.

Rules know English narration and the acts of a person; they look at no picture. Both are held to the same: what they
quote must stand in the transcript.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import convert

from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.model_queries.asking import Asks, Inquiry
from daemon.history.trajectory.trajectory import Verb
from lab.benchmarks.annotation import wording
from lab.benchmarks.annotation.questions import (
    HelpSource,
    KeepEntry,
    ProposedGoal,
    ProposedHelp,
    StatePart,
    goal_inquiry_of,
    help_inquiry,
    keep_inquiry,
    parts_in,
    states_inquiry,
    wrong_inquiry,
)
from lab.benchmarks.annotation.segments import NarratedRecording, NarratedSegment, words_of
from lab.benchmarks.goals.questions import GoalJudge
from storage.clock import NS_PER_S
from storage.records import State

NO_GOALS = ((wording.NO_GOAL,), ("no", "tangible", "goal"))


class AskedAnnotator:
    """A model that is asked about a recording, one question at a time, and a judge that compares answers."""

    def __init__(self, asks: Asks, judge: GoalJudge, recording: NarratedRecording, task: str) -> None:
        """Prepare; whoever opened the models closes them."""
        self._asks, self._judge, self._recording, self._task = asks, judge, recording, task
        self._material: tuple[str, Material] | None = None

    def _of(self, segment: NarratedSegment) -> Material:
        if self._material is None or self._material[0] != segment.key:
            self._material = segment.key, self._recording.material(segment)
        return self._material[1]

    async def _facts(self, inquiry: Inquiry) -> Mapping[str, object] | None:
        """Return the answer; None without one, or where it breaks its own rule, as a client need not check."""
        facts = (await self._asks.ask(inquiry)).facts
        check = inquiry.brief.check
        return facts if facts and (check is None or not check(facts)) else None

    async def states(self, segment: NarratedSegment) -> tuple[StatePart, ...] | None:
        """Return what was done, part by part."""
        facts = await self._facts(states_inquiry(self._of(segment), segment, self._task))
        return None if facts is None else parts_in(facts)

    async def goal(self, segment: NarratedSegment) -> ProposedGoal | None:
        """Return what was wanted as the segment ended."""
        facts = await self._facts(goal_inquiry_of(self._of(segment), segment, self._task))
        if facts is None:
            return None
        found = convert(facts, ProposedGoal)
        return replace(found, goal="") if words_of(found.goal) in NO_GOALS else found

    async def help(self, segment: NarratedSegment) -> ProposedHelp | None:
        """Return which help was sought."""
        facts = await self._facts(help_inquiry(self._of(segment), segment, self._task))
        return None if facts is None else convert(facts, ProposedHelp)

    async def kept(self, kind: str, entries: Sequence[KeepEntry], most: int) -> frozenset[int] | None:
        """Return the places, from 0, of the entries to keep."""
        facts = await self._facts(keep_inquiry(kind, entries, most))
        return None if facts is None else frozenset(number - 1 for number in convert(facts["kept"], list[int]))

    async def wrong(self, segment: NarratedSegment, kind: str, right: str) -> tuple[str, ...]:
        """Return wrong answers that might do."""
        facts = await self._facts(wrong_inquiry(self._of(segment), segment, self._task, kind, right))
        return () if facts is None else convert(facts["wrong"], tuple[str, ...])

    async def satisfies(self, segment: NarratedSegment, a: str, b: str) -> bool | None:
        """Return whether whoever gets A has B."""
        return await self._judge.satisfies(self._of(segment), a, b)


_REQUEST = re.compile(
    r"\b(?:help me|i need help|can you help|please help|how (?:do|can|would|to)\b|where(?: is| are|'s|s)\b"
    r"|which \w+ should i|what should i|what does (?:this|that|it) do|show me how|tell me how|is there (?:a|any) way)"
)
_DOUBT = re.compile(
    r"\b(?:don't know|not sure|why (?:is|isn't|does|doesn't|won't)|can't (?:find|see)|confus\w+|stuck)\b"
)
_UNCALM = re.compile(
    r"\b(?:no no|try|trying|finally|oh|ah|ugh|hm+|why|maybe|i think|let's see|not sure|come on|i see|got it|wrong)\b"
)
_CURSE = re.compile(r"\b(?:ugh|argh|damn|annoying|frustrat\w+|come on|stupid|doesn't work|not working|what the)\b")
_LOOK_OVER = re.compile(r"\b(?:looks? (?:good|fine|right|nice|ok)|let me check|compare|review\w*)\b")
_WAITS = re.compile(r"\b(?:loading|waiting|rendering|exporting)\b")
_PLANS = re.compile(r"\b(?:the plan|my idea|i could (?:make|do|use)|first .* then|outline)\b")
_READS = re.compile(r"\b(?:the task|the instructions?|it says|i have to|i am (?:asked|supposed))\b")
_AIM = re.compile(r"\b(?:going to|gonna|want to|wanna|need to|let me|i'll|let's) ((?:\w+(?:'\w+)?\W?){2,12})")
_STATE_CUES: Sequence[tuple[State, re.Pattern[str]]] = (
    (State.FRUSTRATION, _CURSE),
    (State.DEBUGGING, _DOUBT),
    (State.WAITING, _WAITS),
    (State.ASSESSMENT, _LOOK_OVER),
    (State.TASK_UNDERSTANDING, _READS),
    (State.IDEATION, _PLANS),
    (State.EXPLORATION, re.compile(r"\b(?:try|trying|maybe|what if|let's see|which one)\b")),
)
_STILL_S, _UNDONE = 10, 3


class RuleAnnotator:
    """Proposes labels by cues in what was said and by what was done; no model is asked."""

    async def states(self, segment: NarratedSegment) -> tuple[StatePart, ...] | None:
        """Return what was done: one state, and that of seeking help from where another program is turned to."""
        end, helped_ns = segment.length_s, segment.helped_ns
        state, quote = _state_of(segment)
        parts = [StatePart(state=state, until=end, reason="by cues in words and acts", quote=quote)]
        if helped_ns is not None:
            turned = (helped_ns - segment.start_ns) // NS_PER_S
            sought = StatePart(state=State.SEEKING_EXTERNAL_HELP, until=end, reason="another program", quote="")
            before = [StatePart(state=state, until=turned, reason=parts[0].reason, quote=quote)] if turned else []
            parts = [*before, sought]
        return tuple(parts)

    async def goal(self, segment: NarratedSegment) -> ProposedGoal | None:
        """Return the last thing that somebody said they would do."""
        found = [match.group(1).strip(" ,.;!?") for match in _AIM.finditer(segment.said)]
        goal = found[-1] if found else ""
        return ProposedGoal(goal=goal, quote=goal, reason="said so" if goal else "nothing said of it")

    async def help(self, segment: NarratedSegment) -> ProposedHelp | None:
        """Return the sentence in which somebody asks or does not know; on the screen, that help was turned to."""
        said = next((part for part in _sentences(segment.said) if _match(_REQUEST, part) or _match(_DOUBT, part)), "")
        seen = "went to another program" if segment.helped_ns is not None else ""
        if said and seen:
            source = HelpSource.BOTH
        else:
            source = HelpSource.NARRATION if said else HelpSource.SCREEN if seen else HelpSource.NONE
        return ProposedHelp(help=said or seen, source=source, quote=said, seen=seen)

    async def kept(self, kind: str, entries: Sequence[KeepEntry], most: int) -> frozenset[int] | None:
        """Return what fits the rule of its kind, the first ones."""

        def fits(entry: KeepEntry) -> bool:
            if kind == "calm":
                return bool(entry.said) and not _match(_UNCALM, entry.said) and not _match(_DOUBT, entry.said)
            return bool(entry.seen) if kind == "screen" else _match(_REQUEST, entry.said)

        return frozenset([place for place, entry in enumerate(entries) if fits(entry)][:most])

    async def wrong(self, segment: NarratedSegment, kind: str, right: str) -> tuple[str, ...]:  # noqa: ARG002  # has none
        """Return nothing of its own: what others said is drawn."""
        return ()

    async def satisfies(self, segment: NarratedSegment, a: str, b: str) -> bool | None:  # noqa: ARG002  # words say all
        """Return whether the words of B are all in A."""
        return set(words_of(b)) <= set(words_of(a))


def _sentences(said: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.?!…])\s+", said) if part.strip()]


def _match(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text.casefold().replace("\u2019", "'")) is not None


def _state_of(segment: NarratedSegment) -> tuple[State, str]:
    for state, cue in _STATE_CUES:
        for sentence in _sentences(segment.said):
            if _match(cue, sentence):
                return state, sentence
    acts = Counter(found.step.action.verb for found in segment.steps)
    undone = sum(
        int(found.step.action.args.get("count", 1))
        for found in segment.steps
        if found.step.action.args.get("key") == "undo"
    )
    if undone >= _UNDONE:
        return State.FRUSTRATION, ""
    if not segment.steps or (set(acts) == {Verb.WAIT.value} and segment.length_s >= _STILL_S):
        return State.WAITING, ""
    looks = acts[Verb.SCROLL.value] + acts[Verb.WAIT.value]
    return (State.EXPLORATION if looks * 2 > acts.total() else State.PERFORMING_ACTIONS), ""


Annotator = AskedAnnotator | RuleAnnotator
"""Who proposes labels of the segments of a recording. None is no answer that could be used."""
