"""The command `kairos bench grounding`."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report

SCALES = ("1", "2", "3", "4")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--subjects", default="form,page,firefox,mousepad,writer,calc", metavar="A,B", help="of %(default)s"
    )
    parser.add_argument(
        "--scales", type=_scales, default="1,2", metavar="N,N", help="scale factors of the programs (%(default)s)"
    )
    parser.add_argument("--walks", type=int, default=60, help="timed walks of each program at each scale (%(default)s)")

    parser.add_argument("--ocr", action="store_true", help="instead find controls by nothing but pictures of windows")
    parser.add_argument(
        "--rings",
        action="store_true",
        help="instead play the demo, and see whether the ring is on the first step's control",
    )
    parser.add_argument(
        "--seeds", type=int, default=10, metavar="N", help="with --rings: seeds of each program (%(default)s)"
    )
    parser.add_argument(
        "--first-seed", type=int, default=1, metavar="N", help="with --rings: the first of them (%(default)s)"
    )
    parser.add_argument(
        "--programs", default="calc,writer,mousepad", metavar="A,B", help="with --rings: of %(default)s"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="with --rings: where screenshots and sessions stay")


def _scales(text: str) -> list[int]:
    parts = text.split(",")
    if not set(parts) <= set(SCALES):
        raise argparse.ArgumentTypeError(f"scales are {', '.join(SCALES)}, or several of them, such as 1,2")
    return [int(part) for part in parts]


def _measure(arguments: argparse.Namespace) -> Report:
    if arguments.rings:
        from lab.benchmarks.grounding.rings import measure_rings

        seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
        out = arguments.out.absolute() if arguments.out is not None else None
        return measure_rings(arguments.programs.split(","), seeds, out=out)
    if arguments.ocr:
        from lab.benchmarks.grounding.pictures import measure_pictures

        return measure_pictures(arguments.scales)
    from lab.benchmarks.grounding.benchmark import measure

    return measure(arguments.subjects.split(","), scales=arguments.scales, walks=arguments.walks)


GROUNDING = Benchmark(
    name="grounding",
    help="whether words for a control lead to its place on the screen, and how long that takes",
    description="Find named controls of real programs on a virtual desktop, put the pointer there, and see what it "
    "reached.",
    example="grounding --subjects form,calc --scales 1 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
