"""Gemini's `generateContent`, with the answer's shape in `responseJsonSchema`.

Read in the types of the `google-genai` package 3.4 and in Google's model pages of November 2026; tried against a fake
server only. `responseMimeType` is called deprecated there, in favour of a `responseFormat` that is too new to be relied
on. That a model gives no log-probabilities is told by a refusal (400). Thoughts come as parts marked `thought` and cost
as output; without `still_thinks` the thinking level is "minimal", which older models (2.5) do not know. Newer ones
ignore `temperature`.

A prompt that the filters block has no candidates: that is no nonsense, but an empty answer. Google may use what is sent
on its free tier to improve its products.
"""

from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from detectors.mllm.dialects import refusals
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import ModelQuery
from detectors.mllm.wire import InvalidReply, Refusal, Reply, Request, RequestOptions, SchemaMode, Token

_ALTERNATIVES_MAX = 20


class _Odds(msgspec.Struct, rename="camel"):
    token: str | None = None
    log_probability: float | None = None


class _Alternatives(msgspec.Struct):
    candidates: list[_Odds] | None = None


class _LogProbs(msgspec.Struct, rename="camel"):
    chosen_candidates: list[_Odds] | None = None
    top_candidates: list[_Alternatives] | None = None


class _Part(msgspec.Struct):
    text: str | None = None
    thought: bool | None = None


class _Content(msgspec.Struct):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    logprobs_result: _LogProbs | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _Usage(msgspec.Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None


class _Generated(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    model_version: str | None = None


_DECODER = msgspec.json.Decoder(_Generated)


class Gemini:
    """The Gemini API's chat."""

    name = "gemini"
    decides = False

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:
        """Return the request; the model's name is in the path."""
        words = asking.wording(ask, how.schema_mode, repair)
        content = [
            *([{"text": words.before}] if words.before else []),
            *({"inlineData": {"mimeType": "image/jpeg", "data": parts.BASE64}} for _ in ask.pictures),
            {"text": words.after},
        ]
        settings: dict[str, object] = {
            "maxOutputTokens": parts.room(how),
            "temperature": 0,
            "mediaResolution": "MEDIA_RESOLUTION_LOW",
        }
        if not how.still_thinks:
            settings["thinkingConfig"] = {"thinkingLevel": "minimal"}
        if how.schema_mode is not SchemaMode.PROMPTED:
            settings |= {"responseMimeType": "application/json", "responseJsonSchema": words.schema}
        if how.top_log_probs:
            settings |= {"responseLogprobs": True, "logprobs": min(how.top_log_probs, _ALTERNATIVES_MAX)}
        tree = {
            "systemInstruction": {"parts": [{"text": words.system}]},
            "contents": [{"role": "user", "parts": content}],
            "generationConfig": settings,
        }
        path = f"/models/{quote(how.model, safe='')}:generateContent"
        return Request(path=path, body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:  # noqa: ARG002  # the reply speaks for itself
        """Return what the first candidate says."""
        generated = parts.decoded(_DECODER, content)
        counts = generated.usage_metadata or _Usage()
        blocked = generated.prompt_feedback is not None and generated.prompt_feedback.block_reason is not None
        if not generated.candidates and not blocked:
            raise InvalidReply("no candidate, and no reason for that")
        candidate = generated.candidates[0] if generated.candidates else _Candidate()
        said = (candidate.content.parts if candidate.content else None) or ()
        return Reply(
            text="".join(part.text or "" for part in said if not part.thought),
            reasoning="".join(part.text or "" for part in said if part.thought),
            cut=candidate.finish_reason in {"MAX_TOKENS", "CONTINUATION"},
            tokens=_tokens(candidate.logprobs_result),
            usage=parts.usage(
                tokens_in=counts.prompt_token_count,
                tokens_out=sum(max(c or 0, 0) for c in (counts.candidates_token_count, counts.thoughts_token_count)),
                cached=counts.cached_content_token_count,
            ),
            model=generated.model_version or "",
        )

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means; RESOURCE_EXHAUSTED comes with a delay in its details."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {"x-goog-api-key": key}


def _tokens(found: _LogProbs | None) -> tuple[Token, ...]:
    """Return the tokens; positions without alternatives, or past the last that has some, have none."""
    chosen = (found.chosen_candidates if found else None) or []
    listed = (found.top_candidates if found else None) or []
    return tuple(
        parts.token(
            odds.token or "",
            odds.log_probability,
            (
                (other.token or "", other.log_probability)
                for other in (listed[at].candidates if at < len(listed) else None) or ()
            ),
        )
        for at, odds in enumerate(chosen)
    )
