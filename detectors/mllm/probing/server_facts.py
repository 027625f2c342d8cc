"""The context length that a server reports, each in its way. A hint; longer prompts are handled anyway.

llama-server reports it in `/props` at its root, Ollama in `/api/show`, vLLM and some others in the list of models.
"""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from detectors.mllm.client.transport import HttpReply, HttpTransport
from detectors.mllm.protocol import Body, Request

OK = 200
TOKENS_MAX = 1 << 24
_BYTES = 4 << 20
_FIELDS = ("max_model_len", "max_context_length", "context_length")
T = TypeVar("T")


class _Settings(msgspec.Struct):
    n_ctx: int = 0


class _Props(msgspec.Struct):
    default_generation_settings: _Settings


class _Shown(msgspec.Struct):
    model_info: Mapping[str, object]


class _Models(msgspec.Struct):
    data: list[Mapping[str, object]]


async def reported_context(transport: HttpTransport, root: HttpTransport, model: str) -> int:
    """Return the context length that a server reports for a model; 0 if it reports none.

    Args:
        transport: to the endpoint's address.
        root: to the same server without the path.
        model: the model's name.
    """
    props = _decode(_Props, await root.get("/props", limit=_BYTES))
    if props is not None:
        return _plausible(props.default_generation_settings.n_ctx)
    models = _decode(_Models, await transport.get("/models", limit=_BYTES))
    if models is not None:
        facts = next((facts for facts in models.data if facts.get("id") == model), {})
        return max((_plausible(facts.get(name)) for name in _FIELDS), default=0)
    show = Request(path="/api/show", body=Body(parts=(msgspec.json.encode({"model": model}),)))
    shown = _decode(_Shown, await root.post(show, limit=_BYTES))
    if shown is not None:
        lengths = (value for name, value in shown.model_info.items() if name.endswith(".context_length"))
        return max(map(_plausible, lengths), default=0)
    return 0


def _decode(kind: type[T], received: object) -> T | None:
    if not isinstance(received, HttpReply) or received.status != OK:
        return None
    try:
        return msgspec.json.decode(received.content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _plausible(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= TOKENS_MAX else 0
