"""The three questions about goals, and who answers them: which goal, is a task fulfilled, does one satisfy another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.goals.wording import YES
from daemon.diagnosis.model_queries.asking import Inquiry, QueryReply
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

GOAL, FULFILS, SATISFIES = "goal", "fulfils", "satisfies"
"""Kinds of inquiries."""

GOAL_LIMIT = 400
STEP_LIMIT = 240
REASON_LIMIT = 800
MAX_ENTRIES = 60
"""Up to so many steps each has an entry of its own in the answer."""

MAX_REQUIREMENTS = 20
GOAL_TOKENS, ENTRY_TOKENS, SATISFIES_TOKENS = 512, 100, 2048

_ANSWER = EnumShape(values=(wording.YES, wording.NO))


def goal_inquiry(material: Material) -> Inquiry:
    """Return the question for the most likely goal; the answer has `steps` and `goal`."""
    count = material.number
    each = count <= MAX_ENTRIES
    entries = ListShape(of=TextShape(limit=STEP_LIMIT), least=count if each else 1, most=min(count, MAX_ENTRIES))
    shape = ObjectShape(
        fields=(
            AnswerField(name="steps", shape=entries, words=wording.GOAL_STEPS if each else wording.GOAL_STEPS_JOINED),
            AnswerField(name="goal", shape=TextShape(limit=GOAL_LIMIT), words=wording.GOAL_FIELD),
        )
    )
    return _inquiry(
        GOAL,
        material,
        Brief(
            system=wording.GOAL_SYSTEM,
            words=wording.GOAL_WORDS,
            shape=shape,
            check=_no_question,
            tokens=GOAL_TOKENS + ENTRY_TOKENS * min(count, MAX_ENTRIES),
        ),
    )


def fulfils_inquiry(material: Material, task: str) -> Inquiry:
    """Return the question whether a trajectory has reached a task; the answer has `reasoning` and `answer`."""
    shape = ObjectShape(
        fields=(
            AnswerField(name="reasoning", shape=TextShape(limit=REASON_LIMIT), words=wording.FULFILS_REASONING),
            AnswerField(name="answer", shape=_ANSWER, words=wording.FULFILS_ANSWER),
        )
    )
    words = wording.FULFILS_WORDS.format(task=one_line(task, GOAL_LIMIT))
    return _inquiry(FULFILS, material, Brief(system=wording.FULFILS_SYSTEM, words=words, shape=shape))


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
    return _inquiry(
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


def _inquiry(kind: str, material: Material, brief: Brief) -> Inquiry:
    """Return a question with the steps before its own words."""
    brief = replace(brief, words=f"{material.words}\n\n{brief.words}")
    return Inquiry(kind=kind, brief=brief, pictures=material.pictures, captions=material.captions)


def _no_question(facts: Mapping[str, object]) -> str:
    return wording.GOAL_NO_QUESTION if str(facts.get("goal", "")).rstrip().endswith("?") else ""


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


class Asks(Protocol):
    """Whoever puts inquiries to a model (`daemon.diagnosis.model_queries.asking.Asker`)."""

    async def ask(self, inquiry: Inquiry) -> QueryReply:
        """Return the answer."""
        ...


class AskedJudge:
    """A model, asked one question at a time."""

    def __init__(self, asker: Asks) -> None:
        """Ask through this."""
        self._asker = asker

    async def goal(self, material: Material) -> str | None:
        """Return the goal that most likely led to a trajectory."""
        found = (await self._asker.ask(goal_inquiry(material))).facts.get("goal")
        return found if isinstance(found, str) else None

    async def fulfils(self, material: Material, task: str) -> bool | None:
        """Return whether a trajectory has reached a task."""
        return await self._yes(fulfils_inquiry(material, task))

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:
        """Return whether every reasonable trajectory that fulfils A fulfils B."""
        return await self._yes(satisfies_inquiry(material, a, b))

    async def _yes(self, inquiry: Inquiry) -> bool | None:
        found = (await self._asker.ask(inquiry)).facts.get("answer")
        return None if found is None else found == YES
