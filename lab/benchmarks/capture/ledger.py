"""Where the daemon's CPU time goes: by thread, with what wakes it, and by stage, with the memory that is new to it.

Run as `python -m lab.benchmarks.capture.ledger FILE ARGUMENTS` in place of `kairos ARGUMENTS`: it names threads to the
system and times each stage in `STAGES` without those inside it. `threads_of` reads threads from outside.
"""

import ctypes
import functools
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from lab.measure.report import Heading, Part, Table

STAGES = (
    *("x11.desktop:X11Backend.read", "x11.desktop:X11Backend.sync", "x11.desktop:X11Backend.take_damage"),
    *("x11.desktop:X11Backend.grab", "x11.input:InputListener._take", "observer:DesktopObserver._step"),
    *("observer:DesktopObserver._update_windows", "observer:DesktopObserver._hand_over", "diff:FrameDigest.take"),
    *("screen:RedactedScreen.grab", "screen:RedactedScreen.redact", "tile_digests:TileDigester.digests"),
    *("diff:FrameDigest.digest", "pictures:Scaler.picture", "pictures:Scaler._jpeg"),
    *("/daemon.runtime.pipeline:Pipeline.drain", "/daemon.engine.engine:Engine.take"),
    *("/daemon.engine.engine:Engine._estimate_prefix", "/daemon.engine.engine:Engine._decide"),
    *("/daemon.runtime.observers:Observers.observe", "/detectors.features.tracker:FeatureTracker.take"),
    *("/storage.session.log:SessionWriter.append", "/storage.session.video:VideoWriter.write"),
)
"""What is timed; names without a leading slash are of `daemon.capture`."""

_PR_SET_NAME = 15
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") / 1024


@dataclass(frozen=True, slots=True)
class ThreadUsage:
    """A thread so far: its name, CPU time, and how often it went to sleep."""

    name: str
    cpu_ns: int
    sleeps: int


def threads_of(pid: int) -> dict[int, ThreadUsage]:
    """Return the threads of a process by number; those of libraries have the name of the thread that began them."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        cpu_ns = int((task / "schedstat").read_text().split()[0])
        found[int(task.name)] = ThreadUsage(status["Name"], cpu_ns, int(status["voluntary_ctxt_switches"]))
    return found


def tables(
    before: Mapping[int, ThreadUsage], after: Mapping[int, ThreadUsage], seconds: float, stages: Path
) -> list[Part]:
    """Return what threads used in so many seconds, and what the stages did since the start."""
    nothing = ThreadUsage("", 0, 0)
    used: dict[str, tuple[float, float, int]] = {}
    for number, thread in after.items():
        first = before.get(number, nothing)
        cpu, sleeps, many = used.get(thread.name, (0.0, 0.0, 0))
        used[thread.name] = (cpu + thread.cpu_ns - first.cpu_ns, sleeps + thread.sleeps - first.sleeps, many + 1)
    rows = [
        (name, str(many), f"{cpu / 1e6 / seconds:.3f}", f"{sleeps / seconds:.2f}")
        for name, (cpu, sleeps, many) in sorted(used.items(), key=lambda item: -item[1][0])
    ]
    timed = json.loads(stages.read_text())
    lines = [
        (name, str(calls), f"{cpu_ns / 1e6:.1f}", f"{cpu_ns / 1e3 / calls:.0f}", f"{faults * _PAGE_KB / calls:.0f}")
        for name, (calls, cpu_ns, faults) in sorted(timed.items(), key=lambda item: -item[1][1])
    ]
    return [
        Heading("Threads"),
        Table(("thread", "of them", "ms of CPU a second", "wakes a second"), rows),
        Heading("Stages, without those inside them"),
        Table(("stage", "calls", "ms of CPU", "µs a call", "new KiB a call"), lines),
    ]


class Timer(threading.local):
    """The stages that are under way in a thread; time that is spent in one is taken off the one around it."""

    def __init__(self) -> None:
        self.inner: list[list[int]] = []

    def timed(self, stage: Callable[..., Any], sums: list[int]) -> Callable[..., Any]:
        """Return a stage that adds calls, CPU time and page faults to its sums."""

        @functools.wraps(stage)
        def run(*args: Any, **words: Any) -> Any:
            inside = [0, 0]
            self.inner.append(inside)
            faults, begun = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt, time.thread_time_ns()
            try:
                return stage(*args, **words)
            finally:
                took = time.thread_time_ns() - begun
                faults = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - faults
                self.inner.pop()
                sums[:] = sums[0] + 1, sums[1] + took - inside[0], sums[2] + faults - inside[1]
                if self.inner:
                    self.inner[-1][:] = self.inner[-1][0] + took, self.inner[-1][1] + faults

        return run


def _time_stages() -> dict[str, list[int]]:
    sums: dict[str, list[int]] = {}
    timer = Timer()
    for stage in STAGES:
        module, _, path = stage.partition(":")
        holder: Any = import_module(module[1:] if module[0] == "/" else f"daemon.capture.{module}")
        *owner, name = path.split(".")
        for part in owner:
            holder = getattr(holder, part)
        sums[path] = [0, 0, 0]
        setattr(holder, name, timer.timed(getattr(holder, name), sums[path]))
    return sums


def _name_threads() -> None:
    run = threading.Thread.run
    system = ctypes.CDLL(None)

    def named(thread: threading.Thread) -> None:
        system.prctl(_PR_SET_NAME, thread.name.encode(), 0, 0, 0)
        run(thread)

    threading.Thread.run = named  # type: ignore[method-assign,assignment]


def main(arguments: Sequence[str]) -> int:
    """Run Kairos with its stages timed, and write what they took."""
    from daemon.cli.main import main as kairos

    _name_threads()
    sums = _time_stages()
    try:
        return kairos(list(arguments[1:]))
    finally:
        Path(arguments[0]).write_text(json.dumps({name: taken for name, taken in sums.items() if taken[0]}))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
