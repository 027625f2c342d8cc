"""Who proposes labels: a model that is asked, one question at a time. What it quotes must stand in the transcript."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import convert

from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.model_queries.asking import Asks, Inquiry
from lab.benchmarks.annotation import wording
from lab.benchmarks.annotation.questions import (
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
