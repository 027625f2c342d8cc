"""A live session without a desktop: what it records, what its observers see, and that both end in order."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from daemon.capture.thread import CaptureThread
from daemon.gate import Gate
from daemon.runtime import session as session_module
from daemon.runtime.observers import Observers
from daemon.runtime.session import LiveSession
from storage.clock import SystemClock
from storage.codec import canonical
from storage.records import Decision, InputEvent, Offer, Problem, Record, SessionEnd, SessionStart, Switch, SwitchName
from storage.session.log import SessionReader
from storage.settings import Settings
from storage.state.store import Consent, StateStore
from tests.fakes.engine_minds import key


class Silent:
    """A sink that shows nothing."""

    def show(self, offer: Offer) -> None:
        """Show nothing."""

    def close(self, offer_id: str) -> None:
        """Show nothing."""

    def changed(self, record: Switch | Problem) -> None:
        """Show nothing."""

    def decided(self, decision: Decision) -> None:
        """Show nothing."""


class Rows:
    """An observer that keeps the rows it has seen, and fails at the last."""

    def __init__(self) -> None:
        self.rows: list[Record] = []

    def observe(self, rows: Sequence[Record]) -> None:
        self.rows.extend(rows)
        if isinstance(rows[0], SessionEnd):
            raise ZeroDivisionError


def test_observers_see_what_is_recorded_and_cannot_harm_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row from the first to the last, in order; the log is whole although an observer fails."""
    observer = Rows()
    monkeypatch.setattr(session_module, "Observers", lambda *others: Observers(observer, *others))
    monkeypatch.setattr(CaptureThread, "start", lambda _: None)
    monkeypatch.setattr(CaptureThread, "stop", lambda *_: None)
    failures: list[Exception] = []

    async def run(state: StateStore) -> Path:
        session = LiveSession(
            settings=Settings(),
            consent=Consent(journal=True, recording=False, given_at_wall_ns=1),
            sessions_dir=tmp_path / "sessions",
            state=state,
            clock=SystemClock(),
            gate=Gate(),
            sink=Silent(),
            on_cut=lambda _: None,
            on_failure=failures.append,
            cut_wall_ns=10**19,
        )
        await session.start(asyncio.get_running_loop(), {SwitchName.PAUSED: True, SwitchName.PRIVATE: False})
        session.submit([Switch(name=SwitchName.PAUSED, on=False, by="person"), key(5)])
        session.drain()
        await session.stop("quit")
        return session.folder

    with StateStore(tmp_path / "state.db") as state:
        folder = asyncio.run(run(state))
    with SessionReader(folder) as reader:
        recorded = list(reader)
    sources = [type(row) for row in recorded if isinstance(row, (SessionStart, Switch, InputEvent, SessionEnd))]
    assert sources == [SessionStart, Switch, Switch, InputEvent, SessionEnd]
    assert [canonical(row) for row in observer.rows] == [canonical(row) for row in recorded]
    assert failures == []
