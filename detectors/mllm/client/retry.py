"""What follows a failed request: retry, send fewer pictures, ask for a better reply, or give up.

No network and no clock, so that every way can be tested apart. Each way may be taken a fixed number of times, so a
query ends. No request is sent twice unless something has changed: a server that was busy has had time, or the request
is another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from detectors.mllm.protocol import DONE, Refusal, RefusalKind, RequestOptions, SchemaMode
from detectors.mllm.questions import FailureReason, ParsedAnswer

RETRIES = 2
BACKOFF_S = 0.08  # doubles with each retry and varies by half; short, because an answer is useful for some seconds only
ROOM_FACTOR, ROOM_MIN, ROOM_MAX = 4, 1024, 4096
"""An answer that was cut off gets a multiple of its token limit, within these bounds."""

NEXT_SCHEMA_MODE: Mapping[SchemaMode, SchemaMode] = {
    SchemaMode.JSON_SCHEMA: SchemaMode.JSON_OBJECT_SCHEMA,
    SchemaMode.JSON_OBJECT_SCHEMA: SchemaMode.PROMPTED,
    SchemaMode.NATIVE: SchemaMode.PROMPTED,
}
"""What is tried after a schema mode was refused."""

FEWER_ALTERNATIVES = (20, 5)
"""Alternatives per token to request after more were refused: as many as most servers give, and a few."""

FAILURES: Mapping[RefusalKind, FailureReason] = {
    RefusalKind.OVERFLOW: FailureReason.TOO_LONG,
    RefusalKind.RATE: FailureReason.BUSY,
    RefusalKind.BUSY: FailureReason.BUSY,
    RefusalKind.KEY: FailureReason.NO_KEY,
    RefusalKind.SCHEMA: FailureReason.REFUSED,
    RefusalKind.LOG_PROBS: FailureReason.REFUSED,
    RefusalKind.PICTURE: FailureReason.REFUSED,
    RefusalKind.ANSWER: FailureReason.NONSENSE,
    RefusalKind.FORBIDDEN: FailureReason.REFUSED,
    RefusalKind.PAGE: FailureReason.NONSENSE,
    RefusalKind.COMPRESSED: FailureReason.NONSENSE,
    RefusalKind.UNREADABLE: FailureReason.NONSENSE,
    RefusalKind.OTHER: FailureReason.REFUSED,
}
"""The failure of a query that ends with a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeResult:
    """The result of one request: answers, or a failure and what may be done about it."""

    answers: Mapping[str, ParsedAnswer] = field(default_factory=dict)  # by the questions' keys; empty if there are none
    failure: FailureReason | None = None  # the query's, if nothing more is tried; None with answers
    refusal: Refusal | None = None  # the server's; also of an overflow where a prompt was truncated silently
    unsent: bool = False  # the server cannot have begun to work on it
    cut: bool = False  # the answer reached its token limit
    repair: str = ""  # tells the model what was wrong with its answer
    model: str = ""  # the name that the server gave

    @property
    def kind(self) -> RefusalKind | None:
        """The kind of the refusal."""
        return None if self.refusal is None else self.refusal.kind

    @property
    def outcome(self) -> str:
        """The sent log's word for it."""
        return DONE if self.failure is None else self.failure.value


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPlan:
    """How the next request is made, and what may still be tried."""

    options: RequestOptions  # model, schema mode and token limit
    pictures: int  # the most it may hold
    repair: str = ""  # what was wrong with the previous answer
    wait_s: float = 0.0  # before it is sent
    same: bool = False  # the request may equal the previous one
    retries: int = RETRIES  # how many are left, of these and the next
    repairs: int = 1
    raises: int = 1


def next_attempt(plan: RetryPlan, result: ExchangeResult, *, pictures: int, jitter: float) -> RetryPlan | None:
    """Return how to go on after a failure; None: give up.

    Args:
        plan: how the request was made.
        result: its result.
        pictures: how many it held.
        jitter: a random number from 0 to 1, to vary the wait.
    """
    fresh = replace(plan, wait_s=0.0, same=False)
    match result.kind:
        case RefusalKind.OVERFLOW:
            return replace(fresh, pictures=pictures // 2) if pictures > 1 else None
        case RefusalKind.SCHEMA | RefusalKind.LOG_PROBS:
            return without_refused(fresh, result.kind)
        case RefusalKind.RATE | RefusalKind.BUSY:
            return _after_wait(fresh, result, jitter)
        case RefusalKind.ANSWER:
            return _with_more_room(fresh)
    if result.unsent and result.failure is FailureReason.UNREACHABLE:
        return _after_wait(fresh, result, jitter)
    if result.cut:
        return _with_more_room(fresh)
    if result.repair and plan.repairs:
        return replace(fresh, repair=result.repair, repairs=plan.repairs - 1)
    return None


def without_refused(plan: RetryPlan, kind: RefusalKind | None) -> RetryPlan | None:
    """Return the plan without the option that was refused; None if there is nothing left to omit."""
    options = plan.options
    match kind:
        case RefusalKind.SCHEMA if options.schema_mode in NEXT_SCHEMA_MODE:
            return replace(plan, options=replace(options, schema_mode=NEXT_SCHEMA_MODE[options.schema_mode]))
        case RefusalKind.LOG_PROBS if options.top_log_probs:
            fewer = next((few for few in FEWER_ALTERNATIVES if few < options.top_log_probs), 0)
            return replace(plan, options=replace(options, top_log_probs=fewer))
    return None


def _after_wait(plan: RetryPlan, result: ExchangeResult, jitter: float) -> RetryPlan | None:
    if not plan.retries:
        return None
    backoff_s = BACKOFF_S * 2 ** (RETRIES - plan.retries) * (0.5 + jitter)
    wait_s = max(backoff_s, (result.refusal.retry_after_s if result.refusal is not None else None) or 0.0)
    return replace(plan, wait_s=wait_s, same=True, retries=plan.retries - 1)


def _with_more_room(plan: RetryPlan) -> RetryPlan | None:
    if not plan.raises or plan.options.max_tokens >= ROOM_MAX:
        return None
    room = min(max(plan.options.max_tokens * ROOM_FACTOR, ROOM_MIN), ROOM_MAX)
    return replace(plan, options=replace(plan.options, max_tokens=room), raises=plan.raises - 1)
