"""A field for each kind of value. `entered` brings what the person entered; nothing is checked here.

A field shows what the file says. What was typed and refused stays until it is corrected or taken back.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from storage.preferences import PresetRow
from storage.translation import tr
from ui.theme import Theme
from ui.views.settings import (
    ADD,
    NEW_ENTRY,
    NO_PRESET,
    OFF,
    ON,
    REMOVE,
    FieldKind,
    SettingRowView,
    choice_text,
    shown_value,
    view_preset,
)
from ui.widgets import BUTTON_HEIGHT, Prose, TickBox, beside, clear, filled, make_wide_button

ARROW_X = 22  # where the arrow of a choice begins, in pixels from its right edge
NARROW_IN_CHARACTERS = 18  # width of a number
LEAST_IN_CHARACTERS = 16  # width of a choice, at least


class Field(QWidget):
    """What is common to all: a value of the file, and what was entered instead."""

    entered = Signal(object)
    trouble = Signal(str)
    """Something that the field itself knows to be wrong."""

    def __init__(self, row: SettingRowView) -> None:
        """Make the field, empty."""
        super().__init__()
        self.row_view = row
        self.column = filled(QVBoxLayout(self), spacing=6, margins=(0, 0, 0, 0))
        self.value: object = None

    def show_value(self, value: object) -> None:
        """Show what the file says, unless it says the same as before."""
        if value != self.value or self.value is None:
            self.value = value
            self.put(value)

    def take_back(self) -> None:
        """Show what the file says in place of what was entered."""
        if self.value is not None:
            self.put(self.value)

    def refuse(self) -> None:
        """What was entered was not taken; a text stays so that it can be corrected."""
        self.take_back()

    def put(self, value: object) -> None:
        """Show a value."""
        raise NotImplementedError

    def describe(self, trouble: str) -> None:
        """Say at the field itself what is wrong with it, before what is known of it."""
        for widget in self.findChildren(QWidget):
            if widget.accessibleName() == self.row_view.label:
                widget.setAccessibleDescription(f"{trouble} {self.row_view.facts}".strip())

    def _name(self, widget: QWidget, suffix: str = "") -> None:
        widget.setObjectName(f"{self.row_view.key}{suffix}")
        widget.setAccessibleName(self.row_view.label)
        widget.setAccessibleDescription(self.row_view.facts)


class SwitchField(Field):
    """On or off."""

    def __init__(self, row: SettingRowView, theme: Theme) -> None:
        """Make the field."""
        super().__init__(row)
        self._box = TickBox(tr(OFF), row.key, theme)
        self._name(self._box)
        self._box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._box.clicked.connect(self._enter)
        self._box.toggled.connect(self._say)
        self.column.addWidget(self._box)

    def put(self, value: object) -> None:
        """Show a value."""
        self._box.setChecked(bool(value))
        self._say()

    def _enter(self, checked: bool) -> None:
        self.entered.emit(checked)

    def _say(self) -> None:
        self._box.setText(tr(ON) if self._box.isChecked() else tr(OFF))


class _Line(QLineEdit):
    """A line in which Escape takes back what was typed before it closes the window."""

    def __init__(self, field: "TextField") -> None:
        super().__init__()
        self._field = field
        self.setMinimumHeight(BUTTON_HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Take back at Escape; all else as in any line."""
        if event.key() == Qt.Key.Key_Escape and self._field.is_edited:
            self._field.take_back()
            return
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class TextField(Field):
    """A text or a number; it is entered with Return, or by leaving the field."""

    def __init__(self, row: SettingRowView) -> None:
        """Make the field."""
        super().__init__(row)
        self._line = _Line(self)
        self._name(self._line)
        self._line.editingFinished.connect(self._enter)
        if row.kind is FieldKind.NUMBER:
            self._line.setMaximumWidth(self.fontMetrics().averageCharWidth() * NARROW_IN_CHARACTERS + 24)
        self._sent = ""
        self.column.addWidget(self._line)

    @property
    def is_edited(self) -> bool:
        """Whether something else stands in it than the file says."""
        return self._line.text() != shown_value(self.row_view.key, self.value)

    def put(self, value: object) -> None:
        """Show a value."""
        self._sent = shown_value(self.row_view.key, value)
        self._line.setText(self._sent)

    def take_back(self) -> None:
        """Show what the file says, and forget what was wrong."""
        super().take_back()
        self.trouble.emit("")

    def refuse(self) -> None:
        """Leave what was typed, so that it can be corrected."""

    def _enter(self) -> None:
        text = self._line.text()
        if text != self._sent:
            self._sent = text
            self.entered.emit(text)


class _Choices(QComboBox):
    """A list of choices that the wheel does not change by the way while a page is scrolled."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the arrow too: a style sheet takes it away."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = self._theme.text if self.isEnabled() else self._theme.faint
        painter.setPen(QPen(QColor(color), 1.5))
        x, y = self.width() - ARROW_X, self.height() / 2 - 2
        painter.drawPolyline([QPointF(x, y), QPointF(x + 4.5, y + 4.5), QPointF(x + 9, y)])

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        """Leave the wheel to the page."""
        event.ignore()


class ChoiceField(Field):
    """One of several; with `others` anything else can be typed too."""

    def __init__(self, row: SettingRowView, theme: Theme) -> None:
        """Make the field."""
        super().__init__(row)
        self._box = _Choices(theme)
        self._name(self._box)
        self._box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._box.setMinimumHeight(BUTTON_HEIGHT)
        self._box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._box.setMinimumWidth(self.fontMetrics().averageCharWidth() * LEAST_IN_CHARACTERS)
        self._is_open = row.others or row.kind is FieldKind.PRESET
        for choice in row.choices:
            self._box.addItem(choice if row.others else choice_text(choice), choice)
        if row.kind is FieldKind.PRESET:
            self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            self._box.addItem(tr(NO_PRESET), "")
        if row.others:
            self._box.setEditable(True)
            self._box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            line = self._box.lineEdit()
            if line is not None:
                self._name(line, ".text")
                line.editingFinished.connect(self._enter_text)
        self._box.activated.connect(self._enter)
        self.column.addWidget(self._box)

    def put(self, value: object) -> None:
        """Show a value."""
        place = self._box.findData(value)
        if place < 0 and self._is_open and not self._box.isEditable():
            self._box.addItem(str(value), value)
            place = self._box.count() - 1
        self._box.setCurrentIndex(place)
        if self._box.isEditable():
            self._box.setEditText(str(value))

    def show_presets(self, presets: Sequence[PresetRow]) -> None:
        """Offer kinds of model servers, each with where pictures go and its price."""
        self._box.clear()
        self._box.addItem(tr(NO_PRESET), "")
        for row in presets:
            self._box.addItem(view_preset(row), row.name)
        self.take_back()

    def _enter(self, place: int) -> None:
        chosen = self._box.itemData(place)
        if chosen != self.value:
            self.entered.emit(chosen)

    def _enter_text(self) -> None:
        text = self._box.currentText()
        if text != self.value:
            self.entered.emit(text)


class ListField(Field):
    """Texts, one below the other, each with a button to remove it, and a line for the next one.

    Single entries are asked for, not the whole list: another may have been added to the file meanwhile.
    """

    added = Signal(str)
    removed = Signal(str)

    def __init__(self, row: SettingRowView) -> None:
        """Make the field."""
        super().__init__(row)
        self._rows = filled(QVBoxLayout(), spacing=4)
        self._new = QLineEdit()
        self._new.setMinimumHeight(BUTTON_HEIGHT)
        self._name(self._new, ".new")
        self._new.setAccessibleName(f"{tr(NEW_ENTRY)}: {row.label}")
        self._new.setPlaceholderText(tr(NEW_ENTRY))
        self._new.returnPressed.connect(self._add)
        add = make_wide_button(tr(ADD), f"{row.key}.add", "chip", self._add)
        add.setAccessibleName(f"{tr(ADD)}: {row.label}")
        line = beside(self._new, add)
        line.setStretchFactor(self._new, 1)
        filled(self.column, self._rows, line, spacing=6)

    def put(self, value: object) -> None:
        """Show a value."""
        clear(self._rows)
        for number, entry in enumerate(value if isinstance(value, tuple) else ()):
            self._rows.addWidget(self._make_row(number, str(entry)))

    def _make_row(self, number: int, entry: str) -> QWidget:
        holder = QWidget()
        line = filled(QHBoxLayout(holder), spacing=8, margins=(0, 0, 0, 0))
        text = Prose(entry, f"{self.row_view.key}.{number}")
        name = f"{self.row_view.key}.{number}.remove"
        remove = make_wide_button(tr(REMOVE), name, "chip", lambda: self.removed.emit(entry))
        remove.setAccessibleName(f"{tr(REMOVE)}: {entry}")
        line.addWidget(text, 1, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(remove)
        return holder

    def _add(self) -> None:
        text = self._new.text().strip()
        if text:
            self.added.emit(text)
        self._new.clear()
