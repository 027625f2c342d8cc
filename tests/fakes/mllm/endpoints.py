"""Endpoints at a fake server, with a sent log in memory and a budget that counts."""

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from detectors.mllm.client.address import PortListener
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.client.keys import Secret
from detectors.mllm.client.transport import FindListener, Lookup
from detectors.mllm.presets import Preset
from detectors.mllm.protocol import Request, RequestOptions, SchemaMode
from detectors.mllm.questions import Usage
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.settings import ModelSettings
from tests.fakes.mllm.server import Act, FakeServer

OPTIONS = RequestOptions(model="tiny", schema_mode=SchemaMode.JSON_SCHEMA)


@dataclass(slots=True)
class FakeSentLog:
    """A sent log in memory: requests and their outcomes."""

    begun: list[tuple[Request, Mapping[str, str]]] = field(default_factory=list)
    ended: dict[str, tuple[str, Usage]] = field(default_factory=dict)
    full: bool = False

    async def begin(self, request: Request, *, endpoint: str, address: str, model: str, purpose: str = "") -> str:
        if self.full:
            raise EnvironmentFault("the disk is full")
        facts = {"endpoint": endpoint, "address": address, "model": model}
        self.begun.append((request, facts | ({"purpose": purpose} if purpose else {})))
        return str(len(self.begun))

    def end(self, entry: str, outcome: str, usage: Usage) -> None:
        assert entry not in self.ended, "an entry ends once"
        self.ended[entry] = (outcome, usage)

    @property
    def outcomes(self) -> list[str]:
        return [outcome for outcome, _ in self.ended.values()]


@dataclass(slots=True)
class FakeBudget:
    """Counts; allows so many calls."""

    calls: int = 1000
    spent: Usage = field(default_factory=Usage)

    def allows(self, now_wall_ns: int) -> bool:
        return self.spent.calls < self.calls

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        self.spent += usage


def preset(dialect: str = "openai_chat") -> Preset:
    return Preset(
        name="fake", dialect=dialect, url="", remote=False, schema_mode=OPTIONS.schema_mode, note="", tried=""
    )


def endpoint(
    url: str,
    dialect: str = "openai_chat",
    *,
    sent: FakeSentLog | None = None,
    budget: FakeBudget | None = None,
    key: Secret | None = None,
    options: RequestOptions = OPTIONS,
    settings: ModelSettings | None = None,
    on_battery: bool | None = None,
    lookup: Lookup | None = None,
    find_listener: FindListener = lambda *_: PortListener.TRUSTED,
    may_send: Callable[[], bool] = lambda: True,
) -> Endpoint:
    """Return an endpoint at a server; who listens there is looked up for real only with the real `find_listener`."""
    return Endpoint(
        preset(dialect),
        replace(settings or ModelSettings(), url=url),
        clock=SystemClock(),
        budget=budget if budget is not None else FakeBudget(),
        sent=sent if sent is not None else FakeSentLog(),
        key=key,
        options=options,
        rng=random.Random(1),
        on_battery=lambda: on_battery,
        lookup=lookup,
        find_listener=find_listener,
        may_send=may_send,
    )


@asynccontextmanager
async def opened(url: str, *options: Any, **more: Any) -> AsyncIterator[Endpoint]:
    model = endpoint(url, *options, **more)
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def served(
    plan: Sequence[Act] = (), dialect: str = "openai_chat", *, otherwise: Act | None = None, **more: Any
) -> AsyncIterator[tuple[FakeServer, Endpoint]]:
    async with FakeServer(plan, otherwise=otherwise) as server, opened(server.url, dialect, **more) as model:
        yield server, model
