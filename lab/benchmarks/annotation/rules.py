"""Proposes labels by rules alone: phrases of what was said, and what was done. No model is asked.

They know English narration and look at no picture. They propose for people to verify, and are a first guess: how often
they are right on people is not known. What they quote is a whole sentence of the transcript.
"""

import re
from collections.abc import Mapping, Sequence

from daemon.history.trajectory.trajectory import Verb
from lab.benchmarks.annotation.annotators import AskedAnnotator
from lab.benchmarks.annotation.questions import HelpSource, KeepEntry, ProposedGoal, ProposedHelp, StatePart
from lab.benchmarks.annotation.segments import NarratedSegment, words_of
from storage.clock import NS_PER_S
from storage.records import State

RULES = "rules"
"""The rater of what they propose."""

_ASKS = r"help me|need (?:some )?help|how (?:do|can|would|to)\b|where(?: is| are|'s)\b|show me how|what should i"
_DOUBTS = r"don't know|not sure|can't (?:find|see)|cannot (?:find|see)|confus\w+|stuck|why (?:is|does|won't)"
_PHRASES: Mapping[State, str] = {
    State.FRUSTRATION: r"ugh+|argh+|damn\w*|annoying|frustrat\w+|come on|doesn't work|not working",
    State.DEBUGGING: rf"{_DOUBTS}|that did nothing|wrong|undo that",
    State.WAITING: r"loading|waiting|rendering|exporting",
    State.ASSESSMENT: r"looks? (?:good|fine|right|ok(?:ay)?)|let me check|compare",
    State.TASK_UNDERSTANDING: r"the task|the instructions?|it says|i am supposed",
    State.IDEATION: r"the plan|my idea|i could (?:make|do|use)",
    State.EXPLORATION: r"try(?:ing)?|maybe|what if|let's see|looking for",
}
_AIMS = (
    r"(?<!n't )(?<!not )(?<!never )(?:going to|want to|need to|let me|i will|i'll) (?!not\b|never\b)"
    r"((?:[\w']+\W+){1,11}[\w']+)"
)
_UNDONE = 3


class RuleAnnotator(AskedAnnotator):
    """Answers in place of a model; it asks nobody."""

    def __init__(self) -> None:
        """There is nothing to open."""

    async def states(self, segment: NarratedSegment) -> tuple[StatePart, ...] | None:
        """Return what was done: one state, and seeking help from where another program is turned to."""
        state, quote = _state(segment)
        turned_ns, parts = segment.helped_ns, list[StatePart]()
        before_s = segment.length_s if turned_ns is None else (turned_ns - segment.start_ns) // NS_PER_S
        if before_s > 0:
            parts.append(StatePart(state=state, until=before_s, reason="by rules", quote=quote))
        if turned_ns is not None:
            sought = State.SEEKING_EXTERNAL_HELP
            parts.append(StatePart(state=sought, until=segment.length_s, reason="another program", quote=""))
        return tuple(parts)

    async def goal(self, segment: NarratedSegment) -> ProposedGoal | None:
        """Return the last thing that somebody said they would do."""
        said = [(found, part) for part in _sentences(segment.said) if (found := _found(_AIMS, part))]
        goal, quote = (said[-1][0][1].strip(" ,.;!?"), said[-1][1]) if said else ("", "")
        return ProposedGoal(goal=goal, quote=quote, reason="by rules")

    async def help(self, segment: NarratedSegment) -> ProposedHelp | None:
        """Return the sentence in which somebody asks or is in doubt; on the screen, that help was turned to."""
        said = next((part for part in _sentences(segment.said) if _found(f"{_ASKS}|{_DOUBTS}", part)), "")
        seen = "went to another program" if segment.helped_ns is not None else ""
        source = {(True, True): HelpSource.BOTH, (True, False): HelpSource.NARRATION, (False, True): HelpSource.SCREEN}
        found = source.get((bool(said), bool(seen)), HelpSource.NONE)
        return ProposedHelp(help=said or seen, source=found, quote=said, seen=seen)

    async def kept(self, kind: str, entries: Sequence[KeepEntry], most: int) -> frozenset[int] | None:
        """Return what is clear: help that can be seen, help that is asked for, calm work that says of no trouble."""
        unclear = "|".join((_ASKS, *_PHRASES.values()))

        def is_clear(entry: KeepEntry) -> bool:
            if kind == "calm":
                return bool(entry.said) and not _found(unclear, entry.said)
            return bool(entry.seen) if kind == "screen" else _found(_ASKS, entry.said) is not None

        return frozenset([place for place, entry in enumerate(entries) if is_clear(entry)][:most])

    async def wrong(self, segment: NarratedSegment, kind: str, right: str) -> tuple[str, ...]:  # noqa: ARG002  # has none
        """Return nothing of its own: what others said is drawn."""
        return ()

    async def satisfies(self, segment: NarratedSegment, a: str, b: str) -> bool | None:  # noqa: ARG002  # words say all
        """Return whether the words of B are all in A."""
        return set(words_of(b)) <= set(words_of(a))


def _state(segment: NarratedSegment) -> tuple[State, str]:
    """Return the state that is said, with the sentence; else that of what was done."""
    for state, phrases in _PHRASES.items():
        for sentence in _sentences(segment.said):
            if _found(phrases, sentence):
                return state, sentence
    actions = [found.step.action for found in segment.steps]
    undone = sum(int(action.args.get("count", 1)) for action in actions if action.args.get("key") == "undo")
    looks = sum(action.verb in (Verb.SCROLL.value, Verb.WAIT.value) for action in actions)
    if undone >= _UNDONE:
        return State.DEBUGGING, ""
    if actions and all(action.verb == Verb.WAIT.value for action in actions):
        return State.WAITING, ""
    return (State.EXPLORATION if 2 * looks > len(actions) else State.PERFORMING_ACTIONS), ""


def _sentences(said: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.?!…])\s+", said) if part]


def _found(phrases: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b(?:{phrases})(?!\w)", text.casefold().replace("\u2019", "'"))
