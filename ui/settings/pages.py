"""The pages of the window: one a table, what a search has found, and what differs from the defaults.

A page is made when it is first shown, so that the window opens at once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from storage.preferences import ModelsState, SettingsState
from ui.settings.blocks import Block, ModelBlock
from ui.settings.fields import ChoiceField
from ui.settings.row import RichText, SettingRow
from ui.theme import Theme, scaled_font
from ui.views.settings import FieldKind, PageView
from ui.widgets import Prose

_MARGIN = 20

MakeRow = Callable[[str], SettingRow]


class Page(QScrollArea):
    """A heading, what is said below it, blocks and rows."""

    def __init__(self, name: str, title: str) -> None:
        """Make the page, empty."""
        super().__init__()
        self.setObjectName(f"page.{name}")
        self.setAccessibleName(title)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.title = title
        self.rows: dict[str, SettingRow] = {}
        self.blocks: list[Block] = []

    def fill(
        self, about: str, blocks: Sequence[Block], parts: Iterable[tuple[str, Iterable[str]]], make_row: MakeRow
    ) -> None:
        """Put everything on the page, in place of what was there; `parts` are headings with the keys below them."""
        content = QWidget()
        content.setObjectName("content")
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, 8, _MARGIN, _MARGIN)
        column.setSpacing(2)
        title = Prose(self.title, "title")
        title.setFont(scaled_font(1.4, QFont.Weight.DemiBold))
        column.addWidget(title)
        if about:
            column.addWidget(RichText(about, "about"))
        self.blocks = list(blocks)
        for block in blocks:
            column.addWidget(block)
        self.rows = {}
        for heading, keys in parts:
            if heading:
                head = Prose(heading, f"head.{heading}", faint=True)
                head.setFont(scaled_font(1.05, QFont.Weight.DemiBold))
                column.addSpacing(10)
                column.addWidget(head)
            for key in keys:
                line = QFrame()
                line.setObjectName("line")
                line.setFixedHeight(1)
                column.addWidget(line)
                self.rows[key] = make_row(key)
                column.addWidget(self.rows[key])
        column.addStretch()
        self.setWidget(content)

    def show_state(self, state: SettingsState | None) -> None:
        """Show what the file says."""
        for block in self.blocks:
            block.show_state(state)
        for row in self.rows.values():
            row.show_state(state)

    def show_models(self, models: ModelsState) -> None:
        """Show what is known of models."""
        for block in self.blocks:
            if isinstance(block, ModelBlock):
                block.show_models(models)
        for row in self.rows.values():
            field = row.field
            if isinstance(field, ChoiceField) and field.row_view.kind is FieldKind.PRESET:
                field.show_presets(models.presets)


def grouped(keys: Iterable[str], pages: Sequence[PageView]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the titles of tables with those of `keys` that are theirs, as the order of the keys has them first."""
    wanted = tuple(keys)
    tables = dict.fromkeys(key.partition(".")[0] for key in wanted)
    titles = {page.table: page.title for page in pages}
    for table in tables:
        yield titles[table], tuple(key for key in wanted if key.startswith(f"{table}."))


def style(theme: Theme) -> str:
    """Return the style of the window's own parts."""
    return f"""
    QDialog, QWidget#content {{ background: {theme.surface}; }}
    QScrollArea {{ background: {theme.surface}; border: none; }}
    QFrame#line {{ background: {theme.hover}; border: none; }}
    QLabel[role="mark"] {{ color: {theme.accent}; font-weight: 600; }}
    QLabel[role="trouble"] {{ color: {theme.text}; font-weight: 600; background: {theme.hover}; padding: 4px 8px;
        border-left: 3px solid {theme.accent}; }}
    QLabel:disabled {{ color: {theme.faint}; }}
    QListWidget {{
        color: {theme.text}; background: {theme.surface}; border: none; border-right: 1px solid {theme.edge};
        outline: none;
    }}
    QListWidget::item {{ padding: 7px 10px; border-radius: 6px; margin: 1px 6px 1px 1px; }}
    QListWidget::item:hover {{ background: {theme.hover}; }}
    QListWidget::item:selected {{ color: {theme.on_accent}; background: {theme.accent}; }}
    QListWidget:focus {{ border-right: 2px solid {theme.accent}; }}
    QComboBox {{
        color: {theme.text}; background: {theme.surface}; border: 1px solid {theme.edge}; border-radius: 6px;
        padding: 0 10px;
    }}
    QComboBox:focus {{ border: 2px solid {theme.accent}; padding: 0 9px; }}
    QComboBox QLineEdit {{ border: none; padding: 0; }}
    QComboBox::drop-down {{ border: none; width: 24px; }}
    QComboBox QAbstractItemView {{
        color: {theme.text}; background: {theme.surface}; border: 1px solid {theme.edge};
        selection-color: {theme.on_accent}; selection-background-color: {theme.accent};
    }}
    QScrollBar:vertical {{ background: {theme.surface}; width: 12px; margin: 0; border: none; }}
    QScrollBar::handle:vertical {{ background: {theme.edge}; border-radius: 4px; min-height: 28px; margin: 2px; }}
    QScrollBar::add-line:vertical, QScrollBar::sub-line:vertical {{ height: 0; }}
    QScrollBar::add-page:vertical, QScrollBar::sub-page:vertical {{ background: transparent; }}
    QPushButton {{ outline: none; }}
    QPushButton:disabled {{ color: {theme.faint}; border-color: {theme.hover}; }}
    """
