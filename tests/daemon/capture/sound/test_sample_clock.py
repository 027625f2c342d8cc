"""When samples were heard, by another clock than that of the microphone."""

import random

import pytest

from daemon.capture.sound.sample_clock import SampleClock
from storage.clock import NS_PER_MS, NS_PER_S
from storage.session.sound import BLOCK, RATE

BEGIN_NS = 5 * NS_PER_S


@pytest.mark.parametrize("wrong_ppm", [0, 200, -200])
def test_a_microphone_that_counts_wrong_is_corrected_and_told(wrong_ppm: int) -> None:
    """Over ten minutes, each block up to 15 ms late; without the correction it would be 120 ms."""
    clock, chance = SampleClock(RATE), random.Random(1)
    length_ns = (NS_PER_S * BLOCK // RATE) * (1_000_000 + wrong_ppm) // 1_000_000
    worst_ns = 0
    for number in range(30_000):
        end_ns = BEGIN_NS + (number + 1) * length_ns
        clock.arrived((number + 1) * BLOCK, end_ns + chance.randrange(15 * NS_PER_MS))
        if number >= 100:  # what is released has waited
            at_ns = clock.at_ns((number - 60) * BLOCK)
            worst_ns = max(worst_ns, abs(at_ns - (BEGIN_NS + (number - 60) * length_ns)))
    assert worst_ns < 20 * NS_PER_MS
    true_ns = 29_900 * (length_ns - NS_PER_S * BLOCK // RATE)
    assert abs(clock.drift_ns - true_ns) < 20 * NS_PER_MS


def test_samples_that_were_lost_move_what_follows() -> None:
    clock = SampleClock(RATE)
    for number in range(200):
        lost_ns = NS_PER_S if number >= 50 else 0
        clock.arrived((number + 1) * BLOCK, BEGIN_NS + (number + 1) * 20 * NS_PER_MS + lost_ns)
        clock.at_ns(0)
    assert clock.at_ns(199 * BLOCK) == BEGIN_NS + 199 * 20 * NS_PER_MS + NS_PER_S
    assert clock.drift_ns == NS_PER_S


@pytest.mark.parametrize("starved_ns", [NS_PER_S, 3 * NS_PER_S, 7 * NS_PER_S])
def test_who_reads_late_moves_nothing(starved_ns: int) -> None:
    """What has waited comes piece by piece, each later than the sound in it; it did not sound later for that."""
    clock, now_ns, count = SampleClock(RATE), BEGIN_NS, 0
    piece = 1 << 15
    for read in range(300):
        now_ns += starved_ns if read == 50 else 100 * NS_PER_MS
        count = min(count + piece, (now_ns - BEGIN_NS) * RATE // NS_PER_S)
        clock.arrived(count, now_ns)
        assert abs(clock.at_ns(count) - BEGIN_NS - count * NS_PER_S // RATE) <= NS_PER_MS, read
