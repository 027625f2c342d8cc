"""The command `kairos bench diagnosis`."""

import argparse

from evaluation.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sessions", type=int, default=200, metavar="N", help="how many sessions (%(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="N", help="how long each is (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="varies what is in them (%(default)s)")


def _measure(arguments: argparse.Namespace) -> Report:
    from evaluation.benchmarks.diagnosis.benchmark import measure

    return measure(sessions=arguments.sessions, minutes=arguments.minutes, seed=arguments.seed)


DIAGNOSIS = Benchmark(
    name="diagnosis",
    help="whether kairos diagnose finds known episodes, and how fast it reads weeks of sessions",
    description=(
        "Make sessions with known episodes out of random numbers (simulated: nobody worked in them), and run kairos "
        "diagnose on them: the first time, and again."
    ),
    example="diagnosis --sessions 20 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
