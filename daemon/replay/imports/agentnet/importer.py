"""Imports a recording of AgentNet, or of its predecessor DuckTrack, as a session that replays like one of ours.

The folder holds `events.jsonl` (required), `metadata.json`, `task_name.json`, `top_window.jsonl`, `a11y.jsonl`,
`element.jsonl` and one video. Its clocks and coordinates are converted to session time and pixels of the stated screen
size. Key names, window titles and values of controls are not imported. Lines are read one by one and sorted on disk,
never all held in memory.
"""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from daemon.replay.imports.agentnet.input import (
    EventLine,
    InputReader,
    PointerExtent,
    Timeline,
    UnreadableLines,
    decode_lines,
    scaled,
)
from daemon.replay.imports.agentnet.scene import read_elements, read_focus
from daemon.replay.imports.agentnet.spool import RecordSpool
from daemon.replay.imports.derive import derive_rows
from daemon.replay.imports.video_frames import VideoScan, scan_video
from storage.clock import NS_PER_MS, NS_PER_S
from storage.errors import BadFile
from storage.files import decode_text, list_entries, open_regular, read_lines
from storage.plain_text import visible_line
from storage.records import Box, Elements, Focus, Frame, Record, TaskMark, TaskStep
from storage.session.log import MAX_WALL_NS
from storage.session.transfer.archive import staging_folder
from storage.session.transfer.import_session import reserved_folder, write_rows
from storage.settings import Settings

logger = logging.getLogger(__name__)

EVENTS = "events.jsonl"
METADATA = "metadata.json"
TASK = "task_name.json"
VIDEO_ENDINGS = {".mp4", ".mkv", ".mov", ".m4v"}
MONITOR = "imported"

MAX_METADATA_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 16
MAX_TREE_BYTES = 16 << 20
MAX_FILES = 1_000
MAX_LINES = 20_000_000
MAX_TASK_MARKS, TITLE_LIMIT = 1_000, 200
MAX_SIDE = 16_384
FACTORS = (1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 3.5, 4.0)
"""Scale factors that desktops use."""

MIN_POSITIONS = 200
"""Fewer positions of the pointer tell nothing about parts of a recording."""

SLACK = 1.02
"""A pointer may be reported a little beyond the edge."""

_SCENE, _FRAMES, _INPUT = range(3)
"""Groups of records of one time, in their order."""


class Metadata(msgspec.Struct):
    """The fields of `metadata.json` that are used; older recordings lack some of them."""

    screen_width: float | None = None
    screen_height: float | None = None
    video_start_timestamp: float | None = None
    scroll_direction: float | str | None = None
    system: str | None = None
    start_time: str | None = None
    obs_record_state_timings: dict[str, list[float]] | None = None


class TaskStamp(msgspec.Struct):
    """When a task began or ended, in recordings that Kairos wrote; their clock is that of the events."""

    time_stamp: float
    step: TaskStep
    task_name: str
    code: str = ""
    software: str = ""
    skill: int = 0


class TaskFile(msgspec.Struct):
    """The fields of `task_name.json` that are used: what the person was asked to do."""

    task_name: str = ""
    kairos_tasks: list[TaskStamp] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecording:
    """The new session's folder, and what could not be imported."""

    folder: Path
    problems: tuple[str, ...]


def import_recording(folder: Path, sessions_dir: Path, settings: Settings) -> ImportedRecording:
    """Import a recording.

    Raises:
        BadFile: there are no events, or a file is not what its name says.
        EnvironmentFault: the session cannot be written.
    """
    problems: list[str] = []
    metadata = _metadata(folder, problems)
    timeline = _timeline(folder, metadata, problems)
    wall_ns = _wall_ns(folder, metadata)
    with (
        staging_folder(sessions_dir) as staging,
        reserved_folder(sessions_dir, wall_ns) as target,
        RecordSpool(staging / "spool.db") as spool,
    ):
        new = staging / "new"
        new.mkdir(mode=0o700)
        reader = _read_input(folder, metadata, timeline, spool, problems)
        video = _scan_video(folder, new, settings, problems)
        screen = _screen(metadata, reader.extent, video, problems)
        factor = _factor(screen, reader.extent, video, problems)
        spool.add(_SCENE, _scene(folder, timeline, screen, factor, named=video is not None, problems=problems))
        spool.add(_SCENE, _tasks(folder, timeline, problems))
        spool.add(_FRAMES, _frames(video, timeline, reader.pauses, screen))
        sources = ((t_ns, scaled(record, factor)) for t_ns, record in spool.read())
        rows = derive_rows(
            _with_apps(sources),
            settings=settings,
            session_id=target.name,
            wall_ns=wall_ns,
            end_ns=timeline.of_video(video.end_ms * NS_PER_MS, reader.pauses) if video is not None else 0,
            recording=video is not None,
            imported_from=visible_line(f"AgentNet recording {folder.name}")[:200],
            pictures=new,
        )
        write_rows(rows, new)
        new.rename(target)  # onto the empty folder, in one step
        return ImportedRecording(folder=target, problems=tuple(problems))


def _metadata(folder: Path, problems: list[str]) -> Metadata:
    path = folder / METADATA
    if not path.exists():
        problems.append(f"{METADATA} is missing: screen size and start are taken from the events")
        return Metadata()
    with open_regular(path) as file:
        raw = file.read(MAX_METADATA_BYTES + 1)
    if len(raw) > MAX_METADATA_BYTES:
        raise BadFile(f"{path} is too large to be what its name says")
    try:
        plain: Any = msgspec.json.decode(decode_text(raw))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from error
    if not isinstance(plain, dict):
        raise BadFile(f"{path} is not a table of facts")
    fields: dict[str, Any] = {}
    for name in Metadata.__struct_fields__:
        try:
            fields[name] = getattr(msgspec.convert({name: plain.get(name)}, Metadata), name)
        except msgspec.ValidationError:
            problems.append(f"{METADATA}: {name} makes no sense and is left out")
    return Metadata(**fields)


def _timeline(folder: Path, metadata: Metadata, problems: list[str]) -> Timeline:
    """Find when the video began on the recorder's clock, and how much earlier the first event came."""
    unreadable = UnreadableLines(EVENTS)
    first = [line.time_stamp for _, line in islice(_event_lines(folder, unreadable), 1)]
    if not first and unreadable.problems():
        raise BadFile(f"no line of {folder / EVENTS} could be read", remedy="check that each is an event in JSON")
    started = (metadata.obs_record_state_timings or {}).get("OBS_WEBSOCKET_OUTPUT_STARTED") or []
    for base_s in (metadata.video_start_timestamp, *started[:1]):
        if base_s is not None and math.isfinite(base_s):
            timeline = Timeline(base_s=base_s)
            if not first or timeline.of_clock(first[0]) is not None:
                before_s = max(0.0, base_s - first[0]) if first else 0.0
                return replace(timeline, before_ns=round(before_s * NS_PER_S))
            problems.append(f"{METADATA}: the start of the video and the events are more than a week apart")
    if not first:
        raise BadFile(f"{folder / EVENTS} holds no events")
    problems.append("nothing tells when the video began; it is taken to begin with the first event")
    return Timeline(base_s=first[0])


def _read_input(
    folder: Path, metadata: Metadata, timeline: Timeline, spool: RecordSpool, problems: list[str]
) -> InputReader:
    """Write the input to the spool; return the reader, which knows how far the pointer went, and the pauses."""
    unreadable = UnreadableLines(EVENTS)
    mac = (metadata.system or "").lower() in {"darwin", "macos"}
    reader = InputReader(timeline=timeline, scroll=_scroll_sign(metadata), mac=mac, unreadable=unreadable)
    spool.add(_INPUT, reader.read(_event_lines(folder, unreadable)))
    problems.extend(unreadable.problems())
    return reader


def _scroll_sign(metadata: Metadata) -> int:
    """Return -1 where the metadata state "natural" scrolling, else 1."""
    direction = metadata.scroll_direction
    if isinstance(direction, str):
        return -1 if direction.strip().lower() in {"natural", "reverse", "reversed", "-1"} else 1
    return -1 if direction is not None and direction < 0 else 1


def _lines(path: Path, longest: int) -> Iterator[bytes]:
    return islice(read_lines(path, longest=longest), MAX_LINES)


def _event_lines(folder: Path, unreadable: UnreadableLines) -> Iterator[tuple[int, EventLine]]:
    return decode_lines(_lines(folder / EVENTS, MAX_LINE_BYTES), EventLine, unreadable)


def _scan_video(folder: Path, new: Path, settings: Settings, problems: list[str]) -> VideoScan | None:
    found = [path for path in list_entries(folder, most=MAX_FILES) if path.suffix.lower() in VIDEO_ENDINGS]
    if not found:
        problems.append("there is no video: the session has no frames")
        return None
    if len(found) > 1:
        problems.append(f"there are {len(found)} videos; {found[0].name} is used")
    logger.info("looking through %s", found[0].name)
    seen = scan_video(
        found[0],
        new,
        store_width=settings.capture.store_width,
        video_file_s=settings.storage.video_file_s,
    )
    if seen.cut:
        problems.append(f"{found[0].name} is damaged or too long; it is used as far as it goes")
    return seen


# ---------------------------------------------------------------- screen and scale


def _screen(metadata: Metadata, extent: PointerExtent, video: VideoScan | None, problems: list[str]) -> Box:
    """Return the stated screen, else one as large as the video, else as large as the pointer's positions."""
    width, height = metadata.screen_width, metadata.screen_height
    if width is not None and height is not None and 1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE:
        return Box(0, 0, round(width), round(height))
    problems.append("nothing tells how large the screen was; the video or the pointer does")
    if video is not None:
        return Box(0, 0, video.width, video.height)
    return Box(0, 0, max(1, math.ceil(extent.x) + 1), max(1, math.ceil(extent.y) + 1))


def _factor(screen: Box, extent: PointerExtent, video: VideoScan | None, problems: list[str]) -> float:
    """Return the divisor that makes positions fit the screen; 1 unless they exceed it.

    A video larger than the stated screen has the true number of pixels; else it is the smallest usual scale factor that
    makes all positions fit. Positions that exceed it at one end of the recording alone are no matter of scale.
    """
    needed = max(extent.x / screen.w, extent.y / screen.h)
    if needed <= SLACK:
        return 1.0
    if not _exceeds_throughout(screen, extent):
        problems.append(
            "positions exceed the stated screen in a part of the recording alone: its resolution changed, or there "
            "was another monitor; they were left as they are"
        )
        return 1.0
    factor = next((factor for factor in FACTORS if factor * SLACK >= needed), 1.0)
    if video is not None:
        across, down = video.width / screen.w, video.height / screen.h
        if math.isclose(across, down, rel_tol=SLACK - 1) and across * SLACK >= needed:
            factor = across
    if factor != 1:
        problems.append(f"positions are {factor:g} times the stated screen size (high DPI) and were divided by that")
    return factor


def _exceeds_throughout(screen: Box, extent: PointerExtent) -> bool:
    """Return whether positions exceed the screen in the first and in the last quarter, or are too few to tell."""
    beyond = [x > screen.w * SLACK or y > screen.h * SLACK for x, y in extent.parts]
    quarter = len(beyond) // 4
    return extent.positions < MIN_POSITIONS or (any(beyond[:quarter]) and any(beyond[-quarter:]))


# ---------------------------------------------------------------- frames and scene


def _frames(
    video: VideoScan | None, timeline: Timeline, pauses: Sequence[tuple[int, int]], screen: Box
) -> Iterator[tuple[int, Record]]:
    """Yield the video's changes as frames of the screen; boxes are widened to whole pixels."""
    if video is None:
        return
    across, down = screen.w / video.width, screen.h / video.height
    for seen in video.frames:
        t_ns = timeline.of_video(seen.ms * NS_PER_MS, pauses)
        yield (
            t_ns,
            Frame(
                t_ns=t_ns,
                monitor=MONITOR,
                size=(screen.w, screen.h),
                digest=seen.digest,
                changed=tuple(_scaled_box(box, across, down) for box in seen.boxes),
                image_ref=seen.ref,
            ),
        )


def _scaled_box(box: Sequence[int], across: float, down: float) -> Box:
    x, y, w, h = box
    left, top = math.floor(x * across), math.floor(y * down)
    return Box(left, top, math.ceil((x + w) * across) - left, math.ceil((y + h) * down) - top)


def _scene(
    folder: Path, timeline: Timeline, screen: Box, factor: float, *, named: bool, problems: list[str]
) -> Iterator[tuple[int, Record]]:
    """Yield changes of the focused application, and visible controls; either file may be missing."""
    focus = partial(read_focus, timeline=timeline, screen=screen)
    elements = partial(read_elements, timeline=timeline, screen=screen, factor=factor, named=named)
    for name, longest, read in (
        ("top_window.jsonl", MAX_LINE_BYTES, focus),
        ("a11y.jsonl", MAX_TREE_BYTES, elements),
        ("element.jsonl", MAX_TREE_BYTES, elements),
    ):
        if (path := folder / name).exists():
            unreadable = UnreadableLines(name)
            yield from ((row.t_ns, row) for row in read(_lines(path, longest), unreadable=unreadable))
            problems.extend(unreadable.problems())


def _tasks(folder: Path, timeline: Timeline, problems: list[str]) -> Iterator[tuple[int, Record]]:
    """Yield when tasks began and ended; one that only has a name is under way throughout."""
    if not (path := folder / TASK).exists():
        return
    with open_regular(path) as file:
        raw = file.read(MAX_METADATA_BYTES + 1)
    try:
        found = msgspec.json.decode(decode_text(raw[:MAX_METADATA_BYTES]), type=TaskFile)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        problems.append(f"{TASK} cannot be read")
        return
    stamps = found.kairos_tasks[:MAX_TASK_MARKS]
    if not stamps and found.task_name:
        stamps = [TaskStamp(time_stamp=timeline.base_s, step=TaskStep.BEGUN, task_name=found.task_name)]
    for stamp in stamps:
        t_ns = timeline.of_clock(stamp.time_stamp)
        if t_ns is not None:
            title, program, code = (
                visible_line(text)[:TITLE_LIMIT] for text in (stamp.task_name, stamp.software, stamp.code)
            )
            yield t_ns, TaskMark(code=code, step=stamp.step, title=title, program=program, skill=stamp.skill)


def _with_apps(sources: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
    """Set the application of controls: the one that had the focus at that time."""
    app = ""
    for t_ns, record in sources:
        if isinstance(record, Focus):
            app = record.app
        yield t_ns, replace(record, app=app) if isinstance(record, Elements) else record


def _wall_ns(folder: Path, metadata: Metadata) -> int:
    """Return the wall-clock start: as stated (local time, in seconds), else when the events file was written."""
    try:
        began_s = datetime.strptime(metadata.start_time or "", "%Y-%m-%d %H:%M:%S").astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        began_s = (folder / EVENTS).stat().st_mtime
    return min(max(0, round(began_s * NS_PER_S)), MAX_WALL_NS - 1)
