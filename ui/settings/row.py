"""One setting in the window: name and mark, help, the field, what is known of it, and what is wrong."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from storage.preferences import SettingsState
from storage.settings import get_value, setting_infos
from storage.translation import tr
from ui.dialogs.window import make_wide_button
from ui.settings.fields import ChoiceField, Field, ListField, SwitchField, TextField
from ui.settings.shortcut import ShortcutField
from ui.theme import Theme, scaled_font
from ui.views.settings import CHANGED, RESET, WAITS, FieldKind, SettingRowView, view_row, waits
from ui.widgets import CHIP_HEIGHT, Prose

FIELD_WIDTH_IN_CHARACTERS = 64


class RichText(QLabel):
    """Help with its own marks, which are ours; it wraps."""

    def __init__(self, text: str, name: str) -> None:
        """Make the text."""
        super().__init__(f'<p style="line-height:130%; margin:0">{text}</p>')
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)


class SettingRow(QWidget):
    """A setting; `changed` brings what was entered, None for the default."""

    changed = Signal(str, object)
    added = Signal(str, str)
    removed = Signal(str, str)

    def __init__(self, key: str, theme: Theme, state: SettingsState | None) -> None:
        """Make the row, and show its value."""
        super().__init__()
        self.key = key
        self._info = setting_infos()[key]
        view = view_row(self._info)
        self.setObjectName(f"row.{key}")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(4)
        title = Prose(view.label, f"{key}.label")
        title.setFont(scaled_font(1.05, QFont.Weight.DemiBold))
        self._mark = QLabel(f"● {tr(CHANGED)}")
        self._mark.setObjectName(f"{key}.mark")
        self._mark.setProperty("role", "mark")
        self._reset = make_wide_button(tr(RESET), f"{key}.reset", "quiet")
        self._reset.setMinimumHeight(CHIP_HEIGHT)
        self._reset.setAccessibleName(f"{tr(RESET)}: {view.label}")
        self._reset.setAutoDefault(False)
        self._reset.clicked.connect(lambda: self.changed.emit(self.key, None))
        column.addWidget(title)
        column.addWidget(RichText(view.help, f"{key}.help"))
        self.field = _make_field(view, theme)
        self.field.setMaximumWidth(self.fontMetrics().averageCharWidth() * FIELD_WIDTH_IN_CHARACTERS + 80)
        self.field.entered.connect(lambda value: self.changed.emit(self.key, value))
        self.field.trouble.connect(self.show_trouble)
        if isinstance(self.field, ListField):
            self.field.added.connect(lambda entry: self.added.emit(self.key, entry))
            self.field.removed.connect(lambda entry: self.removed.emit(self.key, entry))
        column.addWidget(self.field)
        self._trouble = Prose("", f"{key}.trouble")
        self._trouble.setProperty("role", "trouble")
        self._note = Prose("", f"{key}.note")
        self._trouble.hide()
        self._note.hide()
        column.addWidget(self._trouble)
        column.addWidget(self._note)
        facts = Prose(f"{view.facts}  {key}", f"{key}.facts", faint=True)
        facts.setFont(scaled_font(0.92))
        column.addWidget(facts)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self._mark)
        foot.addWidget(self._reset)
        foot.addStretch()
        column.addLayout(foot)
        self.show_state(state)

    def show_state(self, state: SettingsState | None) -> None:
        """Show what the file says; without a usable file nothing can be entered."""
        self.field.setEnabled(state is not None and state.trouble is None)
        differs = state is not None and get_value(state.settings, self.key) != self._info.default
        self._mark.setVisible(differs)
        self._reset.setVisible(differs)
        if state is not None:
            self.field.show_value(get_value(state.settings, self.key))
            if waits(state, self.key):
                self._show(self._note, tr(WAITS))
            elif self._note.text() == tr(WAITS):
                self._show(self._note, "")

    def show_trouble(self, text: str) -> None:
        """Say what is wrong with what was entered, to screen readers at the field itself; empty: nothing."""
        self.field.describe(text)
        self._show(self._trouble, text)

    def show_done(self, notes: tuple[str, ...]) -> None:
        """Say what follows of what was entered."""
        self.show_trouble("")
        if notes:
            self._show(self._note, "\n".join(notes))

    def _show(self, prose: Prose, text: str) -> None:
        prose.setText(text)
        prose.setAccessibleName(text)
        prose.setVisible(bool(text))
        prose.updateGeometry()


def _make_field(row: SettingRowView, theme: Theme) -> Field:
    """Make the field that fits a setting."""
    match row.kind:
        case FieldKind.SWITCH:
            return SwitchField(row, theme)
        case FieldKind.CHOICE | FieldKind.PRESET:
            return ChoiceField(row, theme)
        case FieldKind.LIST:
            return ListField(row)
        case FieldKind.SHORTCUT:
            return ShortcutField(row)
        case FieldKind.NUMBER | FieldKind.TEXT:
            return TextField(row)
