"""A stand-in for a chat server with habits: what it enforces, counts, lists and refuses can be chosen; nobody thinks.

Built without the code that reads it. `running` serves it from a thread, for commands that have a loop of their own.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.commands.background import in_a_thread
from tests.fakes.mllm.server import Act, FakeServer, Received, head

PLAIN = json.dumps({"behavior": {"answer": "H", "sure": 60}, "need": {"answer": "no", "sure": 70}})


@dataclass(slots=True, kw_only=True)
class FakeChatServer:
    """The habits of a server.

    Attributes:
        enforces: the types of `response_format` that it really obeys.
        refuses: those that it answers with status 500.
        obliging: whether it answers plain questions in the shape that the words ask for.
        alternatives: so many it lists at most; more are refused; 0: it ignores the wish.
        pictures_max: more are refused with status 400.
        pictures_seen: tokens are counted for so many at most, whatever it takes.
        tokens_each: tokens it counts for a picture.
        counts: whether it says how many tokens it read; a number is what it says of every request.
        thinks: it puts this before its answer, among its thoughts, unless there is much room.
        context: what `/props` says; 0: there is no such page.
        key: the key it wants.
        busy: so often it says at first that it is loading.
        name: what it calls its model.
        status: it answers everything with this, if not 200.
    """

    enforces: tuple[str, ...] = ("json_schema", "json_object")
    refuses: tuple[str, ...] = ()
    obliging: bool = True
    alternatives: int = 120
    pictures_max: int = 32
    pictures_seen: int = 1000
    tokens_each: int = 100
    counts: bool | int = True
    thinks: str = ""
    context: int = 0
    key: str = ""
    busy: int = 0
    status: int = 200
    error: str = "no"
    name: str = "pretender"
    bodies: list[bytes] = field(default_factory=list)

    async def __call__(self, server: FakeServer, received: Received) -> None:
        status, reply = self._answer(received)
        content = json.dumps(reply).encode()
        received.write(head(status, "So", {"Content-Length": str(len(content))}) + content)

    def _answer(self, received: Received) -> tuple[int, dict[str, Any]]:
        if received.line.startswith("GET /props") and self.context:
            return 200, {"default_generation_settings": {"n_ctx": self.context}}
        if not received.line.startswith("POST /v1/chat/completions"):
            return 404, {"error": {"message": "no such page"}}
        if self.key and received.headers.get("authorization") != f"Bearer {self.key}":
            return 401, {"error": {"code": "invalid_api_key"}}
        self.bodies.append(received.body)
        if self.busy:
            self.busy -= 1
            return 503, {"error": {"message": "Loading model"}}
        if self.status != 200:
            return self.status, {"error": {"message": self.error}}
        return self._chat(json.loads(received.body))

    def _chat(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        shape = request.get("response_format", {})
        if shape.get("type") in self.refuses:
            return 500, {"error": {"message": "response_format json_schema is not supported"}}
        pictures = sum(
            part["type"] == "image_url"
            for message in request["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
        )
        if pictures > self.pictures_max:
            return 400, {"error": {"message": f"at most {self.pictures_max} images"}}
        if request.get("top_logprobs", 0) > max(self.alternatives, 5):
            return 400, {"error": {"message": "top_logprobs is too large"}}
        text = PLAIN if self.obliging else "I see a window."
        schema = shape.get("json_schema", shape).get("schema")
        if schema is not None and shape["type"] in self.enforces:
            text = json.dumps(_instance(schema))
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if self.thinks:
            message["reasoning_content"] = self.thinks
            if request["max_tokens"] < 1000:
                message["content"] = ""
        listed = min(request.get("top_logprobs", 0), self.alternatives)
        others = [{"token": f"t{n}", "logprob": -1.0 - n} for n in range(listed)]
        tokens = [{"token": text, "logprob": -0.1, "top_logprobs": others}] if listed else None
        observed = min(pictures, self.pictures_seen)
        read = 500 + self.tokens_each * observed if self.counts is True else int(self.counts)
        usage = {"prompt_tokens": read, "completion_tokens": 20}
        return 200, {
            "model": self.name,
            "choices": [{"message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}],
            "usage": usage if self.counts else None,
        }


def _instance(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _instance(inner) for name, inner in schema["properties"].items()}
    return "words"


@contextmanager
def running(chat_server: Act) -> Iterator[str]:
    with in_a_thread(lambda: FakeServer(otherwise=chat_server)) as server:
        yield f"{server.url}/v1"
