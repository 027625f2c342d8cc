"""OpenAI's chat completions, and the many servers that took the format over.

Read in the types of the `openai` package 3.54 and, for llama-server, in its source; tried against a real llama-server.
A few fields keep three dialects apart: OpenAI itself wants `max_completion_tokens`; servers on one's own machine know
only `max_tokens` (llama-server, llama-cpp-python, Ollama) and are told by `chat_template_kwargs` not to think; services
that took the format over refuse such extras, some of them any field they do not know, so they get none.

Surprises: `transformers serve` ignores `response_format` and `logprobs` without a word. llama-server's
log-probabilities are those *before* the grammar. Thoughts, and at times the answer, come as `reasoning_content` or
`reasoning`. Minus infinity arrives as null. Not known: which of OpenAI's models allow `temperature` and `logprobs`; by
its documents only those that are told not to reason, and some (`gpt-6-astra`) cannot be told so, hence `still_thinks`.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import refusals
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import ModelQuery
from detectors.mllm.wire import InvalidReply, Refusal, Reply, Request, RequestOptions, SchemaMode


class _Odds(msgspec.Struct):
    token: str
    logprob: float | None = None


class Position(_Odds):
    """A token that was written, and those that could have stood there."""

    top_logprobs: list[_Odds] | None = None


class LogProbs(msgspec.Struct):
    """Log-probabilities, one position after the other."""

    content: list[Position] | None = None


class _Part(msgspec.Struct):
    text: str | None = None


class Message(msgspec.Struct):
    """What was said; in a stream, a piece of it."""

    content: str | list[_Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(msgspec.Struct):
    """An answer, of which we ask for one."""

    message: Message
    finish_reason: str | None = None
    logprobs: LogProbs | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class TokenCounts(msgspec.Struct):
    """What was read and written, in tokens."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class Completion(msgspec.Struct):
    """A whole reply."""

    choices: list[Choice]
    model: str | None = None
    usage: TokenCounts | None = None


_DECODER = msgspec.json.Decoder(Completion)


def read(completion: Completion) -> Reply:
    """Return what a completion says.

    Raises:
        Nonsense: nothing at all.
    """
    if not completion.choices:
        raise InvalidReply("a completion without a choice")
    choice, counts = completion.choices[0], completion.usage or TokenCounts()
    text = choice.message.content
    details = counts.prompt_tokens_details or _Details()
    return Reply(
        text="".join(part.text or "" for part in text) if isinstance(text, list) else text or "",
        reasoning=choice.message.reasoning_content or choice.message.reasoning or "",
        cut=choice.finish_reason == "length",
        tokens=tuple(
            parts.token(at.token, at.logprob, ((other.token, other.logprob) for other in at.top_logprobs or ()))
            for at in (choice.logprobs.content if choice.logprobs else None) or ()
        ),
        usage=parts.usage(
            tokens_in=counts.prompt_tokens, tokens_out=counts.completion_tokens, cached=details.cached_tokens
        ),
        model=completion.model or "",
    )


class OpenAIChat:
    """Chat completions as servers on one's own machine speak them."""

    name = "openai_chat"
    decides = False

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:
        """Return the request: what stays the same first, then the pictures, then what is asked, then settings."""
        words = asking.wording(ask, how.schema_mode, repair)
        content = [
            *([{"type": "text", "text": words.before}] if words.before else []),
            *({"type": "image_url", "image_url": self._picture()} for _ in ask.pictures),
            {"type": "text", "text": words.after},
        ]
        tree: dict[str, object] = {
            "model": how.model,
            "messages": [{"role": "system", "content": words.system}, {"role": "user", "content": content}],
            **self._settings(how),
        }
        match how.schema_mode:
            case SchemaMode.JSON_SCHEMA | SchemaMode.NATIVE:
                schema = {"name": "answers", "strict": True, "schema": words.schema}
                tree["response_format"] = {"type": "json_schema", "json_schema": schema}
            case SchemaMode.JSON_OBJECT_SCHEMA:
                tree["response_format"] = {"type": "json_object", "schema": words.schema}
            case SchemaMode.PROMPTED:
                pass
        return Request(path="/chat/completions", body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:  # noqa: ARG002  # the reply speaks for itself
        """Return what a completion says."""
        return read(parts.decoded(_DECODER, content))

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {"Authorization": f"Bearer {key}"}

    def _picture(self) -> Mapping[str, object]:
        return {"url": parts.DATA_URL}

    def _settings(self, how: RequestOptions) -> Mapping[str, object]:
        plain = {"stream": False, "max_tokens": parts.room(how), "temperature": 0, **self._log_probs(how)}
        return {**plain, **({} if how.still_thinks else self._quiet())}

    def _quiet(self) -> Mapping[str, object]:
        return {"chat_template_kwargs": {"enable_thinking": False}}

    def _log_probs(self, how: RequestOptions) -> Mapping[str, object]:
        return {"logprobs": True, "top_logprobs": how.top_log_probs} if how.top_log_probs else {}


class OpenAIPlain(OpenAIChat):
    """Chat completions with no field beyond those that everybody knows."""

    name = "openai_plain"

    def _quiet(self) -> Mapping[str, object]:
        return {}


class OpenAI(OpenAIChat):
    """Chat completions as OpenAI itself wants them: nothing stored, small pictures, no reasoning if it can be off."""

    name = "openai"

    def _picture(self) -> Mapping[str, object]:
        return {"url": parts.DATA_URL, "detail": "low"}

    def _settings(self, how: RequestOptions) -> Mapping[str, object]:
        settings = {"store": False, "max_completion_tokens": parts.room(how)}
        if how.still_thinks:  # reasoning models refuse temperature and log-probabilities
            return settings
        return {**settings, "reasoning_effort": "none", "temperature": 0, **self._log_probs(how)}
