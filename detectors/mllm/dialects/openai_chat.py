"""OpenAI's chat completions, and the many servers that took the format over.

Read in the types of the `openai` package 3.54 and, for llama-server, in its source; tried against a real llama-server.
A few fields keep three dialects apart: OpenAI itself expects `max_completion_tokens`; local servers know
only `max_tokens` (llama-server, llama-cpp-python, Ollama) and have thinking turned off by `chat_template_kwargs`; other
services refuse such extras, some of them any field they do not know, so they get none.

llama-server is always read as a stream, so that it drops a request as soon as we do. Without a stream it checks once a
second whether the client is still connected, and not even that while it answers others. With one it checks whenever it
sends something, which with `return_progress` is after every picture it has read and every token it has written. The
whole stream is put together and parsed like any other reply; single pieces (`piece`) only show its text earlier.

Note: `transformers serve` ignores `response_format` and `logprobs` without a word. llama-server's
log-probabilities are those *before* the grammar. Thoughts, and at times the answer, come as `reasoning_content` or
`reasoning`. Minus infinity arrives as null. Not known: which of OpenAI's models allow `temperature` and `logprobs`; by
its documents only those that are told not to reason, and some (`gpt-6-astra`) cannot be told so, hence `still_thinks`.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from detectors.mllm.dialects import base
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import InvalidReply, Reply, Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery


class _LogProbs(msgspec.Struct):
    content: list[base.Position] | None = None


class _Part(msgspec.Struct):
    text: str | None = None


class _Message(msgspec.Struct):
    """A message; in a stream, a piece of it."""

    content: str | list[_Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _LogProbs | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _TokenCounts(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _TokenCounts | None = None


class _Piece(msgspec.Struct):
    delta: _Message
    finish_reason: str | None = None
    logprobs: _LogProbs | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Piece] = []
    model: str | None = None
    usage: _TokenCounts | None = None
    error: object = None


_DECODER = msgspec.json.Decoder(_Completion)
_CHUNK_DECODER = msgspec.json.Decoder(_Chunk)
_END = b"[DONE]"


def _parse_completion(completion: _Completion) -> Reply:
    """Return the content of a completion.

    Raises:
        InvalidReply: it has none.
    """
    if not completion.choices:
        raise InvalidReply("a completion without a choice")
    choice, counts = completion.choices[0], completion.usage or _TokenCounts()
    text = choice.message.content
    details = counts.prompt_tokens_details or _Details()
    return Reply(
        text="".join(part.text or "" for part in text) if isinstance(text, list) else text or "",
        reasoning=choice.message.reasoning_content or choice.message.reasoning or "",
        cut=choice.finish_reason == "length",
        tokens=base.tokens(choice.logprobs.content if choice.logprobs else None),
        usage=base.usage(
            tokens_in=counts.prompt_tokens, tokens_out=counts.completion_tokens, cached=details.cached_tokens
        ),
        model=completion.model or "",
    )


class OpenAIChat(base.BaseDialect):
    """Chat completions as local servers speak them."""

    name = "openai_chat"

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request: constant text first, then the pictures, the questions and the settings."""
        words = wording.compose(query, options.schema_mode, repair)
        content = [
            *([{"type": "text", "text": words.before}] if words.before else []),
            *({"type": "image_url", "image_url": self._picture()} for _ in query.pictures),
            {"type": "text", "text": words.after},
        ]
        tree: dict[str, object] = {
            "model": options.model,
            "messages": [{"role": "system", "content": words.system}, {"role": "user", "content": content}],
            **self._settings(options),
        }
        match options.schema_mode:
            case SchemaMode.JSON_SCHEMA | SchemaMode.NATIVE:
                schema = {"name": "answers", "strict": True, "schema": words.schema}
                tree["response_format"] = {"type": "json_schema", "json_schema": schema}
            case SchemaMode.JSON_OBJECT_SCHEMA:
                tree["response_format"] = {"type": "json_object", "schema": words.schema}
            case SchemaMode.PROMPTED:
                pass
        return Request(path="/chat/completions", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:  # noqa: ARG002  # parsed alike for every query
        """Parse a completion, in one piece or streamed."""
        if base.is_stream(content):
            return _parse_completion(_joined(list(_chunks(content))))
        return _parse_completion(base.decode(_DECODER, content))

    def piece(self, line: bytes) -> str:
        """Return the text of a chunk's first choice."""
        data = base.event_data(line)
        if not data or data == _END:
            return ""
        choices = base.decode(_CHUNK_DECODER, data).choices
        return _text(choices[0].delta) if choices else ""

    def _picture(self) -> Mapping[str, object]:
        return {"url": base.DATA_URL}

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        plain = {"stream": options.stream, "max_tokens": base.token_limit(options), "temperature": 0}
        thinking = {} if options.still_thinks else self._without_thinking()
        return {**plain, **self._log_probs(options), **thinking, **self._streamed(options)}

    def _streamed(self, options: RequestOptions) -> Mapping[str, object]:
        return {"stream_options": {"include_usage": True}} if options.stream else {}

    def _without_thinking(self) -> Mapping[str, object]:
        return {"chat_template_kwargs": {"enable_thinking": False}}

    def _log_probs(self, options: RequestOptions) -> Mapping[str, object]:
        return {"logprobs": True, "top_logprobs": options.top_log_probs} if options.top_log_probs else {}


class OpenAIPlain(OpenAIChat):
    """Chat completions with no field beyond those that all servers know."""

    name = "openai_plain"

    def _without_thinking(self) -> Mapping[str, object]:
        return {}

    def _streamed(self, options: RequestOptions) -> Mapping[str, object]:  # noqa: ARG002  # as in its base
        return {}


class OpenAI(OpenAIChat):
    """Chat completions as OpenAI itself expects them: nothing stored, small pictures, no reasoning if it can be off."""

    name = "openai"

    def _picture(self) -> Mapping[str, object]:
        return {"url": base.DATA_URL, "detail": "low"}

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        settings: dict[str, object] = {"store": False, "max_completion_tokens": base.token_limit(options)}
        if options.stream:
            settings |= {"stream": True, **self._streamed(options)}
        if options.still_thinks:  # reasoning models refuse temperature and log-probabilities
            return settings
        return {**settings, "reasoning_effort": "none", "temperature": 0, **self._log_probs(options)}


class LlamaServer(OpenAIChat):
    """Chat completions, always streamed."""

    name = "llama_server"

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        streamed = {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        return {**super()._settings(options), **streamed}


def _chunks(content: bytes) -> Iterator[_Chunk]:
    """Return the pieces; a stream without an end mark was broken off."""
    for line in content.splitlines():
        event = base.event_data(line)
        if not event:
            continue  # an empty line, or a comment that keeps the connection alive
        if event == _END:
            return
        chunk = base.decode(_CHUNK_DECODER, event)
        yield chunk
        if chunk.error is not None:
            return
    raise InvalidReply("a stream without an end")


def _joined(chunks: Sequence[_Chunk]) -> _Completion:
    """Return a completion made of pieces. An error within an answer means that it was cut off."""
    pieces = [piece for chunk in chunks for piece in chunk.choices]
    text = "".join(_text(piece.delta) for piece in pieces)
    broken = any(chunk.error is not None for chunk in chunks)
    if broken and not text:
        raise InvalidReply("a stream that is an error")
    ends = [piece.finish_reason for piece in pieces if piece.finish_reason]
    positions: list[base.Position] = [at for piece in pieces if piece.logprobs for at in piece.logprobs.content or ()]
    message = _Message(content=text, reasoning_content="".join(piece.delta.reasoning_content or "" for piece in pieces))
    return _Completion(
        choices=[
            _Choice(
                message=message,
                finish_reason="length" if broken else ends[-1] if ends else None,
                logprobs=_LogProbs(content=positions),
            )
        ],
        model=next((chunk.model for chunk in chunks if chunk.model), None),
        usage=next((chunk.usage for chunk in reversed(chunks) if chunk.usage), None),
    )


def _text(delta: _Message) -> str:
    return delta.content if isinstance(delta.content, str) else ""
