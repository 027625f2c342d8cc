"""The interface with strings instead of a core: a program that tests run on a virtual desktop.

Reads one JSON object a line from standard input and does what it says; writes one JSON object a line for each call
the interface makes. `ready` comes first, `quit` ends it as the real core would.
"""

import datetime as dt
import json
import socket
import sys
import threading
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, QTimerEvent, Signal, Slot
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton, QWidget

from storage.enrolment import DEFAULT_ITEMS
from storage.ports import OWN_PLACES, AnswerPhase, HelpContent, ModelHelp, RunState, Status
from storage.records import Offer, Problem, Sighting
from storage.settings import InterfaceSettings
from storage.testing import plain
from tests.fakes.ui.puppet import write
from tests.fakes.ui.requests import Calls, TimelineNotes, forget_report
from ui.app import Interface
from ui.desktop import layers


class Timeline(TimelineNotes):
    """A reader of the timeline that tells what is to be forgotten."""

    def note(self, name: str, **given: Any) -> None:
        if name == "preview_forget":
            day: dt.date | None = given["day"]
            write(call=name, scope=given["scope"], day=None if day is None else day.isoformat())
        elif name == "forget":
            write(call=name, begin_wall_ns=given["report"].begin_wall_ns)


class Strings(Calls):
    """A core that does nothing but tell."""

    def note(self, name: str, **given: object) -> None:
        if name != "close_help":  # it comes with every card that closes
            write(call=name, **given)
        if name == "quit":
            self.on_quit()


class Hand(QObject):
    """The interface, and what a test wants to know of it from inside."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        settings: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
        if not settings.pop("layers", True):
            layers._NEEDED["a protocol that nobody has"] = 1
        core = Strings()
        self.interface = Interface(core, InterfaceSettings(**settings), Timeline())
        core.on_quit = self.interface.bridge.end
        self.others: list[QLabel] = []
        self.asked.connect(self.answer_inside, Qt.ConnectionType.QueuedConnection)

    def obey(self) -> None:
        bridge = self.interface.bridge
        for line in sys.stdin:
            order: dict[str, Any] = json.loads(line)
            match order.pop("do"):
                case "status":
                    bridge.show_status(Status(**order | {"state": RunState(order["state"])}))
                case "offer":
                    names, model = order.pop("names", {}), order.pop("model", "")
                    bridge.show_offer(make_offer(**order), names, HelpContent(model=model) if model else None)
                case "answer":
                    phase = AnswerPhase(order.pop("phase"))
                    bridge.show_model_help(order.pop("offer_id"), ModelHelp(phase=phase, **order))
                case "question":
                    bridge.show_question(order["question_id"], DEFAULT_ITEMS)
                case "close_question":
                    bridge.close_question(order["question_id"])
                case "close":
                    bridge.close_offer(order["offer_id"])
                case "forget_report":
                    self.interface._timeline_bridge.show_reply(forget_report(**order))
                case "problem":
                    bridge.notify_problem(Problem(**order))
                case "end":
                    bridge.end()
                case inside:
                    self.asked.emit({"do": inside, **order})

    @Slot(object)
    def answer_inside(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "tray":
                icon = self.interface._tray._icon
                box = icon.geometry() if icon is not None else None
                write(tray=None if box is None else [box.center().x(), box.center().y()])
            case "button":
                write(button=self._find(order["name"]))
            case "look":
                write(**self._look())
            case "dismiss":
                if self.interface._card is not None:
                    self.interface._card.dismiss()
            case "places" | "hang_up" as what:
                self._layers(hang_up=what == "hang_up")
            case "steal":
                self.others.append(QLabel("a window that takes the focus"))
                self.others[-1].setWindowTitle("Thief")
                self.others[-1].show()
                self.others[-1].activateWindow()
                write(stolen=True)
            case "repaint":
                self.others.append(_Restless())
                self.others[-1].show()
                write(restless=True)
            case "menu":
                menu = self.interface._tray._menu
                menu.popup(QPoint(300, 300))
                lines = [[a.text(), a.isEnabled(), a.isChecked()] for a in menu.actions() if a.text()]
                write(menu=lines)
            case "close_menu":
                for widget in QApplication.topLevelWidgets():
                    if isinstance(widget, QMenu):
                        widget.close()
                write(closed=True)

    def _layers(self, *, hang_up: bool) -> None:
        """Tell where windows stand on layers, or break their connections."""
        if not hang_up:
            write(boxes=list(OWN_PLACES.boxes.values()), pointer=OWN_PLACES.pointer)
            return
        for window in QApplication.topLevelWidgets():
            for layer in window.findChildren(layers.LayerWindow):
                layer._connection._socket.shutdown(socket.SHUT_RDWR)

    def _look(self) -> dict[str, object]:
        """Return what the notice says, what stands in the field of the card, and whether its answers count."""
        notice, card = self.interface._notice, self.interface._card
        field = card.findChild(QLineEdit, "question") if card is not None else None
        said = [label.text() for label in notice.findChildren(QLabel)] if notice is not None else []
        return {
            "notice": "\n".join(said),
            "field": field.text() if isinstance(field, QLineEdit) else None,
            "armed": card is not None and card._armed,
        }

    def _find(self, name: str) -> list[int] | None:
        for window in QApplication.topLevelWidgets():
            part = window.findChild(QPushButton, name) or window.findChild(QLineEdit, name)
            if isinstance(part, QWidget) and part.isVisible():
                point = part.mapToGlobal(part.rect().center())
                return [point.x(), point.y()]
        return None


class _Restless(QLabel):
    """A window of ours that never stands still, as a history of what was seen would not."""

    def __init__(self) -> None:
        super().__init__("0")
        self.setWindowTitle("Restless")
        self.setWindowFlag(Qt.WindowType.WindowDoesNotAcceptFocus)
        self.resize(400, 300)
        self.startTimer(100)

    def timerEvent(self, _event: QTimerEvent) -> None:  # noqa: N802  # Qt's name
        self.setText(str(int(self.text()) + 1))


def make_offer(offer_id: str, topic: str = "none", seen: dict[str, Any] | None = None, *, asked: bool = False) -> Offer:
    facts = {"asked": asked, "seen": None if seen is None else Sighting(**seen)}
    return plain(Offer, offer_id=offer_id, app="mousepad", topic=topic, help_need=0.8, **facts)


def main() -> int:
    hand = Hand()
    threading.Thread(target=hand.obey, daemon=True, name="orders").start()
    hand.interface.show_tray()
    write(ready=True)
    return hand.interface.exec()


if __name__ == "__main__":
    sys.exit(main())
