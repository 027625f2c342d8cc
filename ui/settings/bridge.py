"""The crossing from the thread of the settings to Qt's: replies go in on one side and come out as queued signals."""

from PySide6.QtCore import QObject, Signal

from storage.preferences.rows import SettingsReply


class SettingsBridge(QObject):
    """The `SettingsView` that the service talks to; its methods may be called from any thread."""

    replied = Signal(object)
    requested = Signal()

    def show_reply(self, reply: SettingsReply) -> None:
        """Show what was requested, or take up what has changed."""
        self.replied.emit(reply)

    def open_window(self) -> None:
        """Bring the window up."""
        self.requested.emit()
