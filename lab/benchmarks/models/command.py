"""The command `kairos bench models`."""

import argparse

from lab.measure.benchmark import Benchmark, Report


def _measure(arguments: argparse.Namespace) -> Report:  # noqa: ARG001  # the shape of any benchmark
    from lab.benchmarks.models.benchmark import measure

    return measure()


MODELS = Benchmark(
    name="models",
    help="what asking a model costs on our side, without any model",
    description=(
        "Measure what it takes to load the model layer, to build a request of 32 pictures in four formats, to cancel "
        "one, and to show the first words of an answer. Nothing leaves this machine. Takes about a minute."
    ),
    example="models --json",
    measure=_measure,
)
