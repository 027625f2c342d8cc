"""The command `kairos bench content`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part",
        choices=("scored", "tuning"),
        default="scored",
        help="which moments are judged; each look at the scored ones belongs into data/access_log.md",
    )
    parser.add_argument("--full", action="store_true", help="index five times, and time five times as many searches")
    parser.add_argument(
        "--fit", type=Path, metavar="FILE", help="fit the weights on the tuning moments, and write them"
    )


def _measure(arguments: argparse.Namespace) -> Report | None:
    from lab.benchmarks.content.benchmark import measure
    from lab.benchmarks.content.moments import Part

    if arguments.fit is not None:
        from lab.benchmarks.content.tuning import tune

        tune(arguments.fit)
        return None
    return measure(Part(arguments.part), rounds=5 if arguments.full else 1)


CONTENT = Benchmark(
    name="content",
    help="whether the help library finds the page that helps, and what indexing costs",
    description="Index the help of LibreOffice, GIMP and Meld, and search it in constructed moments of being stuck.",
    example="content --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
