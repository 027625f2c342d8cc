"""The command `kairos bench detector`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, nargs="+", metavar="DIR", help="packed sessions (those that come with the source)"
    )
    parser.add_argument("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)")
    parser.add_argument("--before", type=Path, metavar="MODEL", help="an earlier model to compare it with")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the table")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.detector.benchmark import measure

    return measure(arguments.data, arguments.model, arguments.before)


DETECTOR = Benchmark(
    name="detector",
    help="how good the embedded detector is on simulated sessions it knows nothing of",
    description=(
        "Compare a model with its bars on simulated sessions of the test split, beside simple baselines and the "
        "evidence detector. The sessions used without --data come with the source alone, not with an installed "
        "Kairos. The first time takes about five minutes."
    ),
    example="detector --model my/model.onnx --out figures",
    add_arguments=_add_arguments,
    measure=_measure,
)
