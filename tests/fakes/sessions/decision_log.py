"""Sessions that hold decisions of the policy, as `kairos why` and the quiet first day read them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.records import Decision, Focus, Record, Verdict
from storage.session.log import SessionWriter, create_session
from tests.fakes.sessions.session_sample import SCREEN, WALL_NS, start_row

TITLE = "a very private title"


def hold(reason: str, gate: str = "evidence", **numbers: float) -> Decision:
    """Return a decision to hold."""
    return Decision(verdict=Verdict.HOLD, gate=gate, reason=reason, numbers={"upper": 4.0} | numbers)


def write(base: Path, *timed: tuple[float, Record], wall_s: float = WALL_NS / NS_PER_S, **start: Any) -> Path:
    """Write a session of rows, each so many seconds after the first; return its folder."""
    wall_ns = round(wall_s * NS_PER_S)
    folder = create_session(base, wall_ns)
    first = replace(start_row(session_id=folder.name), wall_ns=wall_ns, **start)
    focus = Focus(t_ns=0, app="editor", window=1, title_digest="d", geometry=SCREEN, title=TITLE)
    rows = [first, *(replace(row, at_ns=first.at_ns + round(s * NS_PER_S)) for s, row in ((0.0, focus), *timed))]
    writer = SessionWriter(folder)
    writer.append([replace(row, seq=number) for number, row in enumerate(rows, start=1)])
    writer.close()
    return folder
