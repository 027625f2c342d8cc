"""Generated pictures for trying out a server, never the screen; and the context length that a server reports.

A picture is a drawn window with lines of "text" that grow. llama-server reports its context in `/props` at its root,
Ollama in `/api/show`, vLLM and some others in the list of models: a hint, longer prompts are handled anyway.
"""

import random
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from detectors.mllm.client.transport import HttpReply, HttpTransport
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.protocol import Body, Request
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Pictures, Task

WIDTH, HEIGHT = 960, 540  # the size of stored pictures of the screen (`capture.store_width`), so that costs are alike
GAP_S = 0.75

QUESTIONS = (
    ModelQuestion(key="behavior", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS),
    ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO),
)


def sample(count: int, *, seed: int = 0) -> ModelQuery:
    """Return a query with `count` generated pictures; with another seed all of them differ."""
    import numpy as np
    import simplejpeg

    encoder = Pictures(count)
    rng = random.Random(seed)  # noqa: S311  # draws a picture
    canvas = np.full((HEIGHT, WIDTH, 3), (58, 74, 92), dtype=np.uint8)
    canvas[40:510, 60:900] = (246, 246, 244)
    canvas[40:70, 60:900] = (70, 70, 76)
    canvas[48:62, 72 : 72 + 8 * (1 + seed % 90)] = (180, 180, 190)  # tells seeds apart
    pictures = []
    for number in range(count):
        top, left = 90 + 13 * (number % 32), 90
        for _ in range(rng.randint(4, 9)):
            width = rng.randint(14, 80)
            canvas[top : top + 8, left : left + width] = (40, 40, 44)
            left += width + 10
        pictures.append(encoder.picture_of(simplejpeg.encode_jpeg(canvas, quality=80, colorspace="RGB")))
    times_s = tuple(GAP_S * number for number in range(count))
    return ModelQuery(pictures=tuple(pictures), at_s=times_s, questions=QUESTIONS)


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
