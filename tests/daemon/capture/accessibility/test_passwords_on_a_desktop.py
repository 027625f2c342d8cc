"""A password typed into a real program is in no key, picture or count: one span stands for it."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import Windows
from storage.clock import SystemClock
from storage.records import EventKind, InputEvent, KeyClass, Sense
from tests.fakes.painter import MAGENTA, Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

ROOT = Path(__file__).resolve().parents[4]
PERSON_S = 0.15
"""What a person takes at least between two keys that are no typing."""


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    """Yield a desktop with accessibility on."""
    with VirtualDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running:
        asyncio.run(AccessibilitySwitch(running.env, SystemClock()).turn_on())
        yield running


def type_slowly(painter: Painter, *keys: str) -> None:
    """Press keys one after the other, as a person does."""
    for key in keys:
        painter.key(key)
        SystemClock().sleep_s(PERSON_S)


def spans(capture: RunningCapture) -> list[InputEvent]:
    """Return the spans of protected entry."""
    return [event for event in capture.of(InputEvent) if event.kind is EventKind.PROTECTED]


def has_typed(painter: Painter, capture: RunningCapture) -> bool:
    """Type a letter, and return whether one has been seen: by then the program has the keyboard."""
    painter.key("a")
    return characters(capture) > 0


def characters(capture: RunningCapture) -> int:
    """Return how many typed characters were kept."""
    return sum(event.count for event in capture.of(InputEvent) if event.key_class is KeyClass.CHARACTER)


@pytest.mark.parametrize("controls", [True, False])
def test_a_password_in_a_qt_form_is_one_span(desktop: VirtualDesktop, *, controls: bool) -> None:
    """With protection off its keys and its field are found (the control)."""
    painter = Painter(desktop)
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        desktop.spawn(
            [sys.executable, "-m", "tests.fakes.password_form"], "form", env={"PYTHONPATH": str(ROOT)}, cwd=ROOT
        )
        Windows(painter.display).wait("loginform")
        capture.until(lambda: has_typed(painter, capture), "a first letter")
        SystemClock().sleep_s(1.0)  # what is on its way arrives
        before = characters(capture)
        type_slowly(painter, "Tab", *"secret", "Tab")
        painter.key("Escape")
        capture.until(
            lambda: any(event.key_class is KeyClass.ESCAPE for event in capture.of(InputEvent)), "the last key"
        )
    painter.close()
    assert len(spans(capture)) == (1 if controls else 0)
    assert characters(capture) - before == (0 if controls else 6)
    assert (capture.shows(MAGENTA) > 0) is not controls
