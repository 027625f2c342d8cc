"""`kairos config`: shows and changes settings."""

import argparse
import contextlib
import json
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.preferences.change import CONTROLS_KEY, OUTPUTS_KEY, SPEECH_KEY, check_change
from daemon.runtime.control_client import send
from storage.consent_text import CONTROLS_COMMAND, SETTING_TEXTS, SPEECH_COMMAND
from storage.errors import EnvironmentFault, UsageError
from storage.files import config_file
from storage.settings import Settings, TakesEffect, get_value, setting_infos
from storage.settings_file import load_settings, setting_info, settings_hash

_SET = "config set"
_WIDTH = 118
"""Columns of a paragraph."""

_TAKES_EFFECT: dict[TakesEffect, str] = {
    "now": "a running Kairos takes it up at once",
    "more now": "a running Kairos takes up at once what is added, and what is removed at its next start",
    "less now": "a running Kairos takes up at once what is turned off, and what is turned on at its next start",
    "next start": "a running Kairos takes it up at its next start",
}


def register(subparsers: Any) -> None:
    """Add `kairos config` to the command line."""
    parser = subparsers.add_parser(
        "config",
        help="show or change settings",
        description="Show or change settings.",
        epilog="example: kairos config set fence.excluded_apps signal,thunderbird",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    actions = parser.add_subparsers(dest="action", required=True, metavar="show|get|path|set")
    for name, text in (("show", "print every setting in force"), ("path", "print where the settings file is")):
        action = actions.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=f"example: kairos config {name} --json"
        )
        action.add_argument("--json", action="store_true", help="print one JSON object")
    getter = actions.add_parser(
        "get",
        help="print one setting",
        description="Print one setting.",
        epilog="example: kairos config get policy.cooldown_s",
    )
    getter.add_argument("key", help="for example policy.cooldown_s")
    getter.add_argument("--json", action="store_true", help="print one JSON object")
    setter = actions.add_parser(
        "set",
        help="change one setting in the file",
        description="Change one setting in the file; the others stay as they are.",
        epilog="example: kairos config set policy.cooldown_s 600",
    )
    setter.add_argument("key", help="for example policy.cooldown_s")
    setter.add_argument("value", help="the new value; lists are separated by commas")
    setter.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos config`."""
    path = config_file()
    if arguments.action == "path":
        print(json.dumps({"path": str(path)}) if arguments.json else path)
        return 0
    if arguments.action == "set":
        settings = _set(path, arguments.key, arguments.value)
        if not arguments.json:
            print(f"{arguments.key} is set in {path}; {_TAKES_EFFECT[setting_infos()[arguments.key].takes_effect]}")
            return 0
    else:
        settings = load_settings(path)
    if arguments.action == "get":
        setting_info(arguments.key, where="config get")
        value = get_value(settings, arguments.key)
        print(json.dumps({"key": arguments.key, "value": value} if arguments.json else value))
        return 0
    if arguments.json:
        print(json.dumps({"path": str(path), "settings": asdict(settings), "hash": settings_hash(settings)}))
        return 0
    for table, values in asdict(settings).items():
        print(f"[{table}]")
        for name, value in values.items():
            print(f"{name} = {json.dumps(value)}")
        print()
    return 0


def _set(path: Path, key: str, text: str) -> Settings:
    """Check a new value, write it to the file, and say what will be sent to whom when it changes a model."""
    change = check_change(path, key, text, where=_SET)
    change.write(path)
    for note in change.notes:
        print(note, file=sys.stderr)
    if key == CONTROLS_KEY and change.after.capture.understand_controls == "on":
        print(f"From the next start on:\n{CONTROLS_COMMAND}", file=sys.stderr)
    elif key == SPEECH_KEY and change.after.capture.record_speech == "on":
        print(f"From the next start on:\n{SPEECH_COMMAND}", file=sys.stderr)
    elif key in SETTING_TEXTS and get_value(change.after, key) == "on":
        where = ", where controls are understood" if key == OUTPUTS_KEY else ""
        words = textwrap.fill(SETTING_TEXTS[key], _WIDTH)
        print(f"From the next start on{where}:\n{words}", file=sys.stderr)
    tell_running(key)
    return change.after


def tell_running(key: str) -> None:
    """Have a running Kairos take up what acts at once; without one the next start does."""
    if setting_infos()[key].takes_effect != "next start":
        with contextlib.suppress(EnvironmentFault, UsageError):
            send("reload")
