"""The command `kairos bench proactivebench`. The data set is not part of Kairos."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report
from lab.training.packages import need_training_packages


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder that holds its dataset/ and eval/")


def _measure(arguments: argparse.Namespace) -> Report:
    need_training_packages()
    from lab.benchmarks.proactivebench.benchmark import measure

    return measure(arguments.path)


PROACTIVEBENCH = Benchmark(
    name="proactivebench",
    help="help needed now, judged from event sentences, next to fifteen language models",
    description=(
        "Predict on ProactiveBench when help is needed, one trace left out at a time. The data set is not part of "
        "Kairos. Needs the packages of the train extra; takes about a minute."
    ),
    example="proactivebench proactivebench --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
