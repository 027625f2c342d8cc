"""The benchmarks as commands: `kairos bench NAME`. One more is one more package and one more line here."""

from collections.abc import Iterable
from typing import Any

from lab.benchmarks.capture.command import CAPTURE
from lab.benchmarks.content.command import CONTENT
from lab.benchmarks.controls.command import CONTROLS
from lab.benchmarks.detector.command import DETECTOR
from lab.benchmarks.diagnosis.command import DIAGNOSIS
from lab.benchmarks.fence.command import FENCE
from lab.benchmarks.goals.command import GOALS
from lab.benchmarks.grounding.command import GROUNDING
from lab.benchmarks.guide.command import GUIDE
from lab.benchmarks.interface.command import INTERFACE
from lab.benchmarks.models.command import MODELS
from lab.benchmarks.people.command import PEOPLE
from lab.benchmarks.policy.command import POLICY
from lab.benchmarks.scenes.command import SCENES
from lab.measure.benchmark import Benchmark

BENCHMARKS: tuple[Benchmark, ...] = (
    CAPTURE,
    MODELS,
    DETECTOR,
    SCENES,
    POLICY,
    PEOPLE,
    GUIDE,
    FENCE,
    CONTROLS,
    GROUNDING,
    CONTENT,
    DIAGNOSIS,
    GOALS,
    INTERFACE,
)


def add_benchmarks(subparsers: Any, benchmarks: Iterable[Benchmark] = BENCHMARKS) -> None:
    """Add `kairos bench` with these benchmarks."""
    bench = subparsers.add_parser(
        "bench",
        help="measure what Kairos costs and how good it is",
        description="Run a benchmark. Each names its bars; the exit code is 1 if one is not held.",
        epilog="example: kairos bench capture --json",
    )
    parsers = bench.add_subparsers(title="benchmarks", metavar="BENCHMARK", required=True)
    for one in benchmarks:
        one.register(parsers)
