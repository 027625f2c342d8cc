"""Questions, queries and tokens for tests of prompts and replies."""

from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.protocol import Token
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Option, QueryPicture, QuestionContext, Task

PICTURE = QueryPicture(digest="0" * 64, jpeg=b"jpeg", base64=b"anBlZw==")
FOUR = tuple(
    Option(key=key, text=text)
    for key, text in (
        ("align", "Align the two shapes"),
        ("export", "Export the page as a picture"),
        ("font", "Change the font of the title"),
        ("legend", "Move the legend below the chart"),
    )
)
NO_CONTEXT = QuestionContext()


def behavior(given: QuestionContext = NO_CONTEXT) -> ModelQuestion:
    return ModelQuestion(key="behavior", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS, given=given)


def need(given: QuestionContext = NO_CONTEXT) -> ModelQuestion:
    return ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO, given=given)


def intent(*options: Option, given: QuestionContext = NO_CONTEXT) -> ModelQuestion:
    form = AnswerForm.CHOICE if options else AnswerForm.TEXT
    return ModelQuestion(key="intent", task=Task.INTENT, form=form, options=options, given=given)


def content(*options: Option, given: QuestionContext = NO_CONTEXT) -> ModelQuestion:
    form = AnswerForm.CHOICE if options else AnswerForm.TEXT
    return ModelQuestion(key="content", task=Task.CONTENT, form=form, options=options, given=given)


def query(*questions: ModelQuestion, pictures: int = 4, reasoned: bool = False, observations: str = "") -> ModelQuery:
    return ModelQuery(
        pictures=(PICTURE,) * pictures,
        at_s=tuple(0.75 * number for number in range(pictures)),
        questions=questions,
        observations=observations,
        reasoned=reasoned,
    )


LIVE = query(behavior(), need(), content())


def token(text: str, probability_log: float = -0.1, **others: float) -> Token:
    """Return a token; `others` are the log-probabilities of what could have stood there."""
    return Token(text, probability_log, tuple(others.items()))


def tokens(*texts: str) -> tuple[Token, ...]:
    return tuple(token(text) for text in texts)
