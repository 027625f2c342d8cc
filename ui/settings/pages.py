"""The pages of the window: one a table, what a search has found, and what differs from the defaults.

A page is made when it is first shown, so that the window opens at once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from storage.preferences import ModelsState, SettingsState
from ui.settings.blocks import Block, ModelBlock
from ui.settings.fields import ChoiceField
from ui.settings.row import RichText, SettingRow
from ui.views.settings import FieldKind, PageView
from ui.widgets import Part, Prose, filled, make_line

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
        self.blocks = list(blocks)
        self.rows = {}
        shown: list[Part] = [Prose(self.title, "title", size=1.4, bold=True)]
        if about:
            shown.append(RichText(about, "about"))
        shown += blocks
        for heading, keys in parts:
            if heading:
                shown += [10, Prose(heading, f"head.{heading}", faint=True, size=1.05, bold=True)]
            for key in keys:
                self.rows[key] = make_row(key)
                shown += [make_line(), self.rows[key]]
        filled(QVBoxLayout(content), *shown, None, spacing=2, margins=(_MARGIN, 8, _MARGIN, _MARGIN))
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
