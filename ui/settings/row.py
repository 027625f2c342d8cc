"""One setting in the window: name and mark, help, the field, what is known of it, and what is wrong."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from storage.preferences import SettingsState
from storage.settings import get_value, setting_infos
from storage.translation import tr
from ui.settings.fields import ChoiceField, Field, ListField, SwitchField, TextField
from ui.settings.shortcut import ShortcutField
from ui.theme import Theme
from ui.told import Told
from ui.views.settings import CHANGED, RESET, WAITS, FieldKind, SettingRowView, view_row, waits
from ui.widgets import CHIP_HEIGHT, Part, Prose, beside, filled, make_wide_button

FIELD_WIDTH_IN_CHARACTERS, NAME_WIDTH_IN_CHARACTERS = 64, 20


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

    def __init__(self, key: str, theme: Theme, state: SettingsState | None, *, brief: str | None = None) -> None:
        """Make the row, and show its value; a `brief` one has a short name or none, and is described elsewhere."""
        super().__init__()
        self.key = key
        self.is_short = False
        """Whether there is room for it beside a heading."""

        self._info = setting_infos()[key]
        view = view_row(self._info)
        self.setObjectName(f"row.{key}")
        self._mark = QLabel(f"● {tr(CHANGED)}")
        self._mark.setObjectName(f"{key}.mark")
        self._mark.setProperty("role", "mark")
        self._reset = make_wide_button(tr(RESET), f"{key}.reset", "quiet", lambda: self.changed.emit(self.key, None))
        self._reset.setMinimumHeight(CHIP_HEIGHT)
        self._reset.setAccessibleName(f"{tr(RESET)}: {view.label}")
        self.field = _make_field(view, theme)
        self.field.setMaximumWidth(self.fontMetrics().averageCharWidth() * FIELD_WIDTH_IN_CHARACTERS + 80)
        self.field.entered.connect(lambda value: self.changed.emit(self.key, value))
        self.field.trouble.connect(self.show_trouble)
        if isinstance(self.field, ListField):
            self.field.added.connect(lambda entry: self.added.emit(self.key, entry))
            self.field.removed.connect(lambda entry: self.removed.emit(self.key, entry))
        self._trouble = Told("", f"{key}.trouble", role="trouble")
        self._note = Prose("", f"{key}.note")
        self._note.hide()
        parts: tuple[Part, ...]
        if brief is None:
            parts = (
                *(Prose(view.label, f"{key}.label", size=1.05, bold=True), RichText(view.help, f"{key}.help")),
                *(self.field, self._trouble, self._note),
                Prose(f"{view.facts}  {key}", f"{key}.facts", faint=True, size=0.92),
                beside(self._mark, self._reset, None, spacing=12),
            )
        else:
            line = beside(self.field, self._reset, None, spacing=12)
            line.setStretchFactor(self.field, 1)
            if brief:
                name = Prose(brief, f"{key}.label")
                name.setMaximumWidth(self.fontMetrics().averageCharWidth() * NAME_WIDTH_IN_CHARACTERS)
                line.insertWidget(0, name, 1, Qt.AlignmentFlag.AlignVCenter)
            self.is_short = not brief and not isinstance(self.field, ListField | ShortcutField)
            parts = (line, self._trouble, self._note)
        margin = 8 if brief is None else 2
        filled(QVBoxLayout(self), *parts, spacing=4, margins=(0, margin, 0, margin))
        self.show_state(state)

    def show_state(self, state: SettingsState | None) -> None:
        """Show what the file says; without a usable file nothing can be entered."""
        self.field.setEnabled(state is not None and state.trouble is None)
        differs = state is not None and get_value(state.settings, self.key) != self._info.default
        self._mark.setVisible(differs and self._mark.parent() is self)
        self._reset.setVisible(differs)
        if state is not None:
            self.field.show_value(get_value(state.settings, self.key))
            if waits(state, self.key):
                self._note.say(tr(WAITS))
            elif self._note.text() == tr(WAITS):
                self._note.say("")

    def show_trouble(self, text: str) -> None:
        """Say what is wrong with what was entered, to screen readers at the field itself; empty: nothing."""
        self.field.describe(text)
        self._trouble.say(text)

    def show_done(self, notes: tuple[str, ...]) -> None:
        """Say what follows of what was entered."""
        self.show_trouble("")
        if notes:
            self._note.say("\n".join(notes))


def _make_field(row: SettingRowView, theme: Theme) -> Field:
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
