"""What follows the result of a request: each way is taken a fixed number of times, so every query ends."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.client.retry import (
    BACKOFF_S,
    FAILURES,
    NEXT_SCHEMA_MODE,
    RETRIES,
    ROOM_MAX,
    ExchangeResult,
    RetryPlan,
    next_attempt,
)
from detectors.mllm.protocol import Refusal, RefusalKind, RequestOptions, SchemaMode
from detectors.mllm.questions import FailureReason
from tests.fakes.narrowing import present

PLAN = RetryPlan(options=RequestOptions(model="tiny", top_log_probs=100), pictures=32)
MOST = 2 + RETRIES + 5 + 2 + 3  # repair and room, retries, halvings of 32 pictures, schema modes, fewer alternatives


def refusal(kind: RefusalKind, retry_after_s: float | None = None) -> ExchangeResult:
    return ExchangeResult(failure=FAILURES[kind], refusal=Refusal(kind=kind, status=400, retry_after_s=retry_after_s))


RESULTS = (
    *(refusal(kind) for kind in RefusalKind),
    ExchangeResult(failure=FailureReason.UNREACHABLE, unsent=True),
    ExchangeResult(failure=FailureReason.UNREACHABLE),
    ExchangeResult(failure=FailureReason.NONSENSE),
    ExchangeResult(failure=FailureReason.NONSENSE, repair="say yes or no"),
    ExchangeResult(failure=FailureReason.NONSENSE, repair="say yes or no", cut=True),
    ExchangeResult(failure=FailureReason.NOT_ALLOWED, unsent=True),
)


@given(st.lists(st.tuples(st.sampled_from(RESULTS), st.floats(0, 1)), min_size=MOST + 1, max_size=MOST + 5))
def test_every_query_ends(results: list[tuple[ExchangeResult, float]]) -> None:
    """Whatever a server does, and in whatever order, only so many requests follow the first."""
    plan: RetryPlan | None = PLAN
    for number, (one, chance) in enumerate(results):
        assert plan is not None
        further = next_attempt(plan, one, pictures=plan.pictures, jitter=chance)
        if further is None:
            return
        assert number < MOST
        assert further.same or (further.options, further.pictures, further.repair) != (
            plan.options,
            plan.pictures,
            plan.repair,
        )
        plan = further
    pytest.fail("it would go on")


def test_refused_alternatives_become_fewer_and_then_none() -> None:
    plan: RetryPlan | None = PLAN
    wanted = []
    while plan is not None:
        wanted.append(plan.options.top_log_probs)
        plan = next_attempt(plan, refusal(RefusalKind.LOG_PROBS), pictures=32, jitter=0.5)
    assert wanted == [100, 20, 5, 0]


def test_an_answer_that_its_server_could_not_parse_gets_more_room_once() -> None:
    """llama-server says 500 of an answer that was cut off: the same request would end the same way."""
    further = present(next_attempt(PLAN, refusal(RefusalKind.ANSWER), pictures=32, jitter=0.5))
    assert further.options.max_tokens > PLAN.options.max_tokens
    assert next_attempt(further, refusal(RefusalKind.ANSWER), pictures=32, jitter=0.5) is None


def test_a_wrong_answer_is_repaired_once() -> None:
    wrong = ExchangeResult(failure=FailureReason.NONSENSE, repair="say yes or no")
    further = present(next_attempt(PLAN, wrong, pictures=32, jitter=0.5))
    assert further.repair == wrong.repair
    assert next_attempt(further, wrong, pictures=32, jitter=0.5) is None


def test_waits_double_and_vary_by_half() -> None:
    """Retries spread, each about twice as late as the one before."""
    for chance in (0.0, 1.0):
        plan, waits = PLAN, []
        while (further := next_attempt(plan, refusal(RefusalKind.BUSY), pictures=1, jitter=chance)) is not None:
            waits.append(further.wait_s)
            plan = further
        assert waits == [BACKOFF_S * (0.5 + chance) * 2**number for number in range(RETRIES)]


def test_a_wait_is_at_least_retry_after() -> None:
    for wanted_s, waits_s in ((3.0, 3.0), (0.0, BACKOFF_S), (None, BACKOFF_S)):
        further = present(next_attempt(PLAN, refusal(RefusalKind.RATE, wanted_s), pictures=1, jitter=0.5))
        assert further.wait_s == waits_s


def test_halving_counts_what_was_sent() -> None:
    halved = next_attempt(PLAN, refusal(RefusalKind.OVERFLOW), pictures=8, jitter=0.5)
    assert halved == replace(PLAN, pictures=4)
    assert next_attempt(PLAN, refusal(RefusalKind.OVERFLOW), pictures=1, jitter=0.5) is None


def test_schema_modes_end_with_prompted() -> None:
    for mode in SchemaMode:
        seen = [mode]
        while (following := NEXT_SCHEMA_MODE.get(seen[-1])) is not None:
            assert following not in seen
            seen.append(following)
        assert seen[-1] is SchemaMode.PROMPTED


@pytest.mark.parametrize("kind", [RefusalKind.KEY, RefusalKind.PICTURE, RefusalKind.OTHER])
def test_some_refusals_are_final(kind: RefusalKind) -> None:
    assert next_attempt(PLAN, refusal(kind), pictures=32, jitter=0.5) is None


def test_room_has_an_end() -> None:
    plan = PLAN
    while (
        further := next_attempt(plan, ExchangeResult(failure=FailureReason.NONSENSE, cut=True), pictures=1, jitter=0.5)
    ) is not None:
        plan = replace(further, raises=1)  # as if a later query began with the raised limit
    assert plan.options.max_tokens == ROOM_MAX
