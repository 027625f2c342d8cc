"""The interface without a core: what it asks is written down, and the event loop runs until something is true.

The top-level conftest offers the fixtures to every test.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from storage.clock import SystemClock
from storage.ports import StudyRequest
from storage.records import AnswerKind, FeedbackKind, Offer, State
from storage.settings import InterfaceSettings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QPushButton, QWidget

    from ui.app import Interface

TIMEOUT_S = 10.0
AWAY = 400
"""A place in the middle of the screen: where a pointer is, no window of ours comes up."""


@dataclass
class Calls:
    """A core that only writes down what it is asked."""

    made: list[tuple[object, ...]] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    on_quit: Callable[[], None] = lambda: None

    def pause(self, seconds: float | None) -> None:
        """Write it down."""
        self.made.append(("pause", seconds))

    def resume(self) -> None:
        """Write it down."""
        self.made.append(("resume",))

    def set_private(self, on: bool) -> None:
        """Write it down."""
        self.made.append(("set_private", on))

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Write it down."""
        self.made.append(("answer", offer_id, kind))

    def ask_help(self) -> None:
        """Write it down."""
        self.made.append(("ask_help",))

    def ask_model(self, offer_id: str, question: str = "") -> None:
        """Write it down."""
        self.made.append(("ask_model", offer_id, question))

    def stop_model(self, offer_id: str) -> None:
        """Write it down."""
        self.made.append(("stop_model", offer_id))

    def close_help(self, offer_id: str) -> None:
        """Write it down elsewhere: it comes with every card that closes."""
        self.closed.append(offer_id)

    def answer_question(self, question_id: str, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        """Write it down."""
        self.made.append(("answer_question", question_id, kind, dict(choices)))

    def study(self, request: StudyRequest, through: str = "") -> None:
        """Write it down."""
        self.made.append(("study", request, through))

    def revoke(self) -> None:
        """Write it down."""
        self.made.append(("revoke",))

    def quit(self) -> None:
        """Write it down, and stop."""
        self.made.append(("quit",))
        self.on_quit()


@pytest.fixture
def calls() -> Calls:
    """Return a core without a core."""
    return Calls()


@pytest.fixture
def interface(qapp: "QApplication", calls: Calls) -> Iterator["Interface"]:
    """Yield the interface; it is taken down afterwards."""
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
    """Return a function that runs the event loop until something is true."""

    def run(check: Callable[[], bool]) -> None:
        clock = SystemClock()
        deadline_ns = clock.now_ns() + int(TIMEOUT_S * 1e9)
        while not check():
            assert clock.now_ns() < deadline_ns, "it did not happen"
            qapp.processEvents()

    return run


Until = Callable[[Callable[[], bool]], None]


def make_offer(offer_id: str = "o-1") -> Offer:
    """Make an offer about nothing in particular."""
    return Offer(
        offer_id=offer_id,
        decision_seq=1,
        prefix_id="1-1",
        app="mousepad",
        topic="none",
        state=State.FRUSTRATION,
        help_need=0.8,
        evidence=(),
        help=None,
        shown_at_ns=0,
        expires_at_ns=1,
    )


def button(window: "QWidget", name: str) -> "QPushButton":
    """Return a button by its name."""
    from PySide6.QtWidgets import QPushButton

    found = window.findChild(QPushButton, name)
    assert isinstance(found, QPushButton)
    return found
