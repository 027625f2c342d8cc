"""Plays many sessions, some at a time, unattended: each in a child process that takes its desktop down with it.

This process alone writes what is stored of them. A session that fails costs itself and nothing else and is named with
the reason; one that hangs is ended. However this ends, no child is left: each ends when its parent does.

A session without video becomes one packed file. With video it is a folder, since a packed session holds no picture and
no title: `labels.jsonl`, `about.json` (all that a packed session's head says), and `session/` with the source rows and
the video. What was derived while recording is left out: a replay makes it again, and it is most of the size. What was
recorded and labelled up to the end counts, however a session's process ended; one with too little of it is refused.
"""

import json
import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from lab.simulation.recording.labels import Label, read_labels, write_labels
from lab.simulation.recording.pack import (
    MANIFEST,
    Broken,
    Entry,
    Head,
    Manifest,
    lateness_of,
    read_manifest,
    without_folder,
    write_manifest,
    write_packed,
)
from lab.simulation.recording.session import LABELS, OVERTIME, PLAN, SCRIPT, SETTINGS, SessionSpec
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from storage.files import hold_lock
from storage.records import Record, is_derived
from storage.session.log import SessionReader, SessionWriter, list_sessions
from storage.session.transfer.archive import MEDIA_NAME
from storage.session.verify import verify

START_S = 240.0
"""How long a session may take beyond its story: to start everything, and to end it."""

ABOUT, SESSION = "about.json", "session"
"""What is in the folder of a session with video, beside its labels."""

MIN_SHARE = 0.2
"""A session of which less than this was labelled is refused."""

Stored = TypeVar("Stored")

_LOOK_S = 0.2
_GRACE_S = 20.0
_WORK, _LOCK, _MESSAGES = ".work", ".lock", "messages.log"


class Child(Protocol):
    """A session's process; `subprocess.Popen` is one."""

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailure:
    """A session that gave nothing, and why."""

    name: str
    why: str


@dataclass(slots=True, kw_only=True)
class RunResult(Generic[Stored]):
    """What there is now, how many of the sessions were there before, and which failed."""

    sessions: list[Stored] = field(default_factory=list)
    before: int = 0
    failed: list[SessionFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Running:
    spec: SessionSpec
    folder: Path
    child: Child
    until_ns: int


def launch(folder: Path) -> Child:
    """Start the session that is planned in `folder`; its messages go to a file there."""
    with (folder / _MESSAGES).open("wb") as messages:
        return subprocess.Popen(
            [sys.executable, "-m", "lab.simulation.recording.session", str(folder), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # an interrupt at the keyboard reaches the parent alone, which ends its children
        )


def collect_packed(spec: SessionSpec, folder: Path, out: Path, status: int, message: str) -> Entry:
    """Pack the session that was played in `folder` into `out`, and return its entry.

    Raises:
        BadFile: nothing usable was recorded; the message says why.
    """
    head, rows, _ = read_outcome(spec, folder, status, message)
    return write_packed(out, head, rows)


def read_outcome(spec: SessionSpec, folder: Path, status: int, message: str) -> tuple[Head, list[Record], Path]:
    """Return the head of the session that was played in `folder`, its rows, and where it was recorded.

    Args:
        spec: what was to be played.
        folder: where its process worked.
        status: the exit status of its process.
        message: the last line that process wrote; tells why a session ended early.

    Raises:
        BadFile: nothing usable was recorded; the message says why.
    """
    lines = list(script_lines(folder / SCRIPT))
    program = next((line for line in lines if line["kind"] == "program"), {})
    end = next((line for line in lines if line["kind"] == "end"), None)
    ended = f"its process ended with status {status}: {message}" if end is None else end["why"]
    recorded = _longest(folder / "sessions", ended)
    with SessionReader(recorded) as reader:
        rows = list(reader)
    labels = [label for label in _labels(folder) if rows[0].at_ns <= label.start_ns and label.end_ns <= rows[-1].at_ns]
    labelled_s = sum(label.end_ns - label.start_ns for label in labels) / 1e9
    if labelled_s < MIN_SHARE * spec.seconds:
        raise BadFile(f"only {labelled_s:.0f} of {spec.seconds:.0f} s were labelled: {ended or 'behaviors broke'}")
    head = Head(
        name=spec.name,
        seed=spec.seed,
        person=spec.person,
        program=spec.program,
        split=spec.split,
        planned_s=spec.seconds,
        ended=ended,
        settings=SETTINGS,
        versions=program.get("versions", {}),
        lateness=lateness_of(lines),
        broken=tuple(_broken(lines)),
        labels=tuple(labels),
        catalogue=program.get("catalogue"),
    )
    return head, rows, recorded


def script_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a script's log; the last one may have been cut off, and there may be none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in takewhile(lambda line: line.endswith("\n"), text.splitlines(keepends=True)):
        yield json.loads(line)


def _broken(lines: Sequence[Mapping[str, Any]]) -> Iterator[Broken]:
    for line in lines:
        if line["kind"] == "broken":
            yield Broken(behavior=line["name"], at_ns=line["t_ns"], why=line["why"])


def _labels(folder: Path) -> list[Label]:
    path = folder / LABELS
    return read_labels(path) if path.exists() else []


def _longest(sessions: Path, ended: str | None) -> Path:
    """Return the longest sound session (at midnight Kairos cuts one in two)."""
    reports = {folder: verify(folder) for folder in list_sessions(sessions)}
    sound = {folder: report.duration_s for folder, report in reports.items() if report.ok}
    if not sound:
        problems = [problem for report in reports.values() for problem in report.problems]
        raise BadFile(f"no sound session was recorded: {'; '.join(problems) or ended}")
    return max(sound, key=lambda folder: sound[folder])


class Workers(ABC, Generic[Stored]):
    """Plays sessions into a folder, at most `desktops` at a time, and stores what comes of them."""

    video = False

    def __init__(
        self,
        out: Path,
        *,
        desktops: int,
        report: Callable[[str], None],
        start: Callable[[Path], Child] = launch,
    ) -> None:
        """Prepare; `start` plays what is planned in a folder, `report` is called with each step of progress."""
        self._out = out
        self._desktops = desktops
        self._report = report
        self._start = start
        self._clock = SystemClock()
        self._running: list[_Running] = []

    @abstractmethod
    def _find(self, specs: Sequence[SessionSpec]) -> Mapping[str, Stored]:
        """Return those of the sessions that are stored already, by name."""

    @abstractmethod
    def _store(self, spec: SessionSpec, folder: Path, status: int, message: str) -> Stored:
        """Store what a session's process left in `folder`, given its exit status and last message."""

    @abstractmethod
    def _describe(self, stored: Stored) -> str:
        """Return one line about a session that was just stored."""

    def play(self, specs: Sequence[SessionSpec]) -> RunResult[Stored]:
        """Play those sessions that are not there yet.

        Raises:
            BadFile: what the folder says of its sessions, or a file it names, is damaged.
            UsageError: a session of that name is another person's.
        """
        there = self._find(specs)
        result = RunResult(sessions=[there[spec.name] for spec in specs if spec.name in there])
        result.before = len(result.sessions)
        waiting = [spec for spec in specs if spec.name not in there]
        self._report(f"{len(waiting)} sessions to play, {result.before} are there already")
        try:
            while waiting or self._running:
                if waiting and len(self._running) < self._desktops and not self._is_one_starting():
                    self._begin(waiting.pop(0))
                for ended in [running for running in self._running if self._is_over(running)]:
                    self._running.remove(ended)
                    self._take(ended, result)
                    self._report(f"{len(result.sessions) + len(result.failed)} of {len(specs)} sessions done")
                self._clock.sleep_s(_LOOK_S)
        finally:
            for running in self._running:
                running.child.terminate()
            for running in self._running:
                self._wait(running.child)
                shutil.rmtree(running.folder, ignore_errors=True)
            if not any((self._out / _WORK).glob("*")):
                shutil.rmtree(self._out / _WORK, ignore_errors=True)
        return result

    def _begin(self, spec: SessionSpec) -> None:
        folder = self._out / _WORK / spec.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / PLAN).write_bytes(msgspec.json.encode(replace(spec, video=self.video)))
        until_ns = self._clock.now_ns() + int((spec.seconds * OVERTIME + START_S) * NS_PER_S)
        self._running.append(_Running(spec, folder, self._start(folder), until_ns))

    def _is_one_starting(self) -> bool:
        """Return whether a session is still opening its program: two at once would only slow the others' hands."""
        return any(not (running.folder / LABELS).exists() for running in self._running)

    def _is_over(self, one: _Running) -> bool:
        if one.child.poll() is not None:
            return True
        if self._clock.now_ns() < one.until_ns:
            return False
        self._report(f"{one.spec.name} hangs; it is ended")
        one.child.terminate()
        self._wait(one.child)
        return True

    def _wait(self, child: Child) -> None:
        """Wait until a child that was asked to end has ended; insist if it does not."""
        deadline_ns = self._clock.now_ns() + int(_GRACE_S * NS_PER_S)
        while child.poll() is None:
            if self._clock.now_ns() > deadline_ns:
                child.kill()
            self._clock.sleep_s(_LOOK_S)

    def _take(self, one: _Running, result: RunResult[Stored]) -> None:
        """Store what a session left; its folder stays only if that was nothing."""
        try:
            stored = self._store(one.spec, one.folder, one.child.poll() or 0, last_message(one.folder))
        except KairosError as error:
            result.failed.append(SessionFailure(name=one.spec.name, why=error.what))
            self._report(f"{one.spec.name} failed: {error.what} (see {one.folder})")
            return
        shutil.rmtree(one.folder, ignore_errors=True)
        result.sessions.append(stored)
        self._report(self._describe(stored))


class PackedWorkers(Workers[Entry]):
    """Stores each session as one packed file, listed in the folder's manifest."""

    def __init__(
        self,
        out: Path,
        *,
        desktops: int,
        report: Callable[[str], None],
        start: Callable[[Path], Child] = launch,
        collect: Callable[[SessionSpec, Path, Path, int, str], Entry] = collect_packed,
    ) -> None:
        """Prepare; `collect` packs what was left in a folder."""
        super().__init__(out, desktops=desktops, report=report, start=start)
        self._collect = collect

    def _find(self, specs: Sequence[SessionSpec]) -> Mapping[str, Entry]:
        self._manifest = read_manifest(self._out) if (self._out / MANIFEST).exists() else Manifest()
        reject_conflicts(specs, self._manifest.sessions, self._out)
        lengths = {spec.name: spec.seconds for spec in specs}
        return {entry.name: entry for entry in self._manifest.sessions if lengths.get(entry.name) == entry.planned_s}

    def _store(self, spec: SessionSpec, folder: Path, status: int, message: str) -> Entry:
        entry = self._collect(spec, folder, self._out, status, message)
        self._manifest = self._manifest.with_entry(entry)
        write_manifest(self._out, self._manifest)
        return entry

    def _describe(self, stored: Entry) -> str:
        ended = f", ended early: {stored.ended}" if stored.ended else ""
        return (
            f"{stored.name}: {stored.labelled_s / 60:.1f} min labelled, {stored.broken} broken, "
            f"late p95 {stored.late_p95_ms} ms, {stored.bytes / 1000:.0f} kB{ended}"
        )


class VideoWorkers(Workers[Head]):
    """Stores each session as a folder: all of it appears at once, or nothing."""

    video = True

    def _find(self, specs: Sequence[SessionSpec]) -> Mapping[str, Head]:
        there = {
            spec.name: _read_about(self._out / spec.name / ABOUT) for spec in specs if (self._out / spec.name).exists()
        }
        reject_conflicts(specs, list(there.values()), self._out)
        return there

    def _store(self, spec: SessionSpec, folder: Path, status: int, message: str) -> Head:
        head, rows, recorded = read_outcome(spec, folder, status, message)
        stored = folder / "stored"
        (stored / SESSION).mkdir(parents=True)
        writer = SessionWriter(stored / SESSION)
        source = [without_folder(row) for row in rows if not is_derived(row)]
        writer.append([replace(row, seq=number) for number, row in enumerate(source, start=1)])
        writer.close()
        for path in sorted(recorded.iterdir()):
            if MEDIA_NAME.fullmatch(path.name):
                path.rename(stored / SESSION / path.name)
        write_labels(stored / LABELS, head.labels)
        head = replace(head, rows=len(source))
        (stored / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
        stored.rename(self._out / spec.name)
        return head

    def _describe(self, stored: Head) -> str:
        return f"{stored.name}: {len(stored.labels)} labels, late p95 {stored.lateness.p95_ms} ms"


@contextmanager
def folder_lock(out: Path) -> Iterator[None]:
    """Keep every other simulation out of a folder.

    Raises:
        EnvironmentFault: one is under way there.
    """
    with hold_lock(out / _LOCK) as held:
        if held is None:
            raise EnvironmentFault(
                f"another simulation writes to {out}", remedy="wait for it, or give another folder: --out"
            )
        try:
            yield
        finally:
            (out / _LOCK).unlink(missing_ok=True)


def reject_conflicts(specs: Sequence[SessionSpec], entries: Sequence[Entry | Head], out: Path) -> None:
    """Refuse to take, or to write over, sessions that bear the planned names but come from another order.

    Raises:
        UsageError: there is one.
    """
    there = {entry.name: entry for entry in entries}
    for spec in specs:
        entry = there.get(spec.name)
        if entry is not None and (entry.person, entry.seed) != (spec.person, spec.seed):
            raise UsageError(
                f"{out} holds another {spec.name}: by person {entry.person} with seed {entry.seed}, "
                f"not by person {spec.person} with seed {spec.seed}",
                remedy="give the same --people as before, or another --seed or --out",
            )


def last_message(folder: Path) -> str:
    """Return the last line that a session's process wrote."""
    path = folder / _MESSAGES
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return lines[-1] if lines else "it said nothing"


def _read_about(about: Path) -> Head:
    try:
        return msgspec.json.decode(about.read_bytes(), type=Head)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadFile(
            f"{about} does not say what was filmed ({type(error).__name__})",
            remedy="remove its folder to film it again, or give another folder: --out",
        ) from error
