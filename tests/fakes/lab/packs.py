"""Rows, labels and heads for the tests of packed sessions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Entry, Head, Lateness, write_packed
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    Decision,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Tick,
    Verdict,
)
from tests.fakes.sessions import rows as sample

DIGESTS = ("c0ffee", "beef", "c0ffee", "f00d")


def start(*, recording: bool = False) -> SessionStart:
    """Return a first row that was recorded somewhere."""
    return sample.start(
        recording=recording, settings={"storage": {"sessions_dir": "/home/somebody", "flush_s": 0.5}}, at_ns=NS_PER_S
    )


def session() -> list[Record]:
    """Return a short session with rows of both sorts."""
    rows: list[Record] = [start()]
    for number, digest in enumerate(DIGESTS):
        t_ns = (2 + number) * NS_PER_S
        rows += [
            Focus(t_ns=t_ns, app="Mousepad", window=1, title_digest=digest[:2], geometry=Box(0, 0, 9, 9)),
            InputEvent(t_ns=t_ns, kind=EventKind.KEY, key_class=KeyClass.CHARACTER),
            Frame(t_ns=t_ns, monitor="screen", size=(1920, 1080), digest=digest, changed=(Box(1, 2, 3, 4),)),
            Tick(),
            Decision(verdict=Verdict.HOLD, gate="evidence", reason="too_little"),
        ]
    rows.append(SessionEnd(reason="stop"))
    times = [NS_PER_S, *[(2 + number // 5) * NS_PER_S for number in range(len(rows) - 2)], 60 * NS_PER_S]
    return [replace(row, seq=seq, at_ns=at_ns) for seq, (row, at_ns) in enumerate(zip(rows, times, strict=True), 1)]


def label(start_s: float, end_s: float, *, need_s: float | None = None) -> Label:
    """Return a label."""
    return Label(
        behavior="rage_clicks",
        state=State.FRUSTRATION,
        start_ns=int(start_s * NS_PER_S),
        end_ns=int(end_s * NS_PER_S),
        need_from_ns=None if need_s is None else int(need_s * NS_PER_S),
        hard_negative=False,
        held_out=False,
        program="mousepad",
        intent="make it work",
        help=None,
    )


def head(name: str = "train-1-0000-mousepad", *labels: Label) -> Head:
    """Return a head with labels."""
    return Head(
        name=name,
        seed="1-0",
        person=4,
        program="mousepad",
        split=Split.TRAIN,
        planned_s=60.0,
        ended=None,
        settings={"fence.cover_unknown_browsers": "false"},
        versions={"mousepad": "0.6.1-1"},
        lateness=Lateness(acts=2, p50_ms=1.0, p95_ms=3.0, max_ms=3.0),
        broken=(),
        labels=labels or (label(2.0, 20.0, need_s=9.0), label(24.0, 50.0)),
    )


def packed(folder: Path, name: str = "train-1-0000-mousepad", **facts: Any) -> Entry:
    """Write a packed session; `facts` are changed in its head."""
    return write_packed(folder, replace(head(name), **facts), session())
