"""`kairos label`: a window in which somebody says how a recorded stretch was, and what was said of a session so far."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import BadFile, UsageError
from storage.plain_text import format_clock, format_count, print_result, printable

if TYPE_CHECKING:
    from storage.records import SegmentLabel


def register(subparsers: Any) -> None:
    """Add `kairos label` to the command line."""
    parser = add_command(
        subparsers,
        "label",
        run,
        "say in a window how recorded work was: what you were doing, and whether you needed help",
        description=(
            "Look at a recorded session and say what you were doing, whether you needed help, and what would have"
            " helped. What you say is kept in the session's folder, on this machine. It needs no running Kairos."
        ),
        example="label 20261121",
        sessions=True,
    )
    parser.add_argument(
        "session", nargs="?", metavar="SESSION", help=f"{SESSION_HELP}; by default the newest session with pictures"
    )
    parser.add_argument("--rater", metavar="NAME", help="who says it, where several do (me)")
    parser.add_argument(
        "--blind-share",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="for what share of stretches other judgements are shown only after yours, by lot (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of that lot (%(default)s)")
    parser.add_argument("--list", action="store_true", help="print what was said, and open no window")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos label`."""
    from storage.records import MAX_RATER, ME, BlindLot
    from storage.session.labels import read_labels
    from storage.session.log import find_session

    if not 0 <= arguments.blind_share <= 1:
        raise UsageError("--blind-share is between 0 and 1", remedy="1 shows nothing before you have said yours")
    rater = printable(arguments.rater.strip()) if arguments.rater is not None else ME
    if not 0 < len(rater) <= MAX_RATER:
        raise UsageError(f"a name of a rater has 1 to {MAX_RATER} characters", remedy="give another --rater")
    base, _ = sessions_base(arguments)
    folder = find_session(arguments.session, base) if arguments.session else _newest(base)
    read_labels(folder)
    if not arguments.list:
        from daemon.runtime.run import label_session

        label_session(folder.absolute(), rater, BlindLot(share=arguments.blind_share, seed=arguments.seed))
    labels = read_labels(folder)
    if not arguments.list:  # what others said is no longer for judging blind once it was read
        labels = tuple(label for label in labels if label.rater == rater)
    print_result(_facts(folder, labels), _lines(folder, labels), as_json=arguments.json)
    return 0


def _newest(base: Path) -> Path:
    """Return the newest session with pictures.

    Raises:
        BadFile: there is none.
    """
    from storage.session.log import list_sessions

    for folder in reversed(list_sessions(base)):
        if next(folder.glob("screen-*.mp4"), None) is not None:
            return folder
    raise BadFile(f"no session in {base} has pictures", remedy="name a session; see: kairos sessions list")


def _facts(folder: Path, labels: "Sequence[SegmentLabel]") -> dict[str, object]:
    from msgspec import to_builtins

    return {"session": folder.name, "path": str(folder), "labels": [to_builtins(label) for label in labels]}


def _lines(folder: Path, labels: "Sequence[SegmentLabel]") -> Iterator[str]:
    from daemon.history.summary import session_clock
    from storage.messages import STATES

    raters = sorted({label.rater for label in labels})
    by = f" by {', '.join(map(printable, raters))}" if raters else ""
    yield f"{folder.name} has {format_count(len(labels), 'label')}{by}."
    clock = session_clock(folder)
    for label in labels:
        times = " to ".join(format_clock(clock.seconds(at_ns)) for at_ns in (label.start_ns, label.end_ns))
        said = ", ".join(STATES[state] for state in label.states) or "nothing said of what was done"
        need = {"yes": "help needed", "no": "no help needed", "unsure": "unsure"}.get(label.need or "", "need not said")
        wanted = f"; wanted: {printable(label.wanted)}" if label.wanted else ""
        helps = f"; would have helped: {printable(label.would_help)}" if label.would_help else ""
        yield f"  {times}  {printable(label.rater)}: {said}; {need}{wanted}{helps}"
