"""A program that signals without end costs that sense alone: input and frames arrive, one row counts what was lost."""

import asyncio

import pytest

from daemon.capture.accessibility.atspi.source import bus_address
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows
from storage.clock import SystemClock
from storage.records import Dropped, EventKind, Frame, InputEvent, Problem, Sense
from tests.fakes.accessibility.atspi import flood
from tests.fakes.desktop.painter import Painter, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

SIGNALS = 10_000


def test_a_storm_of_signals_loses_nothing_but_signals(desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many keys as without a storm are kept, the screen is seen, and one row says how much was not looked at."""
    monkeypatch.setattr("daemon.capture.accessibility.storms.QUIET_NS", 1_000_000_000)
    painter = Painter(desktop)
    clock = SystemClock()
    try:
        with capturing(desktop, controls=True) as capture:
            capture.until(lambda: capture.of(Sense), "the sense")
            address = asyncio.run(bus_address(desktop.env, clock))
            desktop.spawn(["mousepad"], "mousepad")
            Windows(painter.display).wait("mousepad")

            def has_typed() -> bool:
                painter.key("a")
                return capture.keys() > 0

            capture.until(has_typed, "a first letter")
            clock.sleep_s(2.0)
            keys, frames, rows = capture.keys(), len(capture.of(Frame)), len(capture.of(Dropped))
            flood(address, SIGNALS)
            for _ in range(10):
                painter.key("b")
                clock.sleep_s(0.2)
            capture.until(lambda: capture.keys() == keys + 10, "the keys")
            capture.until(lambda: len(capture.of(Frame)) > frames, "a frame")
            capture.until(lambda: len(capture.of(Dropped)) > rows, "the count", 20.0)
            clock.sleep_s(2.0)
            dropped = [row for row in capture.of(Dropped)[rows:] if row.what == "control_signals"]
            assert [sense.on for sense in capture.of(Sense)] == [True]
            assert not capture.of(Problem)
            assert all(event.kind is not EventKind.PROTECTED for event in capture.of(InputEvent))
    finally:
        painter.close()
    assert len(dropped) == 1
    assert SIGNALS // 2 < dropped[0].count <= SIGNALS + 1000
