"""Finds controls by nothing but the picture of their window, as where a program says nothing of them.

What is read off the picture must lead to a point in the true box. Of the Qt form that box is what it prints, and all of
its controls count, fields with a label beside them too. Of real programs it comes from a walk, and that counts which
shows its name: menus, entries of an open menu, check boxes, tabs. As a control the same is asked of points 40
pixels lower.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from Xlib import X

from daemon.capture.accessibility.ocr.reading import is_installed, read_texts
from daemon.capture.diff import Pixels
from daemon.help.grounding import ground
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.grounding.benchmark import (
    FORM,
    SIZE,
    Attempt,
    ProgramStage,
    open_form,
    points_hit,
    report_of,
    tried,
)
from lab.benchmarks.grounding.reader import Reader, reading
from lab.benchmarks.grounding.subjects import SUBJECTS
from lab.measure.benchmark import Report
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.plain_text import print_progress
from storage.ports import HelpStep
from storage.records import Box, ControlRole, Element

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
                stage = ProgramStage(desktop, name, scale, desktop.directory)
                truth = open_form(stage)[1] if name == FORM else _program(stage)
                found, took = _texts(stage)
            attempts += tried(stage, truth, found)
            read.append(took)
            own = [attempt.hit for attempt in attempts if (attempt.subject, attempt.scale) == (name, scale)]
            print_progress(f"{sum(own)} of {len(own)}; read in {took.wall_s:.0f} s")
    return report_of(
        attempts, list(points_hit(attempts, "point_in_box_by_picture", LEAST)), [asdict(took) for took in read]
    )


def _program(stage: ProgramStage) -> list[tuple[HelpStep, Box]]:
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


def _texts(stage: ProgramStage) -> tuple[list[Element], Read]:
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


def _picture(stage: ProgramStage) -> Pixels:
    """Return what is on the screen, blue first."""
    screen = stage.desktop.display.screen()
    width, height = screen.width_in_pixels, screen.height_in_pixels
    image = screen.root.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF)
    pixels = np.frombuffer(image.data, np.uint8).reshape(height, width, 4)
    return np.ascontiguousarray(pixels[:, :, :3])
