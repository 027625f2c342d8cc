"""A brief with every shape in it, a good answer to it, and a query that asks it."""

from collections.abc import Callable, Mapping

from detectors.mllm.questions import (
    AnswerField,
    AnswerForm,
    BooleanShape,
    Brief,
    EnumShape,
    IntegerShape,
    ListShape,
    ModelQuery,
    ModelQuestion,
    ObjectShape,
    TextShape,
)
from tests.fakes.mllm.sample_queries import picture

PROBLEM = ObjectShape(
    fields=(
        AnswerField(name="step", shape=IntegerShape(least=3, most=7), words="which step"),
        AnswerField(name="cause", shape=TextShape(limit=40), words="what went wrong"),
    )
)
SHAPE = ObjectShape(
    fields=(
        AnswerField(name="reasoning", shape=TextShape(limit=60)),
        AnswerField(name="verdict", shape=EnumShape(values=("success", "partial", "fail"))),
        AnswerField(name="root_cause", shape=TextShape(limit=30, may_be_empty=True)),
        AnswerField(name="recovered", shape=BooleanShape()),
        AnswerField(name="problems", shape=ListShape(of=PROBLEM, most=3)),
    )
)
GOOD: Mapping[str, object] = {
    "reasoning": "It was saved at last.",
    "verdict": "partial",
    "root_cause": "",
    "recovered": True,
    "problems": [{"step": 4, "cause": "the wrong menu"}],
}


def brief(check: Callable[[Mapping[str, object]], str] | None = None) -> Brief:
    return Brief(system="You judge a piece of work.", words="The steps: 3 to 7.", shape=SHAPE, check=check)


def object_query(pictures: int = 0, asked: Brief | None = None) -> ModelQuery:
    return ModelQuery(
        pictures=tuple(picture(number) for number in range(pictures)),
        at_s=(),
        questions=(ModelQuestion(key="judgement", form=AnswerForm.OBJECT, brief=asked or brief()),),
        captions=tuple(f"after step {number}" for number in range(pictures)),
    )
