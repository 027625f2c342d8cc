"""Reads from `/proc` what a process has used: CPU time, by the scheduler's own count, and memory."""

import os
from pathlib import Path


def cpu_ms(pid: int, thread: int | None = None) -> float:
    """Return the CPU time of a process so far, or of one of its threads, in milliseconds; 0 where the number is 0."""
    if not pid or thread == 0:
        return 0.0
    tasks = Path(f"/proc/{pid}/task")
    names = [str(thread)] if thread else [task.name for task in tasks.iterdir()]
    total = 0
    for name in names:
        try:
            total += int((tasks / name / "schedstat").read_text().split()[0])
        except (OSError, IndexError):  # a thread that has just ended
            continue
    return total / 1e6


def rss_mb(pid: int) -> float:
    """Return the memory of a process in MB (10^6 bytes), what it shares with others included; 0 where `pid` is 0."""
    if not pid:
        return 0.0
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
