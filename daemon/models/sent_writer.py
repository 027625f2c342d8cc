"""Keeps what goes out to models, and what it costs, in a thread of its own: no event loop waits for a disk.

One `SentLogWriter` serves one model for as long as it is open. It is what the client of a model server is given as its
log (`detectors.mllm.client.ports.SentLog`) and as its ledger (`detectors.mllm.client.spending.Ledger`).
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from detectors.mllm.client.ports import CANCELLED
from detectors.mllm.client.spending import local_day
from detectors.mllm.protocol import Request
from detectors.mllm.questions import Picture, Usage
from storage.clock import Clock
from storage.errors import BadFile, EnvironmentFault
from storage.paths import sent_file, state_file
from storage.sent.log import SentLog
from storage.sent.request import Cost, Outgoing, SentPicture
from storage.settings import StorageSettings
from storage.state.models import ModelState, Spent

logger = logging.getLogger(__name__)

GB = 1_000_000_000


class SentLogWriter:
    """The thread "sent", with the log of what is sent and the costs of today in it."""

    def __init__(
        self,
        *,
        clock: Clock,
        settings: StorageSettings,
        rung: str,
        purpose: str = "",
        session: Path | None = None,
        keeps_pictures: bool = True,
    ) -> None:
        """Open both databases; may wait for a disk.

        Args:
            clock: the clock.
            settings: how much may be kept.
            rung: whose costs of today are looked up.
            purpose: who asks, for the log; by default the rung.
            session: the folder of the session whose pictures are sent; None if they belong to none.
            keeps_pictures: whether they may be kept; if not, their digests are.

        Raises:
            BadFile: one of them is damaged.
            EnvironmentFault: one of them cannot be written.
        """
        self._clock = clock
        self._purpose = purpose or rung
        self._keeps_pictures = keeps_pictures
        self._session = "" if session is None else str(session.resolve())
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Spent] = {}
        self._pending: dict[tuple[str, str], Spent] = {}
        self._log = SentLog(sent_file(), max_bytes=round(settings.keep_gb * GB))
        try:
            self._state = ModelState(state_file())
            try:
                today = local_day(clock.wall_ns())
                self._known[rung, today] = self._state.spent(rung, today)
            except BaseException:
                self._state.close()
                raise
        except BaseException:
            self._log.close()
            raise
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sent")

    def close(self) -> None:
        """Write what is left and close; waits for a disk."""
        self._thread.shutdown(wait=True)
        self._state.close()
        self._log.close()

    # ------------------------------------------------------------ log

    async def begin(self, request: Request, *, endpoint: str, address: str, model: str) -> str:
        """Keep a request that is about to leave; return the entry's id. Nothing may leave before this has returned.

        Raises:
            EnvironmentFault: it cannot be kept, so it must not be sent.
        """
        at_wall_ns = self._clock.wall_ns()

        def keep() -> int:
            outgoing = Outgoing(
                at_wall_ns=at_wall_ns,
                session=self._session,
                purpose=self._purpose,
                endpoint=endpoint,
                address=address,
                path=request.path,
                headers=request.headers,
                model=model,
                parts=[_kept(part) for part in request.body.parts],
                digest=request.body.digest(),
                keeps_pictures=self._keeps_pictures,
            )
            return self._log.begin(outgoing)

        kept: Future[int] = self._thread.submit(keep)
        try:
            number = await asyncio.wrap_future(kept)
        except asyncio.CancelledError:
            self._never_left(kept)
            raise
        except BadFile as error:
            raise EnvironmentFault(error.what, remedy=error.remedy, code="storage_failed") from error
        return str(number)

    def end(self, entry: str, outcome: str, usage: Usage) -> None:
        """Note what came of it. Returns at once and never raises."""
        wall_ns = self._clock.wall_ns()
        cost = Cost(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, cached=usage.cached, dollars=usage.dollars)
        self._later("how a request ended", lambda: self._log.end(int(entry), outcome, wall_ns, cost))

    def _never_left(self, kept: "Future[int]") -> None:
        """Note that a request was given up while it was being written down; its writing comes to an end before."""
        wall_ns = self._clock.wall_ns()

        def note() -> None:
            if not kept.cancelled() and kept.exception() is None:
                self._log.end(kept.result(), CANCELLED, wall_ns, Cost())

        self._later("that a request was given up", note)

    # ------------------------------------------------------------ ledger

    def spent(self, rung: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day; on a new day what other processes spent comes with our first.

        Whoever spends beside us may so go past a limit by one call.
        """
        with self._lock:
            both = _sum(self._known.get((rung, day), Spent()), self._pending.get((rung, day), Spent()))
        return both.calls, both.tokens, both.dollars

    def spend(self, rung: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to what was spent on a day. Returns at once."""
        more = Spent(calls=calls, tokens=tokens, dollars=dollars)
        with self._lock:
            self._pending[rung, day] = _sum(self._pending.get((rung, day), Spent()), more)

        def write() -> None:
            known = self._state.spend(rung, day, more)  # where this fails it stays pending: it counts all the same
            with self._lock:
                less = Spent(calls=-calls, tokens=-tokens, dollars=-dollars)
                self._pending[rung, day] = _sum(self._pending[rung, day], less)
                self._known[rung, day] = known

        self._later("what a request cost", write)

    def _later(self, what: str, action: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                action()
            except (BadFile, EnvironmentFault) as fault:
                logger.error("%s is not kept: %s", what, fault.what)  # noqa: TRY400  # told, no bug

        try:
            self._thread.submit(guarded)
        except RuntimeError:  # the model was closed meanwhile
            logger.error("%s is not kept: it came after the end", what)  # noqa: TRY400  # likewise


def _kept(part: bytes | Picture) -> bytes | SentPicture:
    return part if isinstance(part, bytes) else SentPicture(digest=part.digest, jpeg=part.jpeg)


def _sum(one: Spent, other: Spent) -> Spent:
    return Spent(calls=one.calls + other.calls, tokens=one.tokens + other.tokens, dollars=one.dollars + other.dollars)
