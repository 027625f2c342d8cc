"""Ollama's own `/api/chat`, because its OpenAI-compatible door has no context length and cuts prompts silently.

Read in Ollama's OpenAPI document, source and issues; tried against a fake server only. Pictures lie beside the text as
bare base64 and are put before it by the server, so everything that comes before them is in the system message.

Surprises: a prompt that is too long is cut at its front and answered with 200 (the only sign is `prompt_eval_count`);
`truncate: false` makes newer versions refuse instead, older ones ignore it. The refusal of the runner comes as JSON
inside a JSON string. Log-probabilities came with 0.12.11 and are limited to 20 alternatives. `think: false` broke
`format` for some models in 0.17.7 to 0.18.0, and some models answer in `thinking` with an empty `content`.
"""

from collections.abc import Mapping

import msgspec

from detectors.mllm.dialects import refusals
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import ModelQuery
from detectors.mllm.wire import Refusal, Reply, Request, RequestOptions, SchemaMode

_ALTERNATIVES_MAX = 20


class _Odds(msgspec.Struct):
    token: str
    logprob: float | None = None


class _Position(_Odds):
    top_logprobs: list[_Odds] | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    thinking: str | None = None


class _Chat(msgspec.Struct):
    message: _Message
    model: str | None = None
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    logprobs: list[_Position] | None = None


_DECODER = msgspec.json.Decoder(_Chat)


class Ollama:
    """Ollama's native chat."""

    name = "ollama"
    decides = False

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:
        """Return the request; `images` is named before `content`, which changes from prefix to prefix."""
        words = asking.wording(ask, how.schema_mode, repair)
        user: dict[str, object] = {"role": "user", "images": [parts.BASE64 for _ in ask.pictures]}
        options = {"temperature": 0, "num_predict": parts.room(how)}
        if how.context_tokens:
            options["num_ctx"] = how.context_tokens
        tree: dict[str, object] = {
            "model": how.model,
            "messages": [
                {"role": "system", "content": parts.joined(words.system, words.before)},
                {**user, "content": words.after},
            ],
            "stream": False,
            "truncate": False,
            "options": options,
        }
        if not how.still_thinks:
            tree["think"] = False
        if how.schema_mode is not SchemaMode.PROMPTED:
            tree["format"] = words.schema
        if how.top_log_probs:
            tree |= {"logprobs": True, "top_logprobs": min(how.top_log_probs, _ALTERNATIVES_MAX)}
        return Request(path="/api/chat", body=parts.body(tree, ask.pictures))

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:  # noqa: ARG002  # the reply speaks for itself
        """Return what a chat reply says."""
        chat = parts.decoded(_DECODER, content)
        return Reply(
            text=chat.message.content or "",
            reasoning=chat.message.thinking or "",
            cut=chat.done_reason == "length",
            tokens=tuple(
                parts.token(at.token, at.logprob, ((other.token, other.logprob) for other in at.top_logprobs or ()))
                for at in chat.logprobs or ()
            ),
            usage=parts.usage(tokens_in=chat.prompt_eval_count, tokens_out=chat.eval_count),
            model=chat.model or "",
        )

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means."""
        return refusals.refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key (only ollama.com wants one)."""
        return {"Authorization": f"Bearer {key}"}
