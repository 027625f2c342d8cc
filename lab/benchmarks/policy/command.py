"""The command `kairos bench policy`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions",
        type=Path,
        nargs="*",
        metavar="SESSION",
        help="packed sessions or folders of them (those held out, that come with Kairos); a recorded session only adds "
        "to the off-policy estimates",
    )
    parser.add_argument("--detector", metavar="NAME", help="who estimates, for all policies alike (the default one)")
    parser.add_argument(
        "--people",
        type=int,
        default=12,
        metavar="N",
        help="simulated people of each kind who answer offers, to see what answers are worth (12); 0 leaves them out",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the tables")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.policy.benchmark import measure

    return measure(arguments.sessions, arguments.detector, max(0, arguments.people))


POLICY = Benchmark(
    name="policy",
    help="who offers help when it is needed and at a good moment: our policies beside simple ones",
    description=(
        "Replay labelled simulated sessions through every policy, on the same estimates, and compare ours with its "
        "bars. What offers cost is fixed in a file beside the benchmark. Takes about two minutes for ten hours."
    ),
    example="policy --detector evidence --out figures",
    add_arguments=_add_arguments,
    measure=_measure,
)
