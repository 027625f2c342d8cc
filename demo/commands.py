"""The command `kairos demo`; what it needs is imported when it runs."""

import argparse
import sys
from pathlib import Path
from typing import Any

APPS = ("mousepad", "calc", "writer", "web")


def register(subparsers: Any) -> None:
    """Add `kairos demo`."""
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
    demo.add_argument(
        "--app", choices=APPS, default=APPS[0], help="the program to work in; web: a form in Chromium (mousepad)"
    )
    demo.add_argument(
        "--desktop",
        choices=("x11", "xvnc", "sway", "gnome", "kwin", "wayland"),
        default="x11",
        help="xvnc: TigerVNC's screen; in mousepad and calc, sway, gnome: a Wayland session with the service for "
        "input; kwin, wayland: one without pictures (x11)",
    )
    demo.add_argument("--fluent-only", action="store_true", help="never get stuck: there must be no offer")
    demo.add_argument("--json", action="store_true", help="print one JSON object")
    demo.set_defaults(run=run_demo)


def run_demo(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo`."""
    from demo import command, on_wayland
    from storage.errors import UsageError

    if arguments.desktop in command.STAGES:
        return command.run(arguments)
    if sys.platform != "linux":
        raise UsageError("nothing else has Wayland than Linux")
    if arguments.app not in on_wayland.APPS:
        raise UsageError("on Wayland the script is for mousepad and calc", remedy="choose one of them: --app")
    return on_wayland.run(arguments)
