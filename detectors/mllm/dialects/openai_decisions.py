"""OpenAI's decisions: typed questions about shared pictures, answered with probabilities and no text.

Read in the types of the `openai` package 3.54 and in its reference of November 2026; tried against a fake server only.
It became generally available in that month, with one model (`gpt-6-luna`), up to 400 questions and, by one report, 128
pictures. A question may be refused while others are answered; it is then missing among the distributions. Probabilities
are rounded to two places by some reports. Not known: how a yes-or-no *question* differs from the *statement* that its
type is described with.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import base, decisions
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import InvalidReply, Reply, Request, RequestOptions
from detectors.mllm.questions import AnswerForm, ModelQuery, Question


class _Probability(msgspec.Struct):
    value: str | bool
    probability: float


class _Answer(msgspec.Struct):
    type: str
    name: str | None = None
    probability: float | None = None
    probabilities: list[_Probability] | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _Details | None = None


class _Decision(msgspec.Struct):
    answers: list[_Answer]
    model: str | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Decision)


class OpenAIDecisions(base.BaseDialect):
    """The Decisions API."""

    name = "openai_decisions"
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; it holds only the closed questions."""
        before, after = decisions.surrounding_text(query)
        content = [
            {"type": "input_text", "text": before},
            *({"type": "input_image", "image_url": base.DATA_URL, "detail": "low"} for _ in query.pictures),
            *([{"type": "input_text", "text": after}] if after else []),
        ]
        tree = {
            "model": options.model,
            "input": [{"role": "user", "content": content}],
            "questions": [_typed_question(question) for question in decisions.closed_questions(query)],
        }
        return Request(path="/decisions", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions; those of refused questions are missing."""
        decision = base.decode(_DECODER, content)
        counts = decision.usage or _Usage()
        answers = {answer.name: answer for answer in decision.answers if answer.name is not None}
        details = counts.input_tokens_details or _Details()
        return Reply(
            distributions={
                question.key: _distribution(question, answers[question.key])
                for question in decisions.closed_questions(query)
                if question.key in answers and answers[question.key].type != "refusal"
            },
            usage=base.usage(
                tokens_in=counts.input_tokens, tokens_out=counts.output_tokens, cached=details.cached_tokens
            ),
            model=decision.model or "",
        )


def _typed_question(question: Question) -> Mapping[str, object]:
    text = wording.question_text(question)
    if question.form is AnswerForm.YES_NO:
        return {"type": "predicate", "name": question.key, "instructions": text}
    choices = [
        {"value": letter, "description": words} for letter, words in decisions.lettered_options(question).items()
    ]
    return {"type": "choice", "name": question.key, "instructions": text, "choices": choices}


def _distribution(question: Question, answer: _Answer) -> Mapping[str, float]:
    if question.form is AnswerForm.YES_NO and answer.type == "predicate" and answer.probability is not None:
        return decisions.yes_no(answer.probability)
    if question.form is AnswerForm.CHOICE and answer.type == "choice" and answer.probabilities is not None:
        by_letter = {odds.value: odds.probability for odds in answer.probabilities if isinstance(odds.value, str)}
        return decisions.choice(question, by_letter)
    raise InvalidReply("an answer to another kind of question")
