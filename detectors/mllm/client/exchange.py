"""One request from end to end: written down, counted, sent, judged; nothing of what a server said leaves but answers.

A request is counted before it leaves, its tokens after, whatever came of it. Where nobody can say what it used, because
it was broken off or the reply was lost, a guess is counted: servers charge for what they have read.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from detectors.mllm.client.ports import CANCELLED, Budget, SentLog
from detectors.mllm.client.prices import Counts, Price, priced
from detectors.mllm.client.retry import ExchangeResult, refused
from detectors.mllm.client.transport import Arrived, Broken, HttpTransport
from detectors.mllm.prompting import reply_parser as reading
from detectors.mllm.prompting.plain_text import plain_name
from detectors.mllm.questions import FailureReason, ModelQuery, Usage
from detectors.mllm.wire import Dialect, InvalidReply, RefusalKind, Reply, Request, RequestOptions
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault

OK = 200
REPLY_BYTES, BYTES_PER_ALTERNATIVE = 1 << 20, 256
"""A reply may be so large, and so much larger for each alternative token that was asked for."""

_LOG = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Turn:
    """One ask from its beginning to its end: its deadline, and what it has cost so far."""

    scope: asyncio.Timeout
    superseded: bool = False
    usage: Usage = field(default_factory=Usage)
    sent: list[str] = field(default_factory=list)
    pictures: int = 0

    def left_s(self) -> float:
        """Return the time left."""
        return (self.scope.when() or 0.0) - asyncio.get_running_loop().time()

    def give_way(self) -> None:
        """End at once, for a newer ask."""
        if not self.scope.expired():
            self.superseded = True
            self.scope.reschedule(asyncio.get_running_loop().time())

    @property
    def ended_by(self) -> str:
        """The word for it in the sent log where an ask was broken off."""
        return FailureReason.DEADLINE.value if self.scope.expired() and not self.superseded else CANCELLED


class Exchange:
    """Sends requests of one dialect over one line. `not_before_ns` is when the server wants to be asked again."""

    def __init__(
        self,
        dialect: Dialect,
        line: HttpTransport,
        *,
        preset: str,
        clock: Clock,
        budget: Budget,
        sent: SentLog,
        counts: Counts,
        price: Price | None,
        may_leave: Callable[[], bool],
    ) -> None:
        """Keep what every request needs.

        `preset` is the name it goes by in the log of what is sent; `may_leave` is asked last, right before the wire.
        """
        self.not_before_ns = 0
        self._dialect = dialect
        self._line = line
        self._preset = preset
        self._clock = clock
        self._budget = budget
        self._sent = sent
        self._counts = counts
        self._price = price
        self._may_leave = may_leave

    async def send(self, request: Request, shown: ModelQuery, how: RequestOptions, turn: Turn) -> ExchangeResult:
        """Send one request and return what came of it."""
        address = self._line.address.url
        try:
            entry = await self._sent.begin(request, endpoint=self._preset, address=address, model=how.model)
        except EnvironmentFault as fault:
            _LOG.error("nothing is sent, because it could not be written down: %s", fault.what)
            return ExchangeResult(trouble=FailureReason.NOT_ALLOWED)
        turn.sent.append(entry)
        if not self._may_leave():  # a disk can be slow: meanwhile somebody may have paused
            self._sent.end(entry, CANCELLED, Usage())
            return ExchangeResult(trouble=FailureReason.SUPERSEDED)
        self._spend(Usage(calls=1), turn)
        heard: ExchangeResult | None = None
        try:
            came = await self._line.post(request, limit=_limit(how))
            heard = self._judged(came, request, shown, how)
        finally:
            used = self._counts.guess(request) if heard is None else heard.usage
            usage = priced(used, self._price)
            self._spend(usage, turn)
            self._sent.end(entry, turn.ended_by if heard is None else heard.outcome, usage)
        return heard

    def allowed(self) -> bool:
        """Tell whether the budget of the day has anything left."""
        return self._budget.allows(self._clock.wall_ns())

    def _spend(self, usage: Usage, turn: Turn) -> None:
        turn.usage += usage
        self._budget.spend(usage, self._clock.wall_ns())

    def _judged(
        self, came: Arrived | Broken, request: Request, shown: ModelQuery, how: RequestOptions
    ) -> ExchangeResult:
        """Return what a reply means for the ask."""
        if isinstance(came, Broken):
            guess = self._counts.guess(request) if came.delivered else Usage()
            return ExchangeResult(trouble=came.trouble, unsent=not came.delivered, usage=guess)
        if came.status != OK:
            return self._refused(came, request)
        try:
            reply = self._dialect.reply(came.content, shown)
        except InvalidReply:
            return ExchangeResult(trouble=FailureReason.NONSENSE, usage=self._counts.guess(request))
        return self._read(reply, request, shown, how)

    def _refused(self, came: Arrived, request: Request) -> ExchangeResult:
        refusal = self._dialect.refusal(came.status, came.headers, came.content)
        _LOG.info("%s refused: status %d, %s", self._preset, came.status, refusal.kind.value)
        if refusal.retry_after_s:
            self.not_before_ns = self._clock.now_ns() + int(refusal.retry_after_s * NS_PER_S)
        answered = refusal.kind is RefusalKind.ANSWER  # so it has read what it was sent
        usage = self._counts.guess(request) if answered else Usage()
        return ExchangeResult(
            trouble=refused(refusal.kind), kind=refusal.kind, retry_after_s=refusal.retry_after_s, usage=usage
        )

    def _read(self, reply: Reply, request: Request, shown: ModelQuery, how: RequestOptions) -> ExchangeResult:
        """Check a reply against the questions."""
        counted = replace(reply.usage, calls=0)
        usage = counted if counted.tokens_in else replace(self._counts.guess(request), tokens_out=counted.tokens_out)
        model = plain_name(reply.model)
        if not self._dialect.decides and self._counts.cut_short(request, how, counted):
            return _too_long(ExchangeResult(usage=usage, model=model))
        self._counts.learn(request, counted)
        try:
            answers = reading.read(shown, reply)
        except reading.Unusable as unusable:
            heard = ExchangeResult(
                trouble=FailureReason.NONSENSE, cut=reply.cut, repair=unusable.repair, usage=usage, model=model
            )
            # Cut off long before its room was used up: what ended is the context.
            full = reply.cut and 0 < counted.tokens_out < how.max_tokens // 2
            return _too_long(heard) if full else heard
        return ExchangeResult(answers=answers, usage=usage, model=model)


def _too_long(heard: ExchangeResult) -> ExchangeResult:
    """Return what was heard as an overflow that the server did not tell."""
    return replace(heard, trouble=refused(RefusalKind.OVERFLOW), kind=RefusalKind.OVERFLOW)


def _limit(how: RequestOptions) -> int:
    return REPLY_BYTES + how.top_log_probs * how.max_tokens * BYTES_PER_ALTERNATIVE
