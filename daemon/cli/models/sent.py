"""`kairos models sent`: lists, shows, writes out, verifies and deletes what was sent to models."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault, UsageError
from storage.files import PRIVATE_FILE, PRIVATE_FOLDER, sent_file
from storage.plain_text import escape_controls, format_mb, format_time, print_result, printable
from storage.sent.log import SentLog, open_existing_sent_log
from storage.sent.reader import SentEntry, SentLogReader
from storage.settings import StorageSettings

MAX_DIGITS = 15
NOT_STORED = "of its pictures and of your words only the SHA-256 was kept, since the recording was not agreed to"
NOTHING = "Nothing was sent to any model, or it was deleted."


def list_newest(last: int, settings: StorageSettings, *, as_json: bool) -> int:
    """Print the newest entries."""
    log = open_existing_sent_log()
    entries: list[SentEntry] = []
    count = size = 0
    if log is not None:
        with log:
            entries = SentLogReader(log).newest(last)
            count, size = len(SentLogReader(log).numbers()), log.file_bytes()
    facts = {"file": str(sent_file()), "bytes": size, "count": count, "entries": list(map(_facts, entries))}
    print_result(facts, _render_list(entries, count, size, settings), as_json=as_json)
    return 0


def _render_list(entries: list[SentEntry], count: int, size: int, settings: StorageSettings) -> Iterator[str]:
    if not entries:
        yield NOTHING
        return
    shown = f"The newest {len(entries)} of {count} requests" if len(entries) < count else "All requests"
    yield f"{shown} that were sent to models, newest first ({format_mb(size)} in {sent_file()}):"
    yield ""
    yield f"  {'ID':>5}  {'when':<19}  {'for':<11}  {'to':<30}  {'pictures':>8}  {'size':>8}  outcome"
    for entry in entries:
        to = printable(f"{entry.endpoint}, {entry.model}")[:30]
        time = format_time(entry.at_wall_ns / NS_PER_S)
        yield (
            f"  {entry.number:>5}  {time:<19}  {printable(entry.purpose):<11}  {to:<30}"
            f"  {entry.pictures:>8}  {format_mb(entry.size, 2):>8}  {render_outcome(entry)}"
        )
    yield ""
    yield f"To see one with its text: kairos models sent --show {entries[0].number}"
    yield f"They are deleted after {settings.keep_days} days as sessions are, or with the session they belong to."


def show(number: int, *, out: Path | None, pictures: Path | None, as_json: bool) -> int:
    """Print one entry with its text, pictures by their digest; write its body or pictures out, if requested.

    Raises:
        UsageError: there is no such entry, or the file or folder exists.
        EnvironmentFault: it cannot be written.
    """
    with _log(number) as log:
        entries = SentLogReader(log)
        entry = _entry(entries, number)
        if not entry.kept and (out is not None or pictures is not None):
            raise UsageError(f"request {number}: {NOT_STORED}", remedy="omit --out and --pictures")
        problem = entries.find_problem(number)
        parts = list(_parts(entries, number))
        if out is not None:
            _write(out, entries.body(number))
        if pictures is not None:
            _new_folder(pictures)
            for index, (_, jpeg) in enumerate(entries.pictures(number), start=1):
                _write(pictures / f"picture-{index:02d}.jpg", [jpeg])
    lines = list(_render_entry(entry, problem, parts))
    if out is not None:
        lines.append(f"Its body is in {out}, {entry.size} bytes.")
    if pictures is not None:
        lines.append(f"Its pictures are in {pictures}.")
    print_result(_facts(entry) | {"problem": problem, "parts": parts}, lines, as_json=as_json)
    return 0 if problem is None else 1


def verify(number: int | None, *, as_json: bool) -> int:
    """Check that stored requests equal what was sent; 1 if one does not.

    Raises:
        UsageError: there is no such entry.
    """
    problems: dict[int, str] = {}
    numbers: list[int] = []
    incomplete = 0
    log = open_existing_sent_log() if number is None else _log(number)
    if log is not None:
        with log:
            entries = SentLogReader(log)
            for each in entries.numbers() if number is None else [number]:
                if not _entry(entries, each).kept:
                    incomplete += 1
                else:
                    numbers.append(each)
                if (problem := entries.find_problem(each)) is not None:
                    problems[each] = problem
    facts = {
        "ok": not problems,
        "checked": len(numbers),
        "not_kept": incomplete,
        "problems": [{"id": each, "problem": problem} for each, problem in problems.items()],
    }
    print_result(facts, _render_verification(numbers, incomplete, problems), as_json=as_json)
    return 1 if problems else 0


def _render_verification(numbers: list[int], incomplete: int, problems: dict[int, str]) -> Iterator[str]:
    if not numbers and not incomplete:
        yield NOTHING
    if numbers and not problems:
        subject = f"All {len(numbers)} requests are" if len(numbers) > 1 else f"Request {numbers[0]} is"
        yield f"{subject} what was sent: rebuilt to the byte, the SHA-256 is the one that was recorded."
    if incomplete:
        yield f"{incomplete} cannot be rebuilt: {NOT_STORED}."
    for each, problem in problems.items():
        yield f"Request {each} {problem}."


def forget(which: str, *, as_json: bool) -> int:
    """Delete one entry, or all of them.

    Raises:
        UsageError: there is no such entry.
    """
    if which != "all" and not (which.isascii() and which.isdecimal() and len(which) <= MAX_DIGITS):
        raise UsageError(f"--forget takes an ID or the word all, not {which!r}", remedy="see: kairos models sent")
    deleted = 0
    log = open_existing_sent_log() if which == "all" else _log(int(which))
    if log is not None:
        with log:
            deleted = log.forget_all() if which == "all" else int(log.forget(int(which)))
        if which != "all" and not deleted:
            raise _missing(int(which))
    print_result({"forgotten": deleted}, f"{deleted} deleted." if deleted else NOTHING, as_json=as_json)
    return 0


def _facts(entry: SentEntry) -> dict[str, Any]:
    values = asdict(entry)
    number, at_ns, ended_ns = values.pop("number"), values.pop("at_wall_ns"), values.pop("ended_wall_ns")
    at, ended = at_ns / NS_PER_S, None if ended_ns is None else ended_ns / NS_PER_S
    return {"id": number, "at": at, "ended": ended, **values, "session": Path(entry.session).name or None}


def render_outcome(entry: SentEntry) -> str:
    """Return how a request ended."""
    if entry.outcome is None or entry.ended_wall_ns is None:
        return "no end: still in progress, or Kairos ended first"
    took_s = (entry.ended_wall_ns - entry.at_wall_ns) / NS_PER_S
    tokens = f", {entry.tokens_in} tokens in, {entry.tokens_out} out" if entry.tokens_in or entry.tokens_out else ""
    dollars = f", ${entry.dollars:.4f}" if entry.dollars else ""
    return f"{printable(entry.outcome).replace('_', ' ')} after {took_s:.1f} s{tokens}{dollars}"


def _render_entry(entry: SentEntry, problem: str | None, parts: list[dict[str, Any]]) -> Iterator[str]:
    yield f"Request {entry.number}, {format_time(entry.at_wall_ns / NS_PER_S)}, for: {printable(entry.purpose)}"
    yield f"  to       {printable(entry.endpoint)}, model {printable(entry.model)}"
    yield f"           {printable(entry.address)}{printable(entry.path)}"
    for name, value in entry.headers.items():
        yield f"  header   {printable(name)}: {printable(value)}"
    yield f"  session  {printable(Path(entry.session).name) or 'none: generated pictures or a benchmark'}"
    yield f"  body     {entry.size} bytes, {entry.pictures} of its parts are pictures, SHA-256 {entry.digest}"
    yield f"  outcome  {render_outcome(entry)}"
    verdict = "it is what was sent, to the byte" if entry.kept else f"it cannot be rebuilt: {NOT_STORED}"
    yield f"  check    {verdict if problem is None else f'NOT what was sent: it {problem}'}"
    yield ""
    for part in parts:
        if "picture" in part:
            yield f"[picture {part['picture'][:12]}, {part['bytes']} bytes as JPEG]"
        elif "unkept text" in part:
            yield f"[text {part['unkept text'][:12]}, {part['bytes']} bytes]"
        else:  # JSON writes the end of a line as a backslash and an n; people read real lines
            yield from map(escape_controls, part["text"].replace("\\n", "\n").splitlines())


def _parts(entries: SentLogReader, number: int) -> Iterator[dict[str, Any]]:
    for part in entries.parts(number):
        if part.text is not None:
            yield {"text": part.text.decode("utf-8", "replace")}
        else:
            yield {"unkept text" if part.is_text else "picture": part.digest, "bytes": part.size}


def _log(number: int) -> SentLog:
    log = open_existing_sent_log()
    if log is None:
        raise _missing(number)
    return log


def _entry(entries: SentLogReader, number: int) -> SentEntry:
    entry = entries.get(number)
    if entry is None:
        raise _missing(number)
    return entry


def _missing(number: int) -> UsageError:
    return UsageError(f"there is no request {number}", remedy="see: kairos models sent")


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE), "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise _not_written(path, error, "written") from error


def _new_folder(path: Path) -> None:
    try:
        path.mkdir(mode=PRIVATE_FOLDER, parents=True)
    except OSError as error:
        raise _not_written(path, error, "created") from error


def _not_written(path: Path, error: OSError, verb: str) -> UsageError | EnvironmentFault:
    if isinstance(error, FileExistsError):
        return UsageError(f"{path} exists already", remedy="give another name")
    return EnvironmentFault(f"{path} cannot be {verb}: {error.strerror}", remedy="choose another place")
