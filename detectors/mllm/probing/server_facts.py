"""What servers say of themselves, each in its way: the context length. A hint; longer prompts are handled anyway.

llama-server tells it in `/props` at its root, Ollama in `/api/show`, vLLM and some others in the list of models.
"""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from detectors.mllm.client.transport import Arrived, HttpTransport
from detectors.mllm.wire import Body, Request

OK = 200
MOST_TOKENS = 1 << 24
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


async def named_context(line: HttpTransport, root: HttpTransport, model: str) -> int:
    """Return the context length that a server names for a model; 0 if it names none.

    Args:
        line: where requests go.
        root: the same server without the path.
        model: the model's name.
    """
    props = _decoded(_Props, await root.get("/props", limit=_BYTES))
    if props is not None:
        return _sensible(props.default_generation_settings.n_ctx)
    listed = _decoded(_Models, await line.get("/models", limit=_BYTES))
    if listed is not None:
        facts = next((facts for facts in listed.data if facts.get("id") == model), {})
        return max((_sensible(facts.get(name)) for name in _FIELDS), default=0)
    show = Request(path="/api/show", body=Body(parts=(msgspec.json.encode({"model": model}),)))
    shown = _decoded(_Shown, await root.post(show, limit=_BYTES))
    if shown is not None:
        named = (value for name, value in shown.model_info.items() if name.endswith(".context_length"))
        return max(map(_sensible, named), default=0)
    return 0


def _decoded(kind: type[T], came: object) -> T | None:
    if not isinstance(came, Arrived) or came.status != OK:
        return None
    try:
        return msgspec.json.decode(came.content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _sensible(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0
