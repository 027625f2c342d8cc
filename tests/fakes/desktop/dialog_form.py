"""A window with a button and a menu that both open a dialog, in Qt: `python -m tests.fakes.desktop.dialog_form`.

Writes lines of JSON to its standard output: where its button and its menu's title are, and, whenever the menu opens,
where the item in it is: `{"button": [x, y], "menu": [x, y]}` and `{"item": [x, y]}`, in pixels of the desktop.
"""

import json
import sys

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox, QPushButton

if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("dialogform")
    window = QMainWindow()
    window.setWindowTitle("Form")
    button = QPushButton("Compile")
    window.setCentralWidget(button)
    menu = window.menuBar().addMenu("File")
    item = menu.addAction("Open the file")

    def warn() -> None:
        """Open the dialog, in a loop of events of its own, as most programs do."""
        QMessageBox.warning(window, "Trouble", "The file could not be opened")

    def write(**points: QPoint) -> None:
        print(json.dumps({name: point.toTuple() for name, point in points.items()}), flush=True)

    def write_item() -> None:
        QTimer.singleShot(200, lambda: write(item=menu.mapToGlobal(menu.actionGeometry(item).center())))

    def write_window() -> None:
        bar = window.menuBar()
        title = bar.mapToGlobal(bar.actionGeometry(menu.menuAction()).center())
        write(button=button.mapToGlobal(button.rect().center()), menu=title)

    button.clicked.connect(warn)
    item.triggered.connect(warn)
    menu.aboutToShow.connect(write_item)
    QTimer.singleShot(1000, write_window)
    window.resize(500, 300)
    window.show()
    sys.exit(application.exec())
