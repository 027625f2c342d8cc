"""The ring in a process of its own, by lines: `show X Y W H [WORDS]`, `move X Y W H`, `hide`; ends with its input."""

import os
import sys

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

from storage.records import Box
from ui.spotlight import Spotlight

if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("kairos")
    application.setQuitOnLastWindowClosed(False)
    spotlight = Spotlight()

    def read() -> None:
        """Do what the lines that have come say; each comes whole."""
        lines = os.read(sys.stdin.fileno(), 4096).decode().splitlines()
        for line in lines or ["end"]:
            obey(line)

    def obey(line: str) -> None:
        """Do what a line says."""
        do, *words = line.split()
        if do == "end":
            application.quit()
        elif do == "hide":
            spotlight.hide()
        else:
            box = Box(*map(int, words[:4]))
            if do == "show":
                spotlight.show(box, " ".join(words[4:]))
            else:
                spotlight.move(box)

    reading = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    reading.activated.connect(read)
    sys.exit(application.exec())
