"""`kairos sessions`: list, show, verify, recover, export, import and delete recorded sessions.

What the actions need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import BadFile, UsageError
from storage.files import expand_user
from storage.plain_text import (
    format_count,
    format_duration,
    format_mb,
    format_time,
    print_progress,
    print_result,
    printable,
)
from storage.settings import Settings

DAMAGED = 4
_IMPORTABLE = "give an export, the folder of a session or of an AgentNet recording, or a .jsonl list of records"


def register(subparsers: Any) -> None:
    """Add `kairos sessions` to the command line."""
    parser = subparsers.add_parser(
        "sessions",
        help="list, show, verify, recover, export, import or delete recorded sessions",
        description="Work with recorded sessions. Nothing here needs a running Kairos.",
        epilog="example: kairos sessions list",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, run: Any, summary: str, example: str) -> argparse.ArgumentParser:
        return add_command(actions, name, run, summary, example=f"sessions {example}", sessions=True)

    add("list", run_list, "list recorded sessions, oldest first", "list --json")
    show = add(
        "show",
        run_show,
        "show one session: its offers, how they were answered, and why others were held back",
        "show 20261121",
    )
    show.add_argument("session", help=SESSION_HELP)
    verify = add("verify", run_verify, "check that a session is readable, and what may be missing", "verify 20261121")
    verify.add_argument("session", help=SESSION_HELP)
    export = add("export", run_export, "write a session into one file", "export 20261121 --out work.kairos.zip")
    export.add_argument("session", help=SESSION_HELP)
    export.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write; by default SESSION.kairos.zip in this folder"
    )
    export.add_argument("--no-video", action="store_true", help="leave out pictures")
    export.add_argument("--speech", action="store_true", help="include what was said, as sound and as words")
    export.add_argument("--labels", action="store_true", help="include what people said of it: `kairos label`")
    export.add_argument(
        "--proposals",
        action="store_true",
        help="with --speech, which they may quote: include labels that are proposed, and nobody's own, for somebody to"
        " verify elsewhere",
    )
    export.add_argument(
        "--jsonl", action="store_true", help="write each record as a line of JSON; to stdout without --out"
    )
    importing = add(
        "import",
        run_import,
        "create a session from an export, a session folder, an AgentNet recording or a list of records",
        "import ~/Documents/AgentNetRecordings/4f1c",
    )
    importing.add_argument(
        "file", type=Path, help="an export, the folder of a session or recording, or a .jsonl list of records"
    )
    recover = add(
        "recover",
        run_recover,
        "create a session from what can be read of a damaged one, which stays",
        "recover 20261121",
    )
    recover.add_argument("session", help=SESSION_HELP)
    delete = add("delete", run_delete, "delete sessions permanently", "delete 20261121-0930")
    delete.add_argument("session", nargs="+", help=SESSION_HELP)
    delete.add_argument("--yes", action="store_true", help="delete without asking")


def run_list(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions list`."""
    from storage.session.log import list_sessions

    base, _ = sessions_base(arguments)
    entries = [_entry(folder) for folder in list_sessions(base)]
    lines = map(_render_entry, entries) if entries else [f"There are no sessions in {base}."]
    print_result({"sessions_dir": str(base), "sessions": entries}, lines, as_json=arguments.json)
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions show`."""
    from daemon.history.summary import render_summary, summarize

    summary = summarize(_find(arguments))
    print_result(summary.as_json(), render_summary(summary), as_json=arguments.json)
    return 0


def run_verify(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions verify`."""
    from storage.session.log import DamagedSession
    from storage.session.verify import verify

    folder = _find(arguments)
    report = verify(folder)
    verdict = "is sound" if report.ok else "is NOT sound"
    summary = f"{folder.name} {verdict}: {report.duration_s:.1f} s, {report.frames} frames, {report.events} events"
    lines = [summary, *(f"  {problem}" for problem in report.problems)]
    print_result({"session": str(folder)} | report.as_json(), lines, as_json=arguments.json)
    if report.damaged:
        fault = DamagedSession(folder, report.problems[0])
        print_progress(f"kairos: {fault.what}")
        print_progress(fault.remedy)
        return DAMAGED
    return 0 if report.ok else 1


def run_export(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions export`."""
    from storage.session.log import SessionReader
    from storage.session.transfer.export import export_lines, export_session, write_lines

    if arguments.proposals and (arguments.labels or not arguments.speech):
        raise UsageError(
            "--proposals takes --speech, which they may quote, and no --labels",
            remedy="kairos sessions export SESSION --speech --proposals",
        )
    for name in ("labels", "speech"):
        if arguments.jsonl and getattr(arguments, name):
            raise UsageError(f"--jsonl writes the records alone, without {name}", remedy=f"omit --jsonl, or --{name}")
    folder = _find(arguments)
    if arguments.jsonl and arguments.out is None:
        if arguments.json:
            raise UsageError("--jsonl without --out writes the records to stdout", remedy="give --out, or omit --json")
        with SessionReader(folder) as reader:
            write_lines(reader, sys.stdout)
        return 0
    target = arguments.out or Path(f"{folder.name}.kairos.zip")
    if arguments.jsonl:
        size = export_lines(folder, target)
    else:
        size = export_session(
            folder,
            target,
            video=not arguments.no_video,
            labels=arguments.labels,
            speech=arguments.speech,
            proposals=arguments.proposals,
        )
    facts = {"session": str(folder), "file": str(target.absolute()), "bytes": size}
    print_result(facts, f"{folder.name} was written to {target} ({format_mb(size)})", as_json=arguments.json)
    return 0


def run_import(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions import`."""
    from storage.session.verify import verify

    base, settings = sessions_base(arguments, may_be_new=True)
    path = Path(os.path.realpath(expand_user(arguments.file)))  # `resolve` raises at a loop of links
    print_progress(f"reading {path.name}")
    folder, problems = import_path(path, base, settings)
    report = verify(folder)
    problems += list(report.problems)
    facts = {"session": str(folder), "duration_s": report.duration_s, "frames": report.frames, "events": report.events}
    lines = (
        f"{path.name} is now session {folder.name} in {base}",
        f"  {report.duration_s:.1f} s, {report.frames} frames, {report.events} input events",
        *(f"  {problem}" for problem in problems),
    )
    print_result(facts | {"problems": problems}, lines, as_json=arguments.json)
    return 0


def import_path(path: Path, base: Path, settings: Settings) -> tuple[Path, list[str]]:
    """Import whatever `path` is; return the new session's folder and what could not be imported.

    Raises:
        BadFile: it is nothing that can be imported.
        EnvironmentFault: the session cannot be written.
    """
    from storage.files import decode_text, open_regular
    from storage.session.log import DATABASE
    from storage.session.transfer.import_session import import_session

    if path.is_dir():
        if (path / DATABASE).exists():
            return import_session(path, base), []
        from daemon.replay.imports.agentnet.importer import EVENTS, import_recording

        if (path / EVENTS).exists():
            imported = import_recording(path, base, settings)
            return imported.folder, list(imported.problems)
        raise BadFile(
            f"{path} is neither a session nor a recording: it has no {DATABASE} and no {EVENTS}", remedy=_IMPORTABLE
        )
    with open_regular(path) as file:
        start = file.read(16)
    if start.startswith(b"PK"):
        return import_session(path, base), []
    if decode_text(start, errors="ignore").lstrip().startswith("{"):
        from daemon.replay.imports.derive import import_list

        return import_list(path, base, settings), []
    remedy = "give the folder that it lies in" if start.startswith(b"SQLite format 3") else _IMPORTABLE
    raise BadFile(f"{path} is no export of Kairos, no folder of a recording, and no list of records", remedy=remedy)


def run_recover(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions recover`."""
    from storage.session.transfer.recover import recover_session

    folder = _find(arguments)
    found = recover_session(folder, sessions_base(arguments)[0])
    lost = f"; {format_count(found.missing, 'row')} between them could not be read" if found.missing else ""
    left = f"what is damaged in it was left there: {', '.join(found.left)}"
    lines = (
        f"{format_count(found.rows, 'row')} of {folder.name} are now session {found.folder.name}{lost}",
        f"{folder.name} stays as it is; {left if found.left else f'to delete it: kairos sessions delete {folder}'}",
    )
    facts = {"session": str(found.folder), "rows": found.rows, "missing": found.missing, "left": list(found.left)}
    print_result(facts, lines, as_json=arguments.json)
    return 0


def run_delete(arguments: argparse.Namespace) -> int:
    """Carry out `kairos sessions delete`."""
    from storage.session.derived import take_out_of_copies
    from storage.session.retention import check_removable, delete_session

    folders = list(dict.fromkeys(_find(arguments, name) for name in arguments.session))
    for folder in folders:
        check_removable(folder, folder.parent)
        try:
            files = [path for path in folder.iterdir() if path.is_file()]
            size = sum(path.stat().st_size for path in files)
        except OSError as error:
            raise BadFile(f"{folder} cannot be read: {error.strerror}", remedy="check who owns it") from error
        print_progress(f"{folder}: {len(files)} files, {format_mb(size)}, to be deleted permanently")
    if not arguments.yes and not _confirmed(len(folders)):
        print_progress("nothing was deleted")
        return 1
    reached, copies = take_out_of_copies(folders)
    for folder in folders:
        delete_session(folder, folder.parent)
    line = f"{len(folders)} deleted" if len(folders) > 1 else f"{folders[0].name} is deleted"
    told = [f"also taken out of the export in {printable(copy)}" for copy in reached]
    told += [f"exported to {printable(copy)}: delete it there, or run the export again" for copy in copies]
    facts = {"deleted": [str(folder) for folder in folders], "taken_out_of": reached, "copies": copies}
    print_result(facts, [line, *told], as_json=arguments.json)
    return 0


def _confirmed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("deleting needs a confirmation, and there is no terminal to ask on", remedy="add --yes")
    print(f"Delete {'it' if count == 1 else 'them'}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _find(arguments: argparse.Namespace, name: str | None = None) -> Path:
    from storage.session.log import find_session

    return find_session(arguments.session if name is None else name, sessions_base(arguments)[0])


def _entry(folder: Path) -> dict[str, Any]:
    from daemon.history.summary import WallClock
    from storage.clock import NS_PER_S
    from storage.session.heartbeat import is_recording
    from storage.session.log import SessionReader

    entry: dict[str, Any] = {"session": folder.name, "path": str(folder), "bytes": 0}
    try:
        entry["bytes"] = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
        with SessionReader(folder) as reader:
            start, last = reader.first(), reader.last()
            counts = reader.counts()
    except BadFile as error:
        return entry | {"problem": error.what, "remedy": error.remedy}
    except OSError as error:
        return entry | {"problem": error.strerror or "its folder is unreadable"}
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


def _render_entry(entry: dict[str, Any]) -> str:
    if "problem" in entry:
        remedy = f"; {entry['remedy']}" if entry.get("remedy") else ""
        return f"{entry['session']}  cannot be read: {entry['problem']}{remedy}"
    notes = [format_count(entry["offers"], "offer"), format_mb(entry["bytes"])]
    notes += ["with pictures"] * entry["recording"] + ["imported"] * entry["imported"]
    notes += [] if entry["ended"] else ["recording now" if entry["still_recording"] else "cut off"]
    length = format_duration(entry["duration_s"])
    return f"{entry['session']}  {format_time(entry['at'])}  {length:>12}  {', '.join(notes)}"
