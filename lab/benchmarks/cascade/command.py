"""The command `kairos bench cascade`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report
from lab.training.packages import need_training_packages


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="DIR", help="packed sessions (those that come with the source)")
    parser.add_argument(
        "--split", choices=("train", "test"), help="which of them (test: held out from training; train with --fit)"
    )
    parser.add_argument("--fit", type=Path, metavar="FILE", help="learn on all training sessions and write the weights")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots")


def _measure(arguments: argparse.Namespace) -> Report | None:
    if arguments.fit is not None or arguments.split == "train":
        need_training_packages()
    from lab.benchmarks.cascade.benchmark import measure

    return measure(arguments.data, arguments.split, arguments.fit)


CASCADE = Benchmark(
    name="cascade",
    help="embedded detector, local and strong model together: what they find, and what that costs",
    description=(
        "Score the cascade on labelled simulated sessions with scripted models that err at stated rates, beside "
        "each of them alone. No real model is asked. On the training split it learns on some sessions and is "
        "scored on the others, which needs the packages of the train extra and takes ten minutes the first time."
    ),
    example="cascade --split train --out figures",
    add_arguments=_add_arguments,
    measure=_measure,
)
