"""The queries and endpoints of `kairos bench models`: pictures of arbitrary bytes, and servers on this machine.

Imports the model layer, so a measurement of what that takes imports this module inside.
"""

import random
import socket

from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.client.spending import DailyBudget, MemoryLedger
from detectors.mllm.presets import FAKE, Preset
from detectors.mllm.protocol import RequestOptions, SchemaMode
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Option, Pictures, Task
from storage.clock import SystemClock
from storage.records import State
from storage.settings import ModelSettings

PICTURES = 32
PICTURE_BYTES = 100_000
"""A frame of 960 x 540 in JPEG takes 30 to 150 kB; the bytes are arbitrary, nothing looks at them."""


def live_query(pictures: int, size: int) -> ModelQuery:
    """Return a query as the daemon makes it, about so many pictures of arbitrary bytes."""
    rng, cache = random.Random(1), Pictures()  # noqa: S311  # bytes that are no picture
    states = tuple(Option(key=state.value, text=state.value) for state in State)
    return ModelQuery(
        pictures=tuple(cache.picture_of(rng.randbytes(size)) for _ in range(pictures)),
        at_s=tuple(0.75 * number for number in range(pictures)),
        questions=(
            ModelQuestion(key="state", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=states),
            ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO),
        ),
        observations="7 undos",
    )


def endpoint_at(port: int) -> Endpoint:
    """Return an endpoint at a port of this machine without a log of what is sent: nothing is."""
    url = f"http://127.0.0.1:{port}"
    mode = SchemaMode.JSON_SCHEMA
    preset = Preset(name="bench", dialect="openai_chat", url=url, remote=False, schema_mode=mode, note="", tried=FAKE)
    settings = ModelSettings(preset="bench")
    return Endpoint(
        preset,
        settings,
        clock=SystemClock(),
        budget=DailyBudget("bench", settings, MemoryLedger()),
        sent=NoSentLog(),
        key=None,
        options=RequestOptions(model="bench"),
    )


class NoSentLog:
    """Stands in for the log of what is sent: the server of this benchmark is one of its own processes."""

    async def begin(self, request: object, *, endpoint: str, address: str, model: str, purpose: str = "") -> str:  # noqa: ARG002  # a Protocol
        """Store nothing."""
        return ""

    def end(self, entry: str, outcome: str, usage: object) -> None:
        """Store nothing."""


def closed_port() -> int:
    """Return a port of this machine where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
