"""The benchmarks as commands: `kairos bench NAME`. One more is one more package and one more line here."""

from collections.abc import Iterable
from typing import Any

from evaluation.benchmarks.capture.command import CAPTURE
from evaluation.benchmarks.cascade.command import CASCADE
from evaluation.benchmarks.content.command import CONTENT
from evaluation.benchmarks.controls.command import CONTROLS
from evaluation.benchmarks.cups.command import CUPS
from evaluation.benchmarks.demos.command import DEMOS
from evaluation.benchmarks.detector.command import DETECTOR
from evaluation.benchmarks.diagnosis.command import DIAGNOSIS
from evaluation.benchmarks.fence.command import FENCE
from evaluation.benchmarks.goals.command import GOALS
from evaluation.benchmarks.grounding.command import GROUNDING
from evaluation.benchmarks.guide.command import GUIDE
from evaluation.benchmarks.interface.command import INTERFACE
from evaluation.benchmarks.models.command import MODELS
from evaluation.benchmarks.people.command import PEOPLE
from evaluation.benchmarks.policy.command import POLICY
from evaluation.benchmarks.proactivebench.command import PROACTIVEBENCH
from evaluation.benchmarks.scenes.command import SCENES
from evaluation.measure.benchmark import Benchmark

BENCHMARKS: tuple[Benchmark, ...] = (
    CAPTURE,
    MODELS,
    DETECTOR,
    DEMOS,
    SCENES,
    POLICY,
    CASCADE,
    PROACTIVEBENCH,
    CUPS,
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
