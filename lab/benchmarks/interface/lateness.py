"""How late the interface thread is while the core is busy, as a probe on that thread finds it (`inside.probed`).

Kairos watches somebody who turns the wheel far faster than anybody can, so that the core has records to take in all the
time: each turn is one, while keys of the same moment become one.
The control is the same with the interface thread held up on purpose: its figure must be beyond the limit.
"""

import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from Xlib import X, Xatom
from Xlib.ext import xtest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import open_display
from lab.benchmarks.interface.inside import LATENESS_FILE
from lab.measure.key_latency import p95
from storage.clock import NS_PER_S, SystemClock
from storage.session.log import SessionReader, list_sessions

TURNS_PER_S = 1000
SETTLE_S = 3.0
DETECTOR = "lab.benchmarks.interface.inside:{}"
WHEEL = (4, 5)
BOX = (300, 200, 800, 600)
_BLANK = 0xF4F4F4


@dataclass(frozen=True, slots=True, kw_only=True)
class LatenessRun:
    """One round: how late the interface thread was, in milliseconds, and how many rows the core took in a second.

    `control_p95_ms` is the figure of a thread that was held up.
    """

    round: int
    p95_ms: float
    most_ms: float
    calls: int
    rows_per_s: float
    control_p95_ms: float


def one_run(place: Path, number: int, *, seconds: float) -> LatenessRun:
    """Measure for so long, and the control for a third of that."""
    late, rows_per_s = _measured(place / "probed", "probed", seconds)
    control, _ = _measured(place / "blocked", "blocked", seconds / 3)
    return LatenessRun(
        round=number,
        p95_ms=round(p95(late), 2),
        most_ms=round(max(late, default=float("nan")), 2),
        calls=len(late),
        rows_per_s=round(rows_per_s, 1),
        control_p95_ms=round(p95(control), 2),
    )


def _measured(place: Path, detector: str, seconds: float) -> tuple[list[float], float]:
    """Return how late the calls were that were due while the wheel turned, and the rows that were stored a second."""
    clock = SystemClock()
    place.mkdir()
    settings = {"policy.quiet_start_s": "86400", "detector.name": DETECTOR.format(detector)}
    with VirtualDesktop(compositor=False, tray="xembed") as desktop, closing(open_display(desktop.env)) as display:
        _open_window(display)
        daemon = DaemonProcess(desktop, place, settings=settings, recording=False)
        daemon.start()
        try:
            clock.sleep_s(SETTLE_S)
            begin_ns = clock.now_ns()
            _scroll(display, clock, seconds)
            end_ns = clock.now_ns()
        finally:
            daemon.quit()
    found = json.loads((daemon.state_folder / LATENESS_FILE).read_text())
    with SessionReader(list_sessions(daemon.sessions)[-1]) as session:
        rows = sum(begin_ns <= row.at_ns <= end_ns for row in session)
    return within(found, begin_ns, end_ns), rows * NS_PER_S / (end_ns - begin_ns)


def within(found: Iterable[tuple[int, int]], begin_ns: int, end_ns: int) -> list[float]:
    """Return in milliseconds how late the calls were that were due in a span."""
    return [late_ns / 1e6 for due_ns, late_ns in found if begin_ns <= due_ns <= end_ns]


def _open_window(display: Any) -> None:
    """Open a window that does nothing: a program would need the processor that is measured."""
    screen = display.screen()
    window = screen.root.create_window(*BOX, 0, screen.root_depth, background_pixel=_BLANK)
    window.set_wm_class("scrolled", "Scrolled")
    window.change_property(display.intern_atom("_NET_WM_NAME"), display.intern_atom("UTF8_STRING"), 8, b"scrolled")
    window.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"scrolled")
    window.map()
    display.sync()


def _scroll(display: Any, clock: SystemClock, seconds: float) -> None:
    """Turn the wheel at an even rate, up and down."""
    xtest.fake_input(display, X.MotionNotify, x=BOX[0] + BOX[2] // 2, y=BOX[1] + BOX[3] // 2)
    begin_ns, turned = clock.now_ns(), 0
    while turned < seconds * TURNS_PER_S:
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(display, kind, WHEEL[turned % 2])
        display.flush()
        turned += 1
        clock.sleep_s(max(0.0, (begin_ns + turned * NS_PER_S // TURNS_PER_S - clock.now_ns()) / NS_PER_S))
