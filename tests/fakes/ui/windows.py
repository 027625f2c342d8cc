"""Windows of the interface in this process: brought up, answered by a scripted person, and looked at for room."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from storage.ports import ACCEPT_POINT, HelpContent, RunState, Status
from tests.fakes.ui.interface import Until, make_offer
from ui.app import Interface
from ui.card.card import Card
from ui.widgets import Prose

Window = TypeVar("Window", bound=QDialog)


def bring_up(
    interface: Interface,
    until: Until,
    content: HelpContent | None = None,
    *,
    offer_id: str = "o-1",
    asked: bool = False,
    counts: str = "_armed",
) -> Card:
    """Bring up a card and wait until its answers count; `counts` is the attribute of it that says so."""
    interface.bridge.show_offer(replace(make_offer(offer_id), asked=asked), {}, content)
    until(lambda: interface._card is not None and interface._card.view.offer_id == offer_id)
    card = interface._card
    assert card is not None
    until(lambda: bool(getattr(card, counts)))
    return card


def watch(interface: Interface, until: Until) -> None:
    """Say that Kairos watches, and wait for it: what was said before has arrived by then."""
    interface.bridge.show_status(Status(state=RunState.WATCHING))
    until(lambda: interface._tray._status == Status(state=RunState.WATCHING))


def at_promised_point(card: Card) -> QWidget | None:
    right, up = ACCEPT_POINT
    return card.childAt(QPoint(right, card.height() - up))


def takers_of_focus(window: QWidget) -> list[QWidget]:
    return [part for part in window.findChildren(QWidget) if part.focusPolicy() is not Qt.FocusPolicy.NoFocus]


def cut_texts(window: QWidget) -> list[str]:
    shown = [text for text in window.findChildren(Prose) if text.isVisible()]
    return [text.objectName() for text in shown if text.height() < text.heightForWidth(text.width())]


@contextmanager
def text_size(application: QApplication, factor: float = 2.0) -> Iterator[None]:
    font, other = application.font(), application.font()
    other.setPointSizeF(font.pointSizeF() * factor)
    application.setFont(other)
    try:
        yield
    finally:
        application.setFont(font)


@contextmanager
def answered(find: Callable[[], Window], person: Callable[[Window], object]) -> Iterator[None]:
    """Let a scripted person answer a window that is asked for within the block, and raise what they find wrong."""
    failures: list[Exception] = []

    def act() -> None:
        window = find()
        try:
            person(window)
        except Exception as failure:  # noqa: BLE001  # Qt would only print it, and the window would stay
            failures.append(failure)
            window.reject()

    QTimer.singleShot(0, act)
    yield
    if failures:
        raise failures[0]
