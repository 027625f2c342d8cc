"""The questions that compare goals, and who answers them: is a task fulfilled, does one satisfy another."""

from collections.abc import Mapping
from typing import Protocol

from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.goals.questions import GOAL_LIMIT, STEP_LIMIT, goal_of, inquiry_about
from daemon.diagnosis.model_queries.asking import Asks, Inquiry
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import (
    AnswerField,
    BooleanShape,
    Brief,
    EnumShape,
    ListShape,
    ObjectShape,
    TextShape,
)
from lab.benchmarks.goals import wording

FULFILS, SATISFIES = "fulfils", "satisfies"
"""Kinds of inquiries."""

REASON_LIMIT = 800
MAX_REQUIREMENTS = 20
SATISFIES_TOKENS = 2048

_ANSWER = EnumShape(values=(wording.YES, wording.NO))


def fulfils_inquiry(material: Material, task: str) -> Inquiry:
    """Return the question whether a trajectory has reached a task; the answer has `reasoning` and `answer`."""
    shape = ObjectShape(
        fields=(
            AnswerField(name="reasoning", shape=TextShape(limit=REASON_LIMIT), words=wording.FULFILS_REASONING),
            AnswerField(name="answer", shape=_ANSWER, words=wording.FULFILS_ANSWER),
        )
    )
    words = wording.FULFILS_WORDS.format(task=one_line(task, GOAL_LIMIT))
    return inquiry_about(FULFILS, material, Brief(system=wording.FULFILS_SYSTEM, words=words, shape=shape))


def satisfies_inquiry(material: Material, a: str, b: str) -> Inquiry:
    """Return the question whether A satisfies B; the answer has `requirements`, `counterexample` and `answer`."""
    requirement = ObjectShape(
        fields=(
            AnswerField(name="text", shape=TextShape(limit=STEP_LIMIT), words=wording.SATISFIES_REQUIREMENT),
            AnswerField(name="met", shape=BooleanShape(), words=wording.SATISFIES_MET),
        )
    )
    shape = ObjectShape(
        fields=(
            AnswerField(name="requirements", shape=ListShape(of=requirement, least=1, most=MAX_REQUIREMENTS)),
            AnswerField(
                name="counterexample",
                shape=TextShape(limit=REASON_LIMIT, may_be_empty=True),
                words=wording.SATISFIES_COUNTEREXAMPLE,
            ),
            AnswerField(name="answer", shape=_ANSWER, words=wording.SATISFIES_ANSWER),
        )
    )
    words = wording.SATISFIES_WORDS.format(a=one_line(a, GOAL_LIMIT), b=one_line(b, GOAL_LIMIT))
    return inquiry_about(
        SATISFIES,
        material,
        Brief(
            system=wording.SATISFIES_SYSTEM,
            words=words,
            shape=shape,
            check=_no_contradiction,
            tokens=SATISFIES_TOKENS,
        ),
    )


def _no_contradiction(facts: Mapping[str, object]) -> str:
    requirements = facts.get("requirements")
    unmet = isinstance(requirements, list) and any(not requirement.get("met") for requirement in requirements)
    contradicts = facts.get("answer") == wording.YES and (unmet or bool(facts.get("counterexample")))
    return wording.SATISFIES_CONTRADICTION if contradicts else ""


class GoalJudge(Protocol):
    """A model, or a stand-in. None is no answer, which counts as a no."""

    async def goal(self, material: Material) -> str | None:
        """Return the goal that most likely led to a trajectory."""
        ...

    async def fulfils(self, material: Material, task: str) -> bool | None:
        """Return whether a trajectory has reached a task."""
        ...

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:
        """Return whether every reasonable trajectory that fulfils A fulfils B."""
        ...


class AskedJudge:
    """A model, asked one question at a time."""

    def __init__(self, asker: Asks) -> None:
        self._asker = asker

    async def goal(self, material: Material) -> str | None:
        """Return the goal that most likely led to a trajectory."""
        return await goal_of(self._asker, material)

    async def fulfils(self, material: Material, task: str) -> bool | None:
        """Return whether a trajectory has reached a task."""
        return await self._yes(fulfils_inquiry(material, task))

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:
        """Return whether every reasonable trajectory that fulfils A fulfils B."""
        return await self._yes(satisfies_inquiry(material, a, b))

    async def _yes(self, inquiry: Inquiry) -> bool | None:
        found = (await self._asker.ask(inquiry)).facts.get("answer")
        return None if found is None else found == wording.YES
