"""A window of many kinds of controls, in Qt: `python -m lab.benchmarks.grounding.qt_form`.

Once it is laid out it writes one line of JSON: the name, the kind and the box of each of its controls, in pixels of the
desktop, as Qt knows them. That is the truth that a walk is judged by.
"""

import json
import sys

from PySide6.QtCore import QRect, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QTabBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lab.benchmarks.grounding.subjects import FORM_TITLE

MENUS = ("Order", "Change", "Show", "Window", "Help")
BUTTONS = ("Add item...", "Remove item", "Send order", "Save draft", "Check &prices", "Print order", "Find && Replace")
TOOLS = ("Zoom in", "Zoom out", "Reload list", "First page", "Last page")
CHECKS = ("Gift wrapping", "Express delivery", "Keep me informed", "Remember address", "Split delivery")
RADIOS = ("Pay by invoice", "Pay by card", "Pay at the door")
ENTRIES = ("First name", "Last name", "Street", "Postal code", "Town", "Telephone", "Voucher")
BOXES = ("Country", "Language", "Currency")
NUMBERS = ("Quantity", "Priority")
TABS = ("Items", "Address", "Payment", "Summary")

Found = list[tuple[str, str, QWidget]]


def _build(window: QMainWindow) -> Found:
    """Fill a window; return name, kind and widget of what is in it."""
    found: Found = []
    page = QWidget()
    column = QVBoxLayout(page)
    tools = QHBoxLayout()
    for name in TOOLS:
        tool = QToolButton()
        tool.setText(name)
        tools.addWidget(tool)
        found.append((name, "button", tool))
    column.addLayout(tools)
    grid = QGridLayout()
    for number, name in enumerate(BUTTONS):
        button = QPushButton(name)
        grid.addWidget(button, number // 4, number % 4)
        found.append((name, "button", button))
    column.addLayout(grid)
    middle = QHBoxLayout()
    for title, names in (("Options", CHECKS), ("Payment", RADIOS)):
        group = QGroupBox(title)
        inside = QVBoxLayout(group)
        for name in names:
            one = QCheckBox(name) if names is CHECKS else QRadioButton(name)
            inside.addWidget(one)
            found.append((name, "check box" if names is CHECKS else "radio button", one))
        middle.addWidget(group)
    form = QFormLayout()
    makers: tuple[tuple[tuple[str, ...], type[QWidget]], ...] = (
        (ENTRIES, QLineEdit),
        (BOXES, QComboBox),
        (NUMBERS, QSpinBox),
    )
    for fields, make in makers:
        for name in fields:
            entry = make()
            if isinstance(entry, QComboBox):
                entry.addItems(["one", "two", "three"])
            label = QLabel(f"{name}:")
            label.setBuddy(entry)
            form.addRow(label, entry)
            found.append((name, "field", entry))
    slider = QSlider()
    slider.setAccessibleName("Volume")
    found.append(("Volume", "slider", slider))
    middle.addLayout(form)
    middle.addWidget(slider)
    column.addLayout(middle)
    tabs = QTabWidget()
    for name in TABS:
        tabs.addTab(QLabel(name), name)
    column.addWidget(tabs)
    window.setCentralWidget(page)
    return found


def _boxes(window: QMainWindow, found: Found) -> list[dict[str, object]]:
    """Return name, kind and box of all controls, as they are laid out."""
    ratio = window.devicePixelRatio()

    def line(name: str, kind: str, widget: QWidget, place: QRect) -> dict[str, object]:
        corner = widget.mapToGlobal(place.topLeft())
        box = [round(part * ratio) for part in (corner.x(), corner.y(), place.width(), place.height())]
        return {"name": name, "kind": kind, "box": box}

    bar, tabs = window.menuBar(), window.findChild(QTabBar)
    assert isinstance(tabs, QTabBar)  # noqa: S101  # it was built above
    return [
        *(line(name, kind, widget, widget.rect()) for name, kind, widget in found),
        *(line(action.text(), "menu", bar, bar.actionGeometry(action)) for action in bar.actions()),
        *(line(name, "tab", tabs, tabs.tabRect(number)) for number, name in enumerate(TABS)),
    ]


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("orderform")
    main = QMainWindow()
    main.setWindowTitle(FORM_TITLE)
    for title in MENUS:
        main.menuBar().addMenu(title).addAction("Nothing")
    controls = _build(main)
    QTimer.singleShot(1500, lambda: print(json.dumps(_boxes(main, controls)), flush=True))
    main.resize(900, 640)
    main.show()
    sys.exit(application.exec())
