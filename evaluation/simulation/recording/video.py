"""Sessions with video, one after the other: what is kept is the recorded session and its labels, not a packed file.

A packed session holds no picture and no title, so it cannot be shown to a model that looks. Each filmed session is a
folder: `labels.jsonl`, `about.json` (all that a packed session's head says), and `session/` with the source rows and
the video. What was derived while recording is left out: a replay makes it again, and it is most of the size.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from evaluation.simulation.recording.collect import read_outcome
from evaluation.simulation.recording.labels import write as write_labels
from evaluation.simulation.recording.pack import Head, without_folder
from evaluation.simulation.recording.session import LABELS, OVERTIME, PLAN, SessionSpec
from evaluation.simulation.recording.workers import START_S, Child, SessionFailure, last_line, launch, reject_conflicts
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile, KairosError
from storage.records import is_derived
from storage.session.log import SessionWriter
from storage.transfer.archive import VIDEO

ABOUT, SESSION = "about.json", "session"
_WORK = ".work"
_LOOK_S = 0.5
_GRACE_S = 20.0


@dataclass(slots=True, kw_only=True)
class VideoResult:
    """What there is now, how many of the sessions were there before, and which failed."""

    sessions: list[Head] = field(default_factory=list)
    before: int = 0
    failed: list[SessionFailure] = field(default_factory=list)


def record_videos(
    plans: Sequence[SessionSpec], out: Path, *, report: Callable[[str], None], start: Callable[[Path], Child] = launch
) -> VideoResult:
    """Play those planned sessions that are not in `out` yet, with video, and keep them there.

    Raises:
        UsageError: a session there bears a planned name, but comes from another order.
        BadFile: what is said of a session there cannot be read.
    """
    there = {plan.name: _read(out / plan.name / ABOUT) for plan in plans if (out / plan.name).exists()}
    reject_conflicts(plans, list(there.values()), out)
    done = VideoResult(before=len(there))
    for plan in plans:
        if plan.name in there:
            done.sessions.append(there[plan.name])
            continue
        folder = out / _WORK / plan.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / PLAN).write_bytes(msgspec.json.encode(replace(plan, video=True)))
        report(f"filming {plan.name}, {plan.seconds / 60:.1f} minutes")
        status = _play(start(folder), plan.seconds * OVERTIME + START_S)
        try:
            head = store_recording(plan, folder, out, status, last_line(folder))
        except KairosError as error:
            done.failed.append(SessionFailure(name=plan.name, why=error.what))
            report(f"{plan.name} failed: {error.what} (see {folder})")
            continue
        done.sessions.append(head)
        shutil.rmtree(folder, ignore_errors=True)
        report(f"{plan.name}: {len(head.labels)} labels, late p95 {head.lateness.p95_ms} ms")
    if not any((out / _WORK).glob("*")):
        shutil.rmtree(out / _WORK, ignore_errors=True)
    return done


def store_recording(plan: SessionSpec, folder: Path, out: Path, status: int, said: str) -> Head:
    """Keep what a session's process left in `folder`: all of it appears in `out` at once, or nothing.

    Raises:
        BadFile: nothing usable was recorded; the message says why.
    """
    head, rows, recorded = read_outcome(plan, folder, status, said)
    made = folder / "kept"
    (made / SESSION).mkdir(parents=True)
    writer = SessionWriter(made / SESSION)
    source = [without_folder(row) for row in rows if not is_derived(row)]
    writer.append([replace(row, seq=number) for number, row in enumerate(source, start=1)])
    writer.close()
    for path in sorted(recorded.iterdir()):
        if VIDEO.fullmatch(path.name):
            path.rename(made / SESSION / path.name)
    write_labels(made / LABELS, head.labels)
    head = replace(head, rows=len(source))
    (made / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
    made.rename(out / plan.name)
    return head


def _read(about: Path) -> Head:
    try:
        return msgspec.json.decode(about.read_bytes(), type=Head)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadFile(
            f"{about} does not say what was filmed ({type(error).__name__})",
            remedy="remove its folder to film it again, or give another folder: --out",
        ) from error


def _play(child: Child, limit_s: float) -> int:
    """Wait for a session's process; end it when it hangs or this process is told to end. Return its exit status."""
    clock = SystemClock()
    until_ns = clock.now_ns() + int(limit_s * NS_PER_S)
    try:
        while child.poll() is None and clock.now_ns() < until_ns:
            clock.sleep_s(_LOOK_S)
    finally:
        if child.poll() is None:
            child.terminate()
        until_ns = clock.now_ns() + int(_GRACE_S * NS_PER_S)
        while child.poll() is None:
            if clock.now_ns() > until_ns:
                child.kill()
            clock.sleep_s(_LOOK_S)
    return child.poll() or 0
