"""Logs what is sent to models, and what it costs, in a thread of its own: no event loop waits for a disk.

One `SentLogWriter` serves one model while it is open. The client of a model server uses it as its log
(`detectors.mllm.protocol.SentLog`) and as its ledger (`detectors.mllm.client.budget.Ledger`).
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from detectors.mllm.client.spending import local_day
from detectors.mllm.protocol import CANCELLED, Request
from detectors.mllm.questions import QueryPicture, Usage
from storage.clock import Clock
from storage.errors import BadFile, EnvironmentFault
from storage.files import sent_file, state_file
from storage.sent.log import Cost, OutgoingRequest, SentLog, SentPicture
from storage.settings import StorageSettings
from storage.state.models import ModelStateStore, Spending

logger = logging.getLogger(__name__)

GB = 1_000_000_000


class SentLogWriter:
    """The thread "sent", which owns the log of what is sent and the costs of today."""

    def __init__(
        self,
        *,
        clock: Clock,
        settings: StorageSettings,
        tier: str,
        purpose: str = "",
        session: Path | None = None,
        keeps_content: bool = True,
    ) -> None:
        """Open both databases; may wait for a disk.

        The costs of today are read for `tier` first. `purpose` says in the log who asks, by default the tier. `session`
        is the folder of the session whose pictures are sent, if they belong to one. Without `keeps_content` the log
        stores digests of pictures, and of the texts of requests that hold words of the person or the screen: those with
        a purpose of their own. The texts of an estimate hold none.

        Raises:
            BadFile: one of them is damaged.
            EnvironmentFault: one of them cannot be written.
        """
        self._clock = clock
        self._purpose = purpose or tier
        self._keeps_content = keeps_content
        self._session = "" if session is None else str(session.resolve())
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Spending] = {}
        self._pending: dict[tuple[str, str], Spending] = {}
        with ExitStack() as opened:
            self._log = opened.enter_context(SentLog(sent_file(), max_bytes=round(settings.keep_gb * GB)))
            self._state = opened.enter_context(ModelStateStore(state_file()))
            today = local_day(clock.wall_ns())
            self._known[tier, today] = self._state.spending(tier, today)
            opened.pop_all()  # all went well: `close` closes them
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sent")

    def close(self) -> None:
        """Write what is queued and close; waits for a disk."""
        self._thread.shutdown(wait=True)
        self._state.close()
        self._log.close()

    # ------------------------------------------------------------ log

    async def begin(self, request: Request, *, endpoint: str, address: str, model: str, purpose: str = "") -> str:
        """Log a request before it is sent; return the entry's id. Nothing may be sent before this has returned.

        `purpose` says what it is for where that is not this log's own.

        Raises:
            EnvironmentFault: it cannot be logged, so it must not be sent.
        """
        at_wall_ns = self._clock.wall_ns()

        def write() -> int:
            outgoing = OutgoingRequest(
                at_wall_ns=at_wall_ns,
                session=self._session,
                purpose=purpose or self._purpose,
                endpoint=endpoint,
                address=address,
                path=request.path,
                headers=request.headers,
                model=model,
                parts=[_stored(part) for part in request.body.parts],
                digest=request.body.digest(),
                stores_pictures=self._keeps_content,
                stores_texts=self._keeps_content or not purpose,
            )
            return self._log.begin(outgoing)

        writing: Future[int] = self._thread.submit(write)
        try:
            number = await asyncio.wrap_future(writing)
        except asyncio.CancelledError:
            self._end_unsent(writing)
            raise
        except BadFile as error:
            raise EnvironmentFault(error.what, remedy=error.remedy, code="storage_failed") from error
        return str(number)

    def end(self, entry: str, outcome: str, usage: Usage) -> None:
        """Log how a request ended. Returns at once and never raises."""
        wall_ns = self._clock.wall_ns()
        cost = Cost(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, cached=usage.cached, dollars=usage.dollars)
        self._enqueue("how a request ended", lambda: self._log.end(int(entry), outcome, wall_ns, cost))

    def _end_unsent(self, writing: "Future[int]") -> None:
        """Log that a request was cancelled while its entry was being written; that writing ends first."""
        wall_ns = self._clock.wall_ns()

        def end() -> None:
            if not writing.cancelled() and writing.exception() is None:
                self._log.end(writing.result(), CANCELLED, wall_ns, Cost())

        self._enqueue("that a request was cancelled", end)

    # ------------------------------------------------------------ ledger

    def spent(self, tier: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day.

        On a new day the costs of other processes are known after our first request, so that together they may exceed
        a limit by one call.
        """
        with self._lock:
            total = _sum(self._known.get((tier, day), Spending()), self._pending.get((tier, day), Spending()))
        return total.calls, total.tokens, total.dollars

    def spend(self, tier: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to the costs of a day. Returns at once."""
        more = Spending(calls=calls, tokens=tokens, dollars=dollars)
        with self._lock:
            self._pending[tier, day] = _sum(self._pending.get((tier, day), Spending()), more)

        def write() -> None:
            known = self._state.add_spending(tier, day, more)  # if this fails, `more` stays pending and still counts
            with self._lock:
                less = Spending(calls=-calls, tokens=-tokens, dollars=-dollars)
                self._pending[tier, day] = _sum(self._pending[tier, day], less)
                self._known[tier, day] = known

        self._enqueue("what a request cost", write)

    def _enqueue(self, what: str, action: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                action()
            except (BadFile, EnvironmentFault) as fault:
                logger.error("%s is not stored: %s", what, fault.what)  # noqa: TRY400  # expected, no bug

        try:
            self._thread.submit(guarded)
        except RuntimeError:  # the model was closed meanwhile
            logger.error("%s is not stored: it came after the end", what)  # noqa: TRY400  # expected, no bug


def _stored(part: bytes | QueryPicture) -> bytes | SentPicture:
    return part if isinstance(part, bytes) else SentPicture(digest=part.digest, jpeg=part.jpeg)


def _sum(a: Spending, b: Spending) -> Spending:
    return Spending(calls=a.calls + b.calls, tokens=a.tokens + b.tokens, dollars=a.dollars + b.dollars)
