"""The interface with the real service of the settings over the person's files, and no core beside it.

A program that tests run on a virtual desktop. Reads one word a line from standard input: `open`, `end`. Writes one JSON
object a line: `ready`; `opened_ms` from the request until the window was painted; `reply` with the kind of each reply;
`excluded` for what the capture would exclude; `asked` when the shortcut for it is pressed; `closed`.
"""

import json
import sys
import threading

from PySide6.QtCore import QObject, Qt, Signal

from daemon.preferences.service import SettingsService
from storage.clock import NS_PER_S, SystemClock
from storage.files import config_file
from storage.preferences import SettingsReply
from storage.settings import FenceSettings, InterfaceSettings, Settings
from tests.fakes.ui.interface import Calls
from ui.app import Interface


def write(**facts: object) -> None:
    """Tell the test something."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class Core(Calls):
    """A core that tells when it is asked for help."""

    def ask_help(self) -> None:
        """Tell it."""
        write(asked=True)


class Stage(QObject):
    """Opens the window."""

    ordered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.excluded: tuple[str, ...] = ()
        self.service = SettingsService(config_file(), Settings(), exclude=self.exclude)
        self.interface = Interface(Core(), InterfaceSettings(), None, self.service)
        queued = Qt.ConnectionType.QueuedConnection
        self.interface._settings_opening.bridge.replied.connect(self.take, queued)
        self.ordered.connect(self.obey, queued)

    def exclude(self, fence: FenceSettings) -> None:
        """Tell what is excluded besides."""
        if fence.excluded_apps != self.excluded:
            self.excluded = fence.excluded_apps
            write(excluded=list(fence.excluded_apps))

    def take(self, reply: SettingsReply) -> None:
        """Tell that there was a reply, once the window has it."""
        write(reply=type(reply).__name__)

    def obey(self, order: str) -> None:
        """Do what a line says."""
        if order == "open":
            clock = SystemClock()
            begun_ns = clock.now_ns()
            self.interface._settings_opening.show()
            window = self.interface._settings_opening.window
            assert window is not None
            window.repaint()
            write(opened_ms=1000 * (clock.now_ns() - begun_ns) // NS_PER_S)
            window.gone.connect(self.on_gone)
        elif order == "end":
            self.interface._on_stopped()

    def on_gone(self) -> None:
        """Tell that the window was closed."""
        write(closed=True)

    def listen(self) -> None:
        """Read orders until there are no more."""
        for line in sys.stdin:
            self.ordered.emit(line.strip())
        self.ordered.emit("end")


def main() -> int:
    """Run until the order to end."""
    stage = Stage()
    stage.interface._start_shortcuts()
    threading.Thread(target=stage.listen, daemon=True).start()
    write(ready=True)
    return stage.interface.exec()


if __name__ == "__main__":
    sys.exit(main())
