"""`kairos status|pause|resume|ask|seen|settings|quit`: commands to the running daemon, over its control socket."""

import json
from collections.abc import Iterator, Mapping

from daemon.runtime.control_client import send
from storage.plain_text import format_percent, format_time, print_progress, print_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

_COMMANDS = {
    "status": ("say what the running Kairos is doing", "kairos status --json"),
    "pause": ("stop watching for a while, before the next frame is taken", "kairos pause --for 15m"),
    "resume": ("go on watching: end a pause and private time", "kairos resume"),
    "ask": ("look for help now with what is on the screen, and show it on the card", "kairos ask freeze the first row"),
    "seen": ("open the window that shows what Kairos saw, stored, sent and learned", "kairos seen"),
    "settings": ("open the settings window; in a terminal: kairos config", "kairos settings"),
    "quit": ("end the running Kairos in order", "kairos quit"),
}
ANSWERS_S, WINDOW_S, _AGAIN_S = 6.0, 3.0, 0.05
"""How long it waits for answers and for a first window, and how often it looks for them."""

SOON_S, LOOKING_S = 3.0, 30.0
"""When it says that it still waits, and how long it does where Kairos is known to look."""

NOTES = {
    "no_controls": "Kairos may not read the program's commands; to allow it: kairos config set "
    "capture.understand_controls on",
    "no_commands": "The program does not tell its commands.",
    "not_seen": "No window of the program was in front since Kairos began to watch, so its commands are not known.",
    "reading": "The program's commands were still being read; ask again in a moment.",
    "no_library": "No documentation is searched; see: kairos library --help",
    "no_pages": "No documentation of the program is indexed; see: kairos library --help",
    "no_window": "No window was in use since Kairos started; to name a program: kairos ask --app NAME WORDS",
}
_READING = "reading"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def register(subparsers: "Any") -> None:
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
            parser.add_argument("words", nargs="*", metavar="WORDS", help="what it is about; no session stores it")
            parser.add_argument(
                "--app",
                default="",
                metavar="NAME",
                help="the program; by default the one in use, or before this terminal",
            )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.set_defaults(run=run, command=name)


def run(arguments: "argparse.Namespace") -> int:
    """Carry out `status`, `pause`, `resume`, `ask`, `seen`, `settings` or `quit`."""
    details: dict[str, object] = {}
    if getattr(arguments, "length", None):
        details["seconds"] = parse_duration(arguments.length)
    if arguments.command == "ask":
        return _ask(arguments)
    answer = send(arguments.command, **details)
    if arguments.json:
        print(json.dumps({key: value for key, value in answer.items() if key != "v"}))
        return 0
    if arguments.command in ("seen", "settings"):
        print("Kairos opens its window.")
        return 0
    line, remedy = f"Kairos is {answer['state']}".replace("is problem", "has a problem"), ""
    if answer["state"] in ("paused", "private") and "paused_until" in answer:
        line += f" until {_end(answer)}"
    if answer.get("problem"):
        from storage.messages import PROBLEMS

        what, remedy = PROBLEMS.get(answer["problem"], ("not known here", "To see what is wrong: kairos doctor."))
        line += f" ({answer['problem']}: {what})"
    if answer.get("silent_until"):
        line += f"; offers are only written down until {format_time(answer['silent_until'])}"
    if answer.get("quiet_until"):
        line += f"; as you asked, no offers until {format_time(answer['quiet_until'])}"
    if answer.get("session"):
        line += f"; session {answer['session']}"
    print(line)
    if remedy:
        print(remedy)
    if answer.get("models"):
        from daemon.history.summary import render_usage
        from daemon.models.usage import ModelUsage

        print(f"Models were queried: {'; '.join(render_usage([ModelUsage(**row) for row in answer['models']]))}.")
    return 0


def _ask(arguments: "argparse.Namespace") -> int:
    """Ask, and print what answers the words once that is found; the card shows it too."""
    details = {"words": " ".join(arguments.words)} | ({"app": arguments.app} if arguments.app else {})
    answer = _send_patiently(details)
    found = _answers() if arguments.words else None
    facts = {key: value for key, value in answer.items() if key != "v"} | (found or {})
    print_result(facts, render_answers(found), as_json=arguments.json)
    return 0


def _send_patiently(details: Mapping[str, object]) -> "dict[str, Any]":
    """Ask; where Kairos has only just started, wait until it sees the first window, and then ask in any case."""
    from storage.clock import NS_PER_S, SystemClock

    clock = SystemClock()
    until_ns = clock.now_ns() + round(WINDOW_S * NS_PER_S)
    while (answer := send("ask", **details, patient=clock.now_ns() < until_ns)).get("waits"):
        clock.sleep_s(_AGAIN_S)
    return answer


def _answers() -> "dict[str, Any] | None":
    """Wait for what answers the words, also of commands that are still being read; None where nothing came in time."""
    from storage.clock import NS_PER_S, SystemClock

    clock = SystemClock()
    begun_ns = clock.now_ns()
    found: dict[str, Any] | None = None
    was_told, looks = False, True
    while (waited_s := (clock.now_ns() - begun_ns) / NS_PER_S) < (LOOKING_S if looks else ANSWERS_S):
        said = send("asked")
        found = said.get("answers") or found
        if found is not None and (_READING not in found["notes"] or waited_s >= ANSWERS_S):
            return found
        looks = bool(said.get("looks"))
        if waited_s >= SOON_S and (looks or found) and not was_told:
            print_progress("Kairos is still looking; this takes longer on a busy machine and just after its start.")
            was_told = True
        clock.sleep_s(_AGAIN_S)
    return found


def render_answers(found: "dict[str, Any] | None") -> Iterator[str]:
    """Yield what is printed of answers, best first; their words come from programs and documentation."""
    if found is None:
        yield "Kairos looks for help; the card shows what it finds. That you asked is noted, your words are not."
        return
    app = found["app"] or "this program"
    for number, candidate in enumerate(found["candidates"], start=1):
        where = " > ".join(candidate["path"]) or candidate["source"]
        keys = f", {candidate['keys']}" if candidate["keys"] else ""
        greyed = ", greyed out now" if candidate["greyed"] else ""
        yield f"{number}. {candidate['title']}: {where}{keys}{greyed} ({format_percent(candidate['score'])})"
    if not found["candidates"]:
        yield f"Nothing {'could be searched' if found.get('unsearched') else 'found'} in {app}."
    if found["unmatched"]:
        yield f"No match for: {', '.join(found['unmatched'])}"
    yield from (NOTES[note] for note in found["notes"] if note in NOTES)
    shown = "The card shows the first. " if found["candidates"] else ""
    yield f"{shown}That you asked is noted, your words are not."


def _end(answer: "Mapping[str, Any]") -> str:
    """Return when a pause or private time ends."""
    if answer["state"] == "paused" and answer["paused_until"]:
        return format_time(answer["paused_until"])
    return "you say: kairos resume"


def parse_duration(text: str) -> float:
    """Return the seconds in a text such as `90s`, `15m`, `2h` or `1d`.

    Raises:
        UsageError: it is none of these. A bare number is none: one person means minutes by it, another one seconds.
    """
    import re

    from storage.errors import UsageError

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if found is None:
        raise UsageError(f"{text!r} is not a length of time", remedy="example: 15m, 2h, 90s")
    number, unit = found.groups()
    if unit in _SECONDS:
        return float(number) * _SECONDS[unit]
    meant = re.fullmatch(r"(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)(?:ou)?rs?|(d)ays?", unit)
    forms = f"{number}{meant[meant.lastindex or 0]}" if meant else f"{number}m for minutes, {number}h for hours"
    raise UsageError(f"{text!r} is not a length of time", remedy=f"write {forms}")
