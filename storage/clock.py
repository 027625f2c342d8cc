"""Reads time; everything else takes a `Clock` or a `now_ns`. Session time runs on through suspend where it can."""

import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import datetime as dt

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
MINUTE_NS = 60 * NS_PER_S
HOUR_NS = 60 * MINUTE_NS
DAY_NS = 24 * HOUR_NS


class Clock(Protocol):
    """Reads session time and wall-clock time, both in integer nanoseconds."""

    def now_ns(self) -> int:
        """Return session time: monotonic, counted through suspend."""

    def wall_ns(self) -> int:
        """Return wall-clock time since the Unix epoch."""


def local_time(wall_ns: int) -> "dt.datetime":
    """Return a wall-clock time as the local time of this machine's zone, also where that has just been changed.

    The C library reads the zone once and looks again only when told to: one `stat` of `/etc/localtime`.
    """
    import datetime as dt  # not for who only asks a running Kairos

    if sys.platform != "win32":
        time.tzset()
    return dt.datetime.fromtimestamp(wall_ns / NS_PER_S).astimezone()


def utc_offset_s(wall_ns: int) -> int:
    """Return local time less UTC, in seconds."""
    offset = local_time(wall_ns).utcoffset()
    return round(offset.total_seconds()) if offset is not None else 0


def boot_mark(salt: str) -> str:
    """Return what tells this start of the machine from others to who knows `salt`; empty where the system has none."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        return ""
    return hashlib.sha256(f"{salt} {boot}".encode()).hexdigest()[:32]


def thread_cpu_ns() -> int:
    """Return the CPU time that the calling thread has used."""
    return time.thread_time_ns()


class SystemClock:
    """The real clock."""

    def __init__(self) -> None:
        self._clock_id = getattr(time, "CLOCK_BOOTTIME", None)

    def now_ns(self) -> int:
        """Return session time: monotonic, counted through suspend."""
        if sys.platform == "win32" or self._clock_id is None:
            return time.monotonic_ns()
        return time.clock_gettime_ns(self._clock_id)

    def wall_ns(self) -> int:
        """Return wall-clock time since the Unix epoch."""
        return time.time_ns()

    def suspended_ns(self) -> int:
        """Return how long the machine has been suspended since boot; 0 where the system does not say."""
        if sys.platform == "win32" or self._clock_id is None:
            return 0
        return time.clock_gettime_ns(self._clock_id) - time.monotonic_ns()

    def cpu_ns(self) -> int:
        """Return the CPU time this process has used."""
        return time.process_time_ns()

    def sleep_s(self, seconds: float) -> None:
        """Block the calling thread; never called from the core or the interface thread."""
        time.sleep(seconds)


class ManualClock:
    """A clock that moves only by `advance` and `advance_to`; for tests."""

    def __init__(self, now_ns: int = 0, wall_ns: int = 0) -> None:
        self._now_ns = now_ns
        self._wall_offset_ns = wall_ns - now_ns

    def now_ns(self) -> int:
        """Return session time."""
        return self._now_ns

    def wall_ns(self) -> int:
        """Return wall-clock time, which moves with session time."""
        return self._now_ns + self._wall_offset_ns

    def advance_to(self, now_ns: int) -> None:
        """Move forward to `now_ns`.

        Raises:
            ValueError: `now_ns` lies in the past.
        """
        if now_ns < self._now_ns:
            message = f"clock cannot go back from {self._now_ns} to {now_ns}"
            raise ValueError(message)
        self._now_ns = now_ns

    def advance(self, delta_ns: int) -> None:
        """Move forward by `delta_ns` nanoseconds."""
        self.advance_to(self._now_ns + delta_ns)
