"""Where the ring of *Show me* is, and whether that is the control which the first step of the page names.

The ring is read off the screen, from the windows that it is drawn with. Where the control is says a walk of the window
of this process's own; how well walks say that is measured by `kairos bench grounding`, against what programs answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from daemon.help.grounding import plain_name
from daemon.help.library import HelpLibrary
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, ringed
from lab.benchmarks.grounding.reader import reading
from storage.ports import HelpPage, HelpStep
from storage.records import Box, ControlRole, ControlState, Element

LEAST_OVERLAP = 0.7
"""Smallest overlap (intersection over union) of ring and control that counts as on it."""

_WAYS_OUT = ("Cancel", "Close")
_ENDS = frozenset({"OK", "Apply", "Save", "Cancel", "Close"})
_MENUS = frozenset({ControlRole.MENU, ControlRole.MENU_ITEM})


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSeen:
    """What was on the screen once the card had been accepted: the box that is ringed, the controls, and the title."""

    box: Box | None
    elements: tuple[Element, ...]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingJudged:
    """The first step of a page that names a control in sight, and whether the ring is on it.

    `way_out`: no step does in the dialog that is in front, so that has to be closed first, by the control named here.
    """

    step: int | None
    way_out: bool = False
    name: str
    ring: Box | None
    control: Box | None
    on_control: bool

    @property
    def facts(self) -> dict[str, Any]:
        """Return it for JSON; boxes are x, y, w, h in pixels of the desktop."""
        return {
            "step": self.step,
            "way_out": self.way_out,
            "name": self.name,
            "ring": None if self.ring is None else list(self.ring),
            "control": None if self.control is None else list(self.control),
            "on_control": self.on_control,
        }


def see_ring(desktop: VirtualDesktop, windows: Windows) -> RingSeen:
    """Read ring and controls off the screen.

    Raises:
        EnvironmentFault: the accessibility bus of the desktop does not answer.
    """
    box = ringed(windows)
    window = windows.active()
    if window is None:
        return RingSeen(box=box, elements=())
    with reading(desktop, window) as reader:
        return RingSeen(box=box, elements=tuple(reader.elements()), title=window.title)


def judge_ring(page: HelpPage | None, seen: RingSeen) -> RingJudged:
    """Return whether the ring is on the control of the first step that names one in sight.

    A control that takes no click is none. In a dialog what ends it comes after a tab that a step names in its text, and
    without any control the first step is to close it, unless it is what that step opens. Where the first step names no
    control, it is the person's, and it is right to ring nothing.
    """
    is_dialog = not any(element.role in _MENUS for element in seen.elements)
    end: RingJudged | None = None
    first = next((number for number, step in enumerate(page.steps) if step.controls), 0) if page is not None else 0
    if first and seen.box is None and not is_dialog:
        return RingJudged(step=0, name="", ring=None, control=None, on_control=True)
    for number, step in enumerate(page.steps if page is not None else ()):
        for place, name in enumerate(step.controls):
            is_menu = place < len(step.controls) - 1
            fitting = [element for element in named(name, seen.elements) if element.role in _MENUS or not is_menu]
            fitting = fitting or _fields_meant(name, step.text, seen.elements)
            if is_dialog and fitting and fitting[0].role == ControlRole.TAB:
                fitting = _tabs_meant(step.text, seen.elements) or fitting
            if fitting and is_dialog and name in _ENDS and number != first:
                end = end or _judged(number, name, fitting, seen)
            elif fitting:
                return _judged(number, name, fitting, seen)
    for number, step in enumerate(page.steps if page is not None and is_dialog else ()):
        for tab in _tabs_meant(step.text, seen.elements):
            return _judged(number, tab.name or "", [tab], seen)
    if end is not None:
        return end
    if page is not None and page.steps and is_dialog and not _opens(page.steps[first], seen.title):
        for name in _WAYS_OUT:
            fitting = [element for element in named(name, seen.elements) if element.role == ControlRole.BUTTON]
            if fitting:
                return replace(_judged(0, name, fitting, seen), way_out=True)
    return RingJudged(step=None, name="", ring=seen.box, control=None, on_control=False)


def _opens(step: HelpStep, title: str) -> bool:
    """Return whether a dialog of this title is what a step opens."""
    words = re.findall(r"\w+", plain_name(step.controls[-1])) if step.controls else []
    return bool(words) and all(word in title.casefold() for word in words)


def _tabs_meant(text: str, elements: Sequence[Element]) -> list[Element]:
    """Return the first tab that a text calls so."""
    return [
        element
        for element in elements
        if element.role == ControlRole.TAB and element.name and f"{element.name} tab" in text
    ][:1]


def _fields_meant(name: str, text: str, elements: Sequence[Element]) -> list[Element]:
    """Return what a text calls the field of this name, where a dialog has one field whose label is not tied to it."""
    says_field = re.search(rf"\b{re.escape(name)}\W+(text ?box|field|box|entry)\b", text, re.IGNORECASE) is not None
    is_dialog = not any(element.role in _MENUS for element in elements)
    fields = [element for element in elements if element.role == ControlRole.ENTRY and not element.name]
    return fields if says_field and is_dialog and len(fields) == 1 else []


def _judged(step: int, name: str, fitting: Sequence[Element], seen: RingSeen) -> RingJudged:
    control = max((element.box for element in fitting), key=lambda box: overlap(box, seen.box))
    on_it = overlap(control, seen.box) >= LEAST_OVERLAP
    return RingJudged(step=step, name=name, ring=seen.box, control=control, on_control=on_it)


def page_of(data: Path, page_id: str) -> HelpPage | None:
    """Return a page of the library in a data folder."""
    with HelpLibrary.open(data) as library:
        return library.page(page_id)


def named(name: str, elements: Sequence[Element]) -> list[Element]:
    """Return the controls of this name that take clicks, not those whose name is only similar."""
    return [
        element
        for element in elements
        if plain_name(element.name or "") == plain_name(name) and element.state is not ControlState.DISABLED
    ]


def overlap(first: Box, second: Box | None) -> float:
    """Return the part of two boxes that is in both, from 0 to 1."""
    if second is None:
        return 0.0
    across = min(first.x + first.w, second.x + second.w) - max(first.x, second.x)
    down = min(first.y + first.h, second.y + second.h) - max(first.y, second.y)
    both = max(across, 0) * max(down, 0)
    return both / (first.w * first.h + second.w * second.h - both)
