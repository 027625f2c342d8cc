"""The commands of this room: `kairos demo` and `kairos bench`.

What they need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
from pathlib import Path
from typing import Any

APPS = ("mousepad", "calc")


def register(subparsers: Any) -> None:
    """Add `kairos demo` and `kairos bench`."""
    _add_demo(subparsers)
    bench = subparsers.add_parser(
        "bench",
        help="measure what Kairos costs and how good it is",
        description="Run a benchmark. Each names its bars; the exit code is 1 if one is not held.",
        epilog="example: kairos bench capture --json",
    )
    benches = bench.add_subparsers(title="benchmarks", metavar="BENCHMARK", required=True)
    capture = benches.add_parser(
        "capture",
        help="what watching costs, and whether it misses anything",
        description="Measure CPU time, memory and storage of watching a virtual desktop, in less than nine minutes.",
        epilog="example: kairos bench capture --full --json",
    )
    capture.add_argument("--full", action="store_true", help="long rounds, and memory after ten minutes")
    capture.add_argument("--json", action="store_true", help="print one JSON object")
    capture.set_defaults(run=run_bench_capture)


def _add_demo(subparsers: Any) -> None:
    demo = subparsers.add_parser(
        "demo",
        help="show the main job on a virtual desktop: a real program, a scripted person, the real Kairos",
        description=(
            "Start a virtual desktop, a real program and Kairos, and let a scripted person work there: first fluently, "
            "then stuck. Nothing on your own desktop is touched or watched. Takes about two minutes."
        ),
        epilog="example: kairos demo --app calc --seed 7 --out demo-calc",
    )
    demo.add_argument("--out", type=Path, metavar="DIR", help="where to leave session, screenshot and result")
    demo.add_argument("--seed", type=int, default=1, metavar="N", help="varies what is written, where and when (1)")
    demo.add_argument("--app", choices=APPS, default=APPS[0], help="the program to work in (mousepad)")
    demo.add_argument("--fluent-only", action="store_true", help="never get stuck: there must be no offer")
    demo.add_argument("--json", action="store_true", help="print one JSON object")
    demo.set_defaults(run=run_demo)


def run_demo(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo`."""
    from evaluation.demo import run

    return run(arguments)


def run_bench_capture(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench capture`."""
    from evaluation.bench_capture import run

    return run(arguments)
