"""Says when each sample was heard, by the session's clock, however fast the microphone counts."""

from collections import deque

from storage.clock import NS_PER_MS, NS_PER_S

WINDOW_NS = 2 * NS_PER_S
"""Sound never comes early, and the least late of this time came at once."""

STARVED_NS = 200 * NS_PER_MS
"""Of a longer time without any only this much counts: what came after it was late, however long that was."""

STEP_NS = 10 * NS_PER_MS
"""By so much the two clocks may be apart before the places of sound are corrected."""


class SampleClock:
    """Compares how many samples came with the time that has passed."""

    def __init__(self, rate: int) -> None:
        """Begin; `rate` is of samples a second."""
        self._rate = rate
        self._delays: deque[tuple[int, int]] = deque()  # times that count and delays, the least first
        self._counted_ns = self._last_ns = 0
        self._offset_ns: int | None = None
        self._first_ns = 0

    def arrived(self, samples: int, now_ns: int) -> None:
        """Take in how many samples there are so far."""
        delay_ns = now_ns - samples * NS_PER_S // self._rate
        while self._delays and self._delays[-1][1] >= delay_ns:
            self._delays.pop()
        self._counted_ns += min(now_ns - self._last_ns, STARVED_NS)
        self._last_ns = now_ns
        self._delays.append((self._counted_ns, delay_ns))
        while self._delays[0][0] < self._counted_ns - WINDOW_NS:
            self._delays.popleft()

    def at_ns(self, sample: int) -> int:
        """Return when a sample was heard; some must have arrived."""
        found_ns = self._delays[0][1]
        if self._offset_ns is None:
            self._offset_ns = self._first_ns = found_ns
        elif abs(found_ns - self._offset_ns) > STEP_NS:
            self._offset_ns = found_ns
        return self._offset_ns + sample * NS_PER_S // self._rate

    @property
    def drift_ns(self) -> int:
        """By how much the microphone has counted too slowly since the first place was asked for."""
        return 0 if self._offset_ns is None else self._offset_ns - self._first_ns
