"""A field that takes a shortcut from the keyboard: press the button, then the keys."""

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from storage.translation import tr
from ui.settings.fields import Field
from ui.views.settings import NO_SHORTCUT, RECORD, RECORDING, SHORTCUT_UNFIT, SettingRowView
from ui.views.shortcuts import parse_shortcut
from ui.views.text import keys_text
from ui.widgets import Prose, beside, make_wide_button

_ONLY_HELD = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Shift, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)
_NAMES = {
    Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Return: "Enter",
    Qt.Key.Key_Enter: "Enter",
    Qt.Key.Key_Space: "Space",
    Qt.Key.Key_Tab: "Tab",
    Qt.Key.Key_Home: "Home",
    Qt.Key.Key_End: "End",
    Qt.Key.Key_Insert: "Insert",
    Qt.Key.Key_Delete: "Delete",
    Qt.Key.Key_Backspace: "Backspace",
    Qt.Key.Key_PageUp: "PageUp",
    Qt.Key.Key_PageDown: "PageDown",
    Qt.Key.Key_Up: "Up",
    Qt.Key.Key_Down: "Down",
    Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Pause: "Pause",
}
_HELD = (
    (Qt.KeyboardModifier.ControlModifier, "Ctrl"),
    (Qt.KeyboardModifier.AltModifier, "Alt"),
    (Qt.KeyboardModifier.ShiftModifier, "Shift"),
    (Qt.KeyboardModifier.MetaModifier, "Super"),
)


def shortcut_text(keys: QKeyCombination) -> str:
    """Return keys as the settings write them; empty where a key has no name there."""
    key = keys.key()
    name = _NAMES.get(key) or QKeySequence(key).toString()
    held = [text for modifier, text in _HELD if modifier in keys.keyboardModifiers()]
    text = "+".join([*held, name])
    return text if parse_shortcut(text) is not None else ""


class ShortcutField(Field):
    """Shows the keys, and records others."""

    def __init__(self, row: SettingRowView) -> None:
        """Make the field."""
        super().__init__(row)
        self._shown = Prose(tr(NO_SHORTCUT), f"{row.key}.keys")
        self._button = make_wide_button(tr(RECORD), row.key, "chip", self._record)
        self._name(self._button)
        self._button.installEventFilter(self)
        self._is_recording = False
        line = beside(self._button, spacing=12)
        line.addWidget(self._shown, 1, Qt.AlignmentFlag.AlignVCenter)
        self.column.addLayout(line)

    def put(self, value: object) -> None:
        """Show a value."""
        text = keys_text(str(value)) or tr(NO_SHORTCUT)
        self._shown.say(text)
        self._button.setAccessibleName(f"{self.row_view.label}: {text}. {tr(RECORD)}")

    def _record(self) -> None:
        self.trouble.emit("")
        self._is_recording = True
        self._shown.say(tr(RECORDING))
        self._button.grabKeyboard()

    def _end(self) -> None:
        self._is_recording = False
        self._button.releaseKeyboard()
        self.take_back()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Take every key while recording; leaving the window ends it."""
        if not self._is_recording or watched is not self._button:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide):
            self._end()
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self._take(event)
            return True
        return isinstance(event, QKeyEvent)

    def _take(self, event: QKeyEvent) -> None:
        keys = event.keyCombination()
        if keys.key() in _ONLY_HELD or event.isAutoRepeat():
            return
        alone = keys.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
        self._end()
        if alone and keys.key() == Qt.Key.Key_Escape:
            return
        if alone and keys.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self.entered.emit("")
            return
        text = shortcut_text(keys)
        if text:
            self.entered.emit(text)
        else:
            self.trouble.emit(tr(SHORTCUT_UNFIT))
