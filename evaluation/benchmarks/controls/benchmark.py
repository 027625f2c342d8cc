"""Measures what understanding controls costs while somebody works: scripted hands in real programs, paired.

Each pair is two desktops, one after the other, with the same acts by the same random numbers: the sense and the
desktop's accessibility switch off, and both on; the order changes with each pair. CPU time is what counts: of Kairos,
of the program with all its processes, and of the buses with their services. The time from a key to the first change of
the screen is taken after the work, and depends on how busy the machine is.
"""

import os
import random
import select
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from Xlib import XK, X
from Xlib.ext import xtest

from daemon.capture.backend import open_backend
from evaluation.measure.benchmark import Report
from evaluation.measure.criteria import AcceptanceCriterion, at_most
from evaluation.measure.progress import print_progress
from evaluation.stage.daemon_process import DaemonProcess
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.hands import Hands, ScriptLog
from evaluation.stage.sample_text import figure, sentence
from evaluation.stage.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.errors import UsageError

IDLE_S = 60.0
KEYS = 60
_START_S = 90.0
_SETTLE_S = 10.0
_SIZE = (1280, 800)
_SERVICES = ("dbus-daemon", "at-spi-bus-laun", "at-spi2-registr")
"""The buses and their services, by the names of their processes, of which the system keeps 15 characters."""

_STAGE = ("Xvfb", "openbox")
_OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")
_CHROMIUM = (
    *("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_PAGE = """<title>form</title><p><input autofocus> <button onclick="said.textContent = 'Saved'">Save</button></p>
<p><input type=checkbox> <select><option>one<option>two</select></p><p role=status id=said></p>"""

Act = Callable[[Hands], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlsRun:
    """What one run used, in % of a core, while work was done and while nothing was; times of keys in milliseconds."""

    program: str
    round: int
    on: bool
    ours: float
    ours_idle: float
    program_own: float
    bus: float
    key_p50_ms: float
    key_p95_ms: float


def measure(programs: Sequence[str], *, minutes: float, rounds: int) -> Report:
    """Work in each program in pairs, and compare the medians of the differences with the limits.

    Raises:
        UsageError: a program is not known.
    """
    unknown = set(programs) - set(_ACTS)
    if unknown:
        raise UsageError(f"unknown program {', '.join(sorted(unknown))}: choose of {', '.join(_ACTS)}")
    runs: list[ControlsRun] = []
    for number in range(1, rounds + 1):
        for program in programs:
            for on in (number % 2 == 0, number % 2 == 1):
                print_progress(f"round {number} of {rounds}: {program}, {'with' if on else 'without'}")
                with TemporaryDirectory(prefix="kairos-bench-") as folder:
                    runs.append(one_run(Path(folder), program, number, minutes * 60, on=on))
    criteria = [one for program in programs for one in criteria_of(program, runs)]
    return Report(criteria=criteria, rounds=[asdict(run) for run in runs])


def one_run(folder: Path, program: str, number: int, seconds: float, *, on: bool) -> ControlsRun:
    """Work in one program on a desktop of its own."""
    clock = SystemClock()
    with VirtualDesktop(_SIZE, compositor=False, tray="none", a11y=True) as desktop:
        settings = {"policy.quiet_start_s": "86400", "capture.understand_controls": "on" if on else "off"}
        kairos = DaemonProcess(desktop, folder, settings=settings, headless=True, recording=False)
        kairos.start()
        poll(lambda: not on or _is_connected(kairos), what="understanding controls", timeout_s=_START_S)
        try:
            pid = _open(desktop, folder, program)
            clock.sleep_s(_SETTLE_S)
            log = ScriptLog(folder / "script.jsonl", clock)
            hands = Hands(desktop.display, log, random.Random(number), clock)  # noqa: S311  # a script, no secret
            hands.click(640, 450)
            idle = _shares(desktop, kairos, pid, lambda: clock.sleep_s(min(IDLE_S, seconds)))
            work = _shares(desktop, kairos, pid, lambda: _work(hands, _ACTS[program], clock, seconds))
            times = _key_times(desktop, hands, clock)
            log.close()
        finally:
            kairos.quit()
    return ControlsRun(
        program=program,
        round=number,
        on=on,
        ours=work["ours"],
        ours_idle=idle["ours"],
        program_own=work["program"],
        bus=work["bus"],
        key_p50_ms=round(statistics.median(times), 2),
        key_p95_ms=round(statistics.quantiles(times, n=20)[-1], 2),
    )


def criteria_of(program: str, runs: Sequence[ControlsRun]) -> list[AcceptanceCriterion]:
    """Compare the medians over pairs with the limits."""
    own = [run for run in runs if run.program == program]
    pairs = [(off, on) for off in own if not off.on for on in own if on.on and on.round == off.round]

    def more(figure_of: Callable[[ControlsRun], float]) -> float:
        return round(statistics.median(figure_of(on) - figure_of(off) for off, on in pairs), 3)

    slower = statistics.median(on.key_p95_ms / off.key_p95_ms for off, on in pairs)
    percent = "% of a core"
    return [
        at_most(f"{program}_ours_more", more(lambda run: run.ours), 0.3, percent),
        at_most(f"{program}_program_and_bus_more", more(lambda run: run.program_own + run.bus), 1.0, percent),
        at_most(f"{program}_key_p95", round(slower, 3), 1.15, "times as long as without"),
        at_most(f"{program}_idle", statistics.median(on.ours_idle for _, on in pairs), 0.1, percent),
    ]


# ---------------------------------------------------------------- work


def _open(desktop: VirtualDesktop, folder: Path, program: str) -> int:
    """Start a program, and return the number of its process once its window is there."""
    if program == "chromium":
        page = folder / "page.html"
        page.write_text(_PAGE, encoding="utf-8")
        process = desktop.spawn([*_CHROMIUM, f"--user-data-dir={folder / 'profile'}", str(page)], program)
        desktop.windows.wait(title="form", timeout_s=_START_S)
    else:
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        process = desktop.spawn([*_OFFICE, profile, f"--{program}"], program)
        window = desktop.windows.wait(title=f"LibreOffice {program.capitalize()}", timeout_s=_START_S)
        desktop.windows.maximise(window)
    return process.pid


def _work(hands: Hands, acts: Sequence[Act], clock: SystemClock, seconds: float) -> None:
    until_ns = clock.now_ns() + int(seconds * NS_PER_S)
    while True:
        for act in acts:
            if clock.now_ns() >= until_ns:
                return
            act(hands)
            hands.wait(hands.about(0.6))


def _chords(*keys: str) -> Act:
    """Return an act of chords with a moment between them."""

    def act(hands: Hands) -> None:
        for one in keys:
            hands.chord(one)
            hands.wait(hands.about(0.5))

    return act


_ACTS: Mapping[str, Sequence[Act]] = {
    "writer": (
        lambda hands: hands.text(sentence(hands.rng)),
        _chords("ctrl+b", "ctrl+b", "Return"),
        lambda hands: hands.click(600, 450),
        _chords("ctrl+z", "ctrl+y"),
        _chords("ctrl+h", "Tab", "Escape"),
    ),
    "calc": (
        lambda hands: hands.text(figure(hands.rng)),
        _chords("Return"),
        lambda hands: hands.text(figure(hands.rng)),
        _chords("Tab", "ctrl+z", "ctrl+y"),
        lambda hands: hands.click(500, 420),
        _chords("ctrl+1", "Escape"),
    ),
    "chromium": (
        lambda hands: hands.text(sentence(hands.rng)),
        _chords("Tab", "Return", "Tab", "space", "Tab", "Down", "Up"),
        _chords("shift+Tab", "shift+Tab", "shift+Tab", "ctrl+a"),
    ),
}


def _key_times(desktop: VirtualDesktop, hands: Hands, clock: SystemClock) -> list[float]:
    """Return how many milliseconds after each key the screen first changed; a key without a change is left out."""
    times: list[float] = []
    with desktop.entered():
        backend = open_backend(clock)
    code = desktop.display.keysym_to_keycode(XK.string_to_keysym("x"))
    try:
        for _ in range(KEYS):
            hands.wait(0.3)
            backend.take_damage()
            began_ns = clock.now_ns()
            for kind in (X.KeyPress, X.KeyRelease):
                xtest.fake_input(desktop.display, kind, code)
            desktop.display.sync()
            if select.select([backend.fileno()], [], [], 1.0)[0]:
                times.append((clock.now_ns() - began_ns) / 1e6)
    finally:
        backend.close()
    return times if len(times) > 1 else [float("nan")] * 2


# ---------------------------------------------------------------- processes


def _is_connected(kairos: DaemonProcess) -> bool:
    answer = kairos.command("status").get("controls")
    return isinstance(answer, dict) and bool(answer.get("works"))


def _shares(desktop: VirtualDesktop, kairos: DaemonProcess, program: int, act: Callable[[], None]) -> dict[str, float]:
    """Do something, and return what Kairos, the program and the buses used meanwhile, in % of a core."""
    clock = SystemClock()
    before, began_ns = _cpu_s(desktop, kairos, program), clock.now_ns()
    act()
    after, length_s = _cpu_s(desktop, kairos, program), (clock.now_ns() - began_ns) / NS_PER_S
    return {who: round(100 * (after[who] - before[who]) / length_s, 3) for who in before}


def _cpu_s(desktop: VirtualDesktop, kairos: DaemonProcess, program: int) -> dict[str, float]:
    """Return the CPU seconds so far of Kairos, of the program with all its processes, and of the buses.

    Raises:
        RuntimeError: the program is not among the processes, so nothing of it would be measured.
    """
    own = kairos.process.pid if kairos.process is not None else 0
    found = {"ours": 0.0, "program": 0.0, "bus": 0.0}
    for pid, (name, _, ticks) in _of_desktop(desktop.env["HOME"], program).items():
        if name in _SERVICES:
            who = "bus"
        elif pid == own:
            who = "ours"
        elif name in _STAGE:
            continue
        else:
            who = "program"
        found[who] += ticks / os.sysconf("SC_CLK_TCK")
    if found["program"] == 0.0:
        raise RuntimeError("no process of the program was found")
    return found


def _of_desktop(home: str, program: int) -> dict[int, tuple[str, int, int]]:
    """Return name, parent and CPU ticks of the processes of a desktop, by number.

    Every desktop has a home folder of its own, which its processes have in their environment. Chromium writes over its
    own, so the program is known by its number, and its processes by their parents.
    """
    found: dict[int, tuple[str, int, int]] = {}
    marked = {program}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                marked.add(int(folder.name))
            stat = (folder / "stat").read_text()
        except OSError:  # it has just ended
            continue
        name, numbers = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
        ticks = sum(map(int, numbers[11:15]))  # its own, in programs and in the kernel, and that of children that ended
        found[int(folder.name)] = name, int(numbers[1]), ticks
    while below := {pid for pid, (_, parent, _) in found.items() if parent in marked} - marked:
        marked |= below
    return {pid: one for pid, one in found.items() if pid in marked}
