"""`kairos why`: why help was offered, and why it was not; and what the policy has learned from answers.

Reads the log alone, so it works while Kairos runs and long after. It prints times, gates, numbers and our own
sentences; window titles are never read, and names of controls only where the recording holds them.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.plain_text import print_result
from storage.settings_file import load_settings

if TYPE_CHECKING:
    from daemon.history.decisions import DecisionRun
    from storage.ports import HelpPage

DEFAULT_SPAN = "1h"


def register(subparsers: Any) -> None:
    """Add `kairos why` to the command line."""
    parser = add_command(
        subparsers,
        "why",
        run,
        "say why help was offered, and why it was not",
        description="Say why help was offered and why it was not: totals first, then every decision with its reason.",
        example="why --last 15m",
        sessions=True,
    )
    parser.add_argument("--last", metavar="1h", help=f"how far back: 15m, 1h, 1d; by default {DEFAULT_SPAN}")
    parser.add_argument("--session", metavar="S", help=f"only one session: {SESSION_HELP}")
    parser.add_argument("--learned", action="store_true", help="show instead what was learned from your answers")
    undo = parser.add_mutually_exclusive_group()
    undo.add_argument(
        "--forget",
        nargs="?",
        const="answers",
        choices=("answers", "all"),
        help="forget what was learned from your answers; with `all` also unmute all topics",
    )
    undo.add_argument("--unmute", metavar="TOPIC", help="offer a muted topic again; --learned lists them")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos why`."""
    if not (arguments.learned or arguments.forget or arguments.unmute is not None):
        return _show_decisions(arguments)
    from daemon.cli.why import rendering as learned

    settings = load_settings()
    if arguments.last or arguments.session:
        raise UsageError("what was learned belongs to no time span and no session", remedy="omit --last and --session")
    if arguments.forget:
        return learned.forget(mutes=arguments.forget == "all", as_json=arguments.json)
    if arguments.unmute is not None:
        return learned.unmute(settings, arguments.unmute, as_json=arguments.json)
    return learned.print_learned(settings, as_json=arguments.json)


def _show_decisions(arguments: argparse.Namespace) -> int:
    from daemon.cli.control import parse_duration
    from daemon.cli.why.rendering import render_runs
    from daemon.history.decisions import mask_lots, runs_between, runs_of_session
    from storage.clock import NS_PER_S, SystemClock
    from storage.session.log import find_session

    base, _ = sessions_base(arguments)
    unreadable: list[str] = []
    if arguments.session:
        folder = find_session(arguments.session, base)
        runs = runs_of_session(folder, parse_duration(arguments.last) if arguments.last else math.inf)
        title = f"session {folder.name}" + (f", its last {arguments.last}" if arguments.last else "")
    else:
        length = arguments.last or DEFAULT_SPAN
        until = SystemClock().wall_ns() / NS_PER_S
        runs, unreadable = runs_between(base, until - parse_duration(length), until)
        title = f"the last {length}"
    shown = mask_lots(runs, _joined_studies(runs), SystemClock().wall_ns() / NS_PER_S)
    masked = ["A study is running: what else was decided, and its lots, are shown when it is over."]
    runs, notes = shown, masked if len(shown) < len(runs) else []
    hints = (f"Session {name} cannot be read; see: kairos sessions verify {name}" for name in unreadable)
    lines = chain(render_runs(runs, title, _pages_of(runs)), notes, hints)
    print_result(as_json(runs, unreadable), lines, as_json=arguments.json)
    return 0


def _pages_of(runs: Sequence["DecisionRun"]) -> dict[str, "HelpPage"]:
    from daemon.help.library import HelpLibrary

    page_ids = {run.offer["page_id"] for run in runs if run.offer is not None and run.offer.get("page_id")}
    if not page_ids:
        return {}
    try:
        with HelpLibrary.open() as library:
            found = {page_id: library.page(page_id) for page_id in page_ids}
    except (BadFile, EnvironmentFault):
        return {}
    return {page_id: page for page_id, page in found.items() if page is not None}


def _joined_studies(runs: Sequence["DecisionRun"]) -> frozenset[str]:
    """Return the study that the person is in, whose lots are not shown before its end; every one if nobody knows."""
    from storage.files import state_file
    from storage.state.store import StateStore

    of_studies = frozenset(run.study for run in runs if run.study)
    if not of_studies or not state_file().exists():
        return frozenset()
    try:
        with StateStore(state_file()) as state:
            enrolment = state.enrolment()
    except (BadFile, EnvironmentFault):
        return of_studies
    return frozenset() if enrolment is None else frozenset({enrolment.study})


def as_json(runs: Sequence["DecisionRun"], unreadable: Sequence[str] = ()) -> dict[str, object]:
    """Return the object of `kairos why --json`."""
    from daemon.cli.why.rendering import explain_numbers
    from daemon.history.decisions import count_decisions
    from daemon.models.usage import usage_by_tier

    return {
        **asdict(count_decisions(runs)),
        "models": [asdict(usage) for usage in usage_by_tier(answer for run in runs for answer in run.asked)],
        "sessions": sorted({run.session for run in runs}),
        "unreadable": list(unreadable),
        "moments": [asdict(run) | {"sentence": run.sentence, "in_words": explain_numbers(run)} for run in runs],
    }
