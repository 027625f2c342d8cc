"""Reads and verifies what a session's process left behind, however that process ended.

What was recorded and labelled up to the end counts; a session with too little of it is refused, with the reason.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from lab.simulation.recording.labels import Label, read_labels
from lab.simulation.recording.pack import Broken, Entry, Head, lateness_of, write_packed
from lab.simulation.recording.session import LABELS, SCRIPT, SETTINGS, SessionSpec
from storage.errors import BadFile
from storage.records import Record
from storage.session.log import SessionReader, list_sessions
from storage.session.verify import verify

MIN_SHARE = 0.2
"""A session of which less than this was labelled is refused."""


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
