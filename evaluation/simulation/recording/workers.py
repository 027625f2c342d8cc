"""Plays many sessions, some at a time, unattended: each in a child process that takes its desktop down with it.

This process alone writes packed sessions and the manifest. A session that fails costs itself and nothing else and is
named with the reason; one that hangs is ended. However this ends, no child is left: each ends when its parent does.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from evaluation.simulation.recording.collect import collect_packed
from evaluation.simulation.recording.pack import MANIFEST, Entry, Head, Manifest, read_manifest, write_manifest
from evaluation.simulation.recording.session import LABELS, OVERTIME, PLAN, SessionSpec
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, KairosError, UsageError

START_S = 240.0
"""How long a session may take beyond its story: to start everything, and to end it."""

_LOOK_S = 0.2
_GRACE_S = 20.0
_WORK, _LOCK, _MESSAGES = ".work", ".lock", "messages.log"


class Child(Protocol):
    """A session's process; `subprocess.Popen` is one."""

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        ...

    def terminate(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailure:
    """A session that gave nothing, and why."""

    name: str
    why: str


@dataclass(slots=True, kw_only=True)
class Result:
    """What there is now, how many of the sessions were there before, and which failed."""

    sessions: list[Entry] = field(default_factory=list)
    before: int = 0
    failed: list[SessionFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Running:
    plan: SessionSpec
    folder: Path
    child: Child
    until_ns: int


def launch(folder: Path) -> Child:
    """Start the session that is planned in `folder`; its messages go to a file there."""
    with (folder / _MESSAGES).open("wb") as messages:
        return subprocess.Popen(
            [sys.executable, "-m", "evaluation.simulation.recording.session", str(folder), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # an interrupt at the keyboard reaches the parent alone, which ends its children
        )


class Workers:
    """Plays planned sessions into a folder, at most `desktops` at a time."""

    def __init__(
        self,
        out: Path,
        *,
        desktops: int,
        report: Callable[[str], None],
        start: Callable[[Path], Child] = launch,
        collect: Callable[[SessionSpec, Path, Path, int, str], Entry] = collect_packed,
    ) -> None:
        """Prepare; `start` plays what is planned in a folder, `collect` packs what was left there."""
        self._out = out
        self._desktops = desktops
        self._report = report
        self._start = start
        self._collect = collect
        self._clock = SystemClock()
        self._running: list[_Running] = []

    def play(self, plans: Sequence[SessionSpec]) -> Result:
        """Play those sessions that are not there yet.

        Raises:
            BadFile: the folder's manifest, or a file it names, is damaged.
            UsageError: a session of that name is another person's.
        """
        self._manifest = read_manifest(self._out) if (self._out / MANIFEST).exists() else Manifest()
        reject_conflicts(plans, self._manifest.sessions, self._out)
        there = {(entry.name, entry.planned_s): entry for entry in self._manifest.sessions}
        result = Result(sessions=[there[key] for plan in plans if (key := (plan.name, plan.seconds)) in there])
        result.before = len(result.sessions)
        waiting = [plan for plan in plans if (plan.name, plan.seconds) not in there]
        self._report(f"{len(waiting)} sessions to play, {result.before} are there already")
        try:
            while waiting or self._running:
                if waiting and len(self._running) < self._desktops and not self._is_one_starting():
                    self._begin(waiting.pop(0))
                for one in [one for one in self._running if self._is_over(one)]:
                    self._running.remove(one)
                    self._take(one, result)
                    self._report(f"{len(result.sessions) + len(result.failed)} of {len(plans)} sessions done")
                self._clock.sleep_s(_LOOK_S)
        finally:
            for one in self._running:
                one.child.terminate()
            for one in self._running:
                self._wait(one.child)
                shutil.rmtree(one.folder, ignore_errors=True)
            if not any((self._out / _WORK).glob("*")):
                shutil.rmtree(self._out / _WORK, ignore_errors=True)
        return result

    def _begin(self, plan: SessionSpec) -> None:
        folder = self._out / _WORK / plan.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / PLAN).write_bytes(msgspec.json.encode(plan))
        until_ns = self._clock.now_ns() + int((plan.seconds * OVERTIME + START_S) * NS_PER_S)
        self._running.append(_Running(plan, folder, self._start(folder), until_ns))

    def _is_one_starting(self) -> bool:
        """Tell whether a session is still opening its program: two at once would only slow the others' hands."""
        return any(not (one.folder / LABELS).exists() for one in self._running)

    def _is_over(self, one: _Running) -> bool:
        if one.child.poll() is not None:
            return True
        if self._clock.now_ns() < one.until_ns:
            return False
        self._report(f"{one.plan.name} hangs; it is ended")
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

    def _take(self, one: _Running, result: Result) -> None:
        """Pack what a session left; its folder stays only if that was nothing."""
        try:
            entry = self._collect(one.plan, one.folder, self._out, one.child.poll() or 0, last_line(one.folder))
        except KairosError as error:
            result.failed.append(SessionFailure(name=one.plan.name, why=error.what))
            self._report(f"{one.plan.name} failed: {error.what} (see {one.folder})")
            return
        self._manifest = self._manifest.with_entry(entry)
        write_manifest(self._out, self._manifest)
        shutil.rmtree(one.folder, ignore_errors=True)
        result.sessions.append(entry)
        ended = f", ended early: {entry.ended}" if entry.ended else ""
        self._report(
            f"{entry.name}: {entry.labelled_s / 60:.1f} min labelled, {entry.broken} broken, "
            f"late p95 {entry.late_p95_ms} ms, {entry.bytes / 1000:.0f} kB{ended}"
        )


@contextmanager
def folder_lock(out: Path) -> Iterator[None]:
    """Keep every other simulation out of a folder.

    Raises:
        EnvironmentFault: one is under way there.
    """
    with (out / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise EnvironmentFault(
                f"another simulation writes to {out}", remedy="wait for it, or give another folder: --out"
            ) from None
        try:
            yield
        finally:
            (out / _LOCK).unlink(missing_ok=True)


def reject_conflicts(plans: Sequence[SessionSpec], entries: Sequence[Entry | Head], out: Path) -> None:
    """Refuse to take, or to write over, sessions that bear the planned names but come from another order.

    Raises:
        UsageError: there is one.
    """
    there = {entry.name: entry for entry in entries}
    for plan in plans:
        entry = there.get(plan.name)
        if entry is not None and (entry.person, entry.seed) != (plan.person, plan.seed):
            raise UsageError(
                f"{out} holds another {plan.name}: by person {entry.person} with seed {entry.seed}, "
                f"not by person {plan.person} with seed {plan.seed}",
                remedy="give the same --people as before, or another --seed or --out",
            )


def last_line(folder: Path) -> str:
    """Return the last line that a session's process wrote."""
    path = folder / _MESSAGES
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return lines[-1] if lines else "it said nothing"
