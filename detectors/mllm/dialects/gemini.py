"""Gemini's `generateContent`, with the answer's shape in `responseJsonSchema`.

Read in the types of the `google-genai` package 3.4 and in Google's model pages of November 2026; tried against a fake
server only. `responseMimeType` is called deprecated there, in favour of a `responseFormat` that is too new to be relied
on. A model without log-probabilities refuses requests for them (400). RESOURCE_EXHAUSTED comes with a delay in its
details. Thoughts come as parts marked `thought` and cost
as output; without `still_thinks` the thinking level is "minimal", which older models (2.5) do not know. Newer ones
ignore `temperature`.

A prompt that the filters block has no candidates: that is a valid, empty answer. Google may use what is sent on its
free tier to improve its products.
"""

from urllib.parse import quote

import msgspec

from detectors.mllm.dialects import base
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import InvalidReply, Reply, Request, RequestOptions, SchemaMode, Token
from detectors.mllm.questions import ModelQuery

_ALTERNATIVES_MAX = 20


class _TokenOdds(msgspec.Struct, rename="camel"):
    token: str | None = None
    log_probability: float | None = None


class _Alternatives(msgspec.Struct):
    candidates: list[_TokenOdds] | None = None


class _LogProbs(msgspec.Struct, rename="camel"):
    chosen_candidates: list[_TokenOdds] | None = None
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


class Gemini(base.BaseDialect):
    """The Gemini API's chat."""

    name = "gemini"
    key_header, key_prefix = "x-goog-api-key", ""

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request; the model's name is in the path."""
        words = wording.compose(query, options.schema_mode, repair)
        content = [
            *([{"text": words.before}] if words.before else []),
            *({"inlineData": {"mimeType": "image/jpeg", "data": base.BASE64}} for _ in query.pictures),
            {"text": words.after},
        ]
        settings: dict[str, object] = {
            "maxOutputTokens": base.token_limit(options),
            "temperature": 0,
            "mediaResolution": "MEDIA_RESOLUTION_LOW",
        }
        if not options.still_thinks:
            settings["thinkingConfig"] = {"thinkingLevel": "minimal"}
        if options.schema_mode is not SchemaMode.PROMPTED:
            settings |= {"responseMimeType": "application/json", "responseJsonSchema": words.schema}
        if options.top_log_probs:
            settings |= {"responseLogprobs": True, "logprobs": min(options.top_log_probs, _ALTERNATIVES_MAX)}
        tree = {
            "systemInstruction": {"parts": [{"text": words.system}]},
            "contents": [{"role": "user", "parts": content}],
            "generationConfig": settings,
        }
        method = "streamGenerateContent?alt=sse" if options.stream else "generateContent"
        path = f"/models/{quote(options.model, safe='')}:{method}"
        return Request(path=path, body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:  # noqa: ARG002  # parsed alike for every query
        """Return what the first candidate says, in one piece or as a stream of them."""
        generated = _joined(content) if base.is_stream(content) else base.decode(_DECODER, content)
        counts = generated.usage_metadata or _Usage()
        blocked = generated.prompt_feedback is not None and generated.prompt_feedback.block_reason is not None
        if not generated.candidates and not blocked:
            raise InvalidReply("no candidate, and no reason for that")
        candidate = generated.candidates[0] if generated.candidates else _Candidate()
        pieces = (candidate.content.parts if candidate.content else None) or ()
        return Reply(
            text=_text(generated),
            reasoning="".join(part.text or "" for part in pieces if part.thought),
            cut=candidate.finish_reason in {"MAX_TOKENS", "CONTINUATION"},
            tokens=_tokens(candidate.logprobs_result),
            usage=base.usage(
                tokens_in=counts.prompt_token_count,
                tokens_out=sum(max(c or 0, 0) for c in (counts.candidates_token_count, counts.thoughts_token_count)),
                cached=counts.cached_content_token_count,
            ),
            model=generated.model_version or "",
        )

    def piece(self, line: bytes) -> str:
        """Return the text of one piece."""
        data = base.event_data(line)
        return _text(base.decode(_DECODER, data)) if data else ""


def _joined(content: bytes) -> _Generated:
    """Return the reply that the pieces of a stream make up; the last one says why it ends.

    Raises:
        InvalidReply: it was broken off.
    """
    pieces = [base.decode(_DECODER, data) for line in content.splitlines() if (data := base.event_data(line))]
    firsts = [piece.candidates[0] for piece in pieces if piece.candidates]
    blocked = next((piece.prompt_feedback for piece in pieces if piece.prompt_feedback is not None), None)
    reason = next((candidate.finish_reason for candidate in reversed(firsts) if candidate.finish_reason), None)
    if reason is None and blocked is None:
        raise InvalidReply("a stream without an end")
    parts = [part for candidate in firsts for part in (candidate.content.parts if candidate.content else None) or ()]
    return _Generated(
        candidates=[_Candidate(content=_Content(parts=parts), finish_reason=reason)] if firsts else None,
        prompt_feedback=blocked,
        usage_metadata=next((piece.usage_metadata for piece in reversed(pieces) if piece.usage_metadata), None),
        model_version=next((piece.model_version for piece in pieces if piece.model_version), None),
    )


def _text(generated: _Generated) -> str:
    """Return the text of the first candidate, without thoughts."""
    content = generated.candidates[0].content if generated.candidates else None
    return "".join(part.text or "" for part in (content.parts if content else None) or () if not part.thought)


def _tokens(log_probs: _LogProbs | None) -> tuple[Token, ...]:
    """Return the tokens; positions without alternatives, or past the last that has some, have none."""
    chosen = (log_probs.chosen_candidates if log_probs else None) or []
    listed = (log_probs.top_candidates if log_probs else None) or []
    return tuple(
        base.token(
            odds.token or "",
            odds.log_probability,
            (
                (other.token or "", other.log_probability)
                for other in (listed[at].candidates if at < len(listed) else None) or ()
            ),
        )
        for at, odds in enumerate(chosen)
    )
