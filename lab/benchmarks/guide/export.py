"""Writes sessions that people labelled (`kairos label`) in the released layout of GUIDE: annotations, videos, a list.

A video is the session's own pictures, copied and not encoded again; one whose size changed within the session is left
out and counted. Of several raters the one with most labels speaks. What is written lies outside the sessions: deleting
a session does not change it.
"""

import csv
import io
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lab.benchmarks.guide.clips import ANNOTATIONS, BEHAVIOR, HELP, INTENT
from storage.clock import NS_PER_MS, NS_PER_S
from storage.db.connection import is_disk_full
from storage.errors import BadFile, UsageError
from storage.files import create_file, open_regular, write_whole
from storage.plain_text import format_count, print_progress
from storage.records import Focus, Frame, NeedLabel, SegmentLabel, State
from storage.session.labels import read_labels
from storage.session.log import SessionReader, list_sessions
from storage.session.video import split_ref
from storage.session.video_sandbox import open_pinned

NAMES: Mapping[State, str] = {
    State.TASK_UNDERSTANDING: "Task Understanding and Preparation",
    State.IDEATION: "Ideation and Planning",
    State.EXPLORATION: "Exploration and Decision Making",
    State.PERFORMING_ACTIONS: "Performing Actions",
    State.FRUSTRATION: "Frustration",
    State.DEBUGGING: "Debugging",
    State.SEEKING_EXTERNAL_HELP: "Seeking External Help",
    State.WAITING: "Waiting and Monitoring",
    State.ASSESSMENT: "Assessment",
}
"""States by their names in Table C3."""

Row = dict[str, Any]


def export(base: Path, out: Path) -> None:
    """Write all labelled sessions of a folder into another one, which is to be empty; whole or not at all.

    Sessions that cannot be read, as where a video is missing, are left out and counted.

    Raises:
        UsageError: something lies there already.
        BadFile: no session is labelled and has pictures.
    """
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty", remedy="name another folder with --export")
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[Row]] = {BEHAVIOR: [], INTENT: [], HELP: []}
    listed: list[tuple[str, str, str]] = []
    left_out: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
        new = Path(scratch) / out.name
        (new / "videos").mkdir(parents=True)
        for number, folder in enumerate(list_sessions(base), start=1):
            try:
                _export_one(folder, number, new / "videos", rows, listed, left_out=left_out)
            except BadFile:
                left_out["sessions that cannot be read"] += 1
        if not listed:
            raise BadFile(f"{base} holds no labelled session with pictures", remedy="label one: kairos label SESSION")
        _write(new, rows, listed)
        new.rename(out)
    for what, count in sorted((+left_out).items()):
        print_progress(f"{count} {what} were left out")
    print_progress(f"{format_count(len(listed), 'video')} written to {out}")


def _export_one(
    folder: Path,
    number: int,
    videos: Path,
    rows: Mapping[str, list[Row]],
    listed: list[tuple[str, str, str]],
    *,
    left_out: Counter[str],
) -> None:
    """Write the video of a session, and add its labels.

    Raises:
        BadFile: it cannot be read.
    """
    labels = _of_one_rater(read_labels(folder), left_out)
    if not labels:
        return
    app, begin_ns, files = _recorded(folder)
    name = f"{'_'.join(app.split()) or 'unknown'}_{_plain(labels[0].rater)}_Task_{number}"
    if not files:
        left_out["sessions without pictures"] += 1
    elif _copy_video(folder, files, videos / f"{name}.mp4"):
        listed.append((name, f"{name}.mp4", app))
        for label in labels:
            _add(rows, label, begin_ns, {"video_id": name, "software": app, "task": f"Task {number}"})
    else:
        left_out["sessions in which the size of pictures changed"] += 1


def _of_one_rater(labels: Sequence[SegmentLabel], left_out: Counter[str]) -> list[SegmentLabel]:
    """Return what the rater with most labels has said in full."""
    said = [label for label in labels if label.is_set]
    left_out["labels that do not say both"] += len(labels) - len(said)
    if not said:
        return []
    by = Counter(label.rater for label in said).most_common(1)[0][0]
    left_out["labels of other raters"] += sum(label.rater != by for label in said)
    return [label for label in said if label.rater == by]


def _recorded(folder: Path) -> tuple[str, int, dict[str, int]]:
    """Return the program in front most often, when the session began, and when each video file did, in milliseconds."""
    apps: Counter[str] = Counter()
    files: dict[str, int] = {}
    with SessionReader(folder) as reader:
        start = reader.first()
        for row in reader.rows((Focus.KIND, Frame.KIND)):
            if isinstance(row, Focus):
                apps[row.app] += 1
            elif isinstance(row, Frame) and row.image_ref is not None:
                file, ms = split_ref(row.image_ref)
                files.setdefault(file, max(0, (row.at_ns - start.at_ns) // NS_PER_MS - ms))
    app = apps.most_common(1)[0][0] if apps else ""
    return app, start.at_ns, files


def _copy_video(folder: Path, files: Mapping[str, int], target: Path) -> bool:
    """Copy the pictures of a session into one file, at their times; False where they differ in size.

    Raises:
        BadFile: a video is missing or damaged; nothing is left of the copy.
    """
    from av.error import FFmpegError

    try:
        return _copy_packets(folder, files, target)
    except (BadFile, FFmpegError) as error:
        target.unlink(missing_ok=True)
        if is_disk_full(error):
            raise
        raise BadFile(f"a video of {folder.name} cannot be read") from error


def _copy_packets(folder: Path, files: Mapping[str, int], target: Path) -> bool:
    import av

    with ExitStack() as stack:
        opened = [
            (open_pinned(stack.enter_context(open_regular(folder / file)), file), at_ms)
            for file, at_ms in sorted(files.items(), key=lambda item: item[1])
        ]
        for container, _ in opened:
            stack.callback(container.close)
        streams = [container.streams.video[0] for container, _ in opened]
        if len({(stream.width, stream.height) for stream in streams}) != 1:
            return False
        create_file(target).close()
        out = stack.enter_context(av.open(str(target), "w", format="mp4", options={"video_track_timescale": "1000"}))
        copied = out.add_stream_from_template(streams[0])
        last_ms = -1
        for container, at_ms in opened:
            for packet in container.demux(container.streams.video[0]):
                if packet.pts is None or packet.time_base is None:
                    continue
                last_ms = max(last_ms + 1, at_ms + round(packet.pts * packet.time_base * 1000))
                packet.pts = packet.dts = round(last_ms / 1000 / packet.time_base)
                packet.stream = copied
                out.mux(packet)
    return True


def _add(rows: Mapping[str, list[Row]], label: SegmentLabel, begin_ns: int, video: Row) -> None:
    times = {
        "start_time": round(max(0, label.start_ns - begin_ns) / NS_PER_S, 3),
        "end_time": round((label.end_ns - begin_ns) / NS_PER_S, 3),
    }
    names = [NAMES[state] for state in label.states]
    rows[BEHAVIOR].append({**video, **times, "label": names[0], "labels": names})
    if label.wanted:
        rows[INTENT].append({**video, **times, "intent": label.wanted})
    if label.need is not NeedLabel.UNSURE:
        needed = label.need is NeedLabel.YES
        helps = {"help_content": label.would_help} if needed and label.would_help else {}
        aim = {"intent": label.wanted} if label.wanted else {}
        rows[HELP].append({**video, **times, "help_needed": needed, **helps, **aim})


def _write(out: Path, rows: Mapping[str, list[Row]], listed: Sequence[tuple[str, str, str]]) -> None:
    (out / ANNOTATIONS).mkdir()
    for name, found in rows.items():
        write_whole(out / ANNOTATIONS / f"{name}.json", json.dumps(found, indent=1, ensure_ascii=False).encode())
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(("video_id", "file_name", "software"))
    writer.writerows(listed)
    write_whole(out / "videos" / "video_urls.csv", table.getvalue().encode())


def _plain(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum()) or "rater"
