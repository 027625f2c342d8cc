"""The ring in a process of its own, by lines; ends with its input.

`show X Y W H [WORDS]`, `move X Y W H`, `hide`; `card X Y W H` brings a small window up clear of a box, and
`hide` takes it away, too.
"""

import os
import sys

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication, QLabel

from storage.records import Box
from ui.quiet_window import QuietWindow
from ui.spotlight import Spotlight

CARD_TITLE = "A card"

if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    application.setApplicationName("kairos")
    application.setQuitOnLastWindowClosed(False)
    spotlight = Spotlight()
    cards: list[QuietWindow] = []

    def read() -> None:
        lines = os.read(sys.stdin.fileno(), 4096).decode().splitlines()
        for line in lines or ["end"]:
            obey(line)

    def obey(line: str) -> None:
        do, *words = line.split()
        if do == "end":
            application.quit()
        elif do == "hide":
            spotlight.hide()
            while cards:
                cards.pop().close()
        elif do == "card":
            card = QuietWindow(CARD_TITLE, corner="bottom-right", clear_of=Box(*map(int, words)))
            card.column.addWidget(QLabel("Words on a card", card))
            card.appear()
            cards.append(card)
        else:
            box = Box(*map(int, words[:4]))
            if do == "show":
                spotlight.show(box, " ".join(words[4:]))
            else:
                spotlight.move(box)

    reading = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    reading.activated.connect(read)
    sys.exit(application.exec())
