"""The benchmarks as commands: `kairos bench NAME`.

What they need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
from pathlib import Path
from typing import Any

from evaluation.benchmarks.foreign_commands import add_foreign
from evaluation.training.packages import need_training_packages


def add_benchmarks(benches: Any) -> None:
    """Add every benchmark."""
    _add_costs(benches)
    _add_detector(benches)
    _add_demos(benches)
    _add_policy(benches)
    _add_cascade(benches)
    add_foreign(benches)


def _add_costs(benches: Any) -> None:
    """Add the benchmarks of what is used up here."""
    capture = benches.add_parser(
        "capture",
        help="what watching costs, and whether it misses anything",
        description="Measure CPU time, memory and storage of watching a virtual desktop, in less than nine minutes.",
        epilog="example: kairos bench capture --full --json",
    )
    capture.add_argument("--full", action="store_true", help="long rounds, and memory after ten minutes")
    capture.add_argument("--json", action="store_true", help="print one JSON object")
    capture.set_defaults(run=run_bench_capture)
    models = benches.add_parser(
        "models",
        help="what asking a model costs on our side, without any model",
        description=(
            "Measure what it takes to load the model layer, to build a request of 32 pictures in four formats, and to "
            "let go of a cancelled one. Nothing leaves this machine. Takes about half a minute."
        ),
        epilog="example: kairos bench models --json",
    )
    models.add_argument("--json", action="store_true", help="print one JSON object")
    models.set_defaults(run=run_bench_models)


def _add_detector(benches: Any) -> None:
    detector = benches.add_parser(
        "detector",
        help="how good the embedded detector is on simulated sessions it knows nothing of",
        description=(
            "Hold a model against its bars on simulated sessions of the test split, beside simple judges and the "
            "evidence detector. Those that are used without --data come with the source alone, not with an installed "
            "Kairos. Takes about two minutes."
        ),
        epilog="example: kairos bench detector --model my/model.onnx --out figures",
    )
    detector.add_argument("--data", type=Path, metavar="DIR", help="packed sessions (those that come with the source)")
    detector.add_argument("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)")
    detector.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the table")
    detector.add_argument("--json", action="store_true", help="print one JSON object")
    detector.set_defaults(run=run_bench_detector)


def _add_demos(benches: Any) -> None:
    demos = benches.add_parser(
        "demos",
        help="how well the embedded detector tells need in recordings of kairos demo",
        description=(
            "Hold a model against its bars on recordings of kairos demo, whose scripts are not those it learned from, "
            "beside the evidence detector. No held-out test: trouble of the same kinds is among what it learned from. "
            "Takes about half a minute for 170 recordings."
        ),
        epilog="example: kairos bench demos demo-out --json",
    )
    demos.add_argument("folder", type=Path, metavar="DIR", help="a folder in which folders of kairos demo lie, or one")
    demos.add_argument("--model", type=Path, metavar="MODEL", help="a model file (the one that comes with Kairos)")
    demos.add_argument("--json", action="store_true", help="print one JSON object")
    demos.set_defaults(run=run_bench_demos)


def _add_policy(benches: Any) -> None:
    policy = benches.add_parser(
        "policy",
        help="who offers help when it is needed and at a good moment: our policies beside simple ones",
        description=(
            "Replay labelled simulated sessions through every policy, on the same estimates, and hold ours against its "
            "bars. What offers cost is fixed in a file beside the benchmark. Takes about two minutes for ten hours."
        ),
        epilog="example: kairos bench policy --detector evidence --out figures",
    )
    policy.add_argument(
        "sessions",
        type=Path,
        nargs="*",
        metavar="SESSION",
        help="packed sessions or folders of them (those held out, that come with Kairos); a recorded session only adds "
        "to the off-policy estimates",
    )
    policy.add_argument("--detector", metavar="NAME", help="who estimates, for all policies alike (the default one)")
    policy.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots, and the tables")
    policy.add_argument("--json", action="store_true", help="print one JSON object")
    policy.set_defaults(run=run_bench_policy)


def _add_cascade(benches: Any) -> None:
    cascade = benches.add_parser(
        "cascade",
        help="embedded detector, local and strong model together: what they find, and what that costs",
        description=(
            "Judge the cascade on labelled simulated sessions with scripted models that err at stated rates, beside "
            "each of them alone. No real model is asked. On the training split it learns on some sessions and is "
            "judged on the others, which needs the packages of the train extra and takes ten minutes the first time."
        ),
        epilog="example: kairos bench cascade --split train --out figures",
    )
    cascade.add_argument("--data", type=Path, metavar="DIR", help="packed sessions (those that come with the source)")
    cascade.add_argument(
        "--split", choices=("train", "test"), help="which of them (test: held out from training; train with --fit)"
    )
    cascade.add_argument(
        "--fit", type=Path, metavar="FILE", help="learn on all training sessions and write the weights"
    )
    cascade.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots")
    cascade.add_argument("--json", action="store_true", help="print one JSON object")
    cascade.set_defaults(run=run_bench_cascade)


def run_bench_capture(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench capture`."""
    from evaluation.benchmarks.capture.command import run

    return run(arguments)


def run_bench_models(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench models`."""
    from evaluation.benchmarks.models.command import run

    return run(arguments)


def run_bench_detector(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench detector`."""
    from evaluation.benchmarks.detector.command import run

    return run(arguments)


def run_bench_demos(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench demos`."""
    from evaluation.benchmarks.demos.command import run

    return run(arguments)


def run_bench_policy(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench policy`."""
    from evaluation.benchmarks.policy.command import run

    return run(arguments)


def run_bench_cascade(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cascade`."""
    if arguments.fit is not None or arguments.split == "train":
        need_training_packages()
    from evaluation.benchmarks.cascade.command import run

    return run(arguments)
