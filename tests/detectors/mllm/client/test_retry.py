"""What follows what came of a request: each way is taken a fixed number of times, so every ask ends."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.client.retry import (
    BACKOFF_S,
    LADDER,
    RETRIES,
    ROOM_MOST,
    ExchangeResult,
    RetryPlan,
    next_attempt,
    refused,
)
from detectors.mllm.questions import FailureReason
from detectors.mllm.wire import RefusalKind, RequestOptions, SchemaMode

COURSE = RetryPlan(how=RequestOptions(model="tiny", top_log_probs=100), pictures=32)
MOST = 2 + RETRIES + 5 + 2 + 3  # repair and room, retries, halvings of 32 pictures, schema modes, fewer alternatives


def refusal(kind: RefusalKind, retry_after_s: float | None = None) -> ExchangeResult:
    """Return what is heard of a refusal."""
    return ExchangeResult(trouble=refused(kind), kind=kind, retry_after_s=retry_after_s)


HEARD = (
    *(refusal(kind) for kind in RefusalKind),
    ExchangeResult(trouble=FailureReason.UNREACHABLE, unsent=True),
    ExchangeResult(trouble=FailureReason.UNREACHABLE),
    ExchangeResult(trouble=FailureReason.NONSENSE),
    ExchangeResult(trouble=FailureReason.NONSENSE, repair="say yes or no"),
    ExchangeResult(trouble=FailureReason.NONSENSE, repair="say yes or no", cut=True),
    ExchangeResult(trouble=FailureReason.NOT_ALLOWED, unsent=True),
)


@given(st.lists(st.tuples(st.sampled_from(HEARD), st.floats(0, 1)), min_size=MOST + 1, max_size=MOST + 5))
def test_every_ask_ends(heard: list[tuple[ExchangeResult, float]]) -> None:
    """Whatever a server does, and in whatever order, only so many requests follow the first."""
    course: RetryPlan | None = COURSE
    for number, (one, chance) in enumerate(heard):
        assert course is not None
        further = next_attempt(course, one, pictures=course.pictures, chance=chance)
        if further is None:
            return
        assert number < MOST
        assert further.same or (further.how, further.pictures, further.repair) != (
            course.how,
            course.pictures,
            course.repair,
        )
        course = further
    pytest.fail("it would go on")


@pytest.mark.parametrize("kind", [RefusalKind.KEY, RefusalKind.PICTURE, RefusalKind.OTHER])
def test_some_refusals_are_final(kind: RefusalKind) -> None:
    """What the same server will refuse again is not sent again."""
    assert next_attempt(COURSE, refusal(kind), pictures=32, chance=0.5) is None


def test_refused_alternatives_become_fewer_and_then_none() -> None:
    """A server that gives fewer log-probabilities than a preset asks for is asked for what all give, then for none."""
    course: RetryPlan | None = COURSE
    wanted = []
    while course is not None:
        wanted.append(course.how.top_log_probs)
        course = next_attempt(course, refusal(RefusalKind.LOG_PROBS), pictures=32, chance=0.5)
    assert wanted == [100, 20, 5, 0]


def test_an_answer_that_its_server_could_not_read_gets_more_room_once() -> None:
    """llama-server says 500 of an answer that was cut off: the same request would end the same way."""
    further = next_attempt(COURSE, refusal(RefusalKind.ANSWER), pictures=32, chance=0.5)
    assert further is not None
    assert further.how.max_tokens > COURSE.how.max_tokens
    assert next_attempt(further, refusal(RefusalKind.ANSWER), pictures=32, chance=0.5) is None


def test_waits_double_and_vary_by_half() -> None:
    """Retries spread, each about twice as late as the one before."""
    for chance in (0.0, 1.0):
        course, waits = COURSE, []
        while (further := next_attempt(course, refusal(RefusalKind.BUSY), pictures=1, chance=chance)) is not None:
            waits.append(further.wait_s)
            course = further
        assert waits == [BACKOFF_S * (0.5 + chance) * 2**number for number in range(RETRIES)]


def test_a_server_that_names_a_time_gets_at_least_that() -> None:
    """Retry-After is kept to, and a shorter one still leaves our own pause."""
    for wanted_s, waits_s in ((3.0, 3.0), (0.0, BACKOFF_S), (None, BACKOFF_S)):
        further = next_attempt(COURSE, refusal(RefusalKind.RATE, wanted_s), pictures=1, chance=0.5)
        assert further is not None
        assert further.wait_s == waits_s


def test_halving_counts_what_was_sent() -> None:
    """Half of the pictures that were in the request, not of those that were allowed; one is the least."""
    halved = next_attempt(COURSE, refusal(RefusalKind.OVERFLOW), pictures=8, chance=0.5)
    assert halved == replace(COURSE, pictures=4)
    assert next_attempt(COURSE, refusal(RefusalKind.OVERFLOW), pictures=1, chance=0.5) is None


def test_room_has_an_end() -> None:
    """An endpoint whose answers are cut again and again does not ask for more without limit."""
    course = COURSE
    while (
        further := next_attempt(
            course, ExchangeResult(trouble=FailureReason.NONSENSE, cut=True), pictures=1, chance=0.5
        )
    ) is not None:
        course = replace(further, raises=1)  # as if a later ask went on with the room that was kept
    assert course.how.max_tokens == ROOM_MOST


def test_the_ladder_ends_in_words() -> None:
    """From every schema mode the way leads to telling the shape in words."""
    for mode in SchemaMode:
        seen = [mode]
        while (following := LADDER.get(seen[-1])) is not None:
            assert following not in seen
            seen.append(following)
        assert seen[-1] is SchemaMode.PROMPTED
