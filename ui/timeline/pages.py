"""The pages beside the timeline: what was sent and where, what is stored and for how long, and what was learned."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QGridLayout, QListView, QVBoxLayout, QWidget

from storage.messages import topic_label
from storage.timeline import TimelineFacts
from storage.translation import current_language, tr
from ui.told import Told
from ui.views.acts import ActTarget, WindowAct, carry_out
from ui.views.timeline import LEARNED_LEAD, MUTED, NOTHING_LEARNED, READING, SENT, UNMUTE, view_sent_lead, view_sent_row
from ui.widgets import Part, Prose, beside, filled, make_area, make_wide_button

_MARGIN = 4


class SentPage(QWidget):
    """What was sent to models: one line a request, the newest first."""

    def __init__(self) -> None:
        """Make the page, empty."""
        super().__init__()
        self._lead = Told(tr(READING), "sent_lead")
        self._rows = QStringListModel(self)
        self._numbers: list[int] = []
        self._list = QListView()
        self._list.setObjectName("sent")
        self._list.setAccessibleName(tr(SENT))
        self._list.setModel(self._rows)
        self._list.setUniformItemSizes(True)
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._list.activated.connect(self._read)
        column = filled(QVBoxLayout(self), self._lead, self._list, spacing=10, margins=(_MARGIN, 12, _MARGIN, 0))
        column.setStretchFactor(self._list, 1)

    def show_facts(self, facts: TimelineFacts) -> None:
        """Show them."""
        self._lead.say("\n".join((view_sent_lead(facts), *(tr(problem) for problem in facts.problems))))
        self._numbers = [row.number for row in facts.sent]
        self._rows.setStringList([view_sent_row(row) for row in facts.sent])
        self._list.setVisible(bool(facts.sent))

    def _read(self, index: QModelIndex) -> None:
        carry_out(WindowAct(ActTarget.RUN, tr(SENT), f"models sent --show {self._numbers[index.row()]}"))


class TextPage(QWidget):
    """Paragraphs, or headed facts, in an area that scrolls where the window is too small."""

    def __init__(self, name: str, title: str, act: tuple[str, Callable[[], object]] | None = None) -> None:
        """Make the page, empty; `title` is its name for screen readers, `act` a button below with what it does."""
        super().__init__()
        self.setObjectName(name)
        self._area = make_area(QWidget(), f"{name}_area", focus=True)
        self._area.setAccessibleName(title)
        column = filled(QVBoxLayout(self), self._area, margins=(0, 0, 0, 0))
        self.act = make_wide_button(act[0], f"{name}.act", "chip", act[1]) if act is not None else None
        if self.act is not None:
            column.addLayout(beside(self.act, None))
        self._fill([Prose(tr(READING), "reading", faint=True)])

    def _fill(self, paragraphs: Sequence[Part]) -> None:
        content = QWidget()
        content.setObjectName("content")
        filled(QVBoxLayout(content), *paragraphs, None, spacing=10, margins=(_MARGIN, 12, _MARGIN, 12))
        self._area.setWidget(content)


class LearnedPage(TextPage):
    """What answers and labels have taught; each topic that is muted has a button that ends it."""

    unmuted = Signal(str)

    def show_facts(self, facts: TimelineFacts) -> None:
        """Show them."""
        is_something = bool(facts.learned or facts.muted)
        if self.act is not None:
            self.act.setEnabled(is_something or any("--forget" in problem for problem in facts.problems))
        sentences = [Prose(f"•  {text}", f"sentence_{n}") for n, text in enumerate(facts.learned)]
        lead = Prose(tr(LEARNED_LEAD if is_something else NOTHING_LEARNED), "lead")
        self._fill([lead, *sentences, *map(self._make_muted, facts.muted)])

    def _make_muted(self, topic: str) -> Part:
        label = topic_label(topic, current_language()) or topic
        said = Prose(f"•  {tr(MUTED, topic=label)}", f"muted_{topic}")
        button = make_wide_button(tr(UNMUTE), f"unmute_{topic}", "chip", lambda: self.unmuted.emit(topic))
        button.setAccessibleName(f"{tr(UNMUTE)}: {label}")
        row = beside(said, button, spacing=16)
        row.setStretchFactor(said, 1)
        return row


class FactsPage(TextPage):
    """Facts with a heading each: what lies on the disk, or where the time of a day went."""

    _rows: Sequence[tuple[str, str]] = ()

    def show_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show them, unless they are shown already."""
        if rows == self._rows:
            return
        self._rows = rows
        content = QWidget()
        content.setObjectName("content")
        grid = QGridLayout(content)
        grid.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        for row, (head, text) in enumerate(rows):
            name = Prose(head, f"head_{row}", bold=True)
            name.setFixedWidth(self.fontMetrics().averageCharWidth() * 18)
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Told(text, f"fact_{row}"), row, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        self._area.setWidget(content)
