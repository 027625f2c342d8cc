"""Finds named controls of real programs, puts the pointer on what was found, and sees what it reached.

A control counts as found only if its words lead to a place at which the program itself answers with that control. Of
the Qt form, which prints where its controls are, and of a web page, which says what the pointer is on, the same is
asked for points 40 pixels lower: if these were hits as well, the check would prove nothing.
"""

import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from Xlib import XK, X
from Xlib.ext import xtest

from daemon.capture.accessibility.walk_rate import WalkRate
from daemon.help.grounding import ground, likeness
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.grounding.reader import Reader, reading
from lab.benchmarks.grounding.subjects import CONTROLS, FORM_TITLE, SUBJECTS, TITLE, Subject, Witness, page_html
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.processes import cpu_ms, processes_of
from storage.clock import NS_PER_MS, NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress
from storage.ports import HelpStep
from storage.records import Box, Element

FORM, PAGE, FIREFOX, CALC = "form", "page", "firefox", "calc"
SIZE = (1280, 900)
_ALL = (FORM, PAGE, FIREFOX, *SUBJECTS)
LOWER = 40
"""By how many pixels, times the scale, the points of the control check are lower."""

_START_S = 60.0
_SETTLE_S = 5.0
_HOUR_MS = 3_600_000
_REACH_S = 1.0
_CHROMIUM_SUFFIX, _FIREFOX_SUFFIX = " - Chromium", " \N{EM DASH} Mozilla Firefox"
_PRESS_S = 0.3
_HINT_S = 2.0
_MENU_S = 0.8
"""What a menu takes to open or close, with all that LibreOffice then brings up to date."""

_SAME = 0.75
_FIREFOX = ("firefox-esr", "--no-remote")
_CHROMIUM = (
    *("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One control: whether its words led to it, else why not; `lower` is the same for a point below it."""

    subject: str
    scale: int
    name: str
    hit: bool
    why: str = ""
    lower: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Walks:
    """What the timed walks of one program took: times and, for each walk, CPU of this process, program and buses."""

    subject: str
    scale: int
    walks: int
    p50_ms: float
    p95_ms: float
    controls: int
    ours_cpu_ms: float = 0.0
    program_cpu_ms: float = 0.0
    bus_cpu_ms: float = 0.0
    ours_counted_ms: float = 0.0
    program_counted_ms: float = 0.0


def measure(names: Sequence[str], *, scales: Sequence[int], walks: int) -> Report:
    """Look for all controls of all subjects at all scales.

    Raises:
        UsageError: a subject is not known.
        EnvironmentFault: a program is missing, or does not come up.
    """
    unknown = set(names) - set(_ALL)
    if unknown:
        raise UsageError(f"unknown subject {', '.join(sorted(unknown))}: choose from {', '.join(_ALL)}")
    attempts: list[Attempt] = []
    timed: list[Walks] = []
    for scale in scales:
        for name in names:
            print_progress(f"{name} at scale {scale}")
            with TemporaryDirectory(prefix="kairos-bench-") as folder:
                found, cost = _one(name, scale, Path(folder), walks)
            attempts += found
            timed.append(cost)
            print_progress(f"{sum(attempt.hit for attempt in found)} of {len(found)}, a walk in {cost.p50_ms:.0f} ms")
    return report_of(attempts, criteria_of(attempts, timed), [asdict(round_) for round_ in timed])


def report_of(
    attempts: Sequence[Attempt], criteria: Sequence[AcceptanceCriterion], rounds: Sequence[Mapping[str, object]]
) -> Report:
    """Return what was found, by subject and scale, and each control that was missed."""
    missed = [asdict(attempt) for attempt in attempts if not attempt.hit]
    by_subject = _by_subject(attempts)
    return Report(
        criteria=criteria,
        rounds=rounds,
        fields={"controls": len(attempts), "missed": missed, "by_subject": by_subject},
        text=["{subject} at scale {scale}: {hit} of {of}".format_map(line) for line in by_subject],
        notes=[f"missed: {miss['subject']} at scale {miss['scale']}, {miss['name']}: {miss['why']}" for miss in missed],
    )


def criteria_of(attempts: Sequence[Attempt], timed: Sequence[Walks]) -> list[AcceptanceCriterion]:
    """Return the criteria: enough controls, nearly all of them found at each scale, walks short and cheap in Calc.

    What walks cost is that of an hour in which one is wanted every second: those that are allowed, at what each cost.
    """
    found = [at_least("controls", len({(attempt.subject, attempt.name) for attempt in attempts}), 200, "controls")]
    found += points_hit(attempts, "point_in_box", 0.95)
    calc = [walks for walks in timed if walks.subject == CALC]
    if calc:
        found.append(at_most("calc_walk_p95", max(walks.p95_ms for walks in calc), 250, "ms"))
        hours = [(walks, walks_in_an_hour(walks.ours_counted_ms, walks.program_counted_ms)) for walks in calc]
        ours = max(count * one.ours_cpu_ms for one, count in hours)
        others = max(count * (one.program_cpu_ms + one.bus_cpu_ms) for one, count in hours)
        for name, cpu_ms in (("ours", ours), ("program_and_bus", others)):
            found.append(at_most(f"calc_{name}_over_an_hour", 100 * cpu_ms / _HOUR_MS, 1.0, "% of a core"))
    return found


def points_hit(attempts: Sequence[Attempt], name: str, least: float) -> Iterator[AcceptanceCriterion]:
    """Yield the criteria of places: enough are in their box at each scale, and points below them are not."""
    for scale in sorted({attempt.scale for attempt in attempts}):
        own = [attempt.hit for attempt in attempts if attempt.scale == scale]
        yield at_least(f"{name}_at_scale_{scale}", statistics.mean(own), least, "share")
    lower = [attempt.lower for attempt in attempts if attempt.lower is not None]
    if lower:
        yield at_most("points_moved_away_that_hit", statistics.mean(lower), 0.2, "share")


def walks_in_an_hour(ours_ms: float, program_ms: float) -> int:
    """Return how many walks of this cost the daemon allows in the first hour if one is wanted every second."""
    rate, count = WalkRate(), 0
    for second in range(3600):
        if rate.allows(second * NS_PER_S, asked=True):
            rate.spend(round(ours_ms * NS_PER_MS), round(program_ms * NS_PER_MS))
            count += 1
    return count


def _by_subject(attempts: Sequence[Attempt]) -> list[dict[str, object]]:
    pairs = dict.fromkeys((attempt.subject, attempt.scale) for attempt in attempts)
    return [
        {
            "subject": subject,
            "scale": scale,
            "hit": sum(attempt.hit for attempt in attempts if (attempt.subject, attempt.scale) == (subject, scale)),
            "of": sum((attempt.subject, attempt.scale) == (subject, scale) for attempt in attempts),
        }
        for subject, scale in pairs
    ]


# ---------------------------------------------------------------- one program


def _one(name: str, scale: int, folder: Path, walks: int) -> tuple[list[Attempt], Walks]:
    size = (SIZE[0] * scale, SIZE[1] * scale)
    with VirtualDesktop(size, compositor=False, tray="none", a11y=True) as desktop:
        desktop.turn_accessibility_on()
        run = _form if name == FORM else _page if name in (PAGE, FIREFOX) else _program
        return run(ProgramStage(desktop, name, scale, folder), walks)


class ProgramStage:
    """A desktop with one program, and a pointer on it."""

    def __init__(self, desktop: VirtualDesktop, name: str, scale: int, folder: Path) -> None:
        self.desktop = desktop
        self.name = name
        self.scale = scale
        self.folder = folder
        self.clock = SystemClock()

    def open(self, argv: Sequence[str], title: str) -> WindowInfo:
        """Start a program at the scale, and return its window."""
        env = {"GDK_SCALE": str(self.scale), "QT_SCALE_FACTOR": str(self.scale)}
        self.desktop.spawn(argv, "program", env=env)
        window = self.desktop.windows.wait(title=title, timeout_s=_START_S)
        self.desktop.windows.maximise(window)
        self.clock.sleep_s(_SETTLE_S)
        return self.desktop.windows.wait(title=title)

    def move(self, x: int, y: int) -> None:
        """Put the pointer somewhere, in two steps: a program may ignore one that did not come from beside."""
        for dx in (3, 0):
            xtest.fake_input(self.desktop.display, X.MotionNotify, x=x + dx, y=y)
            self.desktop.display.sync()
            self.clock.sleep_s(0.03)

    def button(self, *, down: bool) -> None:
        """Press or release the main button."""
        xtest.fake_input(self.desktop.display, X.ButtonPress if down else X.ButtonRelease, 1)
        self.desktop.display.sync()

    def key(self, name: str) -> None:
        """Press and release a key."""
        code = self.desktop.display.keysym_to_keycode(XK.string_to_keysym(name))
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self.desktop.display, kind, code)
        self.desktop.display.sync()

    def attempt(self, name: str, hit: bool, why: str, lower: bool | None = None) -> Attempt:
        """Return what came of one control."""
        return Attempt(subject=self.name, scale=self.scale, name=name, hit=hit, why="" if hit else why, lower=lower)


def _timed(stage: ProgramStage, reader: Reader, walks: int) -> Walks:
    reader.times_ms.clear()
    controls = 0
    before, counted = _cpu_ms(stage, reader.pid), reader.rate.counted_ns
    for _ in range(walks):
        controls = len(reader.elements())
        stage.clock.sleep_s(0.1)
    ours, program, bus = (
        round((after - first) / walks, 1) for first, after in zip(before, _cpu_ms(stage, reader.pid), strict=True)
    )
    ours_counted, program_counted = (
        round((after - first) / walks / NS_PER_MS, 1)
        for first, after in zip(counted, reader.rate.counted_ns, strict=True)
    )
    times = reader.times_ms if len(reader.times_ms) > 1 else [float("nan")] * 2
    return Walks(
        subject=stage.name,
        scale=stage.scale,
        walks=len(reader.times_ms),
        p50_ms=round(statistics.median(times), 1),
        p95_ms=round(statistics.quantiles(times, n=20)[-1], 1),
        controls=controls,
        ours_cpu_ms=ours,
        ours_counted_ms=ours_counted,
        program_counted_ms=program_counted,
        program_cpu_ms=program,
        bus_cpu_ms=bus,
    )


def _cpu_ms(stage: ProgramStage, program: int) -> tuple[float, float, float]:
    """Return the CPU time so far of this process, the program, and the buses of the desktop with their services."""
    found = processes_of(stage.desktop.env["HOME"], program)
    buses = sum(process.cpu_ms for process in found.values() if process.is_bus)
    return cpu_ms(os.getpid()), found[program].cpu_ms, buses


# ---------------------------------------------------------------- the form, which prints where its controls are


def open_form(stage: ProgramStage) -> tuple[WindowInfo, list[tuple[HelpStep, Box]]]:
    """Open the form; return its window, and what it prints: a step of help to each control, and where that is."""
    window = stage.open([sys.executable, "-m", "lab.benchmarks.grounding.qt_form"], FORM_TITLE)
    printed = (stage.desktop.directory / "log" / "program.log").read_text(encoding="utf-8").splitlines()
    return window, [
        (HelpStep(text=f"Use the {facts['name']} {facts['kind']}.", controls=(facts["name"],)), Box(*facts["box"]))
        for facts in json.loads(next(line for line in reversed(printed) if line.startswith("[")))
    ]


def tried(stage: ProgramStage, truth: Sequence[tuple[HelpStep, Box]], elements: Sequence[Element]) -> Iterator[Attempt]:
    """Yield whether the step to each control leads into its box, and whether a point below does."""
    for step, box in truth:
        found = ground(step, elements).element
        hit = found is not None and _in(box, *_middle(found.box))
        lower = None if found is None else _in(box, *_lower(found.box, stage.scale))
        yield stage.attempt(step.controls[0], hit, "not found" if found is None else "elsewhere", lower)


def _form(stage: ProgramStage, walks: int) -> tuple[list[Attempt], Walks]:
    window, truth = open_form(stage)
    with reading(stage.desktop, window) as reader:
        return list(tried(stage, truth, reader.elements())), _timed(stage, reader, walks)


# ---------------------------------------------------------------- the page, which says what the pointer is on


def _page(stage: ProgramStage, walks: int) -> tuple[list[Attempt], Walks]:
    file = stage.folder / "page.html"
    file.write_text(page_html(), encoding="utf-8")
    profile = stage.folder / "profile"
    profile.mkdir()
    if stage.name == FIREFOX:
        argv = [*_FIREFOX, "--profile", str(profile), file.as_uri()]
    else:
        argv = [*_CHROMIUM, f"--force-device-scale-factor={stage.scale}", f"--user-data-dir={profile}", str(file)]
    window = stage.open(argv, TITLE)
    suffix = _FIREFOX_SUFFIX if stage.name == FIREFOX else _CHROMIUM_SUFFIX
    attempts = []

    def shows(name: str) -> bool:
        now = stage.desktop.windows.refresh(window)
        return now is not None and now.title == f"{TITLE}: {name}{suffix}"

    def reaches(x: int, y: int, name: str) -> bool:
        stage.move(x, y)
        return _soon(lambda: shows(name), _REACH_S)

    with reading(stage.desktop, window) as reader:
        reader.elements()
        stage.clock.sleep_s(1.0)  # its pages begin to speak
        elements = reader.elements()
        for kind, name in CONTROLS:
            found = ground(HelpStep(text=f"Use {name} ({kind}).", controls=(name,)), elements).element
            if found is None:
                attempts.append(stage.attempt(name, hit=False, why="not found"))
                continue
            hit = reaches(*_middle(found.box), name)
            lower = None
            if hit and kind == "button":
                stage.move(*_lower(found.box, stage.scale))
                stage.clock.sleep_s(_REACH_S)
                lower = shows(name)
            attempts.append(stage.attempt(name, hit, "elsewhere", lower))
        return attempts, _timed(stage, reader, walks)


# ---------------------------------------------------------------- programs, which say what the pointer reached


def _program(stage: ProgramStage, walks: int) -> tuple[list[Attempt], Walks]:
    subject = SUBJECTS[stage.name]
    argv = [*subject.argv]
    if argv[0] == "soffice":
        argv.append(f"-env:UserInstallation={(stage.folder / 'profile').as_uri()}")
    window = stage.open(argv, subject.title)
    with Witness(stage.desktop.env) as witness, reading(stage.desktop, window) as reader:
        cost = _timed(stage, reader, walks)
        attempts = list(_buttons(stage, subject, witness, reader))
        attempts += _menus(stage, subject, witness, reader)
    return attempts, cost


def _buttons(stage: ProgramStage, subject: Subject, witness: Witness, reader: Reader) -> Iterator[Attempt]:
    """Press each button and let go of it elsewhere; of one that says nothing then, wait for its hint."""
    elements = reader.elements()
    for name in subject.buttons:
        found = ground(HelpStep(text=f"Click the {name} button.", controls=(name,)), elements).element
        if found is None:
            yield stage.attempt(name, hit=False, why="not found")
        else:
            hit = _answers(stage, witness, name, subject.hints.get(name, name), _middle(found.box))
            yield stage.attempt(name, hit, f"elsewhere: {witness.heard()}")


def _answers(stage: ProgramStage, witness: Witness, name: str, hint: str, place: tuple[int, int]) -> bool:
    """Return whether a button of this name, or with this hint, is at a place."""
    away = (stage.scale * SIZE[0] // 2, stage.scale * SIZE[1] // 2)
    witness.forget()
    with _pressed(stage, place, away):
        hit = witness.wait(lambda one: not one.hint and likeness(name, one.name) >= _SAME, _PRESS_S)
    if not hit:
        witness.forget()
        stage.move(*place)
        hit = witness.wait(lambda one: one.hint and likeness(hint, one.name) >= _SAME, _HINT_S)
        stage.move(*away)
    return hit


@contextmanager
def _pressed(stage: ProgramStage, place: tuple[int, int], away: tuple[int, int]) -> Iterator[None]:
    stage.move(*place)
    stage.button(down=True)
    try:
        yield
    finally:
        stage.move(*away)
        stage.button(down=False)
        stage.clock.sleep_s(0.1)


def _menus(stage: ProgramStage, subject: Subject, witness: Witness, reader: Reader) -> Iterator[Attempt]:
    """Go each way through the menus as a step of help describes it: open the menu, then look for what is in it."""
    for menu, names in subject.menus.items():
        steps = [HelpStep(text=f"Choose {menu} - {name}.", controls=(menu, name)) for name in names]
        title = ground(steps[0], reader.elements()).element
        if title is None:
            yield from (stage.attempt(" > ".join(step.controls), hit=False, why="no menu") for step in steps)
            continue
        yield stage.attempt(menu, _opens(stage, witness, menu, _middle(title.box)), "elsewhere")
        elements = reader.elements()
        for name, step in zip(names, steps, strict=True):
            yield _item(stage, witness, name, step, elements)
        for _ in range(2):
            stage.key("Escape")
        stage.clock.sleep_s(_MENU_S)


def _opens(stage: ProgramStage, witness: Witness, menu: str, place: tuple[int, int]) -> bool:
    """Click on the title of a menu; return whether that one answers."""
    witness.forget()
    stage.move(*place)
    stage.button(down=True)
    stage.button(down=False)
    opened = witness.wait(lambda one: likeness(menu, one.name) >= _SAME, _REACH_S)
    stage.clock.sleep_s(_MENU_S)
    return opened


def _item(stage: ProgramStage, witness: Witness, name: str, path: HelpStep, elements: Sequence[Element]) -> Attempt:
    found = ground(path, elements).element
    full = " > ".join(path.controls)
    if found is None or likeness(name, found.name or "") < _SAME:
        return stage.attempt(full, hit=False, why="not found")
    witness.forget()
    stage.move(*_middle(found.box))
    hit = witness.wait(lambda one: likeness(name, one.name) >= _SAME, _REACH_S)
    return stage.attempt(full, hit, f"elsewhere: {witness.heard()}")


def _soon(check: Callable[[], bool], timeout_s: float) -> bool:
    try:
        return poll(check, what="an answer", timeout_s=timeout_s)
    except EnvironmentFault:
        return False


def _middle(box: Box) -> tuple[int, int]:
    return box.x + box.w // 2, box.y + box.h // 2


def _lower(box: Box, scale: int) -> tuple[int, int]:
    x, y = _middle(box)
    return x, y + LOWER * scale


def _in(box: Box, x: int, y: int) -> bool:
    return box.x <= x < box.x + box.w and box.y <= y < box.y + box.h
