"""`kairos why`: why help was offered, and why it was not, for every moment; and what answers have taught.

Reads the log alone, so it works while Kairos runs and long after. Times, gates, numbers and our own sentences only:
window titles are never read.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from storage.errors import UsageError

if TYPE_CHECKING:
    from daemon.history.decisions import DecisionRun

DEFAULT_SPAN = "1h"


def register(subparsers: Any) -> None:
    """Add `kairos why` to the command line."""
    parser = subparsers.add_parser(
        "why",
        help="say why help was offered, and why it was not",
        description="Say for every moment why help was offered, and why it was not: first in sum, then one by one.",
        epilog="example: kairos why --last 15m",
    )
    parser.add_argument("--last", metavar="1h", help=f"how far back: 15m, 1h, 1d; by default {DEFAULT_SPAN}")
    parser.add_argument(
        "--session", metavar="S", help="one session: its folder, its name, or the beginning of its name"
    )
    parser.add_argument("--sessions", metavar="DIR", help="where sessions are kept")
    parser.add_argument("--learned", action="store_true", help="say what your answers have taught instead")
    undo = parser.add_mutually_exclusive_group()
    undo.add_argument(
        "--forget",
        nargs="?",
        const="answers",
        choices=("answers", "all"),
        help="forget what your answers have taught; with `all` the topics you muted too",
    )
    undo.add_argument("--unmute", metavar="TOPIC", help="let one muted topic be offered again; --learned names them")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos why`."""
    from daemon.config import load_settings

    settings = load_settings()
    if arguments.learned or arguments.forget or arguments.unmute is not None:
        from daemon.runtime.policy_memory import forget, tell_learned, unmute

        if arguments.last or arguments.session:
            raise UsageError("what was learned belongs to no span and no session", remedy="leave --last and --session")
        if arguments.forget:
            return forget(settings, mutes=arguments.forget == "all", as_json=arguments.json)
        if arguments.unmute is not None:
            return unmute(settings, arguments.unmute, as_json=arguments.json)
        return tell_learned(settings, as_json=arguments.json)
    if arguments.sessions:
        settings = replace(settings, storage=replace(settings.storage, sessions_dir=arguments.sessions))
    return _run_moments(arguments, settings.storage.sessions_dir)


def _run_moments(arguments: argparse.Namespace, sessions_dir: str) -> int:
    from daemon.cli.why.rendering import told
    from daemon.history.decisions import runs_between, runs_of_session
    from daemon.runtime.control import seconds_of
    from storage.clock import NS_PER_S, SystemClock
    from storage.paths import sessions_folder
    from storage.session.log import find_session

    base = sessions_folder(sessions_dir).absolute()
    unreadable: list[str] = []
    if arguments.session:
        folder = find_session(arguments.session, base)
        last_s = seconds_of(arguments.last) if arguments.last else math.inf
        moments = runs_of_session(folder, last_s)
        title = f"session {folder.name}" + (f", its last {arguments.last}" if arguments.last else "")
    else:
        length = arguments.last or DEFAULT_SPAN
        until = SystemClock().wall_ns() / NS_PER_S
        moments, unreadable = runs_between(base, until - seconds_of(length), until)
        title = f"the last {length}"
    if arguments.json:
        print(json.dumps(as_json(moments, unreadable)))
        return 0
    print("\n".join(told(moments, title)))
    for name in unreadable:
        print(f"Session {name} cannot be read; see: kairos sessions verify {name}")
    return 0


def as_json(moments: Sequence["DecisionRun"], unreadable: Sequence[str] = ()) -> dict[str, object]:
    """Return the object of `kairos why --json`."""
    from daemon.cli.why.rendering import in_words
    from daemon.history.decisions import count_decisions
    from daemon.models.usage import usage_by_tier

    summary = count_decisions(moments)
    return {
        **asdict(summary),
        "models": [asdict(price) for price in usage_by_tier(answer for moment in moments for answer in moment.asked)],
        "sessions": sorted({moment.session for moment in moments}),
        "unreadable": list(unreadable),
        "moments": [asdict(moment) | {"sentence": moment.sentence, "in_words": in_words(moment)} for moment in moments],
    }
