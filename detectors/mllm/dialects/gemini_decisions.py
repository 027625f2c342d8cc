"""Gemini's decisions: System One's questions about Gemini's content blocks.

Read in the types and tests of the `google-genai` package 3.4 and in reports of November 2026, the month it was opened
as a beta (`/v1beta/decisions`, `gemini-decision-1`, up to 1000 questions, 262144 tokens); tried against a fake server
only. A yes-or-no answer lies within 0.01 to 0.99. An input that the filters block has no answers, which is valid: the
distributions are then missing. The reply names no model. Google may use what is sent on its free tier to improve
its products.
"""

import msgspec

from detectors.mllm.dialects import base, decisions
from detectors.mllm.protocol import InvalidReply, Reply, Request, RequestOptions
from detectors.mllm.questions import ModelQuery


class _Feedback(msgspec.Struct):
    block_reason: str | None = None


class _Usage(msgspec.Struct):
    total_input_tokens: int | None = None
    total_output_tokens: int | None = None
    total_cached_tokens: int | None = None


class _Decided(msgspec.Struct):
    answers: dict[str, decisions.TypedAnswer] | None = None
    prompt_feedback: _Feedback | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Decided)


class GeminiDecisions(base.BaseDialect):
    """The Gemini API's decisions."""

    name = "gemini_decisions"
    key_header, key_prefix = "x-goog-api-key", ""
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; it holds only the closed questions."""
        before, after = decisions.surrounding_text(query)
        image = {"type": "image", "data": base.BASE64, "mime_type": "image/jpeg", "resolution": "low"}
        tree = {
            "model": options.model,
            "input": [
                {"type": "text", "text": before},
                *(image for _ in query.pictures),
                *([{"type": "text", "text": after}] if after else []),
            ],
            "questions": {
                question.key: decisions.typed_question(question) for question in decisions.closed_questions(query)
            },
        }
        return Request(path="/decisions", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions."""
        decided = base.decode(_DECODER, content)
        blocked = decided.prompt_feedback is not None and decided.prompt_feedback.block_reason is not None
        if decided.answers is None and not blocked:
            raise InvalidReply("no answers, and no reason for that")
        counts = decided.usage or _Usage()
        return Reply(
            distributions=decisions.typed_distributions(query, decided.answers or {}),
            usage=base.usage(
                tokens_in=counts.total_input_tokens,
                tokens_out=counts.total_output_tokens,
                cached=counts.total_cached_tokens,
            ),
        )
