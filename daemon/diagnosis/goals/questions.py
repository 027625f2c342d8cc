"""The question to a model which goal somebody most likely had."""

from collections.abc import Mapping
from dataclasses import replace

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.model_queries.asking import Asks, Inquiry
from detectors.mllm.questions import AnswerField, Brief, ListShape, ObjectShape, TextShape

GOAL = "goal"
"""The kind of the inquiry."""

GOAL_LIMIT = 400
STEP_LIMIT = 240
MAX_ENTRIES = 60
"""Up to so many steps each has an entry of its own in the answer."""

GOAL_TOKENS, ENTRY_TOKENS = 512, 100


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
    return inquiry_about(
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


def inquiry_about(kind: str, material: Material, brief: Brief) -> Inquiry:
    """Return a question with the steps before its own words."""
    brief = replace(brief, words=f"{material.words}\n\n{brief.words}")
    return Inquiry(kind=kind, brief=brief, pictures=material.pictures, captions=material.captions)


def _no_question(facts: Mapping[str, object]) -> str:
    return wording.GOAL_NO_QUESTION if str(facts.get("goal", "")).rstrip().endswith("?") else ""


async def goal_of(asks: Asks, material: Material) -> str | None:
    """Return the goal that most likely led to a trajectory; None without an answer."""
    found = (await asks.ask(goal_inquiry(material))).facts.get("goal")
    return found if isinstance(found, str) else None
