"""OpenAI's decisions: typed questions about shared pictures, answered with probabilities and no text.

Read in the types of the `openai` package 3.54 and in its reference of November 2026; tried against a fake server only.
It became generally available in that month, with one model (`gpt-6-luna`), up to 400 questions and, by one report, 128
pictures. A question may be refused while others are answered; it is then missing among the distributions. Probabilities
are rounded to two places by some reports. Not known: how a yes-or-no *question* differs from the *statement* that its
type is described with.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import decisions, refusals
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import Form, ModelQuery, Question
from detectors.mllm.wire import InvalidReply, Refusal, Reply, Request, RequestOptions


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


class OpenAIDecisions:
    """The Decisions API."""

    name = "openai_decisions"
    decides = True

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # nothing to repair in odds
        """Return the request; only the closed questions are asked."""
        before, after = decisions.told(ask)
        content = [
            {"type": "input_text", "text": before},
            *({"type": "input_image", "image_url": parts.DATA_URL, "detail": "low"} for _ in ask.pictures),
            *([{"type": "input_text", "text": after}] if after else []),
        ]
        tree = {
            "model": how.model,
            "input": [{"role": "user", "content": content}],
            "questions": [_asked(question) for question in decisions.closed(ask)],
        }
        return Request(path="/decisions", body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:
        """Return the distributions; those of refused questions are missing."""
        decision = parts.decoded(_DECODER, content)
        counts = decision.usage or _Usage()
        answers = {answer.name: answer for answer in decision.answers if answer.name is not None}
        details = counts.input_tokens_details or _Details()
        return Reply(
            distributions={
                question.key: _distribution(question, answers[question.key])
                for question in decisions.closed(ask)
                if question.key in answers and answers[question.key].type != "refusal"
            },
            usage=parts.usage(
                tokens_in=counts.input_tokens, tokens_out=counts.output_tokens, cached=details.cached_tokens
            ),
            model=decision.model or "",
        )

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {"Authorization": f"Bearer {key}"}


def _asked(question: Question) -> Mapping[str, object]:
    text = asking.question_text(question)
    if question.form is Form.YES_NO:
        return {"type": "predicate", "name": question.key, "instructions": text}
    choices = [{"value": letter, "description": words} for letter, words in decisions.options(question).items()]
    return {"type": "choice", "name": question.key, "instructions": text, "choices": choices}


def _distribution(question: Question, answer: _Answer) -> Mapping[str, float]:
    if question.form is Form.YES_NO and answer.type == "predicate" and answer.probability is not None:
        return decisions.yes_no(answer.probability)
    if question.form is Form.CHOICE and answer.type == "choice" and answer.probabilities is not None:
        odds = {each.value: each.probability for each in answer.probabilities if isinstance(each.value, str)}
        return decisions.choice(question, odds)
    raise InvalidReply("an answer to another kind of question")
