"""Kairos beside loops of other programs that watch screens, on the same work: `kairos bench peers`."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.capture.benchmark import FULL_ROUND_S, ROUND_S, CaptureRun, one_run, without_content
from lab.benchmarks.capture.peer_loops import LOOPS
from lab.measure.benchmark import AcceptanceCriterion, Report, at_most

_AT_A_TIME = 3
_LEAST_MS_S = 0.1
_NO_PICTURES = "activitywatch"


def measure(*, full: bool) -> Report:
    """Run all of them and Kairos with a recording, some at a time, each on a desktop of its own with the same work."""
    subjects = ("content", "kairos", *LOOPS)
    with TemporaryDirectory(prefix="kairos-bench-") as folder, ThreadPoolExecutor(_AT_A_TIME) as pool:
        seconds = FULL_ROUND_S if full else ROUND_S
        runs = list(pool.map(lambda subject: one_run(Path(folder), subject, "mix", 1, seconds), subjects))
    runs = without_content(runs)
    return Report(criteria=compared(runs), rounds=[asdict(run) for run in runs])


def compared(runs: list[CaptureRun]) -> list[AcceptanceCriterion]:
    """Compare the CPU time of Kairos, the server's with it, with that of each that stores pictures.

    What is left of one without the content may be less than nothing on a busy machine: that is no cost to compare with.
    """
    used = {run.subject: run.process_ms_s + run.server_ms_s for run in runs}
    return [
        at_most(
            f"of_{name}",
            used["kairos"] / max(used[name], _LEAST_MS_S),
            1.0,
            f"of its {used[name] / 10:.2g} % of a core",
        )
        for name in LOOPS
        if name != _NO_PICTURES
    ]
