"""Sends single requests to try a server out: written down before, counted after, and what came back as it is.

Unlike a live endpoint it neither repeats nor repairs: what a server makes of one request is what is to be found out.
"""

import asyncio
from dataclasses import replace

from detectors.mllm.client.ports import CANCELLED, DONE, Budget, SentLog
from detectors.mllm.client.prices import Counts, Price, priced
from detectors.mllm.client.transport import Broken, HttpTransport
from detectors.mllm.questions import FailureReason, ModelQuery, Usage
from detectors.mllm.wire import Dialect, InvalidReply, Refusal, RefusalKind, Reply, Request, RequestOptions
from storage.clock import NS_PER_S, Clock

OK = 200
REPLY_BYTES = 8 << 20

_TROUBLES = {
    RefusalKind.KEY: FailureReason.NO_KEY,
    RefusalKind.RATE: FailureReason.BUSY,
    RefusalKind.BUSY: FailureReason.BUSY,
    RefusalKind.OVERFLOW: FailureReason.TOO_LONG,
}

_UNCOUNTED = (FailureReason.DEADLINE, FailureReason.NONSENSE)
"""After these, as after a request that was broken off, a server may charge for what it has read: a guess is counted."""


class Fails(Exception):  # noqa: N818  # says what it is in an except clause
    """A server that cannot be used at all: why, and with which status."""

    def __init__(self, trouble: FailureReason, *, kind: RefusalKind | None = None, status: int = 0) -> None:
        """Keep the reason; nothing of what the server said."""
        super().__init__(trouble.value)
        self.trouble = trouble
        self.kind = kind
        self.status = status


class Trial:
    """A line to one server, and what was sent over it: `usage`, and `took_s`, how long the last request took."""

    def __init__(
        self,
        *,
        preset: str,
        line: HttpTransport,
        dialect: Dialect,
        clock: Clock,
        budget: Budget,
        sent: SentLog,
        price: Price | None,
    ) -> None:
        """Begin with nothing sent; `preset` is the name it goes by in the log of what is sent."""
        self.usage = Usage()
        self.took_s = 0.0
        self._preset = preset
        self._line = line
        self._dialect = dialect
        self._clock = clock
        self._budget = budget
        self._sent = sent
        self._price = price

    async def must(self, ask: ModelQuery, how: RequestOptions, limit_s: float) -> Reply:
        """Send what a server has to answer if it is to be of any use."""
        came = await self.send(self._dialect.request(ask, how), ask, how, limit_s)
        if isinstance(came, Refusal):
            raise Fails(_TROUBLES.get(came.kind, FailureReason.REFUSED), kind=came.kind, status=came.status)
        if isinstance(came, FailureReason):
            raise Fails(came)
        return came

    async def send(
        self, request: Request, ask: ModelQuery, how: RequestOptions, limit_s: float
    ) -> Reply | Refusal | FailureReason:
        """Send one request, written down before it leaves; return what came of it."""
        if not self._budget.allows(self._clock.wall_ns()):
            raise Fails(FailureReason.OVER_BUDGET)
        entry = await self._sent.begin(request, endpoint=self._preset, address=self._line.address.url, model=how.model)
        self._spend(Usage(calls=1))
        came: Reply | Refusal | FailureReason | None = None
        began_ns = self._clock.now_ns()
        try:
            came = await self._exchanged(request, ask, limit_s)
        finally:
            self.took_s = (self._clock.now_ns() - began_ns) / NS_PER_S
            used = Usage()
            if isinstance(came, Reply):
                used = replace(came.usage, calls=0)
            elif came in (None, *_UNCOUNTED):
                used = Counts().guess(request)
            usage = priced(used, self._price)
            self._spend(usage)
            self._sent.end(entry, _outcome(came), usage)
        return came

    async def _exchanged(self, request: Request, ask: ModelQuery, limit_s: float) -> Reply | Refusal | FailureReason:
        try:
            async with asyncio.timeout(limit_s):
                arrived = await self._line.post(request, limit=REPLY_BYTES)
        except TimeoutError:
            return FailureReason.DEADLINE
        if isinstance(arrived, Broken):
            return arrived.trouble
        if arrived.status != OK:
            return self._dialect.refusal(arrived.status, arrived.headers, arrived.content)
        try:
            return self._dialect.reply(arrived.content, ask)
        except InvalidReply:
            return FailureReason.NONSENSE

    def _spend(self, usage: Usage) -> None:
        self.usage += usage
        self._budget.spend(usage, self._clock.wall_ns())


def _outcome(came: Reply | Refusal | FailureReason | None) -> str:
    if isinstance(came, Reply):
        return DONE
    if isinstance(came, Refusal):
        return _TROUBLES.get(came.kind, FailureReason.REFUSED).value
    return CANCELLED if came is None else came.value
