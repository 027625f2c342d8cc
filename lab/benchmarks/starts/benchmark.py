"""Measures what a start costs: the CPU time until Kairos watches, without an interface and with the tray, in rounds.

And that of `kairos status` then; in turn with the same of another build, whose share is what is judged.
"""

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.measure.benchmark import AcceptanceCriterion, Report, at_most
from lab.measure.processes import cpu_ms
from storage.clock import SystemClock
from storage.plain_text import print_progress

START_SETTLE_S = 2.0
"""How long after it watches a start is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsRun:
    """One round, in milliseconds of CPU: starts without an interface and with the tray, and `kairos status`.

    `beside` are the same three of the other build, if there is one.
    """

    round: int
    costs: tuple[float, ...]
    beside: tuple[float, ...]


def starts_run(place: Path, number: int, beside: Path | None) -> StartsRun:
    """Start each build without an interface and with the tray; the first start of each compiles, and is left out."""
    clock = SystemClock()
    ours = Path(sys.executable).with_name("kairos")
    builds = [(str(path.absolute()),) for path in (ours, beside) if path is not None]
    costs: list[list[float]] = [[] for _ in builds]
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        for headless in (True, False):
            for kairos, found in zip(builds, costs, strict=True):
                folder = place / f"{headless}-{len(costs[0])}-{builds.index(kairos)}"
                folder.mkdir()
                settings = {"policy.quiet_start_s": "86400"}
                env = {"PYTHONDONTWRITEBYTECODE": ""}
                daemon = DaemonProcess(
                    desktop, folder, settings=settings, headless=headless, recording=False, env=env, kairos=kairos
                )
                for _ in range(2):
                    daemon.start()
                    clock.sleep_s(START_SETTLE_S)
                    cost = cpu_ms(daemon.process.pid) if daemon.process is not None else 0.0
                    status = _status_ms(kairos, desktop.env | daemon.env)
                    daemon.quit()
                found.extend([cost] if headless else [cost, status])
    return StartsRun(
        round=number,
        costs=tuple(round(cost, 1) for cost in costs[0]),
        beside=tuple(round(cost, 1) for cost in costs[-1]) if beside is not None else (),
    )


def _status_ms(kairos: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the CPU time of `kairos status` of a running Kairos, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*kairos, "status"], env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def starts_criteria(runs: Sequence[StartsRun]) -> list[AcceptanceCriterion]:
    """Return the shares of what the other build takes, or the times where there is none."""
    names = ("start_headless", "start_tray", "status")
    limits = (900.0, 1200.0, 80.0)
    judged_runs = [run for run in runs if run.beside]
    if not judged_runs:
        costs = [median(run.costs[at] for run in runs) for at in range(3)]
        return [at_most(name, cost, limit, "ms of CPU") for name, cost, limit in zip(names, costs, limits, strict=True)]
    return [
        at_most(name, median(run.costs[at] / run.beside[at] for run in judged_runs), 0.5, "of the other build's CPU")
        for at, name in enumerate(names)
    ]


def measure(*, rounds: int, beside: Path | None) -> Report:
    """Run the rounds, and compare the medians with the limits."""
    runs: list[StartsRun] = []
    with TemporaryDirectory(prefix="kairos-bench-") as folder:
        for number in range(1, rounds + 1):
            print_progress(f"round {number} of {rounds}")
            place = Path(folder) / str(number)
            place.mkdir()
            runs.append(starts_run(place, number, beside))
    return Report(criteria=starts_criteria(runs), rounds=[asdict(run) for run in runs])
