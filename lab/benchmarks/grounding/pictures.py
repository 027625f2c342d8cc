"""Finds controls by nothing but the picture of their window, as where a program says nothing of them.

What is read off the picture must lead to a point in the true box. Of the Qt form that box is what it prints, and all of
its controls count, fields with a label beside them too. Of real programs it comes from a walk, and that counts which
shows its name: menus, entries of an open menu, check boxes, tabs. As a control the same is asked of points 40
pixels lower.
"""

import asyncio
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from Xlib import X

from daemon.capture.accessibility.ocr.reading import is_installed, read_texts
from daemon.capture.diff import Pixels
from daemon.help.grounding import ground
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.grounding.benchmark import LOWER, SIZE, Attempt, Stage
from lab.benchmarks.grounding.reader import Reader, reading
from lab.benchmarks.grounding.subjects import FORM_TITLE, SUBJECTS
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.plain_text import print_progress
from storage.ports import HelpStep
from storage.records import Box, ControlRole, Element

FORM = "form"
PROGRAMS = ("mousepad", "writer")
LEAST = 0.7
_LIMIT_S = 600.0
"""A busy machine must not decide what is found; how long a picture took is reported."""

_SHOWN = {ControlRole.MENU, ControlRole.MENU_ITEM, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON, ControlRole.TAB}
_OPENED = {"mousepad": "Edit", "writer": "Insert"}
_MENU_S = 1.0
_TRIES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """How long one picture took, on the clock on the wall, and how many texts were read in it."""

    subject: str
    scale: int
    wall_s: float
    texts: int


def measure_pictures(scales: Sequence[int]) -> Report:
    """Look for the controls of the form and of two programs in their pictures, at all scales.

    Raises:
        EnvironmentFault: the extra is not installed, or a program does not come up.
    """
    if not is_installed():
        raise EnvironmentFault("texts cannot be read off pictures here", remedy='pip install "kairos-assistant[ocr]"')
    attempts: list[Attempt] = []
    read: list[Read] = []
    for scale in scales:
        for name in (FORM, *PROGRAMS):
            print_progress(f"{name} at scale {scale}")
            with VirtualDesktop(
                (SIZE[0] * scale, SIZE[1] * scale), compositor=False, tray="none", a11y=True
            ) as desktop:
                desktop.turn_accessibility_on()
                stage = Stage(desktop, name, scale, desktop.directory)
                truth = _form(stage) if name == FORM else _program(stage)
                found, took = _texts(stage)
            attempts += _judged(stage, truth, found)
            read.append(took)
            own = [attempt.hit for attempt in attempts if (attempt.subject, attempt.scale) == (name, scale)]
            print_progress(f"{sum(own)} of {len(own)}; read in {took.wall_s:.0f} s")
    missed = [asdict(attempt) for attempt in attempts if not attempt.hit]
    return Report(
        criteria=criteria_of(attempts),
        rounds=[asdict(round_) for round_ in read],
        fields={"controls": len(attempts), "missed": missed},
        text=list(_lines(attempts)),
        notes=[f"missed: {miss['subject']} at scale {miss['scale']}, {miss['name']}: {miss['why']}" for miss in missed],
    )


def criteria_of(attempts: Sequence[Attempt]) -> list[AcceptanceCriterion]:
    """Return the criteria: most controls are found at each scale, and points beside them are not."""
    found = []
    for scale in sorted({attempt.scale for attempt in attempts}):
        own = [attempt.hit for attempt in attempts if attempt.scale == scale]
        found.append(at_least(f"point_in_box_by_picture_at_scale_{scale}", statistics.mean(own), LEAST, "share"))
    lower = [attempt.lower for attempt in attempts if attempt.lower is not None]
    if lower:
        found.append(at_most("points_moved_away_that_hit", statistics.mean(lower), 0.2, "share"))
    return found


def _lines(attempts: Sequence[Attempt]) -> Iterator[str]:
    for subject, scale in dict.fromkeys((attempt.subject, attempt.scale) for attempt in attempts):
        own = [attempt.hit for attempt in attempts if (attempt.subject, attempt.scale) == (subject, scale)]
        yield f"{subject} at scale {scale}: {sum(own)} of {len(own)}"


def _form(stage: Stage) -> list[tuple[HelpStep, Box]]:
    stage.open([sys.executable, "-m", "lab.benchmarks.grounding.qt_form"], FORM_TITLE)
    printed = (stage.desktop.directory / "log" / "program.log").read_text(encoding="utf-8").splitlines()
    controls = json.loads(next(line for line in reversed(printed) if line.startswith("[")))
    return [
        (
            HelpStep(text=f"Use the {control['name']} {control['kind']}.", controls=(control["name"],)),
            Box(*control["box"]),
        )
        for control in controls
    ]


def _program(stage: Stage) -> list[tuple[HelpStep, Box]]:
    """Open a program and one of its menus; return what shows its name, as a walk says."""
    subject = SUBJECTS[stage.name]
    window = stage.open(subject.argv, subject.title)
    with reading(stage.desktop, window) as reader:
        menu = _menu(reader, _OPENED[stage.name])
        stage.move(menu.box.x + menu.box.w // 2, menu.box.y + menu.box.h // 2)
        stage.button(down=True)
        stage.button(down=False)
        stage.clock.sleep_s(_MENU_S)
        elements = reader.elements()
    return [_step(element) for element in elements if element.role in _SHOWN and element.name]


def _menu(reader: Reader, name: str) -> Element:
    """Return the title of a menu; a program that has just started may not answer at once."""
    for _ in range(_TRIES):
        found = ground(HelpStep(text="", controls=(name,)), reader.elements()).element
        if found is not None:
            return found
    raise EnvironmentFault(f"no menu {name} was found", remedy="try again when the machine is less busy")


def _step(element: Element) -> tuple[HelpStep, Box]:
    return HelpStep(text=f"Choose {element.name}.", controls=(element.name or "",)), element.box


def _texts(stage: Stage) -> tuple[list[Element], Read]:
    pixels = _picture(stage)
    height, width = pixels.shape[:2]
    whole, clock = Box(0, 0, width, height), SystemClock()
    began_ns = clock.now_ns()
    found = asyncio.run(read_texts(pixels, whole, (whole,), limit_s=_LIMIT_S))
    controls = found.controls if found is not None else ()
    elements = [
        Element(role=control.role, box=control.box, name=control.name)
        for control in controls
        if control.box is not None
    ]
    wall_s = round((clock.now_ns() - began_ns) / NS_PER_S, 1)
    return elements, Read(subject=stage.name, scale=stage.scale, wall_s=wall_s, texts=len(elements))


def _picture(stage: Stage) -> Pixels:
    """Return what is on the screen, blue first."""
    screen = stage.desktop.display.screen()
    width, height = screen.width_in_pixels, screen.height_in_pixels
    image = screen.root.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF)
    pixels = np.frombuffer(image.data, np.uint8).reshape(height, width, 4)
    return np.ascontiguousarray(pixels[:, :, :3])


def _judged(stage: Stage, truth: Sequence[tuple[HelpStep, Box]], texts: Sequence[Element]) -> Iterator[Attempt]:
    for step, box in truth:
        found = ground(step, texts).element
        if found is None:
            yield stage.attempt(step.controls[0], hit=False, why="not found")
            continue
        x, y = found.box.x + found.box.w // 2, found.box.y + found.box.h // 2
        lower = _in(box, x, y + LOWER * stage.scale)
        yield stage.attempt(step.controls[0], _in(box, x, y), "elsewhere", lower)


def _in(box: Box, x: int, y: int) -> bool:
    return box.x <= x < box.x + box.w and box.y <= y < box.y + box.h
