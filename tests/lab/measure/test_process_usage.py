"""What a process has used is read from the system, and grows with its work."""

import os
import threading

import numpy as np

from lab.measure.process_usage import cpu_ms, rss_mb


def test_cpu_time_grows_with_work_and_a_thread_has_its_part_of_it() -> None:
    """The scheduler counts at its ticks, so work goes on until it has; the process has used what its thread has."""
    me, thread = os.getpid(), threading.get_native_id()
    before = cpu_ms(me, thread)
    for _ in range(200):
        sum(number * number for number in range(100_000))
        if (own := cpu_ms(me, thread)) > before:
            break
    else:
        raise AssertionError("no CPU time was counted")
    assert cpu_ms(me) >= own


def test_memory_grows_by_what_is_held() -> None:
    """Fifty million bytes that were written are there."""
    before = rss_mb(os.getpid())
    held = np.ones(50_000_000, np.uint8)
    assert rss_mb(os.getpid()) - before > 40  # MB; the rest may have been free before
    assert held.all()


def test_nobody_has_used_nothing() -> None:
    """A subject without a process, and one without the thread, count as zero."""
    assert cpu_ms(0) == rss_mb(0) == 0.0
    assert cpu_ms(os.getpid(), 0) == 0.0
