"""Fading sums: the same as sums that fade at every event, whatever the order and the hour."""

from math import exp2, isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.features.fading import HALF_LIVES_S, ZEROS, Fade, log_age, mean, scaled, spread

S = 1_000_000_000
DAY_NS = 86_400 * S


def naive(events: list[tuple[int, float]], now_ns: int, half_life_s: float) -> float:
    return sum(amount * exp2((t_ns - now_ns) / S / half_life_s) for t_ns, amount in events)


@given(st.lists(st.tuples(st.integers(0, 7_200 * S), st.floats(0.0, 100.0)), max_size=30), st.integers(0, 600 * S))
def test_sums_fade_as_if_at_every_event(events: list[tuple[int, float]], wait_ns: int) -> None:
    """At all half-lives, over hours, with late events among them, and however far from zero the clock is."""
    for origin_ns in (0, 40 * DAY_NS):
        fade = Fade()
        sums, brief = fade.sums(1), fade.short_sums(1)
        moved = [(origin_ns + t_ns, amount) for t_ns, amount in events]
        now_ns = origin_ns + wait_ns
        for t_ns, amount in moved:
            weights = fade.weights_at(t_ns)
            sums.add(0, amount, weights)
            brief[0] += amount * weights[0]
            now_ns = max(now_ns, t_ns + wait_ns)
        factors = fade.factors(now_ns)
        found = (*scaled(brief, factors[0]), *(stored for (stored,) in sums.read(factors)))
        wanted = [naive(moved, now_ns, half_life_s) for half_life_s in HALF_LIVES_S]
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_spans_are_seconds_at_the_weight_they_had() -> None:
    fade = Fade()
    fade.begin(10 * S)
    sums = fade.sums(2)
    sums.add(0, 1.0, fade.weights_between(10 * S, 40 * S))
    sums.add(1, 1.0, fade.weights_between(40 * S, 50 * S))
    _, old_and_new = sums.read(fade.factors(50 * S))
    assert old_and_new[1] == pytest.approx(fade.elapsed_s(40 * S, 50 * S)[2])
    assert sum(old_and_new) == pytest.approx(fade.observed_s(50 * S)[2])
    assert old_and_new[1] / 10.0 > old_and_new[0] / 30.0
    assert fade.elapsed_s(None, 50 * S) == fade.elapsed_s(60 * S, 50 * S) == ZEROS


def test_a_rate_of_one_a_second_reads_as_one_from_the_start() -> None:
    for seconds in (5, 300):
        fade = Fade()
        fade.begin(0)
        sums = fade.sums(1)
        for second in range(seconds):
            sums.add(0, 1.0, fade.weights_at(second * S + S // 2))
        for (found,), seen in zip(sums.read(fade.factors(seconds * S)), fade.observed_s(seconds * S)[1:], strict=True):
            assert found / seen == pytest.approx(1.0, rel=0.01)


def test_a_moment_far_ahead_of_now_can_still_be_read() -> None:
    """A record dated years after it was taken in, as only a foreign session holds, gives numbers and no overflow."""
    fade = Fade()
    sums = fade.sums(1)
    fade.begin(S)
    for t_ns in (S, 2**62, 3 * S):
        sums.add(0, 1.0, fade.weights_at(t_ns))
        for now_ns in (4 * S, 2**40):
            read = (*fade.factors(now_ns), *fade.observed_s(now_ns), *sums.read(fade.factors(now_ns))[0])
            assert all(map(isfinite, read))


def test_what_is_read_but_not_yet_added_weighs_the_same() -> None:
    """`left` is what a one added at that moment would read as."""
    fade = Fade()
    sums = fade.sums(1)
    sums.add(0, 1.0, fade.weights_at(7 * S))
    assert fade.remaining(7 * S, 20 * S)[1:] == pytest.approx([stored for (stored,) in sums.read(fade.factors(20 * S))])


def test_means_and_spreads_forget_when_nothing_is_left() -> None:
    """Of a count below the faint nothing is told."""
    assert mean(2.0, 6.0) == 3.0
    assert spread(2.0, 2.0, 10.0) == 2.0
    assert spread(1.0, 3.0, 8.999999999) == 0.0
    assert mean(1e-4, 1.0) == spread(1e-4, 1.0, 1.0) == 0.0
    assert log_age(S, 3 * S) == pytest.approx(log(21.0))
    assert log_age(None, S) == log_age(3 * S, S) == 0.0
