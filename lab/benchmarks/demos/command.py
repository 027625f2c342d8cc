"""The command `kairos bench demos`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="one folder of kairos demo, or a folder of several")
    parser.add_argument("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.demos.benchmark import measure

    return measure(arguments.folder, arguments.model)


DEMOS = Benchmark(
    name="demos",
    help="how well the embedded detector recognizes need in recordings of kairos demo",
    description=(
        "Compare a model with its bars on recordings of kairos demo, whose scripts are not those it learned from, "
        "beside the evidence detector. No held-out test: trouble of the same kinds is among what it learned from. "
        "Takes about half a minute for 170 recordings."
    ),
    example="demos demo-out --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
