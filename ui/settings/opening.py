"""The settings window in the interface: opened when asked for, gone when closed, and what acts at once taken up."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt

from storage.preferences import SettingsReply, SettingsRequests, SettingsState
from storage.settings import InterfaceSettings
from ui.bridge import WindowBridge
from ui.settings.window import SettingsWindow


class SettingsOpening(QObject):
    """Holds the window while it is there. Without requests there is none."""

    def __init__(self, requests: SettingsRequests | None, take_up: Callable[[InterfaceSettings], None]) -> None:
        """Be there for the replies; `take_up` gets the settings of the interface that are in force from then on."""
        super().__init__()
        self._requests = requests
        self._take_up = take_up
        self._ended = False
        self.window: SettingsWindow | None = None
        """The window, while it is open."""

        self.bridge = WindowBridge()
        self.bridge.replied.connect(self._on_reply, Qt.ConnectionType.QueuedConnection)
        self.bridge.requested.connect(self.show, Qt.ConnectionType.QueuedConnection)
        if requests is not None:
            requests.attach(self.bridge)

    def show(self) -> None:
        """Bring the window up, or bring it to the front."""
        if self._requests is None or self._ended:
            return
        if self.window is None:
            self.window = SettingsWindow(self._requests)
            self.window.gone.connect(self._on_gone)
        self.window.appear()

    def close(self) -> None:
        """Close it for good."""
        self._ended = True
        if self.window is not None:
            self.window.close()

    def _on_gone(self) -> None:
        self.window = None

    def _on_reply(self, reply: SettingsReply) -> None:
        """Take up what acts at once, with the window or without it, and pass the reply on."""
        if self._ended:
            return
        if isinstance(reply, SettingsState) and reply.trouble is None:
            self._take_up(reply.in_force.interface)
        if self.window is not None:
            self.window.take(reply)
