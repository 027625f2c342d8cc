"""The interface with strings instead of a core: a program that tests run on a virtual desktop.

Reads one JSON object a line from standard input and does what it says; writes one JSON object a line for each call
the interface makes. `ready` comes first, `quit` ends it as the real core would.
"""

import datetime as dt
import json
import sys
import threading
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, QTimerEvent, Signal, Slot
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton, QWidget

from storage.enrolment import DEFAULT_ITEMS
from storage.ports import AnswerPhase, HelpContent, ModelHelp, RunState, Status, StudyRequest
from storage.records import AnswerKind, FeedbackKind, Offer, Problem, Sighting, State
from storage.settings import InterfaceSettings
from storage.timeline import ForgetReport, ForgetScope
from tests.fakes.ui.timeline_requests import Requests, forget_report
from ui.app import Interface


def write(**facts: object) -> None:
    """Tell the test something."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class Timeline(Requests):
    """A reader of the timeline that tells what is to be forgotten."""

    def preview_forget(self, scope: ForgetScope, day: dt.date | None) -> None:
        """Tell."""
        write(call="preview_forget", scope=scope, day=None if day is None else day.isoformat())

    def forget(self, report: ForgetReport) -> None:
        """Tell."""
        write(call="forget", begin_wall_ns=report.begin_wall_ns)


class Strings(QObject):
    """A core that does nothing but tell, and a hand for what a test wants to know from inside."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        settings: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
        self.interface = Interface(self, InterfaceSettings(**settings), Timeline())
        self.others: list[QLabel] = []
        self.asked.connect(self.answer_inside, Qt.ConnectionType.QueuedConnection)

    def pause(self, seconds: float | None) -> None:
        """Tell."""
        write(call="pause", seconds=seconds)

    def resume(self) -> None:
        """Tell."""
        write(call="resume")

    def set_private(self, on: bool) -> None:
        """Tell."""
        write(call="set_private", on=on)

    def answer(self, offer_id: str, kind: FeedbackKind) -> None:
        """Tell."""
        write(call="answer", offer_id=offer_id, kind=kind)

    def ask_help(self) -> None:
        """Tell."""
        write(call="ask_help")

    def ask_model(self, offer_id: str, question: str = "") -> None:
        """Tell."""
        write(call="ask_model", offer_id=offer_id, question=question)

    def stop_model(self, offer_id: str) -> None:
        """Tell."""
        write(call="stop_model", offer_id=offer_id)

    def close_help(self, offer_id: str) -> None:
        """Tell nothing: it comes with every card that closes."""

    def answer_question(self, question_id: str, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        """Tell."""
        write(call="answer_question", question_id=question_id, kind=kind, choices=dict(choices))

    def study(self, request: StudyRequest, through: str = "") -> None:
        """Tell."""
        write(call="study", request=request, through=through)

    def revoke(self) -> None:
        """Tell."""
        write(call="revoke")

    def quit(self) -> None:
        """Tell, and end as the core would."""
        write(call="quit")
        self.interface.bridge.end()

    def obey(self) -> None:
        """Read orders until there are no more; runs in a thread of its own, as the core does."""
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
        """Do what only the main thread can."""
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
        """Return the middle of a visible button or field on the screen."""
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
        """Show another number."""
        self.setText(str(int(self.text()) + 1))


def make_offer(offer_id: str, topic: str = "none", seen: dict[str, Any] | None = None, *, asked: bool = False) -> Offer:
    """Make an offer, about nothing in particular unless it is said what was seen."""
    return Offer(
        offer_id=offer_id,
        decision_seq=1,
        prefix_id="1-1",
        app="mousepad",
        topic=topic,
        state=State.FRUSTRATION,
        help_need=0.8,
        evidence=(),
        help=None,
        shown_at_ns=0,
        expires_at_ns=1,
        asked=asked,
        seen=None if seen is None else Sighting(**seen),
    )


def main() -> int:
    """Run until the end is told."""
    strings = Strings()
    threading.Thread(target=strings.obey, daemon=True, name="strings").start()
    strings.interface.show_tray()
    write(ready=True)
    return strings.interface.exec()


if __name__ == "__main__":
    sys.exit(main())
