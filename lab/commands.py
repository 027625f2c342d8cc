"""The commands of this room: `kairos simulate`, `kairos train` and `kairos bench`.

What they need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
from pathlib import Path
from typing import Any

from lab.benchmarks.commands import add_benchmarks


def register(subparsers: Any) -> None:
    """Add `kairos simulate`, `kairos train` and `kairos bench`."""
    _add_simulate(subparsers)
    _add_train(subparsers)
    add_benchmarks(subparsers)


def _add_simulate(subparsers: Any) -> None:
    simulate = subparsers.add_parser(
        "simulate",
        help="make labelled sessions: scripted people in real programs on virtual desktops",
        description=(
            "Record labelled sessions of scripted people who work, explore, wait and get stuck in real programs on "
            "virtual desktops. Each is packed into one file. The same command again plays only what is not there yet. "
            "Programs: lab/docs/simulate.md. Also to be installed: Xvfb, dbus-daemon, openbox, picom, trayer, "
            "Chromium, Mousepad, zenity and xterm."
        ),
        epilog="example: kairos simulate --out simulated --minutes 60 --apps mousepad-tasks,calc-tasks",
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
    simulate.add_argument(
        "--from-demos",
        type=Path,
        metavar="DIR",
        help="record nothing: pack what kairos demo and kairos bench scenes left in the folders of DIR",
    )
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.set_defaults(run=run_simulate)


def _add_train(subparsers: Any) -> None:
    train = subparsers.add_parser(
        "train",
        help="train and calibrate the embedded detector on labelled sessions",
        description=(
            "Compare several models on packed sessions of the training split, choose by what was hidden from them, "
            "calibrate, and write one model file with a card beside it. With --people recordings of people set the "
            "scale where states of the screen are not followed, but no weight. "
            "takes about 8 minutes for 24 hours of sessions on two cores."
        ),
        epilog="example: kairos train --data simulated --out my/model.onnx",
    )
    train.add_argument(
        "--data", type=Path, required=True, nargs="+", metavar="DIR", help="where kairos simulate left sessions"
    )
    train.add_argument("--out", type=Path, required=True, metavar="MODEL", help="the file to write, MODEL.md beside it")
    train.add_argument(
        "--people",
        type=Path,
        metavar="PATH",
        help="recordings of people (balabit, essays, miniwob) that set the scale of need where no screen is followed",
    )
    train.add_argument("--json", action="store_true", help="print one JSON object")
    train.set_defaults(run=run_train)


def run_simulate(arguments: argparse.Namespace) -> int:
    """Carry out `kairos simulate`."""
    from lab.simulation.command import run

    return run(arguments)


def run_train(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    from lab.training.command import run

    return run(arguments)
