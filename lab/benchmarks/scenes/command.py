"""The command `kairos bench scenes`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where recorded scenes are, a folder each")
    parser.add_argument("--half", choices=("choose", "judge"), help="of one half of the programs (of both)")
    parser.add_argument("--detector", metavar="NAME", help="by another detector, as in the setting detector.name")
    parser.add_argument("--record", action="store_true", help="first record those that are missing, in real time")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="varies the recorded scenes (1)")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.scenes.benchmark import measure
    from lab.benchmarks.scenes.record import record_all

    if arguments.record:
        record_all(arguments.folder, arguments.seed, arguments.half)
    return measure(arguments.folder, arguments.detector, arguments.half)


SCENES = Benchmark(
    name="scenes",
    help="who is found stuck, and who is disturbed, in short live scenes in real programs",
    description=(
        "Judge a detector, with the policy that ships, on recorded scenes: somebody stuck in an editor, an office "
        "program, a web page, a calculator, a painting program, a file manager, a viewer or a terminal, or calm work "
        "that looks alike. What is chosen on one half of the programs is judged on the other. --record plays them on "
        "virtual desktops, some 80 s each."
    ),
    example="scenes scenes --record",
    add_arguments=_add_arguments,
    measure=_measure,
)
