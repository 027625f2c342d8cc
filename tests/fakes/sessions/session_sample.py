"""A small session of our own, written by the storage layer, and small real videos."""

import stat
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from storage.clock import NS_PER_S
from storage.records import (
    Box,
    Decision,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Offer,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Verdict,
)
from storage.session.log import SessionWriter, create_session
from storage.session.video import Picture, VideoWriter
from tests.fakes.sessions.rows import start

SCREEN = Box(0, 0, 320, 240)
WALL_NS = 1_790_000_000 * NS_PER_S


def start_row(seq: int = 1, session_id: str = "20260921-141320-abcd") -> SessionStart:
    """Return a first row at session time 100 s."""
    return start(
        seq=seq,
        at_ns=100 * NS_PER_S,
        session_id=session_id,
        wall_ns=WALL_NS,
        settings={"storage": {"flush_s": 0.5}},
        detector="evidence",
        policy="default",
    )


def rows(*, ended: bool = True, session_id: str = "20260921-141320-abcd") -> list[Record]:
    """Return a session of 10 s with three pictures, 7 input events, and one offer that was accepted."""

    def at(second: float) -> int:
        return round((100 + second) * NS_PER_S)

    found: list[Record] = [
        start_row(session_id=session_id),
        Focus(t_ns=at(0), app="editor", window=1, title_digest="d", geometry=Box(0, 0, 320, 240)),
        InputEvent(t_ns=at(1), kind=EventKind.KEY, key_class=KeyClass.CHARACTER),
        *(
            Frame(
                t_ns=at(1 + number),
                monitor="m",
                size=(320, 240),
                digest=f"f{number}",
                changed=(Box(0, 0, 64, 32),),
                image_ref=f"screen-000.mp4@{number * 1000}",
            )
            for number in range(3)
        ),
        InputEvent(t_ns=at(4), kind=EventKind.MOTION, x=5, y=6, count=5),
        InputEvent(t_ns=at(5), kind=EventKind.KEY, key_class=KeyClass.UNDO),
        Prefix(
            prefix_id="w1/25",
            window_id=1,
            fraction=0.25,
            start_ns=at(1),
            end_ns=at(7),
            slots=(4,),
            features={"undo": 1.0},
            truncated=False,
            app="editor",
        ),
        Estimate(
            prefix_id="w1/25",
            window_id=1,
            fraction=0.25,
            detector="evidence",
            detector_version="1",
            state_probs={state.value: 1 / 9 for state in State},
            help_need=0.1234567,
            evidence=(Evidence("undo_bursts", {"count": 3.0, "tries": 2.0, "span_s": 9.0}),),
            made_at_ns=at(7),
            ready_at_ns=at(7),
            confidence_source="evidence",
            app="editor",
        ),
        Decision(verdict=Verdict.OFFER, gate="all", reason="worthy", topic="undo_bursts", prefix_ids=("w1/25",)),
        Offer(
            offer_id="o1",
            decision_seq=11,
            prefix_id="w1/25",
            app="editor",
            topic="undo_bursts",
            state=State.FRUSTRATION,
            help_need=0.9,
            evidence=(Evidence("undo_bursts", {"count": 3.0, "tries": 2.0, "span_s": 9.0}),),
            help=None,
            shown_at_ns=at(7),
            expires_at_ns=at(52),
        ),
        Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED),
    ]
    if ended:
        found.append(SessionEnd(reason="quit"))
    seconds = [0, 0, 1, 1, 2, 3, 4, 5, 7, 7, 7, 7, 9, 10]
    timed = zip(found, seconds, strict=False)
    return [numbered(row, number, at(second)) for number, (row, second) in enumerate(timed, start=1)]


def numbered(row: Record, seq: int, at_ns: int) -> Record:
    """Return the row with its place in the log."""
    return replace(row, seq=seq, at_ns=at_ns)


def write_session(base: Path, *, ended: bool = True, pictures: int = 3) -> Path:
    """Record `rows` with a real video of so many pictures (with none, rows name none); return the session's folder."""
    folder = create_session(base, WALL_NS)
    writer = SessionWriter(folder)
    found = rows(ended=ended, session_id=folder.name)
    if not pictures:
        found = [replace(row, image_ref=None) if isinstance(row, Frame) else row for row in found]
    writer.append(found)
    writer.close()
    if pictures:
        video = VideoWriter(folder)
        for number in range(pictures):
            planes = np.full((360, 320), 40 * number, np.uint8)
            ref = f"screen-000.mp4@{number * 1000}"
            video.write(Picture(t_ns=0, ref=ref, planes=planes, width=320, height=240))
        video.close()
    return folder


def write_video(
    path: Path,
    pictures: list[np.ndarray],
    *,
    fps: int = 10,
    container: str = "mp4",
    options: Mapping[str, str] | None = None,
) -> None:
    """Write RGB pictures of shape (h, w, 3) as an ordinary video, as another program would."""
    with av.open(str(path), "w", format=container) as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, fps)
        stream.options = dict(options or {})
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))


def listing(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return everything under a folder: type and permissions, and size and content of files, not of folders."""

    def facts(path: Path) -> tuple[int, int, bytes]:
        found = path.lstat()
        is_plain = stat.S_ISREG(found.st_mode)
        return (
            found.st_mode,
            0 if stat.S_ISDIR(found.st_mode) else found.st_size,
            path.read_bytes() if is_plain else b"",
        )

    return {str(path.relative_to(folder)): facts(path) for path in sorted(folder.rglob("*"))}
