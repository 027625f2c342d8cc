"""What a desktop offers beyond Qt; as it stands here, of a desktop of which nothing is known."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QWidget

from storage.records import Box
from storage.settings import InterfaceSettings
from storage.translation import tr
from ui.views.settings import POINT_FAILED
from ui.views.shortcuts import ShortcutCommand, parse_shortcut, texts_of


class Shortcuts(QObject):
    """The shortcuts that are set. `pressed` names the command, once for each press; here none can be grabbed."""

    pressed = Signal(object)

    def __init__(self, settings: InterfaceSettings) -> None:
        """Read the settings; nothing is grabbed yet."""
        super().__init__()
        read = {command: parse_shortcut(text) for command, text in texts_of(settings).items()}
        self.unknown = tuple(command for command, shortcut in read.items() if shortcut is None)
        self._wanted = {command: shortcut for command, shortcut in read.items() if shortcut is not None}

    def start(self) -> tuple[ShortcutCommand, ...]:
        """Try all shortcuts; return those that somebody else has. Only `hold` makes them work."""
        return ()

    def hold(self, commands: Iterable[ShortcutCommand]) -> None:
        """Hold the shortcuts of these commands and no others; what is held already stays held all the while."""

    def close(self) -> None:
        """Give all keys back. A second call changes nothing."""


class WindowPicker(QObject):
    """Waits for one click on a window. `picked` brings the class of its program, `failed` why there is none."""

    picked = Signal(str)
    failed = Signal(str)
    """Empty: the person cancelled."""

    def start(self) -> None:
        """Let the person point; here that is not possible."""
        self.failed.emit(tr(POINT_FAILED))

    def cancel(self) -> None:
        """Give everything back."""


class Knock(QObject):
    """Words outside of any window of ours, with buttons, until somebody answers or they are closed."""

    chosen = Signal(str)
    """Somebody chose: the key of a button, or `OPEN`."""

    dismissed = Signal()
    """Somebody has waved it away."""

    failed = Signal()
    """It cannot be shown."""

    def close(self) -> None:
        """Take it away. A second call changes nothing."""


class Layer(QObject):
    """Shows a widget above all windows, where it says it is, whenever Qt is told to show it but nowhere on a screen."""

    failed = Signal()
    """It is shown no longer, though it should be."""

    def area_at_work(self) -> tuple[QScreen, QRect] | None:
        """Return the screen where somebody works, and the part of it that is for windows; None where it cannot show."""


OPEN = "default"
"""The key of a click on the words themselves."""


class Desktop:
    """Questions about a desktop, and the keyboard handed from window to window. Used by the main thread alone.

    Windows are numbered as by `QWidget.winId`; boxes and points are in pixels of the desktop. What cannot be found out
    is None or empty. Here nothing can: windows are placed and activated by Qt alone.
    """

    can_point = False
    """Whether a person can point at a window of another program."""

    has_shortcuts = False
    """Whether keys can be had in whatever program."""

    places_itself = False
    """Whether a window that takes no focus must be placed past the window manager, which would give it the focus."""

    windows_take_focus = False
    """Whether any window gets the keyboard, so that one may only come up because somebody asked for it: `knock`."""

    def knock(self, title: str, text: str, buttons: Sequence[tuple[str, str]], parent: QObject) -> Knock:  # noqa: ARG002  # the same where it works
        """Say something outside of any window; `buttons` are keys and words. Here that is not possible."""
        return Knock(parent)

    def layer(self, window: QWidget, *, takes_pointer: bool = True) -> Layer | None:  # noqa: ARG002  # the same where it works
        """Return what shows a window of ours without the keyboard where Qt cannot; here it can."""
        return None

    def is_translucent(self) -> bool:
        """Tell whether a window of ours may be translucent; without a compositor it would be black."""
        return True

    def has_tray(self) -> bool:
        """Tell whether there is a tray that Qt does not find on the message bus."""
        return False

    def active_window(self) -> int | None:
        """Return the window that is active."""
        return None

    def active_window_centre(self) -> tuple[int, int] | None:
        """Return the middle of the active window."""
        return None

    def open_dialogs(self) -> tuple[Box, ...]:
        """Return where dialogs of the program in front are, without their frames."""
        return ()

    def activate(self, window: int, *, ours: bool = False) -> bool:  # noqa: ARG002  # Qt does it
        """Make a window active: ours after a click on it, or the program's afterwards. False: Qt has to do it."""
        return False

    def offer_focus(self, window: int, *, on: bool) -> None:
        """Have a window of ours be asked whether it takes the keyboard, or never."""

    def shortcuts(self, settings: InterfaceSettings) -> Shortcuts:
        """Return the global shortcuts that are set."""
        return Shortcuts(settings)

    def is_shortcut_taken(self, text: str) -> bool:  # noqa: ARG002  # whatever the keys
        """Tell whether somebody has the keys of a shortcut, or they are not there; no where that cannot be told."""
        return False

    def window_picker(self) -> WindowPicker:
        """Return what lets a person point at a window."""
        return WindowPicker()
