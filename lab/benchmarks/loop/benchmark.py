"""Plays tasks in real programs with the real Kairos: asks, does what the ring says and nothing else, and looks then.

A ring is clicked in its middle, and again where it stands on for `PATIENCE_S`, as somebody would who believes it. At a
step without controls the script does what the task says that the person does there.
"""

import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import open_display, poll, ringed
from lab.benchmarks.loop.programs import PROGRAMS, ProgramWithTasks
from lab.benchmarks.loop.tasks import TASKS, LoopTask
from lab.measure.benchmark import Report, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress
from storage.ports import PointedAt
from storage.records import Box

SETTINGS = {"policy.quiet_start_s": "0", "capture.understand_controls": "on"}
SIZE = (1600, 900)
PATIENCE_S = 6.0
"""After so long a ring that was clicked is believed to want another click."""

NOTHING_S = 14.0
"""Where nothing is ringed for so long the person gives up; a ring may have to wait for the next look, five seconds."""

MOST_S = 90.0
STANDS_S = 4.0
"""A ring that is there so long after the end stands."""

REACHED = 55 / 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTask:
    """What became of one task: whether it was reached, whether a ring stood after it, and whether *Done* was said."""

    program: str
    task: str
    reached: bool
    ring_after: bool
    done: bool
    clicks: int
    seconds: float
    why: str = ""


def measure(programs: Sequence[str], *, limit: int, broken: bool = False, out: Path | None = None) -> Report:
    """Play the first tasks of these programs; with `broken` nothing is ticked off, which has to fail.

    Raises:
        UsageError: a program has no tasks.
        EnvironmentFault: a program or the desktop does not come up.
    """
    unknown = set(programs) - set(PROGRAMS)
    if unknown:
        raise UsageError(f"no tasks in {', '.join(sorted(unknown))}: choose from {', '.join(PROGRAMS)}")
    found: list[PlayedTask] = []
    for program in programs:
        tasks = [task for task in TASKS if task.program == program][:limit]
        with TemporaryDirectory(prefix="kairos-bench-") as folder:
            found += _play_all(program, tasks, (out or Path(folder)).absolute() / program, broken=broken)
    return report_of(found)


def report_of(found: Sequence[PlayedTask]) -> Report:
    """Return the share of tasks that were reached, how many were left with a ring, and each task."""
    return Report(
        criteria=[
            at_least("reached", sum(played.reached for played in found) / len(found), REACHED, "share"),
            at_most("rings_that_stand_after_the_end", sum(played.ring_after for played in found), 0, "tasks"),
        ],
        rounds=[asdict(played) for played in found],
        fields={"tasks": len(found), "reached": sum(played.reached for played in found)},
        text=[line_of(played) for played in found],
        notes=["Walks may cost more than in an hour of work: a row of tasks is no day of a person."],
    )


def line_of(one: PlayedTask) -> str:
    """Return what became of a task, as a line."""
    came = "reached" if one.reached else f"MISSED ({one.why})"
    after = ", A RING STANDS" if one.ring_after else ""
    done = "" if one.done else ", no Done"
    return f"{one.program}, {one.task}: {came}{after}{done}, {one.clicks} clicks in {one.seconds:.0f} s"


def _play_all(program: str, tasks: Sequence[LoopTask], folder: Path, *, broken: bool) -> list[PlayedTask]:
    folder.mkdir(parents=True, exist_ok=True)
    pages, noted = folder / "pages.json", folder / "pointed.jsonl"
    pages.write_bytes(msgspec.json.encode([task.page(PROGRAMS[program].app) for task in tasks]))
    noted.write_text("")
    module = (sys.executable, "-m", "lab.benchmarks.loop.kairos_process", str(pages), str(noted), str(broken))
    found: list[PlayedTask] = []
    with VirtualDesktop(SIZE, compositor=False, tray="none", a11y=True) as desktop:
        kairos = DaemonProcess(desktop, folder, settings=SETTINGS, kairos=module)
        kairos.start()
        display = open_display(desktop.env)
        clock = SystemClock()
        log = ScriptLog(folder / "script.jsonl", clock)
        try:
            hands = Hands(display, log, random.Random(1), clock)  # noqa: S311  # not for cryptography
            player = Player(ProgramWithTasks(desktop, program), kairos, hands, noted)
            for task in tasks:
                found.append(player.play(task))
                print_progress(line_of(found[-1]))
                desktop.screenshot(folder / f"{len(found)}.png")
        finally:
            kairos.quit()
            log.close()
            display.close()
    return found


class Player:
    """Somebody who asks, and believes the ring."""

    def __init__(self, program: ProgramWithTasks, kairos: DaemonProcess, hands: Hands, noted: Path) -> None:
        self._program = program
        self._kairos = kairos
        self._hands = hands
        self._noted = noted
        self._before = 0
        self._clock = SystemClock()
        self._windows = program.desktop.windows

    def play(self, task: LoopTask) -> PlayedTask:
        """Play one task with a fresh document.

        Raises:
            EnvironmentFault: the program does not come up.
        """
        self._program.open()
        before = self._program.text()
        self._before += len(self._pointed())
        began_ns = self._clock.now_ns()
        clicks, why = self._play(task)
        seconds = (self._clock.now_ns() - began_ns) / NS_PER_S
        done = any(line["about"] == PointedAt.DONE for line in self._pointed())
        self._clock.sleep_s(STANDS_S)
        stands = ringed(self._windows) is not None
        reached = self._is_reached(task, before)
        self._tidy()
        return PlayedTask(
            program=task.program,
            task=task.name,
            reached=reached,
            ring_after=stands,
            done=done,
            clicks=clicks,
            seconds=seconds,
            why=why or "another state",
        )

    def _play(self, task: LoopTask) -> tuple[int, str]:
        """Ask, and follow the ring; return the number of clicks, and why it ended before it was done."""
        self._kairos.request("ask", words=task.name)
        try:
            poll(self._windows.card, what="the card", timeout_s=20)
        except EnvironmentFault as fault:
            return 0, fault.what
        clicks, acted = 0, set[str]()
        clicked: tuple[Box | None, int] = (None, 0)
        seen_ns = began_ns = self._clock.now_ns()
        while (now_ns := self._clock.now_ns()) < began_ns + MOST_S * NS_PER_S:
            last: Mapping[str, Any] = next(reversed(self._pointed()), {"about": "", "step": 0})
            step = str(last["step"])
            if last["about"] == PointedAt.DONE:
                return clicks, ""
            if last["about"] == PointedAt.YOURS and step not in acted and step in task.own:
                acted.add(step)
                self._act(task.own[step])
                seen_ns = self._clock.now_ns()
            ring = ringed(self._windows)
            self._clock.sleep_s(0.3)  # the sides of a ring do not come up in one moment
            if ring is None:
                clicked = (None, 0)
                if now_ns > seen_ns + NOTHING_S * NS_PER_S:
                    return clicks, f"nothing is ringed at step {last['step'] + 1}"
            elif ringed(self._windows) == ring:
                seen_ns = now_ns
                if clicked[0] != ring or now_ns > clicked[1] + PATIENCE_S * NS_PER_S:
                    clicks, clicked = clicks + 1, (ring, now_ns)
                    self._click(ring)
                    self._clock.sleep_s(0.4)
        return clicks, "it took too long"

    def _click(self, ring: Box) -> None:
        """Click in the middle of a ring, going there as in menus: straight down, or straight to one beside it."""
        x, y = ring.x + ring.w // 2, ring.y + ring.h // 2
        at_x, at_y = self._hands.at
        is_below = ring.x <= at_x < ring.x + ring.w
        self._hands.move(*((at_x, y) if is_below else (x, at_y)))
        self._hands.click(x, y)

    def _act(self, own: Sequence[str]) -> None:
        """Do what the person does at a step of theirs."""
        self._clock.sleep_s(1.0)
        for what in own:
            if what.startswith("type "):
                self._hands.text(what.removeprefix("type "))
            else:
                self._hands.chord(what)
        self._clock.sleep_s(0.5)

    def _is_reached(self, task: LoopTask, before: str) -> bool:
        """Return whether what is wanted is so.

        Raises:
            UsageError: it was so before.
        """
        if task.window:
            return self._program.wait_window(task.window)
        if task.setting:
            return self._program.wait_setting(*task.setting)
        if re.search(task.saved, before):
            raise UsageError(f"{task.name}: its document is so from the start")
        self._hands.chord("ctrl+s")
        return self._program.wait_saved(task.saved)

    def _tidy(self) -> None:
        """Close what stands open, and save, so that nothing is asked when the document is closed."""
        for keys in ("Escape", "Escape", "ctrl+s"):
            self._hands.chord(keys)
            self._clock.sleep_s(0.7)

    def _pointed(self) -> list[Mapping[str, Any]]:
        """Return what was pointed at in this task."""
        return [json.loads(line) for line in self._noted.read_text().splitlines()[self._before :]]
