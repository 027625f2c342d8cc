"""A small session of our own, written by the storage layer, and small real videos."""

import stat
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from storage.clock import NS_PER_S
from storage.records import (
    Box,
    EventKind,
    Evidence,
    FeedbackKind,
    Frame,
    InputEvent,
    KeyClass,
    Offer,
    Prefix,
    Record,
    SessionStart,
    State,
)
from storage.testing import SessionBuilder, plain

SCREEN = Box(0, 0, 320, 240)
WALL_NS = 1_790_000_000 * NS_PER_S


SAMPLE: dict[str, Any] = {"settings": {"storage": {"flush_s": 0.5}}, "recording": True}


def start_row(seq: int = 1, session_id: str = "20260921-141320-abcd") -> SessionStart:
    return plain(SessionStart, seq=seq, at_ns=100 * NS_PER_S, session_id=session_id, wall_ns=WALL_NS, **SAMPLE)


def sample(*, ended: bool = True, pictures: int = 3) -> SessionBuilder:
    """Return a session of 10 s with three frames, 7 input events, and one offer that was accepted.

    The first `pictures` of the frames are in its video, or none names a picture.
    """
    session = SessionBuilder(
        app="editor", wall_ns=WALL_NS, begin_ns=100 * NS_PER_S, session_id="20260921-141320-abcd", **SAMPLE
    )
    session.focus("editor", geometry=SCREEN)
    session.at(1).put(InputEvent, key_class=KeyClass.CHARACTER)
    for number in range(3):
        session.at(1 + number)
        seen: dict[str, Any] = {"monitor": "m", "digest": f"f{number}"}
        if pictures > number:
            session.picture(40 * number, (320, 240), **seen)
        else:
            ref = f"screen-000.mp4@{number * 1000}" if pictures else None
            session.put(Frame, size=(320, 240), image_ref=ref, **seen)
    session.at(4).put(InputEvent, kind=EventKind.MOTION, x=5, y=6, count=5)
    session.at(5).put(InputEvent, key_class=KeyClass.UNDO)
    of_work = {"prefix_id": "w1/25", "fraction": 0.25}
    begin_ns = session.begin_ns + NS_PER_S
    session.at(7).put(Prefix, start_ns=begin_ns, slots=(4,), features={"undo": 1.0}, **of_work)
    evidence = (Evidence("undo_bursts", {"count": 3.0, "tries": 2.0, "span_s": 9.0}),)
    even = {state.value: 1 / 9 for state in State}
    session.estimate(0.1234567, state_probs=even, evidence=evidence, **of_work)
    decision = session.decide("worthy", "all", topic="undo_bursts", prefix_ids=("w1/25",))
    session.put(
        Offer, decision_seq=decision.seq, prefix_id="w1/25", topic="undo_bursts", help_need=0.9, evidence=evidence
    )
    session.at(9).answer(FeedbackKind.ACCEPTED)
    return session.at(10).end("quit") if ended else session


def rows() -> list[Record]:
    return sample().rows


def numbered(row: Record, seq: int, at_ns: int) -> Record:
    return replace(row, seq=seq, at_ns=at_ns)


def write_session(base: Path, *, ended: bool = True, pictures: int = 3) -> Path:
    return sample(ended=ended, pictures=pictures).write(base)


def write_video(
    path: Path,
    pictures: list[np.ndarray],
    *,
    container: str = "mp4",
    options: Mapping[str, str] | None = None,
) -> None:
    """Write RGB pictures of shape (h, w, 3) as an ordinary video, as another program would."""
    with av.open(str(path), "w", format=container) as out:
        stream = out.add_stream("libx264", rate=10)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, 10)
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
