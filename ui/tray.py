"""The tray icon and its menu.

Qt settles once per process whether icons go over D-Bus, at the first tray icon it makes. So none is made before a
host is there: a panel that starts after us is then still found, whichever kind it is.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtDBus import QDBusConnection
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from storage.clock import SystemClock
from storage.ports import CoreCommands, RunState, Status, StudyRequest
from ui.desktop.current import current_desktop
from ui.tray_icon import make_icon
from ui.views.text import local_time
from ui.views.tray import ASKED_FOR, ASKING, PAUSE_S, Action, Entry, until_tomorrow_s, view_tray

LOOK_MS = 5000  # how often to look for a host while there is none
_WATCHER = "org.kde.StatusNotifierWatcher"


class Tray(QObject):
    """Shows the status and takes the clicks, of the small window too.

    `missing` is emitted once if there is no host at the start.
    """

    missing = Signal()
    found = Signal()
    asking = Signal()
    """Somebody wants to ask."""

    seen = Signal()
    """Somebody wants to see what Kairos saw."""

    settings = Signal()
    """Somebody wants the settings."""

    forgetting = Signal()
    """Somebody wants the last minutes forgotten: they are shown what goes, and asked."""

    leaving = Signal()
    working = Signal()
    """Somebody wants to leave the study: they are asked once more."""

    def __init__(self, commands: CoreCommands) -> None:
        """Make the menu; nothing is shown yet."""
        super().__init__()
        self._commands = commands
        self._icon: QSystemTrayIcon | None = None
        self._menu = QMenu()
        self.actions: list[QAction] = [
            self._make_action(entry) for entry in view_tray(Status(state=RunState.STARTING)).entries
        ]
        """The lines of the menu, for the small window where no tray is."""

        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._try_again)
        self._status = Status(state=RunState.STARTING)
        self.show_status(self._status)

    @property
    def can_ask(self) -> bool:
        """Whether Kairos watches, so that somebody can ask about what is in front."""
        return self._status.state in ASKING

    @property
    def off(self) -> str:
        """Which of paused and private Kairos is and until when, in words; empty while it is neither."""
        return self.actions[0].text() if self._status.state in ASKED_FOR else ""

    def appear(self) -> None:
        """Show the icon, now or as soon as a host is there."""
        if _has_host():
            self._make_icon()
        else:
            self.missing.emit()
            self._look.start()

    def leave(self) -> None:
        """Take the icon and the menu down."""
        self._look.stop()
        self._menu.close()
        if self._icon is not None:
            self._icon.hide()

    def show_status(self, status: Status) -> None:
        """Bring icon, tool tip and menu up to date."""
        self._status = status
        quiet_until_ns = status.silent_until_wall_ns or status.quiet_until_wall_ns
        view = view_tray(status, local_time(status.paused_until_wall_ns), local_time(quiet_until_ns))
        for action, entry in zip(self.actions, view.entries, strict=True):
            action.setVisible(entry.visible)
            if entry.text:
                action.setText(entry.text)
                action.setEnabled(entry.enabled)
                action.setChecked(bool(entry.checked))
        if self._icon is not None:
            self._icon.setIcon(make_icon(view.glyph, recording=view.recording, microphone=view.microphone))
            self._icon.setToolTip(view.tooltip)

    def _make_action(self, entry: Entry) -> QAction:
        """Make a line of the menu, which stays; only its text and state change."""
        if not entry.text:
            return self._menu.addSeparator()
        action = self._menu.addAction(entry.text)
        action.setCheckable(entry.checked is not None)
        action.triggered.connect(self._make_handler(entry.action))
        return action

    def _make_handler(self, action: Action) -> Callable[[bool], None]:
        asked = {
            Action.ASK: self.asking,
            Action.FORGET: self.forgetting,
            Action.SEEN: self.seen,
            Action.SETTINGS: self.settings,
            Action.STUDY_LEAVE: self.leaving,
            Action.STUDY_TASK: self.working,
        }

        def handle(checked: bool) -> None:
            if action in PAUSE_S:
                self._commands.pause(PAUSE_S[action])
            elif action is Action.PAUSE_TOMORROW:
                now = local_time(SystemClock().wall_ns())
                self._commands.pause(until_tomorrow_s(now) if now is not None else None)
            elif action in asked:
                asked[action].emit()
            elif action is Action.RESUME:
                self._commands.resume()
            elif action is Action.PRIVATE:
                self._commands.set_private(checked)
            elif action is Action.STUDY_LOOK:
                self._commands.study(StudyRequest.REVIEW)
            elif action is Action.STUDY_HOLD:
                held = self._status.study is not None and self._status.study.held
                self._commands.study(StudyRequest.RESUME if held else StudyRequest.HOLD)
            elif action is Action.REVOKE:
                self._commands.revoke()
            elif action is Action.QUIT:
                self._commands.quit()

        return handle

    def _make_icon(self) -> None:
        self._icon = QSystemTrayIcon()
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self.show_status(self._status)
        self._icon.show()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """Open the menu on a left click too: there is no window it could open instead."""
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self._menu.popup(QCursor.pos())

    def _try_again(self) -> None:
        if _has_host():
            self._look.stop()
            self._make_icon()
            self.found.emit()


def _has_host() -> bool:
    """Tell whether something shows tray icons: a StatusNotifier watcher, or an XEmbed tray."""
    bus = QDBusConnection.sessionBus()
    if bus.isConnected() and bus.interface().isServiceRegistered(_WATCHER).value():
        return True
    return current_desktop().has_tray()
