"""`kairos diagnose`: where somebody gets stuck, what comes back, and after what it ended; by the log alone.

Reads recorded sessions, also while one is being written. Nothing leaves this machine: no model is asked.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from daemon.text import print_progress, print_result
from storage.errors import BadFile, EnvironmentFault, UsageError

PAGE_NAME = "diagnosis.html"
_PROGRESS_EVERY = 50


def register(subparsers: Any) -> None:
    """Add `kairos diagnose` to the command line."""
    parser = add_command(
        subparsers,
        "diagnose",
        run,
        "say where you get stuck, in which programs, and what comes back",
        description=(
            "Say where you get stuck, in which programs, what comes back, and after what it ended: by the recorded "
            "sessions alone, without a model. With --out also as a page."
        ),
        example="diagnose --last 7d --out report.html",
        sessions=True,
    )
    parser.add_argument(
        "session", nargs="*", metavar="WHAT", help=f"sessions, each by {SESSION_HELP}; by default all of this machine"
    )
    parser.add_argument("--last", metavar="7d", help="only sessions that went on in this time: 12h, 7d, 30d")
    parser.add_argument(
        "--out", type=Path, metavar="DIR|FILE", help=f"write a page: this .html file, or {PAGE_NAME} in this folder"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos diagnose`."""
    from daemon.cli.control import parse_duration
    from daemon.diagnosis.rendering import as_json, render_diagnosis
    from daemon.diagnosis.sessions import diagnose_sessions
    from daemon.diagnosis.summary import Summary
    from storage.clock import NS_PER_S, SystemClock
    from storage.session.log import find_session, list_sessions

    base, _ = sessions_base(arguments)
    until = SystemClock().wall_ns() / NS_PER_S
    since = until - parse_duration(arguments.last) if arguments.last else 0.0
    target = None if arguments.out is None else page_path(arguments.out)
    named = {find_session(name, base).absolute() for name in arguments.session}
    folders = sorted(named, key=lambda folder: folder.name) if named else list_sessions(base)
    summary = Summary()
    for number, found in enumerate(diagnose_sessions(folders, base, since=since, imported=bool(named)), start=1):
        summary.add(found)
        if number % _PROGRESS_EVERY == 0:
            print_progress(f"{number} of {len(folders)} sessions read")
    diagnosis = summary.diagnosis(since=since, until=until)
    if diagnosis.unreadable and not diagnosis.sessions:
        bad = diagnosis.unreadable[0]
        raise BadFile(
            f"none of {len(diagnosis.unreadable)} sessions can be read; {bad.session}: {bad.problem}",
            remedy="see: kairos sessions list",
        )
    facts = as_json(diagnosis)
    lines: Iterator[str] = render_diagnosis(diagnosis)
    if target is not None:
        from daemon.diagnosis.page import diagnosis_page

        write_page(target, diagnosis_page(diagnosis))
        facts["page"] = str(target.absolute())
        lines = chain(lines, ("", f"The page is {target.absolute()}"))
    print_result(facts, lines, as_json=arguments.json)
    return 0


def page_path(out: Path) -> Path:
    """Return the file of the page; a folder may be missing yet.

    Raises:
        UsageError: something else is there already.
    """
    from daemon.diagnosis.wording import TITLE

    target = out if out.suffix.lower() in (".html", ".htm") and not out.is_dir() else out / PAGE_NAME
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise UsageError(f"{target} is no plain file", remedy="name another place with --out")
    if target.exists():
        with target.open("rb") as file:
            begins = file.read(8192)
        if f"<title>{TITLE}</title>".encode() not in begins:
            raise UsageError(f"{target} is there already, and no report", remedy="name another place with --out")
    return target


def write_page(target: Path, text: str) -> None:
    """Write the page for this user alone, whole or not at all.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    partial = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(partial, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise EnvironmentFault(
            f"{target} cannot be written: {error.strerror}", remedy="name another place with --out"
        ) from error
