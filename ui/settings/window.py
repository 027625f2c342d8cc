"""The settings window: a page for each table, a search, and what a person changes handed over to be checked.

It was opened by the person, so it may take the focus. It holds no setting: it shows what the file says, and every
change goes to `SettingsRequests` and comes back. Closing it gives everything back.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from storage.preferences import (
    ChangeDone,
    ChangeNeedsYes,
    ChangeRefused,
    ModelsState,
    SettingsReply,
    SettingsRequests,
    SettingsState,
    TrialResult,
)
from storage.settings import get_value
from storage.translation import tr
from ui.desktop.current import current_desktop
from ui.dialogs.window import ConfirmWindow
from ui.settings.blocks import AutostartBlock, Block, ModelBlock, PointBlock
from ui.settings.pages import Page, Section, grouped
from ui.settings.row import SettingRow
from ui.theme import current_theme, style_sheet
from ui.told import Told
from ui.views.essentials import ESSENTIALS
from ui.views.settings import (
    ADVANCED,
    ADVANCED_NAME,
    AGREE_CONTROLS,
    AGREE_HOW,
    AGREE_OUTPUTS,
    AGREE_RECORDING,
    AGREE_SENT,
    AGREE_SENT_LEAD,
    AGREE_SPEECH,
    AGREE_YES,
    AUTOSTART_NAME,
    CHANGED_HEAD,
    DAMAGED,
    ESSENTIAL,
    EXCLUDE_TEXT,
    EXCLUDE_TITLE,
    EXCLUDE_YES,
    FILE_LINE,
    FOUND,
    NOTHING_CHANGED,
    NOTHING_FOUND,
    PAGES_NAME,
    POINTING,
    SEARCH,
    SEARCH_NAME,
    SHORTCUT_OURS,
    SHORTCUT_TAKEN,
    TITLE,
    changed_keys,
    found_autostart,
    is_number,
    label_of,
    pages,
    read_number,
    rich,
    search,
    view_trouble,
)
from ui.views.shortcuts import parse_shortcut
from ui.views.text import keys_text
from ui.widgets import BUTTON_HEIGHT, beside, bring_up, centred, filled

WIDTH, HEIGHT = 900, 680
WIDTH_IN_CHARACTERS = 112
LIST_SHARE = 0.34  # how much of the window's width the list of pages may take, at most
SEARCH_MS = 150  # how long after the last key a search begins
EXCLUDED_KEY = "fence.excluded_apps"
_READ = {
    "capture.record_screen": AGREE_RECORDING,
    "capture.record_speech": AGREE_SPEECH,
    "capture.understand_controls": AGREE_CONTROLS,
    "capture.read_outputs": AGREE_OUTPUTS,
}
"""Settings with which more is read here, and what the question is called; with others something is sent."""

_FREE = 60
_SHORTCUTS = tuple(f"interface.shortcut_{name}" for name in ("ask", "card", "dismiss"))


class SettingsWindow(QDialog):
    """The window; `gone` says that it was closed."""

    gone = Signal()

    def __init__(self, requests: SettingsRequests, taken: Callable[[str], bool] | None = None) -> None:
        """Lay the window out, hidden and empty; show it with `appear`.

        `taken` tells whether somebody else has the keys of a shortcut.
        """
        super().__init__(None, Qt.WindowType.Window)
        self.theme = current_theme()
        self._requests = requests
        self._taken = taken or current_desktop().is_shortcut_taken
        self._state: SettingsState | None = None
        self._models: ModelsState | None = None
        self._confirm: ConfirmWindow | None = None
        self._picker = current_desktop().window_picker()
        self._picker.picked.connect(self._on_picked)
        self._picker.failed.connect(self._on_not_picked)
        self._pages: dict[str, Page] = {}
        self.setWindowTitle(f"Kairos: {tr(TITLE)}")
        self.setAccessibleName(tr(TITLE))
        self.setStyleSheet(style_sheet(self.theme, "settings"))
        self._search = QLineEdit()
        self._list = QListWidget()
        self._stack = QStackedWidget()
        self._trouble = Told("", "trouble", role="trouble")
        self._searching = QTimer(self, interval=SEARCH_MS, singleShot=True)
        self._lay_out()

    # ------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        self._search.setObjectName("search")
        self._search.setPlaceholderText(tr(SEARCH))
        self._search.setAccessibleName(tr(SEARCH_NAME))
        self._search.setMinimumHeight(BUTTON_HEIGHT)
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._searching.start)
        self._search.returnPressed.connect(self._find)
        self._searching.timeout.connect(self._find)
        self._list.setObjectName("pages")
        self._list.setAccessibleName(tr(PAGES_NAME))
        self._list.setWordWrap(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        available = QGuiApplication.primaryScreen().availableGeometry()
        width = min(max(WIDTH, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS), available.width() - _FREE)
        self._list.setFixedWidth(min(self.fontMetrics().averageCharWidth() * 32, round(width * LIST_SHARE)))
        self._add_item("", tr(ESSENTIAL))
        self._add_item(ADVANCED, tr(ADVANCED_NAME))
        for page in pages():
            self._add_item(page.table, page.title)
        self._show_advanced(on=False)
        self._list.currentItemChanged.connect(lambda item, _: self._show_table(item))
        self._list.itemClicked.connect(self._show_table)  # also the page that was left for a search
        head = filled(QHBoxLayout(), self._search, margins=(0, 0, 12, 0))
        body = beside(self._list, self._stack, spacing=0)
        body.setStretchFactor(self._stack, 1)
        outer = filled(QVBoxLayout(self), head, self._trouble, body, spacing=10, margins=(16, 14, 4, 8))
        outer.setStretchFactor(body, 1)
        centred(self, width, max(HEIGHT, self.fontMetrics().height() * 38), free=_FREE)
        self.setTabOrder(self._search, self._list)
        self._list.setCurrentRow(0)

    def _add_item(self, table: str, title: str) -> None:
        item = QListWidgetItem(title)
        item.setData(Qt.ItemDataRole.UserRole, table)
        room = QRect(0, 0, self._list.width() - 44, 10_000)
        needed = self._list.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), title)
        item.setSizeHint(QSize(needed.width(), needed.height() + 18))
        self._list.addItem(item)

    def _show_table(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        item.setSelected(True)
        table = str(item.data(Qt.ItemDataRole.UserRole))
        self._show_advanced(on=bool(table))
        if table not in self._pages:
            self._pages[table] = self._add_page(table, item.text())
            view = next((page for page in pages() if page.table == table), None)
            if view is not None:
                self._pages[table].fill(
                    view.about, [Section(keys=view.keys, blocks=self._make_blocks(table))], self._make_row
                )
            elif not table:
                self._fill_essentials()
        if table == ADVANCED:
            self._fill_advanced()
        self._show_page(self._pages[table])
        if not table or table.endswith("_model"):
            self._requests.read_models()

    def _show_advanced(self, *, on: bool) -> None:
        """Name the pages of all tables, or those that most people need alone."""
        for row in range(2, self._list.count()):
            self._list.item(row).setHidden(not on)

    def _add_page(self, name: str, title: str) -> Page:
        page = Page(name or "essential", title)
        self._stack.addWidget(page)
        return page

    def _show_page(self, page: Page) -> None:
        if self._models is not None:
            page.show_models(self._models)
        self._stack.setCurrentWidget(page)

    def _fill_essentials(self) -> None:
        autostart = Section(blocks=(AutostartBlock(self.theme, self._state, self._switch_autostart),))
        sections = []
        names: dict[str, str] = {}
        for essential in ESSENTIALS:
            blocks = self._make_blocks("fence") if EXCLUDED_KEY in essential.keys else ()
            sections.append(Section(tr(essential.title), essential.keys, blocks, essential.effect))
            for key in essential.keys:
                names[key] = label_of(key) if len(essential.keys) > 1 or is_number(key) else ""
        page = self._pages[""]
        page.fill("", [*sections, autostart], lambda key: self._make_row(key, brief=names[key]))
        page.show_state(self._state)

    def _fill_advanced(self) -> None:
        """Show everything that differs from its default, and the file."""
        state, page = self._state, self._pages[ADVANCED]
        keys = changed_keys(state) if state is not None else ()
        about = rich(tr(FILE_LINE, file=state.file)) if state is not None else ""
        head = tr(CHANGED_HEAD) if keys else tr(NOTHING_CHANGED)
        page.fill(about, [Section(head), *grouped(keys, pages())], self._make_row)

    def _make_blocks(self, table: str) -> tuple[Block, ...]:
        if table == "fence":
            return (PointBlock(self._point),)
        if table.endswith("_model"):
            return (ModelBlock(table, self._requests.try_model, self._requests.stop_trial),)
        return ()

    def _make_row(self, key: str, brief: str | None = None) -> SettingRow:
        row = SettingRow(key, self.theme, self._state, brief=brief)
        row.changed.connect(self._change)
        row.added.connect(self._requests.add)
        row.removed.connect(self._requests.remove)
        return row

    # ------------------------------------------------------------ showing

    def appear(self) -> None:
        """Show the window in front, and request what it shows."""
        self._requests.read()
        bring_up(self)
        self._search.setFocus(Qt.FocusReason.OtherFocusReason)

    def turn_to(self, words: str) -> None:
        """Show the page of a table, or what a search for other words finds; for none the window stays as it is."""
        for row in range(1, self._list.count()):
            if self._list.item(row).data(Qt.ItemDataRole.UserRole) == words:
                self._list.setCurrentRow(row)
                self._show_table(self._list.item(row))  # also the page that was left for a search
                return
        if words:
            self._search.setText(words)
            self._find()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Read the file again when the person comes back: it may have been edited elsewhere."""
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self._state is not None:
            self._requests.read()
        super().changeEvent(event)

    def take(self, reply: SettingsReply) -> None:
        """Show a reply of the service."""
        match reply:
            case SettingsState():
                self._show_state(reply)
            case ChangeDone():
                for row in self._rows(reply.key):
                    row.show_done(reply.notes)
                if reply.key.partition(".")[0].endswith("_model"):
                    self._requests.read_models()
            case ChangeRefused():
                self._show_refused(reply)
            case ChangeNeedsYes():
                self._ask_agreement(reply)
            case ModelsState():
                self._models = reply
                for page in self._pages.values():
                    page.show_models(reply)
            case TrialResult():
                for block in self._blocks():
                    if isinstance(block, ModelBlock) and block.table == reply.table:
                        block.show_result(reply)

    def _show_state(self, state: SettingsState) -> None:
        before, self._state = self._state, state
        self._trouble.say("" if state.trouble is None else f"{tr(DAMAGED)} {view_trouble(state.trouble)}")
        if ADVANCED in self._pages and (before is None or changed_keys(before) != changed_keys(state)):
            self._fill_advanced_unless_used()
        for page in self._pages.values():
            page.show_state(state)

    def _fill_advanced_unless_used(self) -> None:
        """Bring the list of changes up to date, but never under the hands of somebody who uses a row of it."""
        used = self.focusWidget()
        page = self._pages[ADVANCED]
        if self._stack.currentWidget() is not page or used not in page.findChildren(QWidget):
            self._fill_advanced()

    def _show_refused(self, reply: ChangeRefused) -> None:
        text = view_trouble(reply.trouble)
        if reply.key == AUTOSTART_NAME:
            for block in self._blocks():
                if isinstance(block, AutostartBlock):
                    block.show_trouble(text)
        for row in self._rows(reply.key):
            row.field.refuse()
            row.show_trouble(text)

    def _rows(self, key: str) -> list[SettingRow]:
        return [page.rows[key] for page in self._pages.values() if key in page.rows]

    def _blocks(self) -> list[Block]:
        return [block for page in self._pages.values() for block in page.blocks]

    # ------------------------------------------------------------ what the person does

    def _find(self) -> None:
        """Show what a search finds, across all tables; an empty one brings the chosen page back."""
        self._searching.stop()
        query = self._search.text().strip()
        if not query:
            self._show_table(self._list.currentItem())
            return
        keys = search(query)
        if tr(FOUND) not in self._pages:
            self._pages[tr(FOUND)] = self._add_page("found", tr(FOUND))
        page = self._pages[tr(FOUND)]
        blocks: list[Block] = []
        if found_autostart(query):
            blocks.append(AutostartBlock(self.theme, self._state, self._switch_autostart))
        about = "" if keys or blocks else rich(tr(NOTHING_FOUND))
        page.fill(about, [Section(blocks=tuple(blocks)), *grouped(keys, pages())], self._make_row)
        self._show_page(page)
        self._list.clearSelection()

    def _change(self, key: str, value: object) -> None:
        """Hand a change over; what is no number, and keys that another program has, are reported at once."""
        text, trouble = str(value or ""), ""
        if key in _SHORTCUTS and text:
            trouble = self._shortcut_trouble(key, text)
        elif isinstance(value, str) and is_number(key):
            value, trouble = read_number(key, value)
        if not trouble:
            self._requests.change(key, value)
        for row in self._rows(key) if trouble else ():
            row.show_trouble(trouble)

    def _shortcut_trouble(self, key: str, text: str) -> str:
        state = self._state
        if state is None or get_value(state.settings, key) == text:
            return ""
        for other in _SHORTCUTS:
            if other != key and parse_shortcut(str(get_value(state.settings, other))) == parse_shortcut(text):
                return tr(SHORTCUT_OURS, keys=keys_text(text), key=label_of(other))
        return tr(SHORTCUT_TAKEN, keys=keys_text(text)) if self._taken(text) else ""

    def _switch_autostart(self, on: bool) -> None:
        self._requests.set_autostart(on=on)

    def _ask_agreement(self, reply: ChangeNeedsYes) -> None:
        """Ask for an explicit yes, with the words of what it means."""
        title = tr(_READ.get(reply.key, AGREE_SENT))
        words = reply.words if reply.key in _READ else f"{tr(AGREE_SENT_LEAD)}\n{reply.words}"
        agree = partial(self._requests.change, reply.key, reply.value, agreed=reply.words)
        self._ask(title, f"{words}\n\n{tr(AGREE_HOW)}", tr(AGREE_YES), agree, partial(self._take_back, reply.key))

    def _take_back(self, key: str) -> None:
        for row in self._rows(key):
            row.field.take_back()

    def _ask(self, title: str, text: str, yes: str, go: Callable[[], None], stay: Callable[[], None]) -> None:
        if self._confirm is not None:
            self._confirm.close()
        self._confirm = ConfirmWindow(title, text, yes, go, stay)
        self._confirm.gone.connect(partial(setattr, self, "_confirm", None))
        self._confirm.appear()

    def _point(self) -> None:
        self._say_of_pointing(tr(POINTING))
        self._picker.start()

    def _on_picked(self, name: str) -> None:
        self._say_of_pointing("")
        text = tr(EXCLUDE_TEXT, name=name)
        exclude = partial(self._requests.add, EXCLUDED_KEY, name)
        self._ask(tr(EXCLUDE_TITLE), text, tr(EXCLUDE_YES), exclude, lambda: None)

    def _on_not_picked(self, why: str) -> None:
        self._say_of_pointing(why)
        self.activateWindow()

    def _say_of_pointing(self, text: str) -> None:
        for block in self._blocks():
            if isinstance(block, PointBlock):
                block.show_said(text)

    # ------------------------------------------------------------ the end

    def done(self, result: int) -> None:
        """Close: what is still in a field is handed over, and everything given back."""
        used: QWidget | None = self.focusWidget()
        if used is not None:
            used.clearFocus()
        self._picker.cancel()
        if self._confirm is not None:
            self._confirm.close()
        super().done(result)
        self._requests.close()
        self.gone.emit()
        self.deleteLater()
