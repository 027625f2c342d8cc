"""What the card is put together from: plain boxes of layout, the rows of steps, and a part that scrolls."""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from storage.translation import tr
from ui.quiet_window import height_of
from ui.theme import Theme, style_of
from ui.views.card import StepView
from ui.widgets import Margins, Part, Prose, filled

_Layout = TypeVar("_Layout", bound=QBoxLayout)

NUMBER_SIZE = 22  # least width and height of a step's number


def make_part(
    layout: _Layout, *parts: Part, spacing: int = -1, margins: Margins = (0, 0, 0, 0)
) -> tuple[QWidget, _Layout]:
    """Make a widget around a layout with these parts."""
    part = QWidget()
    part.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
    part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    part.setLayout(layout)
    return part, filled(layout, *parts, spacing=spacing, margins=margins)


def make_rule(theme: Theme) -> QFrame:
    """Make a fine line across the card."""
    rule = QFrame()
    rule.setFixedHeight(1)
    rule.setStyleSheet(f"background: {theme.edge};")
    return rule


def make_small(text: str, name: str) -> Prose:
    """Make small text that may be read second."""
    return Prose(text, name, faint=True, size=0.9)


class StepRow(QWidget):
    """One step: its number, which shows where somebody is, and its text."""

    def __init__(self, step: StepView, theme: Theme) -> None:
        """Lay the step out."""
        super().__init__()
        self.step = step
        self._theme = theme
        self._marked = self._done = False
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._number = QLabel(str(step.number + 1))
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._size = max(NUMBER_SIZE, self.fontMetrics().height() + 4)
        self._number.setFixedSize(self._size, self._size)
        self._text = Prose("", "step", faint=bool(step.remark))
        self._remark = make_small(step.remark, "remark")
        self._remark.setHidden(not step.remark)
        texts = filled(QVBoxLayout(), self._text, self._remark, spacing=2)
        row = filled(QHBoxLayout(self), self._number, texts, spacing=8, margins=(0, 0, 0, 0))
        row.setAlignment(self._number, Qt.AlignmentFlag.AlignTop)
        row.setStretchFactor(texts, 1)
        self.show_step(step)
        self.mark(on=False)

    def show_step(self, step: StepView) -> None:
        """Show a step of this number as it is now."""
        self.step = step
        self._text.say(step.text)
        self._name()

    def mark(self, *, on: bool, remark: str = "", done: bool = False) -> bool:
        """Show whether this is the step that is next, and if so what keeps somebody from doing it now, or a tick.

        Return whether the row may have another height.
        """
        self._marked = on
        self._done = done and not self.step.remark
        self._number.setText("✓" if self._done else str(self.step.number + 1))
        said = remark if on and remark else self.step.remark
        changed = said != self._remark.text()
        if changed:
            self._remark.say(said)
        theme = self._theme
        ground, ink = (theme.accent, theme.on_accent) if on else (theme.hover, theme.text)
        self._number.setStyleSheet(f"background: {ground}; color: {ink}; border-radius: {self._size // 2}px;")
        self._name()
        return changed

    def _name(self) -> None:
        spoken = self.step.spoken
        if self._remark.text() != self.step.remark:
            spoken = f"{spoken} {self._remark.text()}"
        if self._marked:
            spoken = tr("Next: {step}", step=spoken)
        self.setAccessibleName(tr("Done: {step}", step=spoken) if self._done else spoken)


class Scrolled(QScrollArea):
    """A part that may be taller than its place: the wheel scrolls it, and it never takes the focus by itself."""

    def __init__(self, content: QWidget, theme: Theme) -> None:
        """Put the content in."""
        super().__init__()
        self._content = content
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.setStyleSheet(style_of(theme, "card"))

    def full_height(self, width: int) -> int:
        """Return how tall the content is at this width."""
        layout = self._content.layout()
        if layout is None:
            return self._content.sizeHint().height()
        layout.activate()
        return height_of(layout, width)

    def show_top_of(self, part: QWidget) -> None:
        """Scroll to where a part of the content begins, as far as there is something to scroll."""
        top = part.mapTo(self._content, part.rect().topLeft()).y()
        self.verticalScrollBar().setValue(top)
