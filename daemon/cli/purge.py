"""`kairos forget`: forgets the last minutes, a day, or everything, for good; `purge`, its name in older scripts, too.

A running Kairos does it itself, between two sessions; without one this process does, under the lock of the data folder.
"""

import argparse
import datetime as dt
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.control import parse_duration
from daemon.cli.options import add_command, sessions_base
from daemon.runtime.control_client import send
from daemon.runtime.instance import only_instance
from storage.clock import SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.files import private_folder, state_file, state_folder
from storage.plain_text import format_count, format_time, print_progress, print_result

if TYPE_CHECKING:
    from daemon.purge.span import PurgeSpan

DAMAGED = 4
MAX_S = 100 * 366 * 86_400.0
POLL_S = 0.2

DESCRIPTION = (
    "Forget what Kairos holds of a span of time, for good: sessions with their pictures, what was sent to models, and"
    " what was learned from it. A session that spans the beginning is cut there and replays as before. Consent,"
    " settings and a pause stay. Cannot reach exports, backups, snapshots of the disk, and what models were sent."
)


def register(subparsers: Any) -> None:
    """Add `kairos forget` to the command line."""
    parser = add_command(
        subparsers,
        "forget",
        run,
        "forget the last minutes, a day, or everything, for good",
        example="forget --last 10m",
        description=DESCRIPTION,
        sessions=True,
    )
    subparsers.choices["purge"] = parser  # not as an alias: one word for it is enough in the list of commands
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--last", metavar="10m", help="what happened within this time: 10m, 2h, 90s")
    what.add_argument("--day", metavar="YYYY-MM-DD", help="a day, by local time; today may be one")
    what.add_argument("--all", action="store_true", help="everything that was recorded, sent and learned")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and delete nothing")
    parser.add_argument("--yes", action="store_true", help="delete without asking")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos forget`."""
    from daemon.purge.purge import preview

    span = _span(arguments)
    sessions_dir = _sessions_dir(arguments)
    private_folder(state_folder())
    planned = preview(span, sessions_dir, state_file()).as_json()  # also says what is to go before anybody is asked
    if arguments.dry_run:
        print_result(planned, _render(planned), as_json=arguments.json)
        return DAMAGED if planned["problems"] else 0
    for line in _render(planned):
        print_progress(line)
    if not arguments.yes and not _confirmed():
        print_progress("nothing was deleted")
        return 1
    done = _purge(span, sessions_dir)
    print_result(done, _render(done), as_json=arguments.json)
    return DAMAGED if done["problems"] else 0


def _span(arguments: argparse.Namespace) -> "PurgeSpan":
    from daemon.purge.span import everything, last, of_day

    if arguments.all:
        return everything()
    if arguments.last is not None:
        seconds = parse_duration(arguments.last)
        if not 0 < seconds <= MAX_S:
            raise UsageError(
                f"--last {arguments.last} must be more than 0 and at most 100 years", remedy="example: --last 10m"
            )
        return last(seconds, SystemClock().wall_ns())
    try:
        return of_day(dt.date.fromisoformat(arguments.day))
    except (ValueError, OverflowError):
        raise UsageError(f"{arguments.day!r} is not a day", remedy="example: --day 2026-11-21") from None


def _sessions_dir(arguments: argparse.Namespace) -> Path:
    """Return the folder of sessions: that of a running Kairos unless another one is named."""
    if not arguments.sessions_dir:
        try:
            running = send("status").get("session")
        except EnvironmentFault:
            running = None
        if isinstance(running, str):
            return Path(running).parent
    return sessions_base(arguments)[0]


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("deleting needs a confirmation, and there is no terminal to ask on", remedy="add --yes")
    print("Delete it for good? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _purge(span: "PurgeSpan", sessions_dir: Path) -> Mapping[str, Any]:
    """Have it deleted, by the running Kairos or here; return the report.

    Raises:
        EnvironmentFault: it cannot be finished now; what was begun is finished by the next start.
    """
    from daemon.purge.purge import begin, finish, is_begun

    details = {"scope": span.scope, "begin_ns": span.begin_wall_ns, "end_ns": span.end_wall_ns}
    try:
        done = _wait_for(send("purge", **details, sessions_dir=str(sessions_dir))["purge"]["number"])
    except EnvironmentFault:
        with only_instance():  # none runs, or it ended meanwhile: then what it has noted is finished here
            if not is_begun(span, state_file()):
                finish(state_file())
                begin(span, sessions_dir, state_file())
            try:
                report = finish(state_file())
            except EnvironmentFault:
                print_progress(
                    "what is left goes with the next kairos forget or kairos run, before anything is captured"
                )
                raise
        assert report is not None  # noqa: S101  # it was begun
        return report.as_json()
    if done["error"] is not None:
        raise EnvironmentFault(done["error"], remedy=done["remedy"])
    report_facts: Mapping[str, Any] = done["report"]
    return report_facts


def _wait_for(number: int) -> Mapping[str, Any]:
    """Wait until the running Kairos has carried out a purge, or says what keeps it from that."""
    clock = SystemClock()
    while True:
        found: Mapping[str, Any] = send("purged")["purge"]
        if found["number"] != number:
            raise EnvironmentFault("another Kairos has started meanwhile")
        if found["report"] is not None or found["error"] is not None:
            return found
        clock.sleep_s(POLL_S)


def _render(facts: Mapping[str, Any]) -> Iterator[str]:
    yield _render_span(facts)
    parts = [format_count(facts["sessions_deleted"], "session")]
    if facts["sessions_cut"]:
        parts.append(f"the end of {facts['sessions_cut']} more")
    if facts["requests_deleted"]:
        parts.append(f"{format_count(facts['requests_deleted'], 'request')} to models")
    yield f"  {'to be deleted' if facts['dry_run'] else 'deleted'}: {', '.join(parts)}"
    if facts["learned_put_back"]:
        yield "  What your answers taught goes back to what it was before."
    if facts["began_after"]:
        yield (
            f"  {format_count(len(facts['began_after']), 'later session')} began with what was learned then: that goes"
            " too, so they no longer replay to the same decisions."
        )
    for problem in facts["problems"]:
        yield f"  {problem}"
    if not facts["dry_run"]:
        yield f"Out of reach: {'; '.join(facts['not_reached'])}."
        yield f"Kept: {facts['kept']}."


def _render_span(facts: Mapping[str, Any]) -> str:
    if facts["scope"] == "all":
        return "Everything that was recorded, sent and learned:"
    until = "now" if facts["to"] is None else format_time(facts["to"])
    return f"From {format_time(facts['from'])} until {until}:"
