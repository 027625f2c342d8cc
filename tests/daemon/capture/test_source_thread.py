"""The thread of a source: it may be ended at any moment, also while it ends by itself."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from daemon.capture.source_thread import SourceThread


def test_a_thread_that_has_just_ended_by_itself_is_ended_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    closed, may_go_on, ended = threading.Event(), threading.Event(), list[bool]()
    run = asyncio.run

    def run_and_wait(main: Coroutine[Any, Any, None]) -> None:
        run(main)
        closed.set()
        may_go_on.wait(10)

    async def nothing() -> None:
        pass

    monkeypatch.setattr(asyncio, "run", run_and_wait)
    thread = SourceThread("short", nothing, ended.append, failure="failed")
    thread.start()
    assert closed.wait(10)
    assert not thread.stop(0.0)
    may_go_on.set()
    assert thread.stop(10.0)
    assert ended == [False]
