"""Shows an application in Qt: `python -m lab.simulation.apps.qt URL X Y`."""

import json
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

_SETTLED_MS = 40


Named = TypeVar("Named", bound=QWidget)


def _named(widget: Named, name: str) -> Named:
    """Give a widget the name that the style sheet knows it by."""
    widget.setObjectName(name)
    return widget


class Remote:
    """The application's server."""

    def __init__(self, url: str) -> None:
        self._url = url

    def description(self) -> dict[str, Any]:
        """Return what the application consists of."""
        with urllib.request.urlopen(f"{self._url}app", timeout=10) as answer:  # noqa: S310  # our own server
            facts: dict[str, Any] = json.load(answer)
        return facts

    def post(self, path: str, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Post facts and return the effects."""
        request = urllib.request.Request(  # noqa: S310  # our own server
            f"{self._url}{path}", data=json.dumps(facts).encode(), method="POST"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            effects: list[dict[str, Any]] = json.load(answer)
        return effects


class AppWindow(QMainWindow):
    """The application's window."""

    def __init__(self, remote: Remote) -> None:
        """Build all pages; the first one is shown."""
        super().__init__()
        self._remote = remote
        facts = remote.description()
        look = facts["look"]
        self.setWindowTitle(facts["title"])
        self.resize(look["width"], look["height"])
        self.setStyleSheet(
            f"* {{ font-size: {look['font_px']}px; color: {look['ink']}; }}"
            f"QMainWindow, QStackedWidget, QWidget#page {{ background: {look['paper']}; }}"
            f"QLineEdit, QPlainTextEdit, QListWidget, QComboBox {{ border: 1px solid {look['accent']}; padding: 3px;"
            f" background: {look['paper']}; }}"
            f"QPushButton {{ border: 1px solid {look['accent']}; border-radius: 3px; padding: 5px 14px;"
            f" background: {look['paper']}; }}"
            f"QPushButton:pressed {{ background: {look['accent']}; }}"
            f"QLabel#note {{ color: #c0392b; }} QLabel#heading {{ font-weight: bold; }}"
        )
        self._controls: dict[str, QWidget] = {}
        self._notes: dict[str, QLabel] = {}
        self._quiet = False
        self._dialog: QMessageBox | None = None
        self._pages = QStackedWidget()
        self._numbers: dict[str, int] = {}
        for page in facts["pages"]:
            self._numbers[page["name"]] = self._pages.addWidget(self._page(page, look))
        self.setCentralWidget(self._pages)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._timer.timeout.connect(self._report)
        self.statusBar().showMessage("")

    # ------------------------------------------------------------ building

    def _page(self, page: Mapping[str, Any], look: Mapping[str, Any]) -> QWidget:
        widget = _named(QWidget(), "page")
        column = QVBoxLayout(widget)
        column.setSpacing(look["gap_px"])
        form = QFormLayout()
        form.setVerticalSpacing(look["gap_px"])
        if look["labels_above"]:
            form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        for facts in page["controls"]:
            control = self._control(facts)
            holder = QWidget()
            inside = QVBoxLayout(holder)
            inside.setContentsMargins(0, 0, 0, 0)
            inside.setSpacing(1)
            inside.addWidget(control)
            note = _named(QLabel(), "note")
            note.hide()
            inside.addWidget(note)
            self._notes[facts["name"]] = note
            captioned = facts["kind"] in {"entry", "password", "text", "choice", "list"}
            form.addRow(*((QLabel(facts["text"]), holder) if captioned else (holder,)))
        column.addLayout(form)
        bar = QHBoxLayout()
        for facts in page["bar"]:
            bar.addWidget(self._control(facts))
        bar.addStretch(1)
        column.addLayout(bar)
        column.addStretch(1)
        return widget

    def _control(self, facts: Mapping[str, Any]) -> QWidget:
        name, kind = facts["name"], facts["kind"]
        act = partial(self._act, name)
        widget: QWidget
        if kind in {"heading", "label"}:
            label = _named(QLabel(facts["text"]), kind)
            label.setWordWrap(True)
            widget = label
        elif kind in {"entry", "password"}:
            widget = QLineEdit(facts["value"])
            if kind == "password":
                widget.setEchoMode(QLineEdit.EchoMode.Password)
            widget.returnPressed.connect(act)
        elif kind == "text":
            widget = QPlainTextEdit(facts["value"])
            widget.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        elif kind == "check":
            widget = QCheckBox(facts["text"])
            widget.setChecked(facts["value"] == "on")
            # No wider than its words: beside them a click does nothing, though it is within the widget.
            widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            widget.clicked.connect(lambda _checked: act())
        elif kind == "choice":
            widget = QComboBox()
            widget.addItems(facts["rows"])
            widget.setCurrentText(facts["value"])
            widget.activated.connect(lambda _row: act())
        elif kind == "list":
            widget = QListWidget()
            widget.addItems(facts["rows"])
            widget.itemClicked.connect(lambda _item: act())
        else:
            widget = QPushButton(facts["text"])
            widget.setFlat(kind == "link")
            widget.clicked.connect(lambda _checked: act())
        if facts["text"]:
            widget.setAccessibleName(facts["text"])
        self._controls[name] = widget
        return widget

    # ------------------------------------------------------------ acts and effects

    def _value(self, widget: QWidget) -> str | None:
        if isinstance(widget, QLineEdit):
            return widget.text()
        if isinstance(widget, QPlainTextEdit):
            return widget.toPlainText()
        if isinstance(widget, QCheckBox):
            return "on" if widget.isChecked() else ""
        if isinstance(widget, QComboBox):
            return widget.currentText()
        if isinstance(widget, QListWidget):
            return widget.currentItem().text() if widget.currentRow() >= 0 else ""
        return None

    def _act(self, name: str) -> None:
        if self._quiet:
            return
        values = {one: value for one, widget in self._controls.items() if (value := self._value(widget)) is not None}
        for effect in self._remote.post("event", {"control": name, "values": values}):
            self._carry_out(effect)
        self._timer.start()

    def _carry_out(self, effect: Mapping[str, Any]) -> None:
        op, name, text = effect["op"], effect["control"], effect["text"]
        if op == "status":
            self.statusBar().showMessage(text)
        elif op == "page":
            self._pages.setCurrentIndex(self._numbers[name])
        elif op == "dialog":
            self._show_dialog(text)
        elif op == "note":
            self._notes[name].setText(text)
            self._notes[name].setVisible(bool(text))
        elif op == "rows":
            self._set_rows(self._controls[name], effect["rows"])
        elif op == "set":
            self._set(self._controls[name], text)

    def _set(self, widget: QWidget, text: str) -> None:
        if isinstance(widget, QLineEdit | QLabel):
            widget.setText(text)
        elif isinstance(widget, QPlainTextEdit):
            widget.setPlainText(text)
        elif isinstance(widget, QCheckBox):
            widget.setChecked(text == "on")
        elif isinstance(widget, QComboBox):
            widget.setCurrentText(text)

    def _set_rows(self, widget: QWidget, rows: Sequence[str]) -> None:
        if isinstance(widget, QListWidget | QComboBox):
            same, chosen = widget.count() == len(rows), widget.currentRow() if isinstance(widget, QListWidget) else -1
            widget.clear()
            widget.addItems(list(rows))
            if isinstance(widget, QListWidget) and same:  # the same rows, one changed: the chosen one stays chosen
                widget.setCurrentRow(chosen)

    def _show_dialog(self, text: str) -> None:
        dialog = QMessageBox(QMessageBox.Icon.Warning, self.windowTitle(), text, QMessageBox.StandardButton.Ok, self)
        dialog.finished.connect(self._dialog_closed)
        self._dialog = dialog
        dialog.open()
        self._timer.start(_SETTLED_MS * 5)  # the window manager places it first

    def _dialog_closed(self, _result: int) -> None:
        self._dialog = None
        self._timer.start()

    # ------------------------------------------------------------ where things are

    def _report(self) -> None:
        widgets = {name: widget for name, widget in self._controls.items() if widget.isVisible()}
        if self._dialog is not None:
            widgets = {"dialog.ok": self._dialog.button(QMessageBox.StandardButton.Ok)}
        boxes = {}
        for name, widget in widgets.items():
            at = widget.mapToGlobal(QPoint(0, 0))
            boxes[name] = (at.x(), at.y(), widget.width(), widget.height())
            if isinstance(widget, QListWidget) and widget.count():
                for part, number in (("first", 0), ("last", widget.count() - 1)):
                    row = widget.visualItemRect(widget.item(number))
                    at = widget.viewport().mapToGlobal(row.topLeft())
                    boxes[f"{name}.{part}"] = (at.x(), at.y(), row.width(), row.height())
        self._remote.post("layout", boxes)

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802  # Qt's name
        """Report where controls are after a move."""
        super().moveEvent(event)
        self._timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Report where controls are after a change of size."""
        super().resizeEvent(event)
        self._timer.start()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Stay: nobody closes it on purpose."""
        event.ignore()


def main(url: str, x: int, y: int) -> int:
    """Show the application at `url`, with its window at a point of the desktop."""
    app = QApplication(["kairos-app"])
    app.setAttribute(Qt.ApplicationAttribute.AA_DontShowIconsInMenus, on=True)
    window = AppWindow(Remote(url))
    window.move(x, y)
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
