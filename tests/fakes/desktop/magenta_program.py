"""A program that is magenta all over, menu and tip too: `python -m tests.fakes.desktop.magenta_program APP`.

Obeys words of its standard input, one a line: `show` and `hide` its window, `menu` and `tip` open one that reaches
beyond the window, `shut` closes them. Answers each with a line.
"""

import sys
from threading import Thread

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

SIZE, MENU, TIP = QSize(260, 90), QSize(120, 300), QSize(400, 30)


class Program(QObject):
    """One window, one menu, one tip."""

    ordered = Signal(str)

    def __init__(self) -> None:
        """Make them, hidden. What has no keyboard is a popup to a compositor as well, and needs no click before."""
        super().__init__()
        self.window = QWidget()
        self.window.resize(SIZE)
        self.popups = {"menu": QWidget(self.window), "tip": QWidget(self.window)}
        for popup, size in zip(self.popups.values(), (MENU, TIP), strict=True):
            popup.setWindowFlags(Qt.WindowType.ToolTip)
            popup.resize(size)
        self.ordered.connect(self.obey, Qt.ConnectionType.QueuedConnection)

    def obey(self, word: str) -> None:
        if word in self.popups:
            self.popups[word].move(self.window.mapToGlobal(QPoint(40, 60)))
            self.popups[word].show()
        elif word == "shut":
            for popup in self.popups.values():
                popup.hide()
        elif word:
            self.window.setVisible(word == "show")
        else:
            QApplication.quit()
        sys.stdout.write(f"{word}\n")
        sys.stdout.flush()

    def listen(self) -> None:
        """Pass on what stands on standard input, and end with it."""
        for line in sys.stdin:
            self.ordered.emit(line.strip())
        self.ordered.emit("")


if __name__ == "__main__":
    application = QApplication(sys.argv[1:])
    application.setQuitOnLastWindowClosed(False)
    application.setDesktopFileName(sys.argv[1])
    application.setStyleSheet("* { background: #ff00ff }")
    program = Program()
    Thread(target=program.listen, daemon=True).start()
    application.exec()
