"""`kairos report`: one page of recorded sessions. Reads the log alone; sends nothing, asks no model."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import SESSION_HELP, add_command, page_path, sessions_base, write_page
from storage.plain_text import format_count, print_result

PAGE_NAME = "report.html"


def register(subparsers: Any) -> None:
    """Add `kairos report` to the command line."""
    parser = add_command(
        subparsers,
        "report",
        run,
        "write one page of recorded sessions: timeline, states, offers and answers, figures",
        description=(
            "Write one page of recorded sessions: help need and states over time, how the time was spent, offers with"
            " their answers, why help was not offered. One HTML file that needs no network. By the log alone."
        ),
        example="report 20261121 --out report.html",
        sessions=True,
    )
    parser.add_argument("session", nargs="+", metavar="SESSION", help=f"a session, by {SESSION_HELP}")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(PAGE_NAME),
        metavar="DIR|FILE",
        help=f"this .html file, or {PAGE_NAME} in this folder (%(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos report`."""
    from daemon.history.decisions import masked_studies
    from daemon.history.report import TITLE, read_session, report_facts, report_page
    from storage.clock import NS_PER_S, SystemClock
    from storage.files import state_file
    from storage.session.log import find_session

    base, _ = sessions_base(arguments)
    target = page_path(arguments.out, PAGE_NAME, TITLE)
    folders = sorted({find_session(name, base).absolute() for name in arguments.session}, key=lambda one: one.name)
    now_s = SystemClock().wall_ns() / NS_PER_S
    studies = masked_studies(state_file())
    sessions = [read_session(folder, studies=studies, now_s=now_s) for folder in folders]
    write_page(target, report_page(sessions))
    page = target.absolute()
    facts = {"page": str(page), "sessions": report_facts(sessions)}
    print_result(facts, f"The page of {format_count(len(sessions), 'session')} is {page}", as_json=arguments.json)
    return 0
