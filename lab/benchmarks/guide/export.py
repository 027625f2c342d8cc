"""Writes sessions that people labelled (`kairos label`) in the released layout of GUIDE: annotations, videos, a list.

`export_agentnet` writes sessions, labelled or not, in that of AgentNet.

A video is the session's own pictures, copied and not encoded again; one whose size changed within the session is left
out and counted. Of several raters the one with most labels speaks. What is written lies outside the sessions: deleting
a session takes it out there too (`copies`), and the same command again takes away what else was deleted.
"""

import glob
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from lab.benchmarks.guide.agentnet import ADDED, write_recording
from lab.benchmarks.guide.clips import ANNOTATIONS, BEHAVIOR, HELP, INTENT, NARRATED
from lab.benchmarks.guide.layout import LISTED, MARK, VIDEOS, table_of
from lab.benchmarks.guide.layout import Wrong as SessionWrong
from storage.clock import NS_PER_MS, NS_PER_S
from storage.db.connection import is_disk_full
from storage.errors import BadFile, UsageError
from storage.files import create_file, open_regular, write_whole
from storage.plain_text import format_count, print_progress
from storage.records import Focus, Frame, NeedLabel, SegmentLabel, State, TaskMark, task_at
from storage.session.derived import note_copy
from storage.session.labels import read_labels
from storage.session.log import SessionReader, list_sessions
from storage.session.transcript import read_transcript
from storage.session.video import split_ref
from storage.session.video_sandbox import open_pinned
from storage.session.voice import loudness_of, voiced

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
Video = tuple[str, str, str, str]
"""A row of the list: id, file, program, and for how many seconds somebody speaks."""

MAX_SAMPLE = 256 << 20


class _Question(msgspec.Struct, frozen=True):
    kind: str
    session: str
    right: str
    wrong: tuple[str, ...]


class _Sample(msgspec.Struct, frozen=True):
    questions: tuple[_Question, ...]


Wrong = Mapping[tuple[str, str, str], Sequence[str]]
"""Wrong answers by session, kind ("goal" or "help") and right answer."""


def read_wrong(path: Path) -> Wrong:
    """Return the wrong answers of a sample that `kairos bench annotation` drew.

    Raises:
        BadFile: it is none.
    """
    with open_regular(path) as file:
        raw = file.read(MAX_SAMPLE + 1)
    try:
        questions = msgspec.json.decode(raw[:MAX_SAMPLE], type=_Sample).questions
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(f"{path} is no sample of kairos bench annotation") from error
    return {(each.session, each.kind, each.right): each.wrong for each in questions}


def export(base: Path, out: Path, wrong: Wrong = MappingProxyType({})) -> None:
    """Write all labelled sessions of a folder into another one, which is to be empty or a former export; whole or not.

    Sessions that cannot be read, as where a video is missing, are left out and counted. What was deleted since is gone
    from a former export; who deletes a session is told of this one. Right answers that are as they were proposed have
    the `wrong` ones drawn for them.

    Raises:
        UsageError: something else lies there.
        BadFile: no session is labelled and has pictures.
    """
    rows: dict[str, list[Row]] = {BEHAVIOR: [], INTENT: [], HELP: []}
    listed: list[Video] = []
    left_out: Counter[str] = Counter()
    parts: dict[Path, str] = {}
    with _in_place_of(out) as new:
        (new / VIDEOS).mkdir()
        for number, folder in enumerate(list_sessions(base), start=1):
            try:
                before = len(listed)
                of_session = {(kind, right): found for (of, kind, right), found in wrong.items() if of == folder.name}
                _export_one(folder, number, new / VIDEOS, rows, listed, left_out=left_out, wrong=of_session)
                if len(listed) > before:
                    note_copy(folder, out)
                    parts[folder] = listed[-1][0]
            except BadFile:
                left_out["sessions that cannot be read"] += 1
        if not listed:
            raise BadFile(f"{base} holds no labelled session with pictures", remedy="label one: kairos label SESSION")
        _write(new, rows, listed)
    for folder, part in parts.items():
        note_copy(folder, out, part)
    _tell(left_out, f"{format_count(len(listed), 'video')} written to {out}")


def export_agentnet(base: Path, out: Path) -> None:
    """Write all sessions of a folder in the layout of AgentNet, each into a folder of its own, as `export` does.

    Raises:
        UsageError: something else lies there.
        BadFile: no session can be read.
    """
    left_out: Counter[str] = Counter()
    parts: dict[Path, str] = {}
    with _in_place_of(out) as new:
        for number, folder in enumerate(list_sessions(base), start=1):
            target = new / f"recording_{number}"
            try:
                left_out += _write_recording(folder, target)
                note_copy(folder, out)
                parts[folder] = target.name
            except BadFile:
                left_out["sessions that cannot be read"] += 1
        if not parts:
            raise BadFile(f"{base} holds no session that can be read", remedy="see: kairos sessions list")
    for folder, part in parts.items():
        note_copy(folder, out, part)
    _tell(left_out, f"{format_count(len(parts), 'recording')} written to {out}")


def write_anew(copy: Path, part: str, folder: Path, wrong: SessionWrong) -> None:
    """Write a session that has changed into an export out of which its part was taken.

    Raises:
        BadFile: the session cannot be read.
    """
    if not (copy / ANNOTATIONS).is_dir():
        _write_recording(folder, copy / part)
        return
    rows: dict[str, list[Row]] = {BEHAVIOR: [], INTENT: [], HELP: []}
    listed: list[Video] = []
    number = int(part.rpartition("_")[2])
    _export_one(folder, number, copy / VIDEOS, rows, listed, left_out=Counter(), wrong=wrong)
    for video in listed:
        for name, found in rows.items():
            path = copy / ANNOTATIONS / f"{name}.json"
            path_rows = [*json.loads(path.read_bytes()), *found]
            write_whole(path, json.dumps(path_rows, indent=1, ensure_ascii=False).encode())
        path = copy / VIDEOS / LISTED
        write_whole(path, path.read_bytes() + table_of([list(video)]))
        note_copy(folder, copy, video[0])


def _write_recording(folder: Path, target: Path) -> Counter[str]:
    """Write a session in AgentNet's layout; return what was left out.

    Raises:
        BadFile: it cannot be read; nothing of it is there.
    """
    try:
        left_out = write_recording(folder, target)
        files = _recorded(folder)[2]
        if files and not _copy_video(folder, files, target / "video.mp4"):
            left_out["videos in which the size of pictures changed"] += 1
    except BadFile:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return left_out


def _tell(left_out: Counter[str], written: str) -> None:
    for what, count in sorted((+left_out).items()):
        print_progress(f"{count} {what}" if what == ADDED else f"{count} {what} were left out")
    print_progress(written)


@contextmanager
def _in_place_of(out: Path) -> Iterator[Path]:
    """Yield an empty folder that takes the place of one, and of all that a former export wrote there.

    Raises:
        UsageError: what lies there is no export of ours.
    """
    if os.path.lexists(out) and (not out.is_dir() or any(out.iterdir())) and not (out / MARK).is_file():
        raise UsageError(f"{out} is not an empty folder", remedy="name another folder with --export")
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    for stale in out.parent.glob(f".{glob.escape(out.name)}-export-*"):  # left by a kill
        shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-export-", dir=out.parent) as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        yield new
        write_whole(new / MARK, b"kairos\n")
        if out.exists():
            out.rename(Path(scratch) / "old")
        new.rename(out)


def _export_one(
    folder: Path,
    number: int,
    videos: Path,
    rows: Mapping[str, list[Row]],
    listed: list[Video],
    *,
    left_out: Counter[str],
    wrong: SessionWrong,
) -> None:
    """Write the video of a session, and add its labels.

    Raises:
        BadFile: it cannot be read.
    """
    labels = _of_one_rater(read_labels(folder), left_out)
    if not labels:
        return
    app, begin_ns, files, marks = _recorded(folder)
    name = f"{'_'.join(app.split()) or 'unknown'}_{_plain(labels[0].rater)}_Task_{number}"
    if not files:
        left_out["sessions without pictures"] += 1
    elif _copy_video(folder, files, videos / f"{name}.mp4"):
        said = read_transcript(folder)
        spoken = voiced(loudness_of(folder)) if said is None else [(word.start_ns, word.end_ns) for word in said.words]
        spoken_ns = sum(end_ns - start_ns for start_ns, end_ns in spoken)
        listed.append((name, f"{name}.mp4", app, f"{spoken_ns / NS_PER_S:.1f}"))
        for label in labels:
            mark = task_at(marks, label.start_ns)
            task, program = (mark.title, mark.program) if mark is not None else (f"Task {number}", "")
            _add(rows, label, begin_ns, {"video_id": name, "software": program or app, "task": task}, wrong)
    else:
        left_out["sessions in which the size of pictures changed"] += 1


def _of_one_rater(labels: Sequence[SegmentLabel], left_out: Counter[str]) -> list[SegmentLabel]:
    """Return what the rater with most labels has said in full."""
    people = [label for label in labels if not label.proposed]
    told = [label for label in people if not label.dropped]
    said = [label for label in told if label.is_set]
    left_out["labels that nobody has verified"] += len(labels) - len(people)
    left_out["stretches that were dropped"] += len(people) - len(told)
    left_out["labels that do not say both"] += len(told) - len(said)
    if not said:
        return []
    by = Counter(label.rater for label in said).most_common(1)[0][0]
    left_out["labels of other raters"] += sum(label.rater != by for label in said)
    return [label for label in said if label.rater == by]


def _recorded(folder: Path) -> tuple[str, int, dict[str, int], list[TaskMark]]:
    """Return the program in front most often, when the session began, when each video did, in ms, and its tasks."""
    apps: Counter[str] = Counter()
    files: dict[str, int] = {}
    marks: list[TaskMark] = []
    with SessionReader(folder) as reader:
        start = reader.first()
        for row in reader.rows((Focus.KIND, Frame.KIND, TaskMark.KIND)):
            if isinstance(row, TaskMark):
                marks.append(row)
            elif isinstance(row, Focus):
                apps[row.app] += 1
            elif isinstance(row, Frame) and row.image_ref is not None:
                file, ms = split_ref(row.image_ref)
                files.setdefault(file, max(0, (row.at_ns - start.at_ns) // NS_PER_MS - ms))
    app = apps.most_common(1)[0][0] if apps else ""
    return app, start.at_ns, files, marks


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


def _add(
    rows: Mapping[str, list[Row]],
    label: SegmentLabel,
    begin_ns: int,
    video: Row,
    wrong: SessionWrong,
) -> None:
    times = {
        "start_time": round(max(0, label.start_ns - begin_ns) / NS_PER_S, 3),
        "end_time": round((label.end_ns - begin_ns) / NS_PER_S, 3),
    }
    names = [NAMES[state] for state in label.states]
    rows[BEHAVIOR].append({**video, **times, "label": names[0], "labels": names})
    if label.wanted:
        rows[INTENT].append({**video, **times, "intent": label.wanted, **_beside(wrong.get(("goal", label.wanted)))})
    if label.need is not NeedLabel.UNSURE:
        needed = label.need is NeedLabel.YES
        helps: Row = {"help_content": label.would_help} if needed and label.would_help else {}
        helps |= _beside(wrong.get(("help", label.would_help))) if helps else {}
        aim = {"intent": label.wanted} if label.wanted else {}
        rows[HELP].append({**video, **times, "help_needed": needed, **helps, **aim})


def _beside(wrong: Sequence[str] | None) -> Row:
    return {"distractors": list(wrong)} if wrong else {}


def _write(out: Path, rows: Mapping[str, list[Row]], listed: Sequence[Video]) -> None:
    (out / ANNOTATIONS).mkdir()
    for name, found in rows.items():
        write_whole(out / ANNOTATIONS / f"{name}.json", json.dumps(found, indent=1, ensure_ascii=False).encode())
    head = ["video_id", "file_name", "software", NARRATED]
    write_whole(out / VIDEOS / LISTED, table_of([head, *map(list, listed)]))


def _plain(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum()) or "rater"
