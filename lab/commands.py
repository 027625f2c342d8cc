"""The commands of this room: `kairos simulate`, `kairos train` and `kairos bench`.

What they need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
import tomllib
from pathlib import Path
from typing import Any

from lab.benchmarks.commands import add_benchmarks, option_of


def register(subparsers: Any) -> None:
    """Add `kairos simulate`, `kairos train` and `kairos bench`."""
    commands = tomllib.loads((Path(__file__).parent / "data" / "commands.toml").read_text(encoding="utf-8"))
    for name, run in (("simulate", run_simulate), ("train", run_train)):
        facts = commands[name]
        parser = subparsers.add_parser(
            name, help=facts["help"], description=facts["description"], epilog=f"example: kairos {facts['example']}"
        )
        for option in map(option_of, facts["options"]):
            parser.add_argument(*option.names, **option.words)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run)
    add_benchmarks(subparsers)


def run_simulate(arguments: argparse.Namespace) -> int:
    """Carry out `kairos simulate`."""
    from lab.simulation.command import run

    return run(arguments)


def run_train(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    from lab.training.command import run

    return run(arguments)
