"""Sessions with video: the recorded session and its labels are stored, not a packed file.

A packed session holds no picture and no title, so it cannot be shown to a model that looks. Each session with video is
a folder: `labels.jsonl`, `about.json` (all that a packed session's head says), and `session/` with the source rows and
the video. What was derived while recording is left out: a replay makes it again, and it is most of the size.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from lab.simulation.recording.collect import read_outcome
from lab.simulation.recording.labels import write_labels
from lab.simulation.recording.pack import Head, without_folder
from lab.simulation.recording.session import LABELS, SessionSpec
from lab.simulation.recording.workers import Child, RunResult, Workers, launch, reject_conflicts
from storage.errors import BadFile
from storage.records import is_derived
from storage.session.log import SessionWriter
from storage.transfer.archive import VIDEO_NAME

ABOUT, SESSION = "about.json", "session"


class VideoWorkers(Workers[Head]):
    """Stores each session as a folder: all of it appears at once, or nothing."""

    video = True

    def _find(self, specs: Sequence[SessionSpec]) -> Mapping[str, Head]:
        there = {spec.name: _read(self._out / spec.name / ABOUT) for spec in specs if (self._out / spec.name).exists()}
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
            if VIDEO_NAME.fullmatch(path.name):
                path.rename(stored / SESSION / path.name)
        write_labels(stored / LABELS, head.labels)
        head = replace(head, rows=len(source))
        (stored / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
        stored.rename(self._out / spec.name)
        return head

    def _describe(self, stored: Head) -> str:
        return f"{stored.name}: {len(stored.labels)} labels, late p95 {stored.lateness.p95_ms} ms"


def record_videos(
    specs: Sequence[SessionSpec],
    out: Path,
    *,
    report: Callable[[str], None],
    start: Callable[[Path], Child] = launch,
) -> RunResult[Head]:
    """Play those sessions that are not in `out` yet, one after the other, with video, and store them there.

    Raises:
        UsageError: a session there bears a planned name, but comes from another order.
        BadFile: the description of a session there cannot be read.
    """
    return VideoWorkers(out, desktops=1, report=report, start=start).play(specs)


def _read(about: Path) -> Head:
    try:
        return msgspec.json.decode(about.read_bytes(), type=Head)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadFile(
            f"{about} does not say what was filmed ({type(error).__name__})",
            remedy="remove its folder to film it again, or give another folder: --out",
        ) from error
