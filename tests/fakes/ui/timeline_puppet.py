"""The interface with the real reader of the timeline over the sessions of the data folder, and no core beside it.

A program that tests run on a virtual desktop. Reads one word a line from standard input: `open`, `end`. Writes one JSON
object a line: `ready`, `day` once one is shown, `report` for what the person said, `purge` for what was deleted,
`closed`. What is to be forgotten is really deleted.
"""

import json
import sys
import threading

from PySide6.QtCore import QObject, Qt, Signal

from daemon.history.timeline.reader import TimelineSources
from daemon.history.timeline.service import TimelineService
from daemon.purge.purge import begin, finish
from daemon.purge.span import PurgeSpan
from storage.clock import SystemClock
from storage.db.codec import as_dict
from storage.files import sessions_folder, state_file
from storage.records import EarlierReport
from storage.settings import InterfaceSettings, Settings
from storage.timeline import TimelineDay
from tests.fakes.ui.interface import Calls
from ui.app import Interface


def write(**facts: object) -> None:
    """Tell the test something."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class Stage(QObject):
    """Opens the window and answers for the core."""

    ordered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.service = TimelineService(
            TimelineSources(
                sessions_dir=sessions_folder(),
                state_file=state_file(),
                settings=Settings(),
                clock=SystemClock(),
                submit_report=self.report,
                begin_purge=self.purge,
            )
        )
        self.interface = Interface(Calls(), InterfaceSettings(), self.service)
        queued = Qt.ConnectionType.QueuedConnection
        self.interface._timeline_bridge.replied.connect(self.take, queued)
        self.ordered.connect(self.obey, queued)

    def report(self, report: EarlierReport) -> None:
        """Tell what the person said."""
        write(report=as_dict(report))

    def purge(self, span: PurgeSpan) -> None:
        """Delete it, and tell."""
        begin(span, sessions_folder(), state_file())
        done = finish(state_file())
        assert done is not None
        write(purge=done.as_json())
        self.service.purged(done)

    def take(self, reply: object) -> None:
        """Tell that a day is shown."""
        if isinstance(reply, TimelineDay):
            write(day=reply.day.isoformat(), moments=len(reply.moments))

    def obey(self, order: str) -> None:
        """Do what a line says."""
        if order == "open":
            self.interface._show_seen()
            assert self.interface._seen is not None
            self.interface._seen.gone.connect(self.on_gone)
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
    """Run until the end is told."""
    stage = Stage()
    threading.Thread(target=stage.listen, daemon=True).start()
    write(ready=True)
    return stage.interface.exec()


if __name__ == "__main__":
    sys.exit(main())
