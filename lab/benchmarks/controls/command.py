"""The command `kairos bench controls`."""

import argparse

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", default="writer,calc,chromium", metavar="A,B", help="of %(default)s")
    parser.add_argument("--minutes", type=float, default=10.0, help="of work in each program and round, on each side")
    parser.add_argument("--rounds", type=int, default=3, help="pairs for each program")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.controls.benchmark import measure

    return measure(arguments.programs.split(","), minutes=arguments.minutes, rounds=arguments.rounds)


CONTROLS = Benchmark(
    name="controls",
    help="what understanding controls costs us, the program and its keys",
    description="Work in real programs on a virtual desktop, with controls understood and without, in turn.",
    example="controls --programs writer --minutes 2 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
