"""The pages of the window: the essentials, one a table, what a search has found, and what differs from the defaults.

A page is made when it is first shown, so that the window opens at once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from storage.preferences import ModelsState, SettingsState
from ui.settings.blocks import Block, ModelBlock
from ui.settings.fields import ChoiceField
from ui.settings.row import RichText, SettingRow
from ui.views.settings import FieldKind, PageView
from ui.widgets import Part, Prose, beside, filled, make_line

_MARGIN = 20

MakeRow = Callable[[str], SettingRow]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what the settings below it do as they stand, blocks, and the keys of rows."""

    head: str = ""
    keys: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    effect: Callable[[SettingsState], str] | None = None


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
        self._effects: list[tuple[Prose, Callable[[SettingsState], str]]] = []

    def fill(self, about: str, sections: Iterable[Section], make_row: MakeRow) -> None:
        """Put everything on the page, in place of what was there."""
        content = QWidget()
        content.setObjectName("content")
        self.blocks, self.rows, self._effects = [], {}, []
        shown: list[Part] = [Prose(self.title, "title", size=1.4, bold=True)]
        if about:
            shown.append(RichText(about, "about"))
        for section in sections:
            effect = section.effect
            rows = [make_row(key) for key in section.keys]
            self.rows |= {row.key: row for row in rows}
            if section.head:
                faint = effect is None
                head = Prose(section.head, f"head.{section.head}", faint=faint, size=1.05, bold=True)
                is_short = effect is not None and len(rows) == 1 and rows[0].is_short
                line = beside(head, rows.pop()) if is_short else beside(head)
                line.setAlignment(head, Qt.AlignmentFlag.AlignVCenter)
                shown += [10, line]
            if effect is not None:
                self._effects.append((Prose("", f"effect.{section.head}", faint=True), effect))
                shown.append(self._effects[-1][0])
            shown += section.blocks
            self.blocks += section.blocks
            for row in rows:
                shown += [row] if effect is not None else [make_line(), row]
        filled(QVBoxLayout(content), *shown, None, spacing=2, margins=(_MARGIN, 8, _MARGIN, _MARGIN))
        self.setWidget(content)

    def show_state(self, state: SettingsState | None) -> None:
        """Show what the file says."""
        for prose, effect in self._effects:
            prose.say(effect(state) if state is not None else "")
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


def grouped(keys: Iterable[str], pages: Sequence[PageView]) -> Iterator[Section]:
    """Yield a section a table with those of `keys` that are its own, as the order of the keys has them first."""
    wanted = tuple(keys)
    tables = dict.fromkeys(key.partition(".")[0] for key in wanted)
    titles = {page.table: page.title for page in pages}
    for table in tables:
        yield Section(titles[table], tuple(key for key in wanted if key.startswith(f"{table}.")))
