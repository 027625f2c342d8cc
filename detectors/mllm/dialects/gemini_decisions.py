"""Gemini's decisions: System One's questions about Gemini's content blocks.

Read in the types and tests of the `google-genai` package 3.4 and in reports of November 2026, the month it was opened
as a beta (`/v1beta/decisions`, `gemini-decision-1`, up to 1000 questions, 262144 tokens); tried against a fake server
only. A yes-or-no answer lies within 0.01 to 0.99. An input that the filters block has no answers, which is no nonsense:
the distributions are then missing. The reply names no model. Google may use what is sent on its free tier to improve
its products.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import decisions, refusals, systemone
from detectors.mllm.dialects import shared as parts
from detectors.mllm.questions import ModelQuery
from detectors.mllm.wire import InvalidReply, Refusal, Reply, Request, RequestOptions


class _Feedback(msgspec.Struct):
    block_reason: str | None = None


class _Usage(msgspec.Struct):
    total_input_tokens: int | None = None
    total_output_tokens: int | None = None
    total_cached_tokens: int | None = None


class _Decided(msgspec.Struct):
    answers: dict[str, systemone.Answer] | None = None
    prompt_feedback: _Feedback | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Decided)


class GeminiDecisions:
    """The Gemini API's decisions."""

    name = "gemini_decisions"
    decides = True

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # nothing to repair in odds
        """Return the request; only the closed questions are asked."""
        before, after = decisions.told(ask)
        image = {"type": "image", "data": parts.BASE64, "mime_type": "image/jpeg", "resolution": "low"}
        tree = {
            "model": how.model,
            "input": [
                {"type": "text", "text": before},
                *(image for _ in ask.pictures),
                *([{"type": "text", "text": after}] if after else []),
            ],
            "questions": {question.key: systemone.asked(question) for question in decisions.closed(ask)},
        }
        return Request(path="/decisions", body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:
        """Return the distributions."""
        decided = parts.decoded(_DECODER, content)
        blocked = decided.prompt_feedback is not None and decided.prompt_feedback.block_reason is not None
        if decided.answers is None and not blocked:
            raise InvalidReply("no answers, and no reason for that")
        counts = decided.usage or _Usage()
        return Reply(
            distributions=systemone.distributions(ask, decided.answers or {}),
            usage=parts.usage(
                tokens_in=counts.total_input_tokens,
                tokens_out=counts.total_output_tokens,
                cached=counts.total_cached_tokens,
            ),
        )

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {"x-goog-api-key": key}
