"""The command `kairos bench grounding`."""

import argparse

from evaluation.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--subjects", default="form,page,firefox,mousepad,writer,calc", metavar="A,B", help="of %(default)s"
    )
    parser.add_argument("--scales", default="1,2", metavar="N,N", help="scale factors of the programs (%(default)s)")
    parser.add_argument("--walks", type=int, default=60, help="timed walks of each program at each scale (%(default)s)")


def _measure(arguments: argparse.Namespace) -> Report:
    from evaluation.benchmarks.grounding.benchmark import measure

    scales = [int(scale) for scale in arguments.scales.split(",")]
    return measure(arguments.subjects.split(","), scales=scales, walks=arguments.walks)


GROUNDING = Benchmark(
    name="grounding",
    help="whether words for a control lead to its place on the screen, and how long that takes",
    description="Find named controls of real programs on a virtual desktop, put the pointer there, and see what it "
    "reached.",
    example="grounding --subjects form,calc --scales 1 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
