"""What follows a failed request: try again, send fewer pictures, ask for a better reply, or give up.

No network and no clock, so that every way can be told apart in a test. Each way may be taken a fixed number of times,
so an ask ends. Nothing is sent a second time unless something is different now: a server that was busy has had time,
or the request is another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from detectors.mllm.client.ports import DONE
from detectors.mllm.questions import Answer, FailureReason, Usage
from detectors.mllm.wire import RefusalKind, RequestOptions, SchemaMode

RETRIES = 2
BACKOFF_S = 0.08
"""Doubles with each retry and varies by half; short, because an answer is only worth something for some seconds."""

ROOM_MORE, ROOM_LEAST, ROOM_MOST = 4, 1024, 4096
"""An answer that was cut off gets so many times the room, at least and at most so many tokens."""

LADDER: Mapping[SchemaMode, SchemaMode] = {
    SchemaMode.JSON_SCHEMA: SchemaMode.JSON_OBJECT_SCHEMA,
    SchemaMode.JSON_OBJECT_SCHEMA: SchemaMode.PROMPTED,
    SchemaMode.NATIVE: SchemaMode.PROMPTED,
}
"""What is tried after a way to enforce the answer's shape was refused."""

FEWER = (20, 5)
"""So many alternatives per token are asked for where more were refused: as many as most servers give, and as few."""

_REFUSED = {
    RefusalKind.OVERFLOW: FailureReason.TOO_LONG,
    RefusalKind.RATE: FailureReason.BUSY,
    RefusalKind.BUSY: FailureReason.BUSY,
    RefusalKind.KEY: FailureReason.NO_KEY,
    RefusalKind.SCHEMA: FailureReason.REFUSED,
    RefusalKind.LOG_PROBS: FailureReason.REFUSED,
    RefusalKind.PICTURE: FailureReason.REFUSED,
    RefusalKind.ANSWER: FailureReason.NONSENSE,
    RefusalKind.OTHER: FailureReason.REFUSED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeResult:
    """What came of one request: answers, or a trouble and what may be done about it.

    Attributes:
        answers: by the questions' keys; empty if there are none.
        trouble: what it comes to if nothing more is done; None with answers.
        kind: of a refusal; also overflow where a prompt was cut without a word.
        unsent: the server cannot have begun to work on it.
        cut: the answer ran out of room.
        repair: words that tell the model what was wrong with its answer.
        retry_after_s: how long the server wants to be left alone.
        usage: what it cost, if the server said so.
        model: the name that the server gave.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    trouble: FailureReason | None = None
    kind: RefusalKind | None = None
    unsent: bool = False
    cut: bool = False
    repair: str = ""
    retry_after_s: float | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""

    @property
    def outcome(self) -> str:
        """The word for it in the sent log."""
        return DONE if self.trouble is None else self.trouble.value


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPlan:
    """How the next request is made, and what may still be tried.

    Attributes:
        how: model, schema mode and room.
        pictures: so many at most.
        repair: words about the answer before.
        wait_s: before it is sent.
        same: the request may be the one before, once more.
        retries, repairs, raises: what is left of each.
    """

    how: RequestOptions
    pictures: int
    repair: str = ""
    wait_s: float = 0.0
    same: bool = False
    retries: int = RETRIES
    repairs: int = 1
    raises: int = 1


def refused(kind: RefusalKind) -> FailureReason:
    """Return what a refusal comes to if nothing more is done."""
    return _REFUSED[kind]


def next_attempt(course: RetryPlan, heard: ExchangeResult, *, pictures: int, chance: float) -> RetryPlan | None:
    """Return how to go on after a trouble; None: this was all.

    Args:
        course: how the request was made.
        heard: what came of it.
        pictures: how many it held.
        chance: a random number from 0 to 1, for the time to wait.
    """
    fresh = replace(course, wait_s=0.0, same=False)
    match heard.kind:
        case RefusalKind.OVERFLOW:
            return replace(fresh, pictures=pictures // 2) if pictures > 1 else None
        case RefusalKind.SCHEMA | RefusalKind.LOG_PROBS:
            return another_way(fresh, heard.kind)
        case RefusalKind.RATE | RefusalKind.BUSY:
            return _again(fresh, heard, chance)
        case RefusalKind.ANSWER:
            return _roomier(fresh)
    if heard.unsent and heard.trouble is FailureReason.UNREACHABLE:
        return _again(fresh, heard, chance)
    if heard.cut:
        return _roomier(fresh)
    if heard.repair and course.repairs:
        return replace(fresh, repair=heard.repair, repairs=course.repairs - 1)
    return None


def another_way(course: RetryPlan, kind: RefusalKind | None) -> RetryPlan | None:
    """Return the course without what was refused, where there is something to be done without; None after the last."""
    match kind:
        case RefusalKind.SCHEMA:
            return _next_mode(course)
        case RefusalKind.LOG_PROBS if course.how.top_log_probs:
            fewer = next((few for few in FEWER if few < course.how.top_log_probs), 0)
            return replace(course, how=replace(course.how, top_log_probs=fewer))
    return None


def _next_mode(course: RetryPlan) -> RetryPlan | None:
    mode = LADDER.get(course.how.schema_mode)
    return None if mode is None else replace(course, how=replace(course.how, schema_mode=mode))


def _again(course: RetryPlan, heard: ExchangeResult, chance: float) -> RetryPlan | None:
    if not course.retries:
        return None
    backoff_s = BACKOFF_S * 2 ** (RETRIES - course.retries) * (0.5 + chance)
    wait_s = max(backoff_s, heard.retry_after_s or 0.0)
    return replace(course, wait_s=wait_s, same=True, retries=course.retries - 1)


def _roomier(course: RetryPlan) -> RetryPlan | None:
    if not course.raises or course.how.max_tokens >= ROOM_MOST:
        return None
    room = min(max(course.how.max_tokens * ROOM_MORE, ROOM_LEAST), ROOM_MOST)
    return replace(course, how=replace(course.how, max_tokens=room), raises=course.raises - 1)
