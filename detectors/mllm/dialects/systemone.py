"""System One, an open format for typed questions, which `transformers serve` speaks at `/v1/systemone`.

Read in the source of transformers 5.23 and tried against it with a model of random weights. Pictures lie in `assets`
and are put where their placeholders stand in `state`. Limits: 4 pictures, 64 questions, unknown fields are refused
(422), options of one token each (it letters them itself). "noul" is their word for yes or no. What surprised us: with
models of the Idefics3 kind it fails on pictures unless its decision config turns `sanitize_control_tokens` off.

TypeSafe's own service wants a header for pictures and may send them elsewhere; it is not among the presets.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import decisions, refusals
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import Form, ModelQuery, Question
from detectors.mllm.wire import InvalidReply, Refusal, Reply, Request, RequestOptions


class Answer(msgspec.Struct):
    """An answer as System One and Gemini give it."""

    type: str
    noul: float | None = None
    probabilities: dict[str, float] | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Answered(msgspec.Struct):
    answers: dict[str, Answer]
    model: str | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Answered)


class SystemOne:
    """System One's questions about a state."""

    name = "systemone"
    decides = True

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # nothing to repair in odds
        """Return the request; pictures come first in it, and are named in the order of the state."""
        before, after = decisions.told(ask)
        names = [f"<picture-{number}>" for number in range(1, len(ask.pictures) + 1)]
        asset = {"type": "image", "format": "jpeg", "data_base64": parts.BASE64}
        tree: dict[str, object] = {"model": how.model}
        if names:
            tree["assets"] = dict.fromkeys(names, asset)
        tree["state"] = parts.joined(before, "\n".join(names), after)
        tree["questions"] = {question.key: asked(question) for question in decisions.closed(ask)}
        return Request(path="/systemone", body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:
        """Return the distributions."""
        answered = parts.decoded(_DECODER, content)
        counts = answered.usage or _Usage()
        return Reply(
            distributions=distributions(ask, answered.answers),
            usage=parts.usage(tokens_in=counts.input_tokens, tokens_out=counts.output_tokens),
            model=answered.model or "",
        )

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {"Authorization": f"Bearer {key}"}


def asked(question: Question) -> Mapping[str, object]:
    """Return a question as System One and Gemini take it."""
    text = asking.question_text(question)
    if question.form is Form.YES_NO:
        return {"type": "noul", "instructions": text}
    return {"type": "choice", "instructions": text, "criteria": decisions.options(question)}


def distributions(ask: ModelQuery, answers: Mapping[str, Answer]) -> Mapping[str, Mapping[str, float]]:
    """Return the distributions of the questions that were answered.

    Raises:
        Nonsense: an answer does not fit its question.
    """
    found: dict[str, Mapping[str, float]] = {}
    for question in decisions.closed(ask):
        answer = answers.get(question.key)
        if answer is None:
            continue
        if question.form is Form.YES_NO and answer.type == "noul" and answer.noul is not None:
            found[question.key] = decisions.yes_no(answer.noul)
        elif question.form is Form.CHOICE and answer.type == "choice" and answer.probabilities is not None:
            found[question.key] = decisions.choice(question, answer.probabilities)
        else:
            raise InvalidReply("an answer to another kind of question")
    return found
