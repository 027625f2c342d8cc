"""What processes use: CPU time and memory from `/proc`, of one or of a virtual desktop."""

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
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


BUS_SERVICES = ("dbus-daemon", "at-spi-bus-laun", "at-spi2-registr")
"""The buses and their services, by the names of their processes, of which the system keeps 15 characters."""

_MS_A_TICK = 1000 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class DesktopProcess:
    """One process: its name, the process that began it, and its CPU time so far with that of children that ended."""

    name: str
    parent: int
    cpu_ms: float

    @property
    def is_bus(self) -> bool:
        """Whether it is a bus or one of its services."""
        return self.name in BUS_SERVICES


def processes_of(home: str, program: int) -> dict[int, DesktopProcess]:
    """Return the processes of a desktop, by number.

    Every desktop has a home folder of its own, which its processes have in their environment. Chromium writes over its
    own, so the program is known by its number, and its processes by their parents.
    """
    found: dict[int, DesktopProcess] = {}
    marked = {program}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                marked.add(int(folder.name))
            stat = (folder / "stat").read_text()
        except OSError:  # it has just ended
            continue
        name, numbers = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
        ticks = sum(map(int, numbers[11:15]))  # in programs and in the kernel, then the same of children that ended
        found[int(folder.name)] = DesktopProcess(name, int(numbers[1]), ticks * _MS_A_TICK)
    while below := {pid for pid, one in found.items() if one.parent in marked} - marked:
        marked |= below
    return {pid: one for pid, one in found.items() if pid in marked}


def p95(times: Sequence[float]) -> float:
    """Return the 95th percentile; not a number of fewer than two."""
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else float("nan")
