"""Folders as `kairos demo` leaves them, made up at the small simulated desk in no time."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.benchmarks.demos.recordings import ABOUT, SCRIPT, SESSIONS
from storage.clock import NS_PER_S
from storage.records import Record, SessionStart
from storage.session.log import create_session
from storage.settings import Settings
from storage.transfer.import_session import write_rows
from tests.fakes.detectors.fake_engine_detectors import first_row
from tests.fakes.sessions import people
from tests.fakes.sessions.desk import Desk, S

WALL_S = 1_800_000_000
CALM_S, STUCK_S = 110.0, 60.0
MOMENTS = ("begin", "stuck", "first", "onset", "need_end", "end")


def made_up_demo(
    folder: Path,
    *,
    seed: int = 1,
    kind: str | None = "undo_loop",
    program: str = "mousepad",
    act: Callable[[Desk], object] = people.undo_loop,
) -> Path:
    """Write a demo of fluent work and, unless `kind` is None, of somebody stuck, who acts so; return its folder."""
    desk = Desk(seed)
    at = {"begin": desk.now}
    while desk.now < CALM_S:
        people.write_prose(desk)
    if kind is not None:
        at["stuck"] = desk.now
        at["first"] = desk.now + 1.0
        at["onset"] = desk.now + 4.0
        while desk.now < at["stuck"] + STUCK_S:
            act(desk)
        at["need_end"] = desk.now
        people.write_prose(desk)
    at["end"] = desk.now
    leave(folder, rows_of(desk), script(at, kind), about(kind, program))
    return folder


def rows_of(desk: Desk) -> list[Record]:
    """Return the numbered rows of a session in which a desk was seen; wall-clock time is `WALL_S` later."""
    start = first_row(Settings(), wall_ns=(WALL_S + 1) * NS_PER_S)
    rows: list[Record] = [start, *desk.records]
    return [
        replace(row, seq=number + 1, at_ns=S if isinstance(row, SessionStart) else getattr(row, "t_ns", S))
        for number, row in enumerate(rows)
    ]


def script(at: Mapping[str, float], kind: str | None) -> list[dict[str, Any]]:
    """Return the lines of a script by some of `MOMENTS`, in seconds of session time."""
    facts: dict[str, dict[str, Any]] = {
        "begin": {"kind": "phase", "name": "fluent"},
        "stuck": {"kind": "phase", "name": "stuck", "stuck_kind": kind},
        "first": {"kind": "attempt", "thing": kind, "outcome": "failed"},
        "onset": {"kind": "attempt", "thing": kind, "outcome": "failed"},
        "need_end": {"kind": "attempt", "thing": kind, "outcome": "succeeded"},
        "end": {"kind": "end"},
    }
    return [
        {"t_ns": 0, "wall_ns": WALL_S * NS_PER_S + round(at[name] * NS_PER_S), **facts[name]}
        for name in MOMENTS
        if name in at
    ]


def about(kind: str | None, program: str = "mousepad") -> dict[str, Any]:
    """Return what a demo says of itself, without its session."""
    return {"ok": True, "app": program, "seed": 1, "stuck_kind": kind}


def leave(folder: Path, rows: Sequence[Record], lines: Sequence[Mapping[str, Any]], told: Mapping[str, Any]) -> None:
    """Leave session, script and what is said of them as a demo does; it says they lie where they were made first."""
    folder.mkdir(parents=True)
    session = create_session(folder / SESSIONS, WALL_S * NS_PER_S)
    write_rows(rows, session)
    (folder / SCRIPT).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    moved = {**told, "session": str(Path("/elsewhere") / SESSIONS / session.name)}
    (folder / ABOUT).write_text(json.dumps(moved), encoding="utf-8")
