"""The interface without a core: what it asks is written down, and the event loop runs until something is true.

The top-level conftest offers the fixtures to every test.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from storage.clock import SystemClock
from storage.records import Offer
from storage.settings import InterfaceSettings
from storage.testing import plain
from tests.fakes.ui.requests import Calls

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QPushButton, QWidget

    from ui.app import Interface

TIMEOUT_S = 30.0
AWAY = 400
"""A place in the middle of the screen: where a pointer is, no window of ours comes up."""


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def interface(qapp: "QApplication", calls: Calls) -> Iterator["Interface"]:
    from PySide6.QtGui import QCursor

    from ui.app import Interface

    QCursor.setPos(AWAY, AWAY)
    made = Interface(calls, InterfaceSettings())
    calls.on_quit = made.bridge.end
    yield made
    made.close()
    qapp.processEvents()


@pytest.fixture
def until(qapp: "QApplication") -> Callable[[Callable[[], bool]], None]:
    def run(check: Callable[[], bool]) -> None:
        clock = SystemClock()
        deadline_ns = clock.now_ns() + int(TIMEOUT_S * 1e9)
        while not check():
            assert clock.now_ns() < deadline_ns, "it did not happen"
            qapp.processEvents()
            clock.sleep_s(0.002)  # a test that spins takes the time of those beside it

    return run


Until = Callable[[Callable[[], bool]], None]


def make_offer(offer_id: str = "o-1") -> Offer:
    return plain(Offer, offer_id=offer_id, app="mousepad", topic="none", help_need=0.8)


def button(window: "QWidget", name: str) -> "QPushButton":
    from PySide6.QtWidgets import QPushButton

    found = window.findChild(QPushButton, name)
    assert isinstance(found, QPushButton)
    return found
