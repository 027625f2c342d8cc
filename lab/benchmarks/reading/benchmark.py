"""Starts programs on a virtual desktop, reads their commands, and sees what that took and whether a menu opened."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from daemon.capture.gate import Gate
from daemon.capture.thread import CaptureSession, CaptureThread
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import open_display, poll
from lab.benchmarks.reading import keystrokes
from lab.benchmarks.reading.keystrokes import KeyTimes
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.processes import cpu_ms
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.plain_text import print_progress
from storage.ports import CommandList
from storage.records import Focus, Record, WindowEvent
from storage.settings import Settings

_OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")
PROGRAMS: Mapping[str, Sequence[str]] = {
    "mousepad": ("mousepad",),
    "pluma": ("pluma",),
    "gedit": ("gedit", "--standalone"),
    "gnome-text-editor": ("gnome-text-editor", "--standalone"),
    "calc": (*_OFFICE, "--calc"),
    "writer": (*_OFFICE, "--writer"),
    "draw": (*_OFFICE, "--draw"),
    "gimp": ("gimp", "-s"),
    "inkscape": ("inkscape", "drawing.svg"),
    "featherpad": ("featherpad", "--standalone"),
    "kate": ("kate", "-n"),
    "qterminal": ("qterminal",),
    "thunar": ("thunar",),
    "chromium": ("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking"),
    "firefox": ("firefox-esr", "--no-remote"),
}
_ENV = {"GTK_MODULES": "gail:atk-bridge"}  # GIMP 2 says nothing without; GTK 3 and 4 do not know these modules
_DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
_SIZE = (1280, 900)
_START_S, _ANSWER_S = 60.0, 10.0
_SETTLE_S = 6.0
"""How long a program has after its window, which office programs use to build their menus."""

MAX_CPU_S, MAX_WALL_S = 0.6, 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What came of one program; `answered` is whether any answer came in time, `opened` how many menus opened."""

    program: str
    commands: int
    keys: int
    unread: int
    complete: bool
    answered: bool
    wall_s: float
    cpu_s: float
    opened: int


def measure(names: Sequence[str], *, typing: int = 0) -> Report:
    """Read the commands of programs, one after the other, those that are not installed left out.

    With `typing` each is read so often while somebody types.

    Raises:
        UsageError: a program is not known.
        EnvironmentFault: a program does not come up.
    """
    unknown = set(names) - set(PROGRAMS)
    if unknown:
        raise UsageError(f"unknown program {', '.join(sorted(unknown))}: choose from {', '.join(PROGRAMS)}")
    readings: list[Reading] = []
    missing: list[str] = []
    typed: list[KeyTimes] = []
    for name in names:
        try:
            if typing:
                typed.append(type_in(name, typing))
                print_progress(str(typed[-1]))
                continue
            readings.append(read(name))
        except EnvironmentFault as fault:
            if fault.code != "program_missing":
                raise
            missing.append(name)
            continue
        print_progress(line_of(readings[-1]))
    return Report(
        criteria=keystrokes.criteria_of(typed) if typing else criteria_of(readings),
        rounds=[*map(asdict, readings), *map(asdict, typed)],
        fields={"missing": missing},
        text=[*map(line_of, readings), *map(str, typed)],
        notes=[f"not installed: {name}" for name in missing],
    )


def criteria_of(readings: Sequence[Reading]) -> list[AcceptanceCriterion]:
    """Return the bars: for any program, ours and the wait; every one answers; no menu opens."""
    return [
        at_most(
            "our_cpu_of_the_most_expensive", max((reading.cpu_s for reading in readings), default=0), MAX_CPU_S, "s"
        ),
        at_most("longest", max((reading.wall_s for reading in readings), default=0), MAX_WALL_S, "s"),
        at_most("no_answer", sum(not reading.answered for reading in readings), 0, "programs"),
        at_most("menus_opened", sum(reading.opened for reading in readings), 0, "menus"),
        at_least("programs", len(readings), 1, "programs"),
    ]


def line_of(reading: Reading) -> str:
    """Return a line for people."""
    whole = "whole" if reading.complete else "not whole"
    return (
        f"{reading.program}: {reading.commands} commands, {reading.keys} with keys, {reading.unread} menus unread, "
        f"{whole}, in {reading.wall_s:.2f} s with {reading.cpu_s:.2f} s of our CPU"
    )


def read(name: str) -> Reading:
    """Read the commands of one program.

    Raises:
        EnvironmentFault: it is not installed, or does not come up.
    """
    with _running(name) as (_, capture):
        return capture.read(name)


def type_in(name: str, rounds: int) -> KeyTimes:
    """Type in one program while its commands are read, and while they are not.

    Raises:
        EnvironmentFault: it is not installed, or does not come up.
    """
    with keystrokes.generous(), _running(name) as (desktop, capture):
        display = open_display(desktop.env)
        try:
            return keystrokes.type_while_reading(name, display, capture.thread, capture.clock, rounds)
        finally:
            display.close()


@contextmanager
def _running(name: str) -> Iterator[tuple[VirtualDesktop, "_Capture"]]:
    """Start a program on a desktop that is captured, and wait until it is there."""
    with VirtualDesktop(_SIZE, compositor=False, tray="none", a11y=True) as desktop:
        desktop.turn_accessibility_on()
        with _capturing(desktop) as capture:
            argv = [
                *PROGRAMS[name],
                *(("--user-data-dir=" + str(desktop.directory / "c"),) if name == "chromium" else ()),
            ]
            (desktop.directory / "drawing.svg").write_text(_DRAWING, encoding="utf-8")
            desktop.spawn(argv, name, env=_ENV, cwd=desktop.directory)
            poll(lambda: capture.has_window() or None, what=f"a window of {name}", timeout_s=_START_S)
            capture.clock.sleep_s(_SETTLE_S)
            yield desktop, capture


class _Capture:
    """A running capture thread, as the daemon has it, and what it handed over."""

    def __init__(self) -> None:
        self.clock, gate = SystemClock(), Gate()
        gate.open()
        self._records: list[Record] = []
        session = CaptureSession(key=os.urandom(32), record_titles=False, plan=None, controls=True)
        self.thread = CaptureThread(
            clock=self.clock, settings=Settings(), gate=gate, session=session, on_records=self._records.extend
        )

    def of(self, kind: type[Record]) -> list[Record]:
        return [record for record in list(self._records) if isinstance(record, kind)]

    def has_window(self) -> bool:
        """Return whether a window of a program is in front."""
        return any(isinstance(focus, Focus) and focus.app for focus in self.of(Focus)[-1:])

    def read(self, name: str) -> Reading:
        """Request the commands of the window in front, and wait for them."""
        answered, taken = threading.Event(), list[CommandList | None]()
        before, began_ms, began_ns = len(self.of(WindowEvent)), cpu_ms(os.getpid()), self.clock.now_ns()

        def take(found: CommandList | None) -> None:
            taken.append(found)
            answered.set()

        self.thread.request_commands(take)
        answered.wait(_ANSWER_S)
        wall_s = (self.clock.now_ns() - began_ns) / NS_PER_S
        found = taken[0] if taken else None
        changes = [event for event in self.of(WindowEvent)[before:] if isinstance(event, WindowEvent)]
        return Reading(
            program=name,
            commands=len(found.commands) if found is not None else 0,
            keys=sum(bool(command.keys) for command in found.commands) if found is not None else 0,
            unread=len(found.unread) if found is not None else 0,
            complete=found is not None and found.complete,
            answered=bool(taken),
            wall_s=wall_s,
            cpu_s=(cpu_ms(os.getpid()) - began_ms) / 1000,
            opened=sum(event.popup and not event.gone for event in changes),
        )


@contextmanager
def _capturing(desktop: VirtualDesktop) -> Iterator[_Capture]:
    capture = _Capture()
    with desktop.entered():
        capture.thread.start()
        try:
            yield capture
        finally:
            capture.thread.stop(5.0)
