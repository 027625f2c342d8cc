"""The timeline window in the real Kairos, driven as a person drives it, over a simulated day.

Times are CPU time of Kairos' process or of its interface thread, as the kernel counts them, so that a busy machine does
not matter; what the X server and a compositor spend is not in them.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from Xlib import XK, X
from Xlib.ext import xtest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, open_display
from lab.benchmarks.interface.day import today_at, write_day
from lab.measure.criteria import AcceptanceCriterion, at_most
from lab.measure.process_usage import cpu_ms, rss_mb
from storage.clock import NS_PER_S, SystemClock

TITLE = "Kairos: What Kairos saw"
SETTINGS = {"policy.quiet_start_s": "86400", "help.library": "false"}

SETTLE_S = 3.0
LOOK_S = 0.4
QUIET_MS = 4.0
"""Kairos has done what it was asked where it used less than this in `LOOK_S`."""

GIVEN_BACK_S = 2.0
"""Kairos hands memory back so long after a window was closed."""

LONGEST_S = 20.0
GAP_S = 0.06
"""Between two turns of the wheel, so that each is a frame of its own."""

WHEEL_UP, WHEEL_DOWN = 4, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRun:
    """One round: CPU milliseconds to open the day, and of each frame; megabytes; shares of a core over a still screen.

    `kept_mb` is what a first opening and closing leaves, mostly code; `kept_again_mb` what a second one adds to that.
    """

    round: int
    open_ms: float
    frame_p95_ms: float
    frame_most_ms: float
    more_mb: float
    kept_mb: float
    kept_again_mb: float
    still_closed_percent: float
    still_open_percent: float


def criteria_of(runs: Sequence[WindowRun]) -> list[AcceptanceCriterion]:
    """Return the figures with their limits."""

    def middle(figure: Callable[[WindowRun], float]) -> float:
        return median(figure(run) for run in runs)

    return [
        at_most("open_day", middle(lambda run: run.open_ms), 500.0, "ms of CPU"),
        at_most("scroll_frame_p95", middle(lambda run: run.frame_p95_ms), 16.0, "ms of CPU"),
        at_most("rss_more_while_open", middle(lambda run: run.more_mb), 60.0, "MB"),
        at_most("rss_left_by_another_opening", middle(lambda run: run.kept_again_mb), 5.0, "MB"),
        at_most("idle_timeline_open", middle(lambda run: run.still_open_percent), 0.1, "% of a core"),
    ]


def one_run(place: Path, number: int, *, estimates: int, frames: int, still_s: float) -> WindowRun:
    """Open the day twice on a desktop of its own, and measure."""
    clock = SystemClock()
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        daemon = DaemonProcess(desktop, place, settings=SETTINGS, recording=False)
        write_day(daemon.sessions, today_at(0, clock.wall_ns()), estimates=estimates)
        daemon.start()
        try:
            window = _Driven(desktop, daemon, clock)
            clock.sleep_s(SETTLE_S)
            still_closed = window.share(still_s)
            before_mb = window.rss_mb()
            open_ms = window.open()
            more_mb = window.rss_mb() - before_mb
            costs = window.scroll(frames)
            more_mb = max(more_mb, window.rss_mb() - before_mb)
            still_open = window.share(still_s)
            window.close()
            kept_mb = window.rss_mb() - before_mb
            window.open()
            window.scroll(frames // 4)
            window.close()
            kept_again_mb = window.rss_mb() - before_mb - kept_mb
        finally:
            daemon.quit()
    return WindowRun(
        round=number,
        open_ms=round(open_ms, 1),
        frame_p95_ms=round(quantiles(costs, n=20)[-1], 2),
        frame_most_ms=round(max(costs), 2),
        more_mb=round(more_mb, 1),
        kept_mb=round(kept_mb, 1),
        kept_again_mb=round(kept_again_mb, 1),
        still_closed_percent=round(still_closed, 3),
        still_open_percent=round(still_open, 3),
    )


class _Driven:
    """The window, opened by its command and driven by wheel and keys."""

    def __init__(self, desktop: VirtualDesktop, daemon: DaemonProcess, clock: SystemClock) -> None:
        assert daemon.process is not None  # noqa: S101  # it was started
        self._desktop, self._daemon, self._clock = desktop, daemon, clock
        self._pid = daemon.process.pid

    def open(self) -> float:
        """Open the window; return the CPU time until Kairos has nothing more to do, in milliseconds."""
        before = cpu_ms(self._pid)
        self._daemon.command("seen")
        self._desktop.windows.wait(title=TITLE)
        return self._settled() - before

    def close(self) -> None:
        """Close the window by its key."""
        with closing(open_display(self._desktop.env)) as display:
            code = display.keysym_to_keycode(XK.string_to_keysym("Escape"))
            for kind in (X.KeyPress, X.KeyRelease):
                xtest.fake_input(display, kind, code)
            display.sync()
        self._settled()
        self._clock.sleep_s(GIVEN_BACK_S)

    def scroll(self, frames: int) -> list[float]:
        """Turn the wheel up and down over the list; return the interface thread's CPU time of each, in milliseconds."""
        info: WindowInfo = self._desktop.windows.wait(title=TITLE)
        costs = []
        with closing(open_display(self._desktop.env)) as display:
            x, y = info.box.x + info.box.w // 2, info.box.y + info.box.h * 2 // 3
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            display.sync()
            self._clock.sleep_s(LOOK_S)
            for number in range(frames):
                button = WHEEL_UP if number % 100 < 80 else WHEEL_DOWN  # noqa: PLR2004  # mostly up, where the day is
                before = cpu_ms(self._pid, self._pid)
                for kind in (X.ButtonPress, X.ButtonRelease):
                    xtest.fake_input(display, kind, button)
                display.sync()
                self._clock.sleep_s(GAP_S)
                costs.append(cpu_ms(self._pid, self._pid) - before)
        return costs

    def share(self, seconds: float) -> float:
        """Return what Kairos uses of a core while nothing happens, in percent."""
        before, start_ns = cpu_ms(self._pid), self._clock.now_ns()
        self._clock.sleep_s(seconds)
        return (cpu_ms(self._pid) - before) / ((self._clock.now_ns() - start_ns) / NS_PER_S) / 10

    def rss_mb(self) -> float:
        """Return the memory of the process."""
        return rss_mb(self._pid)

    def _settled(self) -> float:
        """Wait until Kairos has nothing more to do; return the CPU time that it has used by then."""
        end_ns = self._clock.now_ns() + round(LONGEST_S * NS_PER_S)
        used = cpu_ms(self._pid)
        while self._clock.now_ns() < end_ns:
            self._clock.sleep_s(LOOK_S)
            now = cpu_ms(self._pid)
            if now - used < QUIET_MS:
                return used
            used = now
        return used
