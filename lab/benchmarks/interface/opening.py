"""How soon Kairos is there: from the start of its process to the icon in the tray, and from a request to a window.

Times are of the wall clock, since a person waits: on a machine that others keep busy they say little. It is a warm
start: all files have been read before, and modules are compiled, as in every installation. CPU time is beside it.
"""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.interface.paint_watch import PaintWatch
from storage.clock import SystemClock

STARTS = 3
"""In each round."""

ICON = "kairos"
SETTINGS_TITLE = "Kairos: Settings"
SETTLE_S = 2.0
LARGE = 10_000
"""Pixels drawn at once that are more than a cursor's blinking."""

_NS_PER_MS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningRun:
    """One round, in milliseconds: each start until the icon was drawn in the tray, and the settings window.

    `settings_ms` is from the request at the control socket until the window shows the file's settings, the first time,
    and `settings_again_ms` once more in the same process. `tray_cpu_ms` is the CPU time of the whole process by then.
    """

    round: int
    tray_ms: tuple[float, ...]
    tray_median_ms: float
    tray_cpu_ms: float
    settings_ms: float
    settings_again_ms: float


def one_run(place: Path, number: int) -> OpeningRun:
    """Start Kairos so many times on a desktop, and open the settings in the last one."""
    clock = SystemClock()
    trays: list[float] = []
    cpu_ms: list[float] = []
    windows: list[float] = []
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "compiled")}
        settings = {"policy.quiet_start_s": "86400"}
        daemon = DaemonProcess(desktop, place, settings=settings, recording=False, env=compiled)
        daemon.start()  # the first one is cold, and compiles
        daemon.quit()
        for start in range(STARTS):
            with PaintWatch(desktop) as watch:
                begin_ns = clock.now_ns()
                daemon.launch()
                icon = watch.wait(ICON)
                cpu_ms.append(daemon.usage().cpu_s * 1000)
                trays.append((icon.painted_ns - begin_ns) / _NS_PER_MS)
                poll(lambda: daemon.state() == "watching", what="starting Kairos", timeout_s=30.0)
                if start == STARTS - 1:
                    clock.sleep_s(SETTLE_S)
                    windows = [_open_settings(daemon, watch, desktop, clock) for _ in range(2)]
                daemon.quit()
    return OpeningRun(
        round=number,
        tray_ms=tuple(round(one, 1) for one in trays),
        tray_median_ms=round(median(trays), 1),
        tray_cpu_ms=round(median(cpu_ms)),
        settings_ms=round(windows[0], 1),
        settings_again_ms=round(windows[1], 1),
    )


def _open_settings(daemon: DaemonProcess, watch: PaintWatch, desktop: VirtualDesktop, clock: SystemClock) -> float:
    """Return how long the settings window took, and close it."""
    before = len(watch.found(SETTINGS_TITLE))
    begin_ns = clock.now_ns()
    daemon.request("settings")
    poll(lambda: len(watch.found(SETTINGS_TITLE)) > before, what="opening the settings")
    window = watch.wait(SETTINGS_TITLE)
    clock.sleep_s(SETTLE_S)
    desktop.windows.close(desktop.windows.wait(title=SETTINGS_TITLE))
    desktop.windows.wait_gone(title=SETTINGS_TITLE)
    return (window.settled_ns(LARGE) - begin_ns) / _NS_PER_MS
