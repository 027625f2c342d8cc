"""The decision endpoints: which questions they take, the text beside them, and how their probabilities are parsed.

They answer choices and yes-or-no questions with a distribution and write no text. So free questions are left out, and
the prompt does not describe an answer format. Options go by their letters: a key such as "frustration" would be one
more hint to the model, and in the benchmark keys could give an answer away.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from detectors.mllm.dialects import base, events, reading
from detectors.mllm.prompting import prompts, wording
from detectors.mllm.protocol import InvalidReply, Reply, Request, RequestOptions
from detectors.mllm.questions import WRITTEN, AnswerForm, ModelQuery, ModelQuestion


class TypedAnswer(msgspec.Struct):
    """An answer as System One and Gemini give it; "noul" is their word for yes or no."""

    type: str
    noul: object = None
    probabilities: object = None


Answers = TypeVar("Answers")


def decided(
    content: bytes, kind: type[Answers], distributions: Callable[[Answers], Mapping[str, Mapping[str, float]]]
) -> Reply:
    """Return the reply that answers of this kind make, with what stands beside them; none where a filter blocks.

    Raises:
        InvalidReply: there are none, or they are none of this kind, or they do not fit their questions.
    """
    found = events.split(content)
    if found.streamed or not found.objects:
        raise InvalidReply("no single object")
    tree = found.objects[0]
    odd = {"error"} if events.error_in(tree) is not None else set()
    blocked = tree.get("answers") is None and events.at(tree, "prompt_feedback.block_reason") is not None
    return Reply(
        distributions={} if blocked else distributions(_converted(tree.get("answers"), kind)),
        usage=reading.usage(found.objects, odd),
        model=reading.model(found.objects, odd),
        odd=tuple(sorted(odd)),
    )


def _converted(value: object, kind: type[Answers]) -> Answers:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.MsgspecError, ValueError):
        raise InvalidReply("what should be an answer is none") from None


def typed_question(question: ModelQuestion) -> Mapping[str, object]:
    """Return a question as System One and Gemini take it."""
    text = wording.question_text(question)
    if question.form is AnswerForm.YES_NO:
        return {"type": "noul", "instructions": text}
    return {"type": "choice", "instructions": text, "criteria": lettered_options(question)}


def typed_distributions(query: ModelQuery, answers: Mapping[str, TypedAnswer]) -> Mapping[str, Mapping[str, float]]:
    """Return the distributions of the questions that were answered.

    Raises:
        InvalidReply: an answer does not fit its question.
    """
    distributions: dict[str, Mapping[str, float]] = {}
    for question in closed_questions(query):
        answer = answers.get(question.key)
        if answer is None:
            continue
        if question.form is AnswerForm.YES_NO and answer.type == "noul" and answer.noul is not None:
            distributions[question.key] = yes_no(_converted(answer.noul, float))
        elif question.form is AnswerForm.CHOICE and answer.type == "choice" and answer.probabilities is not None:
            distributions[question.key] = choice(question, _converted(answer.probabilities, dict[str, float]))
        else:
            raise InvalidReply("an answer to another kind of question")
    return distributions


def closed_questions(query: ModelQuery) -> tuple[ModelQuestion, ...]:
    """Return the questions that can be decided.

    Raises:
        ValueError: there are none; a mistake of the caller, who knows that this dialect decides.
    """
    questions = tuple(question for question in query.questions if question.form not in WRITTEN)
    if not questions:
        raise ValueError("a decision endpoint answers no free questions")
    return questions


def surrounding_text(query: ModelQuery) -> tuple[str, str]:
    """Return the text before the pictures, equal for all prefixes, and the text after them."""
    return base.paragraphs(prompts.JUDGE, prompts.BEFORE), wording.scene(query)


def lettered_options(question: ModelQuestion) -> Mapping[str, str]:
    """Return the letters of a choice with their options' texts."""
    texts = (wording.option_text(option.text) for option in question.options)
    return dict(zip(wording.letters(question), texts, strict=True))


def yes_no(probability: float) -> Mapping[str, float]:
    """Return the distribution of a yes-or-no question.

    Raises:
        InvalidReply: it is no probability.
    """
    if not 0.0 <= probability <= 1.0:
        raise InvalidReply("a probability beyond 0 to 1")
    return {"yes": probability, "no": 1.0 - probability}


def choice(question: ModelQuestion, by_letter: Mapping[str, float]) -> Mapping[str, float]:
    """Return the distribution of a choice from the probabilities of its letters, which servers round.

    Raises:
        InvalidReply: they are none.
    """
    letters = wording.letters(question)
    if any(not math.isfinite(value) or value < 0.0 for value in by_letter.values()):
        raise InvalidReply("a probability below 0")
    total = sum(by_letter.get(letter, 0.0) for letter in letters)
    if not 0.5 < total < 1.5:  # noqa: PLR2004  # rounding does not explain more than that
        raise InvalidReply("probabilities that do not add up")
    return {key: by_letter.get(letter, 0.0) / total for letter, key in letters.items()}


class SystemOne(base.BaseDialect):
    """System One, an open format for typed questions, which `transformers serve` speaks at `/v1/systemone`.

    Read in the source of transformers 5.23 and tried against it with a model of random weights. Pictures lie in
    `assets` and are put where their placeholders stand in `state`. Limits: 4 pictures, 64 questions, unknown fields are
    refused (422), options of one token each (it letters them itself). Note: with models of the Idefics3 kind it fails
    on pictures unless its decision config turns `sanitize_control_tokens` off.

    TypeSafe's own service needs a header for pictures and may send them elsewhere; it is not among the presets.
    """

    name = "systemone"
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; pictures come first in it, and are named in the order of the state."""
        before, after = surrounding_text(query)
        names = [f"<picture-{number}>" for number in range(1, len(query.pictures) + 1)]
        asset = {"type": "image", "format": "jpeg", "data_base64": base.BASE64}
        tree: dict[str, object] = {"model": options.model}
        if names:
            tree["assets"] = dict.fromkeys(names, asset)
        tree["state"] = base.paragraphs(before, "\n".join(names), after)
        tree["questions"] = {question.key: typed_question(question) for question in closed_questions(query)}
        return Request(path="/systemone", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions."""
        return decided(content, dict[str, TypedAnswer], lambda answers: typed_distributions(query, answers))


class GeminiDecisions(base.BaseDialect):
    """The Gemini API's decisions: System One's questions about Gemini's content blocks.

    Read in the types and tests of the `google-genai` package 3.4 and in reports of November 2026, the month it was
    opened as a beta (`/v1beta/decisions`, `gemini-decision-1`, up to 1000 questions, 262144 tokens); tried against a
    fake server only. A yes-or-no answer lies within 0.01 to 0.99. An input that the filters block has no answers, which
    is valid: the distributions are then missing. The reply names no model. Google may use what is sent on its free tier
    to improve its products.
    """

    name = "gemini_decisions"
    key_header, key_prefix = "x-goog-api-key", ""
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; it holds only the closed questions."""
        before, after = surrounding_text(query)
        image = {"type": "image", "data": base.BASE64, "mime_type": "image/jpeg", "resolution": "low"}
        tree = {
            "model": options.model,
            "input": [
                {"type": "text", "text": before},
                *(image for _ in query.pictures),
                *([{"type": "text", "text": after}] if after else []),
            ],
            "questions": {question.key: typed_question(question) for question in closed_questions(query)},
        }
        return Request(path="/decisions", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions."""
        return decided(content, dict[str, TypedAnswer], lambda answers: typed_distributions(query, answers))


class _OpenAIProbability(msgspec.Struct):
    value: str | bool
    probability: float


class _OpenAIAnswer(msgspec.Struct):
    type: str
    name: str | None = None
    probability: object = None
    probabilities: object = None


class OpenAIDecisions(base.BaseDialect):
    """OpenAI's Decisions API: typed questions about shared pictures.

    Read in the types of the `openai` package 3.54 and in its reference of November 2026; tried against a fake server
    only. It became generally available in that month, with one model (`gpt-6-luna`), up to 400 questions and, by one
    report, 128 pictures. A question may be refused while others are answered; it is then missing among the
    distributions. Probabilities are rounded to two places by some reports. Not known: how a yes-or-no *question*
    differs from the *statement* that its type is described with.
    """

    name = "openai_decisions"
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; it holds only the closed questions."""
        before, after = surrounding_text(query)
        content = [
            {"type": "input_text", "text": before},
            *({"type": "input_image", "image_url": base.DATA_URL, "detail": "low"} for _ in query.pictures),
            *([{"type": "input_text", "text": after}] if after else []),
        ]
        tree = {
            "model": options.model,
            "input": [{"role": "user", "content": content}],
            "questions": [_typed_question(question) for question in closed_questions(query)],
        }
        return Request(path="/decisions", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions; those of refused questions are missing."""
        return decided(content, list[_OpenAIAnswer], lambda answers: _distributions(query, answers))


def _distributions(query: ModelQuery, answers: Sequence[_OpenAIAnswer]) -> Mapping[str, Mapping[str, float]]:
    by_name = {answer.name: answer for answer in answers}
    return {
        question.key: _distribution(question, by_name[question.key])
        for question in closed_questions(query)
        if question.key in by_name and by_name[question.key].type != "refusal"
    }


def _typed_question(question: ModelQuestion) -> Mapping[str, object]:
    text = wording.question_text(question)
    if question.form is AnswerForm.YES_NO:
        return {"type": "predicate", "name": question.key, "instructions": text}
    choices = [{"value": letter, "description": words} for letter, words in lettered_options(question).items()]
    return {"type": "choice", "name": question.key, "instructions": text, "choices": choices}


def _distribution(question: ModelQuestion, answer: _OpenAIAnswer) -> Mapping[str, float]:
    if question.form is AnswerForm.YES_NO and answer.type == "predicate" and answer.probability is not None:
        return yes_no(_converted(answer.probability, float))
    if question.form is AnswerForm.CHOICE and answer.type == "choice" and answer.probabilities is not None:
        listed = _converted(answer.probabilities, list[_OpenAIProbability])
        by_letter = {odds.value: odds.probability for odds in listed if isinstance(odds.value, str)}
        return choice(question, by_letter)
    raise InvalidReply("an answer to another kind of question")
