"""The command `kairos bench fence`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report

ACTIONS = 200
CONTROL_ACTIONS = 200


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--actions", type=int, default=ACTIONS, metavar="N", help=f"acts of the campaign ({ACTIONS})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="repeats the acts of another run (1)")
    parser.add_argument(
        "--control-actions",
        type=int,
        default=CONTROL_ACTIONS,
        metavar="N",
        help=f"acts of the control, under names that no fence knows; 0: none ({CONTROL_ACTIONS})",
    )
    parser.add_argument("--no-browsers", action="store_true", help="without Firefox and Chromium, also if installed")
    parser.add_argument("--no-mousepad", action="store_true", help="without Mousepad")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what the daemons stored")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.fence.benchmark import measure

    return measure(
        actions=arguments.actions,
        control_actions=arguments.control_actions,
        seed=arguments.seed,
        browsers=False if arguments.no_browsers else None,
        mousepad=not arguments.no_mousepad,
        keep=arguments.keep,
    )


FENCE = Benchmark(
    name="fence",
    help="whether anything excluded is ever stored, in a campaign of random acts",
    description="Open, move, embed, fade and type at random on a virtual desktop, and search all that was stored.",
    example="fence --actions 1000 --seed 7 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
