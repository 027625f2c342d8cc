"""The benchmarks on data that others recorded of people: `kairos bench proactivebench`, `cups` and `guide`.

None of these data sets is part of Kairos. What the benchmarks need is imported when they run.
"""

import argparse
from pathlib import Path
from typing import Any

from evaluation.training.packages import need_training_packages


def add_foreign(benches: Any) -> None:
    """Add each of them."""
    _add_people(benches)
    _add_guide(benches)


def _add_people(benches: Any) -> None:
    """Add the benchmarks on data of real people."""
    proactive = benches.add_parser(
        "proactivebench",
        help="help needed now, judged from event sentences, next to fifteen language models",
        description=(
            "Judge on ProactiveBench when help is needed, one trace left out at a time. The data set is not part of "
            "Kairos. Needs the packages of the train extra; takes about a minute."
        ),
        epilog="example: kairos bench proactivebench proactivebench --json",
    )
    proactive.add_argument("path", type=Path, metavar="PATH", help="the folder that holds its dataset/ and eval/")
    proactive.add_argument("--json", action="store_true", help="print one JSON object")
    proactive.set_defaults(run=run_bench_proactivebench)
    cups = benches.add_parser(
        "cups",
        help="programmers' states, and which suggestions to hold back",
        description=(
            "Tell on the CUPS study what programmers do and which suggestions they will not want, one programmer left "
            "out at a time. The data set is not part of Kairos. Needs the packages of the train extra; takes about two "
            "minutes."
        ),
        epilog="example: kairos bench cups cups-copilot-study --json",
    )
    cups.add_argument("path", type=Path, metavar="PATH", help="the folder that holds its telemetry.jsonl")
    cups.add_argument("--json", action="store_true", help="print one JSON object")
    cups.set_defaults(run=run_bench_cups)


def _add_guide(benches: Any) -> None:
    guide = benches.add_parser(
        "guide",
        help="the four tasks of the GUIDE benchmark, asked of a model",
        description=(
            "Ask a model about clips of screen recordings: the behavior state, the intent, whether help is needed and "
            "which. Beside its figures stand answers that need no model, and the published ones. Without arguments a "
            "scripted stand-in answers about a small simulated sample, which shows that the benchmark works."
        ),
        epilog="example: kairos bench guide guide-data --model ollama:qwen3-vl:8b --limit 100 --out figures",
    )
    guide.add_argument(
        "data",
        type=Path,
        nargs="?",
        metavar="DATA",
        help="the released benchmark, or a folder of kairos simulate --video (the sample that comes with the source)",
    )
    guide.add_argument(
        "--model",
        default="scripted:strong",
        metavar="M",
        help="PRESET or PRESET:MODEL (see kairos models list), scripted:strong, scripted:local or always:LABEL,... "
        "(scripted:strong)",
    )
    guide.add_argument("--tasks", metavar="A,B", help="of behavior, intent, need, content (all)")
    guide.add_argument(
        "--conditions", metavar="A,B", help="what a model is told: of none, previous, behavior, behavior+intent (all)"
    )
    guide.add_argument(
        "--prefixes",
        default="25,50,75,100",
        metavar="A,B",
        help="how much of a clip is seen, in percent (25,50,75,100)",
    )
    guide.add_argument("--both-orders", action="store_true", help="ask each pair of options in both orders")
    guide.add_argument("--limit", type=int, metavar="N", help="only N clips, drawn by lot")
    guide.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the answers")
    guide.add_argument("--scheduler", metavar="ADDRESS", help="do it on a Dask cluster: tcp://HOST:PORT")
    guide.add_argument(
        "--yes", action="store_true", help="go ahead although pictures leave this machine and it may cost money"
    )
    guide.add_argument("--json", action="store_true", help="print one JSON object")
    guide.set_defaults(run=run_bench_guide)


def run_bench_proactivebench(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench proactivebench`."""
    need_training_packages()
    from evaluation.benchmarks.proactivebench.command import run

    return run(arguments)


def run_bench_cups(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cups`."""
    need_training_packages()
    from evaluation.benchmarks.cups.command import run

    return run(arguments)


def run_bench_guide(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench guide`."""
    from evaluation.benchmarks.guide.command import run

    return run(arguments)
