"""`kairos sessions`: list, show, verify, export, import and delete recorded sessions.

What the actions need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from daemon.config import load_settings
from storage.errors import BadFile, UsageError
from storage.paths import sessions_folder
from storage.settings import Settings

DAMAGED = 4
MB = 1_000_000


def register(subparsers: Any) -> None:
    """Add `kairos sessions` to the command line."""
    parser = subparsers.add_parser(
        "sessions",
        help="list, show, verify, export, import or delete recorded sessions",
        description="Work with recorded sessions. Nothing here needs a running Kairos.",
        epilog="example: kairos sessions list",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    which = "its folder, its name, or the beginning of its name"

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str, example: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=f"example: kairos sessions {example}"
        )
        made.add_argument("--sessions", metavar="DIR", help="where sessions are kept")
        made.add_argument("--json", action="store_true", help="print one JSON object")
        made.set_defaults(run=run)
        return made

    add("list", run_list, "list recorded sessions, oldest first", "list --json")
    add(
        "show", run_show, "show what happened in a session: offers, answers, and why not", "show 20261121"
    ).add_argument("session", help=which)
    add(
        "verify", run_verify, "check that a session can be read, and how much of it may be missing", "verify 20261121"
    ).add_argument("session", help=which)
    export = add(
        "export", run_export, "write a session into one portable file", "export 20261121 --out work.kairos.zip"
    )
    export.add_argument("session", help=which)
    export.add_argument("--out", type=Path, metavar="FILE", help="the file; by default the session's name, here")
    export.add_argument("--no-video", action="store_true", help="leave the pictures out")
    export.add_argument("--jsonl", action="store_true", help="every record as a line of JSON; to stdout without --out")
    bring = add(
        "import",
        run_import,
        "make a session of an export, a session folder, an AgentNet recording or a list of records",
        "import ~/Documents/AgentNetRecordings/4f1c",
    )
    bring.add_argument("file", type=Path, help="an export, a session's or a recording's folder, or a .jsonl list")
    delete = add("delete", run_delete, "delete sessions for good", "delete 20261121-0930")
    delete.add_argument("session", nargs="+", help=which)
    delete.add_argument("--yes", action="store_true", help="do not ask")


def run_list(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions list`."""
    from daemon.history.summary import moment, span
    from storage.session.log import list_sessions

    base, _ = _base(arguments)
    found = [_summary(folder) for folder in list_sessions(base)]
    if arguments.json:
        print(json.dumps({"sessions_dir": str(base), "sessions": found}))
        return 0
    if not found:
        print(f"There are no sessions in {base}.")
    for entry in found:
        if "problem" in entry:
            print(f"{entry['session']}  cannot be read: {entry['problem']}")
            continue
        notes = [f"{entry['offers']} offers", f"{entry['bytes'] / MB:.1f} MB"]
        notes += ["with pictures"] * entry["recording"] + ["imported"] * entry["imported"]
        notes += [] if entry["ended"] else ["recording now" if entry["still_recording"] else "cut off"]
        print(f"{entry['session']}  {moment(entry['at'])}  {span(entry['duration_s']):>12}  {', '.join(notes)}")
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions show`."""
    from daemon.history.summary import summarize, told

    facts = summarize(_session(arguments))
    print(json.dumps(facts.as_json()) if arguments.json else "\n".join(told(facts)))
    return 0


def run_verify(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions verify`."""
    from storage.session.verify import verify

    folder = _session(arguments)
    report = verify(folder)
    if arguments.json:
        print(json.dumps({"session": str(folder)} | report.as_json()))
    else:
        verdict = "is sound" if report.ok else "is NOT sound"
        print(f"{folder.name} {verdict}: {report.duration_s:.1f} s, {report.frames} frames, {report.events} events")
        for problem in report.problems:
            print(f"  {problem}")
    if report.damaged:
        print(f"kairos: {folder} is damaged: {report.problems[0]}", file=sys.stderr)
        return DAMAGED
    return 0 if report.ok else 1


def run_export(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions export`."""
    from storage.session.log import SessionReader
    from storage.transfer.export import export_lines, export_session, write_lines

    folder = _session(arguments)
    if arguments.jsonl and arguments.out is None:
        if arguments.json:
            raise UsageError("--jsonl without --out writes the records to stdout", remedy="give --out, or leave --json")
        with SessionReader(folder) as reader:
            write_lines(reader, sys.stdout)
        return 0
    target = arguments.out or Path(f"{folder.name}.kairos.zip")
    if arguments.jsonl:
        size = export_lines(folder, target)
    else:
        size = export_session(folder, target, video=not arguments.no_video)
    if arguments.json:
        print(json.dumps({"session": str(folder), "file": str(target.absolute()), "bytes": size}))
    else:
        print(f"{folder.name} was written to {target} ({size / MB:.1f} MB)")
    return 0


def run_import(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions import`."""
    from storage.session.verify import verify

    base, settings = _base(arguments)
    path = arguments.file.expanduser().resolve()
    print(f"reading {path.name}", file=sys.stderr)
    folder, problems = bring_in(path, base, settings)
    report = verify(folder)
    problems += list(report.problems)
    if arguments.json:
        names = ("duration_s", "frames", "events")
        facts = {name: getattr(report, name) for name in names}
        print(json.dumps({"session": str(folder)} | facts | {"problems": problems}))
        return 0
    print(f"{path.name} is now session {folder.name} in {base}")
    print(f"  {report.duration_s:.1f} s, {report.frames} frames, {report.events} input events")
    for problem in problems:
        print(f"  {problem}")
    return 0


def bring_in(path: Path, base: Path, settings: Settings) -> tuple[Path, list[str]]:
    """Import whatever `path` is; return the new session's folder and what could not be taken over.

    Raises:
        BadFile: it is nothing that can be imported.
        EnvironmentFault: the session cannot be written.
    """
    from storage.plain_file import open_regular
    from storage.session.log import DATABASE
    from storage.transfer.import_session import import_session

    if path.is_dir():
        if (path / DATABASE).exists():
            return import_session(path, base), []
        from daemon.imports.agentnet.importer import EVENTS, import_recording

        if (path / EVENTS).exists():
            made = import_recording(path, base, settings)
            return made.folder, list(made.problems)
        raise BadFile(f"{path} is neither a session nor a recording: it has no {DATABASE} and no {EVENTS}")
    with open_regular(path) as file:
        start = file.read(16)
    if start.startswith(b"PK"):
        return import_session(path, base), []
    if start.lstrip().startswith(b"{"):
        from daemon.imports.derive import import_list

        return import_list(path, base, settings), []
    remedy = "give the folder that it lies in" if start.startswith(b"SQLite format 3") else ""
    raise BadFile(f"{path} is no export of Kairos, no folder of a recording, and no list of records", remedy=remedy)


def run_delete(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions delete`."""
    from storage.session.retention import delete_session

    folders = [_session(arguments, name) for name in arguments.session]
    for folder in folders:
        files = [path for path in folder.iterdir() if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{folder}: {len(files)} files, {size / MB:.1f} MB, to be deleted for good", file=sys.stderr)
    if not arguments.yes and not _agreed(len(folders)):
        print("nothing was deleted", file=sys.stderr)
        return 1
    for folder in folders:
        delete_session(folder, folder.parent)
    if arguments.json:
        print(json.dumps({"deleted": [str(folder) for folder in folders]}))
    else:
        print(f"{len(folders)} deleted" if len(folders) > 1 else f"{folders[0].name} is deleted")
    return 0


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("deleting needs a yes, and there is nobody to ask", remedy="add --yes")
    print(f"Delete {'it' if count == 1 else 'them'}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _base(arguments: argparse.Namespace) -> tuple[Path, Settings]:
    settings = load_settings()
    if arguments.sessions:
        settings = replace(settings, storage=replace(settings.storage, sessions_dir=arguments.sessions))
    return sessions_folder(settings.storage.sessions_dir).absolute(), settings


def _session(arguments: argparse.Namespace, name: str | None = None) -> Path:
    from storage.session.log import find_session

    return find_session(arguments.session if name is None else name, _base(arguments)[0])


def _summary(folder: Path) -> dict[str, Any]:
    """Return the facts of a list entry without reading all rows."""
    from daemon.history.summary import WallClock
    from storage.clock import NS_PER_S
    from storage.session.heartbeat import is_recording
    from storage.session.log import SessionReader

    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    entry: dict[str, Any] = {"session": folder.name, "path": str(folder), "bytes": size}
    try:
        with SessionReader(folder) as reader:
            start, last = reader.first(), reader.last()
            counts = reader.counts()
    except BadFile as error:
        return entry | {"problem": error.what}
    end_ns = last.at_ns if last is not None else start.at_ns
    return entry | {
        "at": WallClock(start).seconds(start.at_ns),
        "duration_s": (end_ns - start.at_ns) / NS_PER_S,
        "ended": counts.get("session_end", 0) > 0,
        "still_recording": is_recording(folder),
        "recording": start.recording,
        "imported": start.imported_from is not None,
        "frames": counts.get("frame", 0),
        "offers": counts.get("offer", 0),
        "estimates": counts.get("estimate", 0),
        "decisions": counts.get("decision", 0),
    }
