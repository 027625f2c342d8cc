"""`kairos autostart`: whether Kairos starts when you log in."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from daemon.preferences.autostart import read_autostart, set_autostart
from storage.preferences import AutostartState

_WORDS = {
    AutostartState.ON: "Kairos starts when you log in",
    AutostartState.OFF: "Kairos does not start by itself",
}


def register(subparsers: Any) -> None:
    """Add `kairos autostart` to the command line."""
    parser = subparsers.add_parser(
        "autostart",
        help="start Kairos when you log in, or no longer",
        description="Start Kairos when you log in, or no longer; off until you choose it.",
        epilog="example: kairos autostart on",
    )
    parser.add_argument("action", choices=("on", "off", "status"), help="on, off, or what holds now")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos autostart`."""
    found = read_autostart() if arguments.action == "status" else set_autostart(on=arguments.action == "on")
    if arguments.json:
        print(json.dumps(asdict(found)))
    elif found.state is AutostartState.BY_HAND:
        what = "starts Kairos" if found.starts else "keeps Kairos from starting"
        print(f"{found.file} {what} when you log in; it was not written by Kairos, so it is left alone")
    else:
        print(f"{_WORDS[found.state]} ({found.file})" if found.starts else _WORDS[found.state])
    return 0
