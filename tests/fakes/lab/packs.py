"""Rows, labels and heads for the tests of packed sessions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Entry, Head, Lateness, write_packed
from storage.clock import NS_PER_S
from storage.records import Focus, Frame, InputEvent, KeyClass, Record, SessionStart, State, Tick
from storage.testing import SessionBuilder
from tests.fakes.sessions import rows as sample

DIGESTS = ("c0ffee", "beef", "c0ffee", "f00d")


def start(*, recording: bool = False) -> SessionStart:
    return sample.start(
        recording=recording, settings={"storage": {"sessions_dir": "/home/somebody", "flush_s": 0.5}}, at_ns=NS_PER_S
    )


def session() -> list[Record]:
    made = SessionBuilder(app="Mousepad", begin_ns=NS_PER_S)
    made.rows[0] = replace(start(), seq=1, at_ns=NS_PER_S)
    for number, digest in enumerate(DIGESTS):
        made.at(1 + number).put(Focus, title_digest=digest[:2])
        made.put(InputEvent, key_class=KeyClass.CHARACTER)
        made.put(Frame, digest=digest)
        made.put(Tick)
        made.decide("too_little")
    return made.at(59).end().rows


def label(start_s: float, end_s: float, *, need_s: float | None = None, **changes: Any) -> Label:
    facts: dict[str, Any] = {
        "behavior": "acts",
        "state": State.PERFORMING_ACTIONS if need_s is None else State.FRUSTRATION,
        "start_ns": round(start_s * NS_PER_S),
        "end_ns": round(end_s * NS_PER_S),
        "need_from_ns": None if need_s is None else round(need_s * NS_PER_S),
        "hard_negative": False,
        "held_out": False,
        "program": "desk",
        "intent": "make it work",
        "help": None,
    }
    return Label(**(facts | changes))


def head(name: str = "train-1-0000-mousepad", *labels: Label, **changes: Any) -> Head:
    facts: dict[str, Any] = {
        "seed": "1-0",
        "person": 4,
        "program": "mousepad",
        "split": Split.TRAIN,
        "planned_s": 60.0,
        "ended": None,
        "settings": {"fence.cover_unknown_browsers": "false"},
        "versions": {"mousepad": "0.6.1-1"},
        "lateness": Lateness(acts=2, p50_ms=1.0, p95_ms=3.0, max_ms=3.0),
        "broken": (),
        "labels": labels or (label(2.0, 20.0, need_s=9.0), label(24.0, 50.0)),
    }
    return Head(name=name, **(facts | changes))


def packed(folder: Path, name: str = "train-1-0000-mousepad", **facts: Any) -> Entry:
    return write_packed(folder, replace(head(name), **facts), session())
