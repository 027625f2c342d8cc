"""Measures what understanding controls costs while somebody works: scripted hands in real programs, paired.

Each pair is two desktops, one after the other, with the same acts by the same random numbers: the sense and the
desktop's accessibility switch off, and both on; the order changes with each pair. CPU time is what counts: of Kairos,
of the program with all its processes, and of the buses with their services. The time from a key to the first change of
the screen is taken after the work, and depends on how busy the machine is.
"""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import poll
from lab.benchmarks.office_work import PROGRAMS, open_program, work
from lab.measure.benchmark import AcceptanceCriterion, Report, at_most
from lab.measure.processes import key_times, p95, processes_of
from storage.clock import NS_PER_S, SystemClock
from storage.errors import UsageError
from storage.plain_text import print_progress

IDLE_S = 60.0
KEYS = 60
_START_S = 90.0
_SETTLE_S = 10.0
_SIZE = (1280, 800)
_STAGE = ("Xvfb", "openbox")


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
    unknown = set(programs) - set(PROGRAMS)
    if unknown:
        raise UsageError(f"unknown program {', '.join(sorted(unknown))}: choose from {', '.join(PROGRAMS)}")
    runs: list[ControlsRun] = []
    for number in range(1, rounds + 1):
        for program in programs:
            for on in (number % 2 == 0, number % 2 == 1):
                print_progress(f"round {number} of {rounds}: {program}, {'with' if on else 'without'}")
                with TemporaryDirectory(prefix="kairos-bench-") as folder:
                    runs.append(one_run(Path(folder), program, number, minutes * 60, on=on))
    criteria = [criterion for program in programs for criterion in criteria_of(program, runs)]
    return Report(criteria=criteria, rounds=[asdict(run) for run in runs])


def one_run(folder: Path, program: str, number: int, seconds: float, *, on: bool) -> ControlsRun:
    """Work in one program on a desktop of its own."""
    clock = SystemClock()
    with VirtualDesktop(_SIZE, compositor=False, tray="none", a11y=True) as desktop:
        choice = "on" if on else "off"
        settings = dict.fromkeys(("capture.understand_controls", "capture.read_outputs"), choice)
        settings |= {"policy.quiet_start_s": "86400"}
        kairos = DaemonProcess(desktop, folder, settings=settings, headless=True, recording=False)
        kairos.start()
        poll(lambda: not on or _is_connected(kairos), what="understanding controls", timeout_s=_START_S)
        try:
            pid = open_program(desktop, folder, program)
            clock.sleep_s(_SETTLE_S)
            log = ScriptLog(folder / "script.jsonl", clock)
            hands = Hands(desktop.display, log, random.Random(number), clock)  # noqa: S311  # a script, no secret
            hands.click(640, 450)
            idle = _shares(desktop, kairos, pid, lambda: clock.sleep_s(min(IDLE_S, seconds)))
            busy = _shares(desktop, kairos, pid, lambda: work(hands, program, clock, seconds))
            times = key_times(desktop, clock, KEYS)
            log.close()
        finally:
            kairos.quit()
    return ControlsRun(
        program=program,
        round=number,
        on=on,
        ours=busy["ours"],
        ours_idle=idle["ours"],
        program_own=busy["program"],
        bus=busy["bus"],
        key_p50_ms=round(statistics.median(times or [float("nan")]), 2),
        key_p95_ms=round(p95(times), 2),
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
    used_ms = {"ours": 0.0, "program": 0.0, "bus": 0.0}
    for pid, process in processes_of(desktop.env["HOME"], program).items():
        if pid == own:
            used_ms["ours"] += process.cpu_ms
        elif process.is_bus:
            used_ms["bus"] += process.cpu_ms
        elif process.name not in _STAGE:
            used_ms["program"] += process.cpu_ms
    if used_ms["program"] == 0.0:
        raise RuntimeError("no process of the program was found")
    return {who: ms / 1000 for who, ms in used_ms.items()}
