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

from collections.abc import Mapping

from detectors.mllm.dialects import base, reading
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery


class OpenAIChat(reading.TextDialect):
    """Chat completions as local servers speak them."""

    name = "openai_chat"
    bounds_answers = False
    """Whether a schema names lengths and ranges; not every server takes that."""

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request: constant text first, then the pictures, the questions and the settings."""
        words = wording.compose(query, options.schema_mode, repair)
        is_bounded = self.bounds_answers and query.brief is not None
        shape = wording.schema(query, bounded=True) if is_bounded else words.schema
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
                schema = {"name": "answers", "strict": True, "schema": shape}
                tree["response_format"] = {"type": "json_schema", "json_schema": schema}
            case SchemaMode.JSON_OBJECT_SCHEMA:
                tree["response_format"] = {"type": "json_object", "schema": shape}
            case SchemaMode.PROMPTED:
                pass
        return Request(path="/chat/completions", body=base.encode_body(tree, query.pictures))

    def _picture(self) -> Mapping[str, object]:
        return {"url": base.DATA_URL}

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        plain = {"stream": options.stream, "max_tokens": options.room, "temperature": 0}
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
        settings: dict[str, object] = {"store": False, "max_completion_tokens": options.room}
        if options.stream:
            settings |= {"stream": True, **self._streamed(options)}
        if options.still_thinks:  # reasoning models refuse temperature and log-probabilities
            return settings
        return {**settings, "reasoning_effort": "none", "temperature": 0, **self._log_probs(options)}


class LlamaServer(OpenAIChat):
    """Chat completions, always streamed. A small model ends no list or text by itself."""

    name = "llama_server"
    bounds_answers = True

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        streamed = {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        return {**super()._settings(options), **streamed}
