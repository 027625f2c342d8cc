"""`kairos models sent`: lists what was sent to models, shows one request with its words, writes it out, checks it."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.history.summary import moment, printable
from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault, UsageError
from storage.paths import PRIVATE_FILE, PRIVATE_FOLDER, sent_file
from storage.sent.log import SentLog, open_existing_sent_log
from storage.sent.reader import SentEntry, SentLogReader
from storage.settings import StorageSettings

MB = 1_000_000
MOST_DIGITS = 15
UNKEPT = "of the pictures only the SHA-256 was kept, because the recording was not agreed to"
NOTHING = "Nothing was sent to any model, or it is forgotten."


def tell(last: int, settings: StorageSettings, *, as_json: bool) -> int:
    """Print the newest entries."""
    log = open_existing_sent_log()
    entries: list[SentEntry] = []
    count = size = 0
    if log is not None:
        with log:
            entries = SentLogReader(log).newest(last)
            count, size = len(SentLogReader(log).numbers()), log.file_bytes()
    if as_json:
        print(
            json.dumps({"file": str(sent_file()), "bytes": size, "count": count, "entries": list(map(facts, entries))})
        )
        return 0
    if not entries:
        print(NOTHING)
        return 0
    shown = (
        f"The newest {len(entries)} of {count} requests that were" if len(entries) < count else "All requests that were"
    )
    print(f"{shown} sent to models, newest first ({size / MB:.1f} MB in {sent_file()}):")
    print()
    print(f"  {'ID':>5}  {'when':<19}  {'for':<11}  {'to':<30}  {'pictures':>8}  {'size':>8}  what came of it")
    for entry in entries:
        to = printable(f"{entry.endpoint}, {entry.model}")[:30]
        size_mb = f"{entry.size / MB:.2f} MB"
        print(
            f"  {entry.number:>5}  {moment(entry.at_wall_ns / NS_PER_S):<19}  {printable(entry.purpose):<11}  {to:<30}"
            f"  {entry.pictures:>8}  {size_mb:>8}  {outcome_words(entry)}"
        )
    print()
    print(f"One of them with its words: kairos models sent --show {entries[0].number}")
    print(
        f"They are kept as long as sessions: at most {settings.keep_days} days, and go with the session they belong to."
    )
    return 0


def show(number: int, *, out: Path | None, pictures: Path | None, as_json: bool) -> int:
    """Print one entry with its words, pictures by their digest; write its body or pictures out, if asked.

    Raises:
        UsageError: there is no such entry, or something is in the way.
        EnvironmentFault: it cannot be written.
    """
    log = _log(number)
    with log:
        entries = SentLogReader(log)
        entry = entries.get(number)
        if entry is None:
            raise _missing(number)
        if not entry.pictures_kept and (out is not None or pictures is not None):
            raise UsageError(f"request {number}: {UNKEPT}", remedy="leave --out and --pictures")
        problem = entries.find_problem(number)
        parts = list(_parts(entries, number))
        if out is not None:
            _write(out, entries.body(number))
        if pictures is not None:
            _new_folder(pictures)
            for place, (_, jpeg) in enumerate(entries.pictures(number), start=1):
                _write(pictures / f"picture-{place:02d}.jpg", [jpeg])
    if as_json:
        print(json.dumps(facts(entry) | {"problem": problem, "parts": parts}))
    else:
        print("\n".join(_told(entry, problem, parts)))
        if out is not None:
            print(f"Its body is in {out}, {entry.size} bytes.")
        if pictures is not None:
            print(f"Its pictures are in {pictures}.")
    return 0 if problem is None else 1


def verify(number: int | None, *, as_json: bool) -> int:
    """Check that entries are what was sent; 1 if one is not.

    Raises:
        UsageError: there is no such entry.
    """
    problems: dict[int, str] = {}
    numbers: list[int] = []
    bare: set[int] = set()
    log = open_existing_sent_log() if number is None else _log(number)
    if log is not None:
        with log:
            entries = SentLogReader(log)
            numbers = entries.numbers() if number is None else [number]
            if number is not None and entries.get(number) is None:
                raise _missing(number)
            bare = {each for each in numbers if (one := entries.get(each)) is not None and not one.pictures_kept}
            for each in numbers:
                if (problem := entries.find_problem(each)) is not None:
                    problems[each] = problem
    rebuilt = [each for each in numbers if each not in bare]
    if as_json:
        listed = [{"id": each, "problem": problem} for each, problem in problems.items()]
        print(json.dumps({"ok": not problems, "checked": len(rebuilt), "not_kept": len(bare), "problems": listed}))
    elif not numbers:
        print(NOTHING)
    elif rebuilt and not problems:
        which = f"All {len(rebuilt)} requests are" if len(rebuilt) > 1 else f"Request {rebuilt[0]} is"
        print(f"{which} what was sent: rebuilt to the byte, the SHA-256 is the one that was recorded.")
    if bare and not as_json:
        print(f"{len(bare)} cannot be rebuilt: {UNKEPT}.")
    for each, problem in problems.items():
        if not as_json:
            print(f"Request {each} {problem}.")
    return 1 if problems else 0


def forget(which: str, *, as_json: bool) -> int:
    """Delete one entry, or all of them.

    Raises:
        UsageError: there is no such entry.
    """
    if which != "all" and not (which.isascii() and which.isdecimal() and len(which) <= MOST_DIGITS):
        raise UsageError(f"--forget takes an ID or the word all, not {which!r}", remedy="see: kairos models sent")
    deleted = 0
    log = open_existing_sent_log() if which == "all" else _log(int(which))
    if log is not None:
        with log:
            if which == "all":
                deleted = log.forget_all()
            elif log.forget(int(which)):
                deleted = 1
            else:
                raise _missing(int(which))
    if as_json:
        print(json.dumps({"forgotten": deleted}))
    else:
        print(f"{deleted} deleted." if deleted else NOTHING)
    return 0


def facts(entry: SentEntry) -> dict[str, Any]:
    """Return an entry as plain values, times in seconds since the epoch."""
    values = asdict(entry)
    number, at_ns, ended_ns = values.pop("number"), values.pop("at_wall_ns"), values.pop("ended_wall_ns")
    at, ended = at_ns / NS_PER_S, None if ended_ns is None else ended_ns / NS_PER_S
    return {"id": number, "at": at, "ended": ended, **values, "session": Path(entry.session).name or None}


def outcome_words(entry: SentEntry) -> str:
    """Return what came of a request, for a person."""
    if entry.outcome is None or entry.ended_wall_ns is None:
        return "no end: still on its way, or Kairos was ended meanwhile"
    took_s = (entry.ended_wall_ns - entry.at_wall_ns) / NS_PER_S
    tokens = f", {entry.tokens_in} tokens in, {entry.tokens_out} out" if entry.tokens_in or entry.tokens_out else ""
    dollars = f", ${entry.dollars:.4f}" if entry.dollars else ""
    return f"{printable(entry.outcome).replace('_', ' ')} after {took_s:.1f} s{tokens}{dollars}"


def _told(entry: SentEntry, problem: str | None, parts: list[dict[str, Any]]) -> Iterator[str]:
    yield f"Request {entry.number}, {moment(entry.at_wall_ns / NS_PER_S)}, for: {printable(entry.purpose)}"
    yield f"  to       {printable(entry.endpoint)}, model {printable(entry.model)}"
    yield f"           {printable(entry.address)}{printable(entry.path)}"
    for name, value in entry.headers.items():
        yield f"  header   {printable(name)}: {printable(value)}"
    yield f"  session  {printable(Path(entry.session).name) or 'none: generated pictures or a benchmark'}"
    yield f"  body     {entry.size} bytes, {entry.pictures} of its parts are pictures, SHA-256 {entry.digest}"
    yield f"  outcome  {outcome_words(entry)}"
    whole = "it is what was sent, to the byte" if entry.pictures_kept else f"it cannot be rebuilt: {UNKEPT}"
    yield f"  check    {whole if problem is None else f'NOT what was sent: it {problem}'}"
    yield ""
    for part in parts:
        if "picture" in part:
            yield f"[picture {part['picture'][:12]}, {part['bytes']} bytes as JPEG]"
        else:  # JSON writes the ends of lines as two signs; for reading they are ends of lines
            lines = part["text"].replace("\\n", "\n").splitlines()
            yield from ("".join(sign if sign.isprintable() else "?" for sign in line) for line in lines)


def _parts(entries: SentLogReader, number: int) -> Iterator[dict[str, Any]]:
    for text, digest, size in entries.parts(number):
        if digest is None:
            yield {"text": text.decode("utf-8", "replace")}
        else:
            yield {"picture": digest, "bytes": size}


def _log(number: int) -> SentLog:
    log = open_existing_sent_log()
    if log is None:
        raise _missing(number)
    return log


def _missing(number: int) -> UsageError:
    return UsageError(f"there is no request {number}", remedy="see: kairos models sent")


def _write(path: Path, pieces: Iterator[bytes] | list[bytes]) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE), "wb") as file:
            file.writelines(pieces)
    except FileExistsError:
        raise UsageError(f"{path} is there already", remedy="give another name") from None
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}", remedy="choose another file") from error


def _new_folder(path: Path) -> None:
    try:
        path.mkdir(mode=PRIVATE_FOLDER, parents=True)
    except FileExistsError:
        raise UsageError(f"{path} is there already", remedy="give another name") from None
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be made: {error.strerror}", remedy="choose another folder") from error
