"""Queries for tests of dialects: small pictures of arbitrary bytes, and one question of each form."""

import base64
import hashlib

from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Option, QueryPicture, Task

STATE = ModelQuestion(
    key="state",
    task=Task.BEHAVIOR,
    form=AnswerForm.CHOICE,
    options=(
        Option(key="frustration", text="stuck in something"),
        Option(key="waiting", text='waits for "it"'),
        Option(key="ideation", text="looks for ideas \u00e9"),
    ),
)
NEED = ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
INTENT = ModelQuestion(key="intent", task=Task.INTENT, form=AnswerForm.TEXT)


def picture(number: int, size: int = 30) -> QueryPicture:
    jpeg = bytes([number % 256]) * size
    return QueryPicture(digest=hashlib.sha256(jpeg).hexdigest(), jpeg=jpeg, base64=base64.b64encode(jpeg))


def query(
    pictures: int = 2,
    questions: tuple[ModelQuestion, ...] = (STATE, NEED),
    observations: str = "7 undos",
    size: int = 30,
) -> ModelQuery:
    return ModelQuery(
        pictures=tuple(picture(number, size) for number in range(pictures)),
        at_s=tuple(6.0 * number for number in range(pictures)),
        questions=questions,
        observations=observations,
    )
