"""Sessions that hold decisions of the policy, as `kairos why` and the quiet first day read them."""

from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.records import Decision, Record
from storage.testing import SessionBuilder, plain
from tests.fakes.sessions.session_sample import SAMPLE, SCREEN, WALL_NS

TITLE = "a very private title"


def hold(reason: str, gate: str = "evidence", **numbers: float) -> Decision:
    return plain(Decision, gate=gate, reason=reason, numbers={"upper": 4.0} | numbers)


def write(base: Path, *timed: tuple[float, Record], wall_s: float = WALL_NS / NS_PER_S, **start: Any) -> Path:
    """Write a session of rows, each so many seconds after the first; return its folder."""
    session = SessionBuilder(wall_ns=round(wall_s * NS_PER_S), begin_ns=100 * NS_PER_S, **(SAMPLE | start))
    session.focus("editor", t_ns=0, geometry=SCREEN, title=TITLE)
    return session.timed(timed).write(base)
