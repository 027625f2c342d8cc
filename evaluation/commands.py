"""The commands of this room: `kairos demo`, `kairos simulate`, `kairos train` and `kairos bench`.

What they need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from storage.errors import EnvironmentFault

APPS = ("mousepad", "calc")

TRAINING_PACKAGES = {
    "sklearn": "scikit-learn",
    "jax": "jax",
    "onnx": "onnx",
    "scipy": "scipy",
    "threadpoolctl": "threadpoolctl",
}
"""The train extra, by the modules that are imported."""


def register(subparsers: Any) -> None:
    """Add `kairos demo`, `kairos simulate`, `kairos train` and `kairos bench`."""
    _add_demo(subparsers)
    _add_simulate(subparsers)
    _add_train(subparsers)
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
    _add_policy(benches)
    _add_cascade(benches)
    _add_people(benches)
    _add_guide(benches)


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


def _add_simulate(subparsers: Any) -> None:
    simulate = subparsers.add_parser(
        "simulate",
        help="make labelled sessions: scripted people in real programs on virtual desktops",
        description=(
            "Record labelled sessions of scripted people who work, explore, wait and get stuck in real programs on "
            "virtual desktops. Each is packed into one file. The same command again plays only what is not there yet. "
            "Programs: writer, calc, mousepad, gimp, chromium; for --split test: impress, inkscape. Also to be "
            "installed: Xvfb, dbus-daemon, openbox, picom, trayer, Chromium, Mousepad, zenity and xterm."
        ),
        epilog="example: kairos simulate --out simulated --minutes 60 --apps mousepad,calc",
    )
    simulate.add_argument("--out", type=Path, required=True, metavar="DIR", help="where packed sessions go")
    simulate.add_argument("--minutes", type=float, default=10.0, metavar="N", help="minutes of work, up to 1440 (10)")
    simulate.add_argument("--apps", metavar="A,B", help="in which programs; by default all of the split")
    simulate.add_argument("--seed", type=int, default=1, metavar="N", help="varies who does what, when and where (1)")
    simulate.add_argument(
        "--split", choices=("train", "test"), default="train", help="test: held-out programs, people and behaviors"
    )
    simulate.add_argument("--desktops", type=int, choices=range(1, 5), default=2, help="sessions played at once (2)")
    simulate.add_argument(
        "--video", action="store_true", help="record pictures too, and keep the session; one after the other"
    )
    simulate.add_argument("--people", metavar="A-B", help="only these people of 0-35 (2, 5, ... for test alone)")
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.set_defaults(run=run_simulate)


def _add_train(subparsers: Any) -> None:
    train = subparsers.add_parser(
        "train",
        help="train and calibrate the embedded detector on labelled sessions",
        description=(
            "Compare several models on packed sessions of the training split, choose by what was hidden from them, "
            "calibrate, and write one model file with a card beside it. Needs the packages of the train extra; takes "
            "about 20 minutes for 7 hours of sessions on two cores."
        ),
        epilog="example: kairos train --data simulated --out my/model.onnx",
    )
    train.add_argument("--data", type=Path, required=True, metavar="DIR", help="where kairos simulate left sessions")
    train.add_argument("--out", type=Path, required=True, metavar="MODEL", help="the file to write, MODEL.md beside it")
    train.add_argument("--json", action="store_true", help="print one JSON object")
    train.set_defaults(run=run_train)


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
    policy.add_argument("--out", type=Path, metavar="DIR", help="where to leave a page with plots")
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


def run_demo(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo`."""
    from evaluation.demo import run

    return run(arguments)


def run_simulate(arguments: argparse.Namespace) -> int:
    """Carry out `kairos simulate`."""
    from evaluation.simulation.simulate import run

    return run(arguments)


def run_train(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    need_training_packages()
    from evaluation.training.train import run

    return run(arguments)


def run_bench_detector(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench detector`."""
    from evaluation.bench_detector import run

    return run(arguments)


def run_bench_policy(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench policy`."""
    from evaluation.bench_policy import run

    return run(arguments)


def run_bench_cascade(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cascade`."""
    if arguments.fit is not None or arguments.split == "train":
        need_training_packages()
    from evaluation.bench_cascade import run

    return run(arguments)


def run_bench_capture(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench capture`."""
    from evaluation.bench_capture import run

    return run(arguments)


def run_bench_models(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench models`."""
    from evaluation.bench_models import run

    return run(arguments)


def run_bench_proactivebench(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench proactivebench`."""
    need_training_packages()
    from evaluation.bench_proactivebench import run

    return run(arguments)


def run_bench_cups(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cups`."""
    need_training_packages()
    from evaluation.bench_cups import run

    return run(arguments)


def run_bench_guide(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench guide`."""
    from evaluation.bench_guide import run

    return run(arguments)


def need_training_packages() -> None:
    """Say what to install where a command needs packages that watching does not.

    Raises:
        EnvironmentFault: they are not installed.
    """
    missing = [name for module, name in TRAINING_PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise EnvironmentFault(
            f"not installed: {', '.join(missing)}",
            remedy="install what is needed: pip install 'kairos-assistant[train]'",
        )
