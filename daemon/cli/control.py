"""`kairos status|pause|resume|ask|seen|settings|quit`: commands to the running daemon, over its control socket."""

import argparse
import json
import re
from typing import Any

from daemon.runtime.control_client import send
from storage.errors import UsageError

_COMMANDS = {
    "status": ("say what the running Kairos is doing", "kairos status --json"),
    "pause": ("stop watching for a while, before the next frame is taken", "kairos pause --for 15m"),
    "resume": ("go on watching", "kairos resume"),
    "ask": ("look for help now with what is on the screen, and show it on the card", "kairos ask freeze the first row"),
    "seen": ("open the window that shows what Kairos saw, stored, sent and learned", "kairos seen"),
    "settings": ("open the settings window; in a terminal: kairos config", "kairos settings"),
    "quit": ("end the running Kairos in order", "kairos quit"),
}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def register(subparsers: Any) -> None:
    """Add `status`, `pause`, `resume`, `ask`, `seen`, `settings` and `quit` to the command line."""
    for name, (text, example) in _COMMANDS.items():
        parser = subparsers.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=f"example: {example}"
        )
        if name == "pause":
            parser.add_argument(
                "--for", dest="length", metavar="15m", help="how long; without it until `kairos resume`"
            )
        if name == "ask":
            parser.add_argument("words", nargs="*", metavar="WORDS", help="what it is about; never stored")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run, command=name)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `status`, `pause`, `resume`, `ask`, `seen`, `settings` or `quit`."""
    details: dict[str, object] = {}
    if getattr(arguments, "length", None):
        details["seconds"] = parse_duration(arguments.length)
    if arguments.command == "ask":
        details["words"] = " ".join(arguments.words)
    answer = send(arguments.command, **details)
    if arguments.json:
        print(json.dumps({key: value for key, value in answer.items() if key != "v"}))
        return 0
    if arguments.command == "ask":
        print("Kairos looks for help; the card shows what it finds. That you asked is noted, your words are not.")
        return 0
    if arguments.command in ("seen", "settings"):
        print("Kairos opens its window.")
        return 0
    line = f"Kairos is {answer['state']}".replace("is problem", "has a problem")
    if answer.get("problem"):
        from storage.messages import PROBLEMS

        line += f" ({answer['problem']}: {PROBLEMS.get(answer['problem'], ('not known here',))[0]})"
    if answer.get("silent_until"):
        from storage.plain_text import format_time

        line += f"; offers are only written down until {format_time(answer['silent_until'])}"
    if answer.get("session"):
        line += f"; session {answer['session']}"
    print(line)
    if answer.get("models"):
        from daemon.history.summary import render_usage
        from daemon.models.usage import ModelUsage

        print(f"Models were queried: {'; '.join(render_usage([ModelUsage(**row) for row in answer['models']]))}.")
    return 0


def parse_duration(text: str) -> float:
    """Return the seconds in a text such as `90s`, `15m`, `2h` or `1d`.

    Raises:
        UsageError: it is none of these.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a length of time", remedy="example: 15m, 2h, 90s")
    return float(match[1]) * _SECONDS[match[2]]
