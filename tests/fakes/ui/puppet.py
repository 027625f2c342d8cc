"""What the programs of this folder share: an interface without a core, in a process of its own, driven by lines.

Each reads one order a line from standard input and writes one JSON object a line: `ready` comes first, then what
happens. The order `end`, and the end of the input, end it as the core would.
"""

import json
import sys
import threading

from PySide6.QtCore import QObject, Qt, Signal

from ui.app import Interface


def write(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class Stage(QObject):
    """An interface and the orders that it gets; a subclass opens one of its windows."""

    ordered = Signal(str)

    def __init__(self, interface: Interface) -> None:
        super().__init__()
        self.interface = interface
        self.ordered.connect(self.obey, Qt.ConnectionType.QueuedConnection)

    def open(self) -> None:
        """Open the window."""

    def obey(self, order: str) -> None:
        if order == "open":
            self.open()
        elif order == "end":
            self.interface._on_stopped()

    def on_gone(self) -> None:
        write(closed=True)

    def run(self) -> int:
        threading.Thread(target=self._listen, daemon=True).start()
        write(ready=True)
        return self.interface.exec()

    def _listen(self) -> None:
        for line in sys.stdin:
            self.ordered.emit(line.strip())
        self.ordered.emit("end")
