"""The command `kairos bench guide`. The released data set is not part of Kairos."""

import argparse
from pathlib import Path

from lab.measure.benchmark import Benchmark, Report


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="DATA",
        help="the released benchmark, or a folder of kairos simulate --video (the sample that comes with the source)",
    )
    parser.add_argument(
        "--model",
        default="scripted:strong",
        metavar="M",
        help="PRESET or PRESET:MODEL (see kairos models list), scripted:strong, scripted:local or always:LABEL,... "
        "(scripted:strong)",
    )
    parser.add_argument("--tasks", metavar="A,B", help="of behavior, intent, need, content (all)")
    parser.add_argument(
        "--conditions",
        metavar="A,B",
        help="what a model knows beside the pictures: of none, previous, behavior, behavior+intent (all)",
    )
    parser.add_argument(
        "--prefixes",
        default="25,50,75,100",
        metavar="A,B",
        help="how much of a clip is seen, in percent (25,50,75,100)",
    )
    parser.add_argument("--both-orders", action="store_true", help="ask each pair of options in both orders")
    parser.add_argument(
        "--free",
        action="store_true",
        help="ask for intent and help in the model's own words too; such answers are listed and not scored",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only N clips, drawn at random")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the answers")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="do it on a Dask cluster: tcp://HOST:PORT")
    parser.add_argument(
        "--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money"
    )


def _measure(arguments: argparse.Namespace) -> Report:
    from lab.benchmarks.guide.benchmark import measure

    return measure(arguments)


GUIDE = Benchmark(
    name="guide",
    help="the four tasks of the GUIDE benchmark, asked of a model",
    description=(
        "Ask a model about clips of screen recordings: the behavior state, the intent, whether help is needed and "
        "which. Beside its figures stand answers that need no model, and the published ones. Without arguments a "
        "scripted stand-in answers about a small simulated sample, which shows that the benchmark works."
    ),
    example="guide guide-data --model ollama:qwen3-vl:8b --limit 100 --out figures",
    add_arguments=_add_arguments,
    measure=_measure,
)
