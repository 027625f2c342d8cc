"""Stand-ins that answer about made work: one that knows the truth, and two that always say the same.

No model is behind them and no picture is looked at: figures from these are *scripted* and are called so.
"""

import re
from collections.abc import Callable, Mapping

from daemon.diagnosis.model_diagnosis import inquiries
from daemon.diagnosis.model_diagnosis.findings import Outcome, SegmentVerdict
from detectors.mllm.questions import Answer, FailureReason, Model, ModelQuery, ModelResult, Usage
from lab.benchmarks.diagnosis.judged.made_work import MadeWork, TruePart
from storage.errors import UsageError

ORACLE = "scripted:oracle"
ALWAYS_SUCCESS, ALWAYS_FAILURE = "always:success", "always:failure"
STAND_INS = (ORACLE, ALWAYS_SUCCESS, ALWAYS_FAILURE)

GOAL = "goal"
_WORDS = "scripted"
_COUNT = re.compile(r"^(\d+)\. ", re.MULTILINE)
_MARKED = re.compile(r"^-> \d+\. steps (\d+) to (\d+):", re.MULTILINE)


class StandIn:
    """Answers every question of a diagnosis from what it takes for true."""

    def __init__(self, name: str, outcome: Outcome, parts: tuple[TruePart, ...] | None = None) -> None:
        """Say this outcome, and of each part its verdict; without parts the work is one, which ends like the whole."""
        self.name = name
        self._outcome = outcome
        self._parts = parts

    async def ask(self, query: ModelQuery, *, deadline_s: float) -> ModelResult:  # noqa: ARG002  # it is always in time
        """Return the facts that the question asks for."""
        kind = query.questions[0].key
        usage = Usage(calls=1)
        if kind not in _ANSWERS:
            return ModelResult(failure=FailureReason.NONSENSE, usage=usage, model=self.name)
        facts = _ANSWERS[kind](self, query.brief.words if query.brief is not None else "")
        return ModelResult(
            answers={kind: Answer(facts=facts)}, usage=usage, model=self.name, pictures=len(query.pictures)
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _segments(self, words: str) -> Mapping[str, object]:
        spans = (
            [(1, len(_COUNT.findall(words)))]
            if self._parts is None
            else [(part.first, part.last) for part in self._parts]
        )
        return {"segments": [{"first": first, "last": last, "goal": _WORDS} for first, last in spans]}

    def _verdict_of_part(self, words: str) -> tuple[SegmentVerdict, int]:
        """Return the verdict on the marked part, and its first step."""
        marked = _MARKED.search(words)
        first, last = (int(marked[1]), int(marked[2])) if marked else (1, 1)
        whole = SegmentVerdict.SUCCESS if self._outcome is Outcome.SUCCESS else SegmentVerdict.FAIL
        parts = {(part.first, part.last): part.verdict for part in self._parts or ()}
        return parts.get((first, last), whole), first

    def _subtask(self, words: str) -> Mapping[str, object]:
        verdict, first = self._verdict_of_part(words)
        bad = verdict is not SegmentVerdict.SUCCESS
        problems = [{"step": first, "cause": _WORDS, "fix": _WORDS}] if bad else []
        return {
            "reasoning": _WORDS,
            "verdict": verdict.value,
            "root_cause": _WORDS if bad else "",
            "problems": problems,
        }

    def _decision(self, words: str) -> Mapping[str, object]:
        return {"reached": self._verdict_of_part(words)[0] is SegmentVerdict.SUCCESS}

    def _judged(self, _: str) -> Mapping[str, object]:
        return {"reasoning": _WORDS, "verdict": self._outcome.value}

    def _points(self, _: str) -> Mapping[str, object]:
        return {"points": [_WORDS]}

    def _plan(self, _: str) -> Mapping[str, object]:
        return {"subtasks": [_WORDS]}

    def _aligned(self, _: str) -> Mapping[str, object]:
        reached = self._outcome is Outcome.SUCCESS
        return {**self._judged(""), "subtasks": [{"subtask": 1, "reached": reached}]}

    def _criteria(self, _: str) -> Mapping[str, object]:
        met = self._outcome is Outcome.SUCCESS
        return {"reasoning": _WORDS, "criteria": [{"text": _WORDS, "steps": [], "met": met}]}

    def _goal(self, _: str) -> Mapping[str, object]:
        return {"steps": [_WORDS], "goal": _WORDS}

    def _rated(self, _: str) -> Mapping[str, object]:
        return {"reasoning": _WORDS, "score": inquiries.MOST_SCORE}


_ANSWERS: Mapping[str, Callable[[StandIn, str], Mapping[str, object]]] = {
    inquiries.SEGMENTS: StandIn._segments,  # noqa: SLF001  # a table of its own methods
    inquiries.SUBTASK: StandIn._subtask,  # noqa: SLF001  # likewise
    inquiries.DECISION: StandIn._decision,  # noqa: SLF001  # likewise
    inquiries.SUMMARY: StandIn._judged,  # noqa: SLF001  # likewise
    inquiries.WHOLE: StandIn._judged,  # noqa: SLF001  # likewise
    inquiries.FINAL: StandIn._judged,  # noqa: SLF001  # likewise
    inquiries.POINTS: StandIn._points,  # noqa: SLF001  # likewise
    inquiries.RELEVANCE: StandIn._rated,  # noqa: SLF001  # likewise
    inquiries.KEY_FRAMES: StandIn._judged,  # noqa: SLF001  # likewise
    inquiries.PLAN: StandIn._plan,  # noqa: SLF001  # likewise
    inquiries.ALIGNMENT: StandIn._aligned,  # noqa: SLF001  # likewise
    inquiries.CRITERIA: StandIn._criteria,  # noqa: SLF001  # likewise
    GOAL: StandIn._goal,  # noqa: SLF001  # likewise
    inquiries.QUALITY: StandIn._rated,  # noqa: SLF001  # likewise
}


def stand_in(name: str, work: MadeWork | None = None) -> Model:
    """Return a stand-in; the one that knows the truth needs the work.

    Raises:
        UsageError: there is none of this name, or it knows nothing of this work.
    """
    if name == ORACLE and work is not None:
        return StandIn(name, work.outcome, work.parts)
    if name == ALWAYS_SUCCESS:
        return StandIn(name, Outcome.SUCCESS)
    if name == ALWAYS_FAILURE:
        return StandIn(name, Outcome.FAILURE)
    raise UsageError(f"{name} cannot answer about this work", remedy=f"there are: {', '.join(STAND_INS)}")
