"""Models for tests of judgements: one that gives planned results, one at a server that fills any shape by a rule."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from detectors.mllm.protocol import RefusalKind
from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, ParsedAnswer, Usage
from tests.fakes.mllm.server import FakeServer, Received, head

Rule = Callable[[ModelQuery], Mapping[str, object] | FailureReason]


@dataclass(slots=True)
class RuledModel:
    """Answers each query by a rule, with facts or a failure, and writes down what it was asked."""

    rule: Rule
    asked: list[ModelQuery] = field(default_factory=list)
    name: str = "ruled"
    pictures_max: int = 1000
    is_blind: bool = False

    async def ask(self, query: ModelQuery, *, deadline_s: float) -> ModelResult:
        self.asked.append(query)
        found = self.rule(query)
        usage = Usage(calls=1, tokens_in=10)
        if self.is_blind and query.pictures:
            return ModelResult(failure=FailureReason.REFUSED, refused=RefusalKind.PICTURE, usage=usage)
        shown = min(len(query.pictures), self.pictures_max)
        if isinstance(found, FailureReason):
            return ModelResult(failure=found, usage=usage, pictures=shown)
        answer = ParsedAnswer(facts=found)
        return ModelResult(answers={query.questions[0].key: answer}, usage=usage, pictures=shown, model=self.name)

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def kinds(self) -> list[str]:
        return [query.questions[0].key for query in self.asked]


@dataclass(slots=True)
class JudgingServer:
    """A stand-in for a chat server whose answers are made from the request's JSON schema and text by a rule.

    Call `tests.fakes.mllm.chat_server.running` with it. `bodies` are the requests that were answered.
    """

    rule: Callable[[Mapping[str, Any], str], Mapping[str, object]]
    bodies: list[bytes] = field(default_factory=list)

    async def __call__(self, server: FakeServer, received: Received) -> None:
        self.bodies.append(received.body)
        tree = json.loads(received.body)
        schema = tree.get("response_format", {}).get("json_schema", {}).get("schema", {})
        text = "\n".join(part["text"] for part in tree["messages"][-1]["content"] if part["type"] == "text")
        pictures = received.body.count(b"image/jpeg")
        message = {"role": "assistant", "content": json.dumps(self.rule(schema, text))}
        reply = {
            "model": "judging",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(text) // 3 + 100 * pictures, "completion_tokens": 50},
        }
        content = json.dumps(reply).encode()
        received.write(head(200, "Fine", {"Content-Length": str(len(content))}) + content)
