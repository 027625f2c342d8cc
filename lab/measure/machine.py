"""What the figures of a benchmark depend on: the machine that it ran on."""

import os
import platform
from pathlib import Path

import numpy as np

from storage.clock import SystemClock

_SIZE = (1920, 1080)


def machine() -> dict[str, object]:
    """Return what the figures depend on; `copy_ms` is one copy of a full HD frame in memory."""
    frame = np.zeros((_SIZE[1], _SIZE[0], 4), np.uint8)
    target = frame.copy()
    clock = SystemClock()
    before_ns = clock.cpu_ns()
    for _ in range(20):
        np.copyto(target, frame)
    copy_ms = (clock.cpu_ns() - before_ns) / 20 / 1e6
    cpu = next((line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")), "")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
        "copy_ms": round(copy_ms, 3),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _cpu_lines() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
