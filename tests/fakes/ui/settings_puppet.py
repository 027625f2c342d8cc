"""The interface with the real service of the settings over the person's files, and no core beside it.

A program that tests run on a virtual desktop (`puppet`). Orders: `open`, `end`. It tells `reply` with the kind of each
reply; `excluded` for what the capture would exclude; `closed`. Kairos counts as watching.
"""

import sys

from PySide6.QtCore import Qt

from daemon.preferences.service import SettingsService
from storage.files import config_file
from storage.ports import RunState, Status
from storage.preferences import SettingsReply
from storage.settings import FenceSettings, InterfaceSettings, Settings
from tests.fakes.ui.puppet import Stage, write
from tests.fakes.ui.requests import Calls
from ui.app import Interface


class SettingsStage(Stage):
    """Opens the window of the settings."""

    def __init__(self) -> None:
        self.excluded: tuple[str, ...] = ()
        self.service = SettingsService(config_file(), Settings(), exclude=self.exclude)
        super().__init__(Interface(Calls(), InterfaceSettings(), None, self.service))
        self.interface._tray.show_status(Status(state=RunState.WATCHING))
        self.interface._settings_bridge.replied.connect(self.take, Qt.ConnectionType.QueuedConnection)

    def exclude(self, fence: FenceSettings) -> None:
        if fence.excluded_apps != self.excluded:
            self.excluded = fence.excluded_apps
            write(excluded=list(fence.excluded_apps))

    def take(self, reply: SettingsReply) -> None:
        write(reply=type(reply).__name__)

    def open(self) -> None:
        self.interface._show_settings()
        window = self.interface._settings_window
        assert window is not None
        window.gone.connect(self.on_gone)


if __name__ == "__main__":
    stage = SettingsStage()
    stage.interface._start_shortcuts()
    sys.exit(stage.run())
