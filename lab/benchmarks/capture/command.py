"""The command `kairos bench capture`."""

import argparse

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="long rounds, and memory after ten minutes")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.capture.benchmark import measure

    return measure(full=arguments.full)


CAPTURE = Benchmark(
    name="capture",
    help="what watching costs, and whether it misses anything",
    description="Measure CPU time, memory and storage of watching a virtual desktop, in less than nine minutes.",
    example="capture --full --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
