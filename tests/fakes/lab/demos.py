"""Folders as `kairos demo` leaves them, made up at the small simulated desk in no time."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.records import Record, SessionStart
from storage.session.log import create_session
from storage.session.transfer.import_session import write_rows
from storage.settings import Settings
from tests.fakes.detectors.fake_detectors import first_row
from tests.fakes.sessions.desk import Desk, S

ABOUT, SCRIPT, SESSIONS = "demo.json", "script.jsonl", "sessions"
WALL_S = 1_800_000_000


def rows_of(desk: Desk) -> list[Record]:
    """Return the numbered rows of a session in which a desk was seen; wall-clock time is `WALL_S` later."""
    start = first_row(Settings(), wall_ns=(WALL_S + 1) * NS_PER_S)
    rows: list[Record] = [start, *desk.records]
    return [
        replace(row, seq=number + 1, at_ns=S if isinstance(row, SessionStart) else getattr(row, "t_ns", S))
        for number, row in enumerate(rows)
    ]


def leave(folder: Path, rows: Sequence[Record], lines: Sequence[Mapping[str, Any]], told: Mapping[str, Any]) -> None:
    """Leave session, script and what is said of them as a demo does; it says they lie where they were made first."""
    folder.mkdir(parents=True)
    session = create_session(folder / SESSIONS, WALL_S * NS_PER_S)
    write_rows(rows, session)
    (folder / SCRIPT).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    moved = {**told, "session": str(Path("/elsewhere") / SESSIONS / session.name)}
    (folder / ABOUT).write_text(json.dumps(moved), encoding="utf-8")
