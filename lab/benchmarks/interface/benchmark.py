"""Measures the real Kairos on a virtual desktop in rounds: timeline, offers, interface thread and opening.

*Timeline*: the window driven as a person drives it, over a simulated day, in CPU time of the process or of its
interface thread, as the kernel counts them; what the X server and a compositor spend is not in it.

*Offers*: from an estimate to the card on the screen. The detector always finds need (`inside.stuck`); policy, search
for help and card are as shipped, without the pauses between offers. Offers that waited for a break are left out.

*Thread*: how late the interface thread is while the core is busy (`inside.probed`): somebody turns the wheel far faster
than anybody can, each turn a record. The control holds the thread up: its figure must be beyond the limit.

*Opening*: from the start of the process to the icon in the tray, and from a request to the settings window, by the
clock on the wall, since a person waits. The start is warm: files have been read before, and modules are compiled.

*Starts*: the CPU time of a start, without an interface and with the tray, until Kairos watches and has nothing more to
do, and of `kairos status` then; in turn with the same of another build, whose share is what is judged.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from Xlib import XK, X, Xatom
from Xlib.ext import xtest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, open_display, poll
from lab.benchmarks.interface.day import today_at, write_day
from lab.benchmarks.interface.inside import LATENESS_FILE
from lab.benchmarks.interface.paint_watch import Appearance, PaintWatch
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.processes import cpu_ms, p95, rss_mb
from storage.clock import NS_PER_S, SystemClock
from storage.plain_text import print_progress
from storage.ports import CARD_TITLE
from storage.records import Decision, Estimate, Offer, Record, Verdict
from storage.session.log import SessionReader, list_sessions

PROGRAM = "mousepad"
ESTIMATE_S = 1.0
POINT_GAP_S = 0.37
"""From one motion of the pointer to the next: no multiple of the time between estimates."""

OFFERING = {
    "detector.name": "lab.benchmarks.interface.inside:stuck",
    "window.planned_s": f"{4 * ESTIMATE_S:g}",
    "policy.quiet_start_s": "0",
    "policy.cooldown_s": "0",
    "policy.backoff_s": "0",
    "policy.novelty_s": "0",
    "policy.offers_per_hour": "10000",
    "policy.offers_per_day": "10000",
    "policy.acceptance_weight": "1000",
    "policy.benefit_s": "3600",
    "policy.break_s": "0.1",
    "interface.offer_visible_s": "0.6",
}
WAITING = "waiting_for_break"


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersRun:
    """One round: milliseconds from estimate to card of the offers that waited for no break, and what was left out.

    `lost` are offers whose card never was on the screen.
    """

    round: int
    delays_ms: tuple[float, ...]
    p95_ms: float
    waited: int
    lost: int


def offers_run(place: Path, number: int, *, seconds: float) -> OffersRun:
    """Have offers made for `seconds` on a desktop of its own, and measure each."""
    clock = SystemClock()
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        desktop.spawn([PROGRAM], PROGRAM)
        desktop.windows.wait(PROGRAM)
        daemon = DaemonProcess(desktop, place, settings=OFFERING, recording=False)
        with PaintWatch(desktop) as watch:
            daemon.start()
            try:
                _point(desktop, clock, seconds)
                until_ns = clock.now_ns()
                clock.sleep_s(ESTIMATE_S)  # the last card comes up
            finally:
                daemon.quit()
            cards = watch.found(CARD_TITLE)
    with SessionReader(list_sessions(daemon.sessions)[-1]) as session:
        rows = [row for row in session.rows((Estimate.KIND, Decision.KIND, Offer.KIND)) if row.at_ns <= until_ns]
    return judged(rows, cards, number)


def judged(rows: Iterable[Record], cards: Sequence[Appearance], number: int) -> OffersRun:
    """Return the delays of the offers in a session's estimates, decisions and offers, with the cards that were seen."""
    estimated: dict[str, int] = {}
    began_ns = waiting_ns = 0
    offers: list[tuple[int, int, bool]] = []
    for row in rows:
        match row:
            case Estimate():
                estimated[row.prefix_id] = row.at_ns
            case Decision(reason=reason) if reason == WAITING:
                waiting_ns = row.at_ns
            case Decision(verdict=Verdict.OFFER):
                began_ns = estimated[row.prefix_ids[-1]]
            case Offer():
                offers.append((began_ns, row.at_ns, waiting_ns >= began_ns))
            case _:
                pass
    delays: list[float] = []
    ends = [at_ns for _, at_ns, _ in offers[1:]] + [1 << 63]
    shown = [
        next((card.painted_ns for card in cards if at_ns <= card.mapped_ns < end_ns and card.painted_ns), None)
        for (_, at_ns, _), end_ns in zip(offers, ends, strict=True)
    ]
    delays = [
        (painted_ns - began_ns) / 1e6
        for (began_ns, _, waited), painted_ns in zip(offers, shown, strict=True)
        if painted_ns is not None and not waited
    ]
    return OffersRun(
        round=number,
        delays_ms=tuple(round(delay, 1) for delay in delays),
        p95_ms=round(p95(delays), 1),
        waited=sum(waited for *_, waited in offers),
        lost=shown.count(None),
    )


def _point(desktop: VirtualDesktop, clock: SystemClock, seconds: float) -> None:
    """Move the pointer now and then."""
    end_ns = clock.now_ns() + round(seconds * NS_PER_S)
    with closing(open_display(desktop.env)) as display:
        step = 0
        while clock.now_ns() < end_ns:
            xtest.fake_input(display, X.MotionNotify, x=500 + step % 7 * 20, y=400 + step % 5 * 20)
            display.sync()
            step += 1
            clock.sleep_s(POINT_GAP_S)


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


def lateness_run(place: Path, number: int, *, seconds: float) -> LatenessRun:
    """Measure for `seconds`, and the control for a third of that."""
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


STARTS = 3
"""In each round."""

ICON = "kairos"
SETTINGS_TITLE = "Kairos: Settings"
SETTINGS_SETTLE_S = 2.0
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


def opening_run(place: Path, number: int) -> OpeningRun:
    """Start Kairos `STARTS` times on a desktop, and open the settings in the last one."""
    clock = SystemClock()
    trays: list[float] = []
    cpu_ms: list[float] = []
    windows: list[float] = []
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        settings = {"policy.quiet_start_s": "86400"}
        daemon = DaemonProcess(desktop, place, settings=settings, recording=False, env=_compiled(place))
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
                    clock.sleep_s(SETTINGS_SETTLE_S)
                    windows = [_open_settings(daemon, watch, desktop, clock) for _ in range(2)]
                daemon.quit()
    return OpeningRun(
        round=number,
        tray_ms=tuple(round(tray, 1) for tray in trays),
        tray_median_ms=round(median(trays), 1),
        tray_cpu_ms=round(median(cpu_ms)),
        settings_ms=round(windows[0], 1),
        settings_again_ms=round(windows[1], 1),
    )


def _compiled(place: Path) -> dict[str, str]:
    """Return what lets Python keep the modules that it compiles, as an installed Kairos does."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "compiled")}


def _open_settings(daemon: DaemonProcess, watch: PaintWatch, desktop: VirtualDesktop, clock: SystemClock) -> float:
    """Return how long the settings window took, and close it."""
    before = len(watch.found(SETTINGS_TITLE))
    begin_ns = clock.now_ns()
    daemon.request("settings")
    poll(lambda: len(watch.found(SETTINGS_TITLE)) > before, what="opening the settings")
    window = watch.wait(SETTINGS_TITLE)
    clock.sleep_s(SETTINGS_SETTLE_S)
    desktop.windows.close(desktop.windows.wait(title=SETTINGS_TITLE))
    desktop.windows.wait_gone(title=SETTINGS_TITLE)
    return (window.settled_ns(LARGE) - begin_ns) / _NS_PER_MS


START_SETTLE_S = 2.0
"""How long after it watches a start is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsRun:
    """One round, in milliseconds of CPU: starts without an interface and with the tray, and `kairos status`.

    `beside` are the same three of the other build, if there is one.
    """

    round: int
    costs: tuple[float, ...]
    beside: tuple[float, ...]


def starts_run(place: Path, number: int, beside: Path | None) -> StartsRun:
    """Start each build without an interface and with the tray; the first start of each compiles, and is left out."""
    clock = SystemClock()
    ours = Path(sys.executable).with_name("kairos")
    builds = [(str(path.absolute()),) for path in (ours, beside) if path is not None]
    costs: list[list[float]] = [[] for _ in builds]
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        for headless in (True, False):
            for kairos, found in zip(builds, costs, strict=True):
                folder = place / f"{headless}-{len(costs[0])}-{builds.index(kairos)}"
                folder.mkdir()
                settings = {"policy.quiet_start_s": "86400"}
                env = {"PYTHONDONTWRITEBYTECODE": ""}
                daemon = DaemonProcess(
                    desktop, folder, settings=settings, headless=headless, recording=False, env=env, kairos=kairos
                )
                for _ in range(2):
                    daemon.start()
                    clock.sleep_s(START_SETTLE_S)
                    cost = cpu_ms(daemon.process.pid) if daemon.process is not None else 0.0
                    status = _status_ms(kairos, desktop.env | daemon.env)
                    daemon.quit()
                found.extend([cost] if headless else [cost, status])
    return StartsRun(
        round=number,
        costs=tuple(round(cost, 1) for cost in costs[0]),
        beside=tuple(round(cost, 1) for cost in costs[-1]) if beside is not None else (),
    )


def _status_ms(kairos: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the CPU time of `kairos status` of a running Kairos, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*kairos, "status"], env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def starts_criteria(runs: Sequence[StartsRun]) -> list[AcceptanceCriterion]:
    """Return the shares of what the other build takes, or the times where there is none."""
    names = ("start_headless", "start_tray", "status")
    limits = (900.0, 1200.0, 80.0)
    judged_runs = [run for run in runs if run.beside]
    if not judged_runs:
        costs = [median(run.costs[at] for run in runs) for at in range(3)]
        return [at_most(name, cost, limit, "ms of CPU") for name, cost, limit in zip(names, costs, limits, strict=True)]
    return [
        at_most(name, median(run.costs[at] / run.beside[at] for run in judged_runs), 0.5, "of the other build's CPU")
        for at, name in enumerate(names)
    ]


TIMELINE_TITLE = "Kairos: What Kairos saw"
QUIET = {"policy.quiet_start_s": "86400", "help.library": "false"}

TIMELINE_SETTLE_S = 3.0
LOOK_S = 0.4
QUIET_MS = 4.0
"""Kairos has done what it was asked where it used less than this in `LOOK_S`."""

GIVEN_BACK_S = 2.0
"""How long after a window was closed Kairos has handed memory back."""

LONGEST_S = 20.0
WHEEL_GAP_S = 0.06
"""Between two turns of the wheel, so that each is a frame of its own."""

WHEEL_UP, WHEEL_DOWN = 4, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRun:
    """One round: CPU milliseconds to open the day, and of each frame; megabytes; shares of a core over a still screen.

    `search_ms` is of each letter that is typed into the field of words. `plain_list` has the same figures of a Qt list
    of as many rows. `kept_mb` is what a first opening and closing leaves, mostly code; `kept_again_mb` what a second
    one adds to that.
    """

    round: int
    open_ms: float
    frame_p95_ms: float
    frame_most_ms: float
    more_mb: float
    kept_mb: float
    kept_again_mb: float
    search_ms: float
    plain_list: dict[str, float]
    still_closed_percent: float
    still_open_percent: float


def timeline_criteria(runs: Sequence[WindowRun]) -> list[AcceptanceCriterion]:
    """Return the figures with their limits."""

    def middle(figure: Callable[[WindowRun], float]) -> float:
        return median(figure(run) for run in runs)

    return [
        at_most("open_day", middle(lambda run: run.open_ms), 350.0, "ms of CPU"),
        at_most("scroll_frame_p95", middle(lambda run: run.frame_p95_ms), 10.0, "ms of CPU"),
        at_most("search_letter", middle(lambda run: run.search_ms), 60.0, "ms of CPU"),
        at_most("rss_more_while_open", middle(lambda run: run.more_mb), 60.0, "MB"),
        at_most("rss_left_by_another_opening", middle(lambda run: run.kept_again_mb), 5.0, "MB"),
        at_most("idle_timeline_open", middle(lambda run: run.still_open_percent), 0.1, "% of a core"),
    ]


def timeline_run(place: Path, number: int, *, estimates: int, frames: int, still_s: float) -> WindowRun:
    """Open the day twice on a desktop of its own, and measure."""
    clock = SystemClock()
    with VirtualDesktop(compositor=False, tray="xembed") as desktop:
        daemon = DaemonProcess(desktop, place, settings=QUIET, recording=False, env=_compiled(place))
        write_day(daemon.sessions, today_at(0, clock.wall_ns()), estimates=estimates)
        daemon.start()
        _Driven(desktop, daemon, clock).open()  # compiles
        daemon.quit()
        daemon.start()
        try:
            window = _Driven(desktop, daemon, clock)
            clock.sleep_s(TIMELINE_SETTLE_S)
            still_closed = window.share(still_s)
            before_mb = window.rss_mb()
            open_ms = window.open()
            more_mb = window.rss_mb() - before_mb
            costs = window.scroll(frames)
            more_mb = max(more_mb, window.rss_mb() - before_mb)
            still_open = window.share(still_s)
            search_ms = window.search("gimp")
            window.close()
            kept_mb = window.rss_mb() - before_mb
            window.open()
            window.scroll(frames // 4)
            window.close()
            kept_again_mb = window.rss_mb() - before_mb - kept_mb
        finally:
            daemon.quit()
        words = [sys.executable, "-m", "lab.benchmarks.interface.plain_list", str(estimates)]
        plain_list = json.loads(subprocess.run(words, env=desktop.env, capture_output=True, check=True).stdout)
    return WindowRun(
        round=number,
        open_ms=round(open_ms, 1),
        frame_p95_ms=round(quantiles(costs, n=20)[-1], 2),
        frame_most_ms=round(max(costs), 2),
        more_mb=round(more_mb, 1),
        kept_mb=round(kept_mb, 1),
        kept_again_mb=round(kept_again_mb, 1),
        search_ms=round(search_ms, 1),
        plain_list=plain_list,
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
        self._desktop.windows.wait(title=TIMELINE_TITLE)
        return self._settled() - before

    def close(self) -> None:
        """Close the window by its key."""
        self._press("Escape")
        self._settled()
        self._clock.sleep_s(GIVEN_BACK_S)

    def search(self, word: str) -> float:
        """Type a word into the field of words; return the CPU time of each letter, in milliseconds."""
        self._press("Control_L", "f")
        before = self._settled()
        for letter in word:
            self._press(letter)
            self._clock.sleep_s(LOOK_S)
        spent = self._settled() - before
        self._press("Control_L", "a")
        self._press("BackSpace")
        self._settled()
        return spent / len(word)

    def _press(self, *names: str) -> None:
        """Press keys together."""
        with closing(open_display(self._desktop.env)) as display:
            codes = [display.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
            for kind, order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
                for code in order:
                    xtest.fake_input(display, kind, code)
            display.sync()

    def scroll(self, frames: int) -> list[float]:
        """Turn the wheel up and down over the list; return the interface thread's CPU time of each, in milliseconds."""
        info: WindowInfo = self._desktop.windows.wait(title=TIMELINE_TITLE)
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
                self._clock.sleep_s(WHEEL_GAP_S)
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


OFFERS = 30
"""The fewest offers of all rounds on which a 95th percentile is reported."""

OFFERS_S = 30.0
BUSY_S = 20.0
BUSY_ROWS_PER_S = 500.0
LATE_MS = 16.0

Run = WindowRun | OffersRun | LatenessRun | OpeningRun | StartsRun
PART_OF = {
    WindowRun: "timeline",
    OffersRun: "offers",
    LatenessRun: "thread",
    OpeningRun: "opening",
    StartsRun: "starts",
}


def measure(
    *, parts: Sequence[str], estimates: int, frames: int, still_s: float, rounds: int, beside: Path | None
) -> Report:
    """Run the rounds, and compare the medians with the limits."""
    runs: list[Run] = []
    with TemporaryDirectory(prefix="kairos-bench-") as folder:
        for number in range(1, rounds + 1):
            for part in parts:
                print_progress(f"round {number} of {rounds}: {part}")
                place = Path(folder) / f"{part}-{number}"
                place.mkdir()
                match part:
                    case "offers":
                        runs.append(offers_run(place, number, seconds=OFFERS_S))
                    case "thread":
                        runs.append(lateness_run(place, number, seconds=BUSY_S))
                    case "opening":
                        runs.append(opening_run(place, number))
                    case "starts":
                        runs.append(starts_run(place, number, beside))
                    case _:
                        runs.append(timeline_run(place, number, estimates=estimates, frames=frames, still_s=still_s))
    return Report(
        criteria=criteria_of(runs),
        rounds=[{"part": PART_OF[type(run)], **asdict(run)} for run in runs],
        fields={"estimates": estimates, "frames": frames, "still_s": still_s, "simulated": True},
        notes=[
            "The day of the timeline is simulated, and so is the need of help that leads to cards.",
            "Not measured: what the X server and a compositor spend, small pictures.",
        ],
    )


def criteria_of(runs: Sequence[Run]) -> list[AcceptanceCriterion]:
    """Return the figures of the parts that ran, with their limits."""
    criteria: list[AcceptanceCriterion] = []
    if windows := [run for run in runs if isinstance(run, WindowRun)]:
        criteria += timeline_criteria(windows)
    if offered := [run for run in runs if isinstance(run, OffersRun)]:
        found = sum(len(run.delays_ms) for run in offered)
        criteria += [
            at_most("estimate_to_card_p95", median(run.p95_ms for run in offered), 100.0, "ms"),
            at_least("cards_measured", found, OFFERS, "offers that waited for no break"),
            at_most("cards_never_seen", sum(run.lost for run in offered), 0, "offers"),
        ]
    if late := [run for run in runs if isinstance(run, LatenessRun)]:
        criteria += [
            at_most("interface_late_p95", median(run.p95_ms for run in late), LATE_MS, "ms"),
            at_least("interface_late_control", min(run.control_p95_ms for run in late), LATE_MS, "ms when held up"),
            at_least("core_busy_with", min(run.rows_per_s for run in late), BUSY_ROWS_PER_S, "rows a second"),
        ]
    if opened := [run for run in runs if isinstance(run, OpeningRun)]:
        trays = [delay_ms for run in opened for delay_ms in run.tray_ms]
        criteria += [
            at_most("start_to_tray", median(trays) / 1000, 1.0, "s"),
            at_most("open_settings", median(run.settings_ms for run in opened), 500.0, "ms"),
        ]
    if started := [run for run in runs if isinstance(run, StartsRun)]:
        criteria += starts_criteria(started)
    return criteria
