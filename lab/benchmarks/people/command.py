"""The command `kairos bench people`. The recordings are not part of Kairos."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report
from storage.settings import DetectorSettings

_UNANSWERED = 0.05


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is no share between 0 and 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder that holds balabit, essays or miniwob")
    parser.add_argument(
        "--detector", metavar="NAME", default=DetectorSettings().name, help="who estimates (the default one)"
    )
    parser.add_argument(
        "--unanswered",
        type=_share,
        metavar="SHARE",
        default=_UNANSWERED,
        help="share of presses without an answer of the screen, where the recording holds no screen (0.05)",
    )
    parser.add_argument("--limit", type=_count, metavar="N", help="at most so many recordings of each data set")
    parser.add_argument("--workers", type=_count, metavar="N", help="processes (one for each core)")


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.people.benchmark import measure

    return measure(
        arguments.path,
        detector=arguments.detector,
        unanswered=arguments.unanswered,
        limit=arguments.limit,
        workers=arguments.workers,
    )


PEOPLE = Benchmark(
    name="people",
    help="how often help would be offered to people whom nobody scripted, and whether marked trouble is found",
    description=(
        "Run recordings of people at work (Balabit's mouse data, pupils' essays, web tasks of crowd workers) through "
        "the shipped detector and policy, under a neutral program's name and a browser's. The data is not part of "
        "Kairos; lab/docs/measured.md says where it is. Takes about ten minutes of two cores for 190 hours."
    ),
    example="people people-data --limit 20 --json",
    add_arguments=_add_arguments,
    measure=_measure,
)
