"""A virtual desktop on which programs take part in accessibility, and hands on it."""

import asyncio
from collections.abc import Iterator

import pytest

from daemon.capture.accessibility.atspi.switch import AccessibilitySwitch
from demo.virtual_desktop.desktop import VirtualDesktop
from tests.fakes.desktop.painter import Painter


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    with VirtualDesktop((1280, 900), compositor=False, tray="none", a11y=True) as running:
        asyncio.run(AccessibilitySwitch(running.env).turn_on())
        yield running


@pytest.fixture
def painter(desktop: VirtualDesktop) -> Iterator[Painter]:
    found = Painter(desktop)
    yield found
    found.close()
