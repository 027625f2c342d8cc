"""The interface with the real reader of the timeline over the sessions of the data folder, and no core beside it.

A program that tests run on a virtual desktop (`puppet`). Orders: `open`, `end`. It tells `day` once one is shown,
`report` for what the person said, `purge` for what was deleted, `closed`. What is to be forgotten is really deleted.
"""

import sys

from PySide6.QtCore import Qt

from daemon.history.timeline.service import TimelineService
from daemon.history.timeline.sources import TimelineSources
from daemon.purge.purge import begin, finish
from daemon.purge.span import PurgeSpan
from storage.clock import SystemClock
from storage.db.codec import as_dict
from storage.files import sessions_folder, state_file
from storage.records import EarlierReport
from storage.settings import InterfaceSettings, Settings
from storage.timeline import TimelineDay
from tests.fakes.ui.puppet import Stage, write
from tests.fakes.ui.requests import Calls
from ui.app import Interface


class TimelineStage(Stage):
    """Opens the window of the timeline and answers for the core."""

    def __init__(self) -> None:
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
        super().__init__(Interface(Calls(), InterfaceSettings(), self.service))
        self.interface._timeline_bridge.replied.connect(self.take, Qt.ConnectionType.QueuedConnection)

    def report(self, report: EarlierReport) -> None:
        write(report=as_dict(report))

    def purge(self, span: PurgeSpan) -> None:
        begin(span, sessions_folder(), state_file())
        done = finish(state_file())
        assert done is not None
        write(purge=done.as_json())
        self.service.purged(done)

    def take(self, reply: object) -> None:
        if isinstance(reply, TimelineDay):
            write(day=reply.day.isoformat(), moments=len(reply.moments))

    def open(self) -> None:
        self.interface._show_seen()
        assert self.interface._seen is not None
        self.interface._seen.gone.connect(self.on_gone)


if __name__ == "__main__":
    sys.exit(TimelineStage().run())
