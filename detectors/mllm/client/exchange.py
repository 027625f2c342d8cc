"""One request from end to end: logged, counted, sent, judged. Of what a server says only answers leave this module.

A request is counted before it is sent and its tokens after, whatever its result (`spending`). An error goes to the same
classifier under any status, 200 too. The text that is shown while it arrives decides nothing: the whole reply is judged
like any other once it has ended, and what stands beside its answer and could not be read is told once.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from detectors.mllm.client.keys import Secret, model_name
from detectors.mllm.client.retry import FAILURES, ExchangeResult
from detectors.mllm.client.spending import Price, TokenEstimator, with_dollars
from detectors.mllm.client.transport import OK, HttpFailure, HttpReply, HttpTransport
from detectors.mllm.prompting.reply_parser import parse_reply
from detectors.mllm.protocol import (
    CANCELLED,
    AnswerStream,
    DayBudget,
    Dialect,
    InvalidReply,
    Refusal,
    RefusalKind,
    Reply,
    Request,
    RequestLog,
    RequestOptions,
)
from detectors.mllm.questions import FailureReason, ModelQuery, Usage
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault


class AnswerText:
    """Hands the text of one reply to an `AnswerStream`, as it comes."""

    def __init__(self, dialect: Dialect, stream: AnswerStream) -> None:
        self._dialect = dialect
        self._stream = stream
        self._rest = bytearray()
        stream.begin()

    def take(self, content: bytes) -> None:
        """Take the bytes that came next; a line that is none of the dialect's adds nothing."""
        *lines, rest = content.replace(b"\r", b"\n").split(b"\n")
        if not lines:
            self._rest += rest
            return
        lines[0] = bytes(self._rest) + lines[0]
        self._rest = bytearray(rest)
        text = "".join(map(self._text, lines))
        if text:
            self._stream.add(text)

    def _text(self, line: bytes) -> str:
        try:
            return self._dialect.piece(line)
        except InvalidReply:
            return ""


REPLY_BYTES, BYTES_PER_ALTERNATIVE = 1 << 20, 256
"""The size limit of a reply, and how much it grows with each alternative token that was requested."""

STREAM_FACTOR = 4  # how much larger a stream may be: each token comes in an envelope of some three hundred bytes
_LOG = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class QueryProgress:
    """A query under way: its deadline, and what its requests have cost so far. Survives its cancellation.

    `stream` takes the answer while it is written, `purpose` says in the sent log what it is for.
    """

    deadline: asyncio.Timeout
    stream: AnswerStream | None = None
    purpose: str = ""
    superseded: bool = False
    usage: Usage = field(default_factory=Usage)
    sent: list[str] = field(default_factory=list)
    pictures: int = 0

    def left_s(self) -> float:
        """Return the time left."""
        return (self.deadline.when() or 0.0) - asyncio.get_running_loop().time()

    def supersede(self) -> None:
        """End the query at once, for a newer one."""
        if not self.deadline.expired():
            self.superseded = True
            self.deadline.reschedule(asyncio.get_running_loop().time())

    @property
    def cancelled_outcome(self) -> str:
        """The sent log's word for a request that was broken off."""
        return FailureReason.DEADLINE.value if self.deadline.expired() and not self.superseded else CANCELLED


class RequestExchange:
    """Sends requests of one dialect to one server.

    `not_before_ns` is when the server accepts the next request.
    """

    def __init__(
        self,
        dialect: Dialect,
        transport: HttpTransport,
        *,
        preset: str,
        clock: Clock,
        budget: DayBudget,
        sent: RequestLog,
        estimator: TokenEstimator,
        price: Price | None,
        may_send: Callable[[], bool],
        key: Secret | None,
    ) -> None:
        """Prepare.

        `preset` is the endpoint's name in the sent log, `may_send` is checked right before sending. `key` is the one
        that the server knows: no name that it gives a model may hold it.
        """
        self.not_before_ns = 0
        self._dialect = dialect
        self._transport = transport
        self._preset = preset
        self._clock = clock
        self._budget = budget
        self._sent = sent
        self._estimator = estimator
        self._price = price
        self._may_send = may_send
        self._key = key
        self._told: set[str] = set()

    async def send(
        self, request: Request, query: ModelQuery, options: RequestOptions, progress: QueryProgress
    ) -> ExchangeResult:
        """Send one request and return its result; `query` holds the pictures that the request does."""
        address = self._transport.address.url
        try:
            entry = await self._sent.begin(
                request, endpoint=self._preset, address=address, model=options.model, purpose=progress.purpose
            )
        except EnvironmentFault as fault:
            _LOG.error("nothing is sent, because it could not be logged: %s", fault.what)
            return ExchangeResult(failure=FailureReason.NOT_ALLOWED)
        progress.sent.append(entry)
        if not self._may_send():  # the disk can be slow: the person may have paused meanwhile
            self._sent.end(entry, CANCELLED, Usage())
            return ExchangeResult(failure=FailureReason.SUPERSEDED)
        self._count(Usage(calls=1), progress)
        result: ExchangeResult | None = None
        room = 0 if self._dialect.decides else options.room
        used = self._estimator.charge(request, None, room=room)
        try:
            limit = REPLY_BYTES + options.top_log_probs * options.max_tokens * BYTES_PER_ALTERNATIVE
            on_content = None
            if progress.stream is not None:
                limit, on_content = limit * STREAM_FACTOR, AnswerText(self._dialect, progress.stream).take
            received = await self._transport.post(request, limit=limit, on_content=on_content)
            outcome = outcome_of(self._dialect, received, query)
            used = self._estimator.charge(request, outcome, room=room)
            result = self._judge(outcome, request, query, options)
        finally:
            usage = with_dollars(used, self._price)
            self._count(usage, progress)
            self._sent.end(entry, progress.cancelled_outcome if result is None else result.outcome, usage)
        return result

    def within_budget(self) -> bool:
        """Tell whether the budget of the day has anything left."""
        return self._budget.allows(self._clock.wall_ns())

    def _count(self, usage: Usage, progress: QueryProgress) -> None:
        progress.usage += usage
        self._budget.spend(usage, self._clock.wall_ns())

    def _judge(
        self, outcome: Reply | Refusal | HttpFailure, request: Request, query: ModelQuery, options: RequestOptions
    ) -> ExchangeResult:
        if isinstance(outcome, HttpFailure):
            return ExchangeResult(failure=outcome.reason, unsent=not outcome.delivered)
        if isinstance(outcome, Refusal):
            _LOG.info("%s refused: status %d, %s", self._preset, outcome.status, outcome.kind.value)
            if outcome.retry_after_s:
                self.not_before_ns = self._clock.now_ns() + int(outcome.retry_after_s * NS_PER_S)
            return ExchangeResult(failure=FAILURES[outcome.kind], refusal=outcome)
        for name in sorted(set(outcome.odd) - self._told):
            _LOG.warning("%s sends what cannot be read beside an answer, and it is left out: %s", self._preset, name)
        self._told.update(outcome.odd)
        return self._judge_reply(outcome, request, query, options)

    def _judge_reply(
        self, reply: Reply, request: Request, query: ModelQuery, options: RequestOptions
    ) -> ExchangeResult:
        counted = reply.usage
        model = model_name(reply.model, self._key)
        if not self._dialect.decides and self._estimator.was_truncated(request, options, counted):
            return _overflow(ExchangeResult(model=model))
        self._estimator.observe(request, counted)
        parsed = parse_reply(query, reply)
        if not parsed.problem:
            return ExchangeResult(answers=parsed.answers, model=model)
        result = ExchangeResult(failure=FailureReason.NONSENSE, cut=reply.cut, repair=parsed.repair, model=model)
        # Cut off long before its token limit: what ended is the context.
        context_full = reply.cut and 0 < counted.tokens_out < options.max_tokens // 2
        return _overflow(result) if context_full else result


def outcome_of(dialect: Dialect, received: HttpReply | HttpFailure, query: ModelQuery) -> Reply | Refusal | HttpFailure:
    """Return what came back as the dialect reads it; what is no reply is a refusal, also under status 200."""
    if isinstance(received, HttpFailure):
        return received
    if received.status == OK:
        with suppress(InvalidReply):
            return dialect.reply(received.content, query)
    return dialect.refusal(received.status, received.headers, received.content)


def _overflow(result: ExchangeResult) -> ExchangeResult:
    """Return a result as an overflow that the server did not report."""
    refusal = Refusal(kind=RefusalKind.OVERFLOW, status=OK)
    return replace(result, failure=FAILURES[refusal.kind], refusal=refusal)
