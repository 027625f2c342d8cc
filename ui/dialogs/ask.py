"""The field to ask in: opened because somebody wants it, with the keyboard, and gone with Escape or another window.

What answers stands below at each key: commands of the program with their path and keys, then pages. Nothing that is
typed here is kept.
"""

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from storage.ports import ASK_TITLE, QUESTION_LIMIT, HelpCandidates
from storage.translation import tr
from ui.quiet_window import GAP, QuietWindow, activate_layouts, height_of
from ui.theme import scaled_font
from ui.views.ask import KEYS, MAX_ROWS, CandidateRow, view_candidates
from ui.widgets import BUTTON_HEIGHT, Prose, filled

WIDE, WIDE_IN_CHARACTERS = 520, 74
_DOWN_BY = 5  # the part of the screen above the window


class AskWindow(QuietWindow):
    """The window with the field."""

    typed = Signal(str)
    """Other words stand in the field."""

    asked = Signal(str, str, bool)
    """Somebody asks: the words, the page chosen or nothing, and whether they want to be shown where it is."""

    def __init__(self, words: str = "") -> None:
        """Lay the window out, hidden; show it with `appear`. `words` stand in the field at first."""
        super().__init__(ASK_TITLE, corner="top-left")
        self._selected = 0
        self._shown: tuple[CandidateRow, ...] = ()
        self._answered = ""
        """The words that what is shown answers."""

        self.setAccessibleName(tr("Ask Kairos"))
        wide = self.fontMetrics().averageCharWidth() * WIDE_IN_CHARACTERS
        self.setFixedWidth(min(max(WIDE, wide), self.screen_area().width() - 2 * GAP))
        self.field = AskField()
        self.field.setText(words)
        self.field.selectAll()
        self.field.textChanged.connect(self.typed)
        self.field.moved.connect(self._move)
        self.field.entered.connect(self._on_entered)
        self._rows = [_Row(number) for number in range(MAX_ROWS)]
        for row in self._rows:
            row.clicked.connect(lambda _=False, number=row.number: self._choose(number, ring=True))
        self._notes = Prose("", "notes", faint=True, size=0.9)
        self._keys = Prose(tr(KEYS), "keys", faint=True, size=0.85)
        filled(self.column, self.field, 8, *self._rows, 4, self._notes, self._keys, spacing=2)
        self._notes.hide()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the window, with the keyboard."""
        super().appear(above=above)
        self.take_keys(self.field)

    def settle(self) -> None:
        """Fit the window to its content; it stays where it is, in the upper middle."""
        activate_layouts(self)
        size = QSize(self.width(), height_of(self.column, self.width()))
        area = self.screen_area()
        left = area.left() + (area.width() - size.width()) // 2
        top = min(area.top() + area.height() // _DOWN_BY, area.bottom() + 1 - GAP - size.height())
        self.setGeometry(QRect(left, max(area.top(), top), size.width(), size.height()))

    def _choose_place(self, lift: int) -> None:
        """Stay in the upper middle: somebody looks for it there."""

    def show_candidates(self, found: HelpCandidates) -> None:
        """Show what answers the words, if they still stand there."""
        if found.words != self.field.text():
            return
        view = view_candidates(found)
        before = self._shown[self._selected].page_id if self._selected < len(self._shown) else ""
        ids = [row.page_id for row in view.rows]
        self._selected = ids.index(before) if self._selected and before in ids else 0
        self._shown, self._answered = view.rows, found.words
        for number, row in enumerate(self._rows):
            row.show_candidate(view.rows[number] if number < len(view.rows) else None)
        self._notes.say("\n".join(view.notes))
        self.field.setPlaceholderText(view.placeholder)
        self._mark()
        self.settle()

    def give_keys_back(self) -> None:
        """Close too: a field without the keyboard is in the way."""
        had_keys = self.takes_keys
        self._is_closing |= had_keys
        super().give_keys_back()
        if had_keys:
            QTimer.singleShot(0, self, self.close)

    def _move(self, by: int) -> None:
        if self._shown:
            self._selected = (self._selected + by) % len(self._shown)
            self._mark()

    def _mark(self) -> None:
        for number, row in enumerate(self._rows):
            row.mark(on=number == self._selected and bool(self._shown))
        spoken = self._shown[self._selected].spoken if self._shown else self._notes.text()
        self.field.setAccessibleDescription(spoken)

    def _on_entered(self, ring: bool) -> None:
        self._choose(self._selected, ring=ring)

    def _choose(self, number: int, *, ring: bool) -> None:
        """Ask, once the program has the keyboard again."""
        words = self.field.text()
        is_answer = words == self._answered or number > 0  # else what is shown answers what stood there before
        page_id = self._shown[number].page_id if is_answer and number < len(self._shown) else ""
        self.close()
        self.asked.emit(words, page_id, ring)


class AskField(QLineEdit):
    """A line of plain text; arrows select below it, Enter asks, with Ctrl only for the page."""

    moved = Signal(int)
    entered = Signal(bool)

    def __init__(self) -> None:
        """Make the field, empty."""
        super().__init__()
        self.setObjectName("ask_field")
        self.setAccessibleName(tr("What do you want to do?"))
        self.setPlaceholderText(tr("What do you want to do?"))
        self.setMaxLength(QUESTION_LIMIT)
        self.setMinimumHeight(BUTTON_HEIGHT + 4)
        self.setFont(scaled_font(1.15))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # a menu would take the keyboard, so close it

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Take the keys that are not typing; Escape goes to the window."""
        match event.key():
            case Qt.Key.Key_Down:
                self.moved.emit(1)
            case Qt.Key.Key_Up:
                self.moved.emit(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.entered.emit(not event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            case Qt.Key.Key_Escape:
                event.ignore()
            case _:
                super().keyPressEvent(event)


class _Row(QPushButton):
    """One candidate: its name and its keys, and below them where it is; what is too long is cut."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self._view: CandidateRow | None = None
        self.setObjectName(f"candidate_{number}")
        self.setProperty("role", "candidate")
        self._title, self._keys, self._place = QLabel(), QLabel(), QLabel()
        for label in (self._title, self._keys, self._place):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for label in (self._keys, self._place):
            label.setProperty("role", "faint")
            label.setFont(scaled_font(0.9))
        self._keys.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 5, 10, 5)
        grid.setSpacing(1)
        grid.addWidget(self._title, 0, 0)
        grid.addWidget(self._keys, 0, 1)
        grid.addWidget(self._place, 1, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        self.setMinimumHeight(grid.sizeHint().height())
        self.hide()

    def show_candidate(self, view: CandidateRow | None) -> None:
        """Show a candidate, or nothing."""
        self._view = view
        self.setVisible(view is not None)
        if view is not None:
            self.setAccessibleName(view.spoken)
            self._keys.setText(view.keys)
            self._cut()

    def mark(self, *, on: bool) -> None:
        """Show whether Enter takes this line."""
        if bool(self.property("selected")) != on:
            self.setProperty("selected", on)
            self.style().unpolish(self)
            self.style().polish(self)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Cut the texts to the new width."""
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        if self._view is None:
            return
        keys = self._keys.sizeHint().width() + 8 if self._view.keys else 0
        for label, text, width, where in (
            (self._title, self._view.title, self.width() - 20 - keys, Qt.TextElideMode.ElideRight),
            (self._place, self._view.place, self.width() - 20, Qt.TextElideMode.ElideMiddle),
        ):
            label.setText(label.fontMetrics().elidedText(text, where, max(0, width)))
