"""The command `kairos bench cups`. The data set is not part of Kairos."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report
from lab.training.packages import need_training_packages


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder that holds its telemetry.jsonl")


def _measure(arguments: argparse.Namespace) -> Report:
    need_training_packages()
    from lab.benchmarks.cups.benchmark import measure

    return measure(arguments.path)


CUPS = Benchmark(
    name="cups",
    help="programmers' states, and which suggestions to hold back",
    description=(
        "Predict on the CUPS study what programmers do and which suggestions they will not want, one programmer left "
        "out at a time. The data set is not part of Kairos. Needs the packages of the train extra; takes about two "
        "minutes."
    ),
    example="cups cups-copilot-study --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
