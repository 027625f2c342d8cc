"""The windows that the tray opens for a study: what waits to be sent, the next task, the question before leaving.

They were asked for by the person, so they may take the focus. What they show is plain text.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QRadioButton, QVBoxLayout

from storage.plain_text import plain
from storage.ports import TaskCard
from storage.records import TaskStep
from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.study import (
    LEAVE_KEEP,
    LEAVE_OUT,
    LEAVE_TEXT,
    LEAVE_TITLE,
    REVIEW_TITLE,
    SKILLS,
    TASK_END,
    TASK_PLACE,
    TASK_RUNS,
    TASK_SKILL,
    TASK_TEXT_LIMIT,
    TASK_TITLE,
    TASKS_DONE,
    TITLE_LIMIT,
    ReviewView,
)
from ui.widgets import Prose, TickBox, make_text_frame, make_wide_button

REVIEW_SIZE = (860, 560)
_FREE = 60


class ReviewWindow(AskedWindow):
    """What waits to be sent; `send` gets the digest of the last parcel shown, so that nothing else goes."""

    def __init__(self, view: ReviewView, send: Callable[[str], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        super().__init__(tr(REVIEW_TITLE))
        self.view = view
        self._send = send
        self.column.addWidget(Prose(view.lead, "lead"))
        self._text = make_text_frame(view.text, tr("What waits to be sent"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(self.font().pointSizeF())  # as large as the person has text
        self._text.setFont(fixed)
        close = make_wide_button(tr("&Close"), "close", "chip", self.reject, default=True)
        self.send_button = make_wide_button(tr("&Send"), "send", "primary", self._let_go)
        if view.through:
            self.column.addWidget(self._text, 1)
            self.column.addWidget(Prose(tr(LEAVE_OUT), "leave_out", faint=True))
            self.add_buttons(close, self.send_button)
            area = QGuiApplication.primaryScreen().availableGeometry()
            width = max(REVIEW_SIZE[0], self.fontMetrics().averageCharWidth() * 90)
            self.resize(min(width, area.width() - _FREE), min(REVIEW_SIZE[1], area.height() - _FREE))
        else:
            self.add_buttons(close)
        close.setFocus()

    def _let_go(self) -> None:
        """Hand over which parcels the person has seen, once."""
        self.send_button.setEnabled(False)
        self._send(self.view.through)
        self.accept()


class LeaveWindow(AskedWindow):
    """Asks once more; `leave` gets whether what was sent may be kept."""

    def __init__(self, leave: Callable[[bool], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        super().__init__(tr(LEAVE_TITLE))
        self._leave = leave
        self.column.addWidget(Prose(tr(LEAVE_TEXT), "text"))
        self.keep = TickBox(tr(LEAVE_KEEP), "keep", self.theme)
        self.column.addWidget(self.keep)
        stay = make_wide_button(tr("&Stay"), "stay", "chip", self.reject, default=True)
        self.add_buttons(stay, make_wide_button(tr("&Leave"), "leave", "primary", self._go))
        self.fit_question()
        stay.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go(self) -> None:
        self._leave(self.keep.isChecked())
        self.accept()


class TaskWindow(AskedWindow):
    """A task of the study; `mark` gets what the person does with it, and how well they know its program."""

    def __init__(self, task: TaskCard | None, mark: Callable[[TaskStep, int], None]) -> None:
        """Lay the window out, hidden; show it with `appear`. Without a task it says that none is left."""
        super().__init__(tr(TASK_TITLE))
        self.task = task
        self._mark = mark
        self._skills: list[QRadioButton] = []
        if task is None:
            self.column.addWidget(Prose(tr(TASKS_DONE), "text"))
            self.add_buttons(make_wide_button(tr("&Close"), "close", "primary", self.reject, default=True))
            self.fit_question()
        else:
            inner = self.add_scrolled(tr(TASK_TITLE), spacing=8)
            self._lay_out(task, inner)
            self.fit_scrolled(inner)

    def _lay_out(self, task: TaskCard, inner: QVBoxLayout) -> None:
        place = tr(TASK_PLACE, number=task.number, count=task.count)
        end = tr(TASK_END, end=plain(task.end, TASK_TEXT_LIMIT))
        inner.addWidget(Prose(place, "place", faint=True))
        inner.addWidget(Prose(plain(task.title, TITLE_LIMIT), "task", size=1.15, bold=True))
        for text, name in ((plain(task.text, TASK_TEXT_LIMIT), "text"), (end, "end")):
            inner.addWidget(Prose(text, name))
        if task.running:
            inner.addWidget(Prose(tr(TASK_RUNS), "runs", faint=True))
            give_up = make_wide_button(tr("&Give up"), "give_up", "chip", partial(self._step, TaskStep.GIVEN_UP))
            done = make_wide_button(tr("&Done"), "done", "primary", partial(self._step, TaskStep.DONE), default=True)
            self.add_buttons(give_up, done)
            return
        if task.asks_about:
            question = tr(TASK_SKILL, program=plain(task.asks_about, TITLE_LIMIT))
            inner.addWidget(Prose(question, "skill"))
            self._skills = [QRadioButton(tr(skill)) for skill in SKILLS]
            for button in self._skills:
                button.setAccessibleDescription(question)
                inner.addWidget(button)
        later = make_wide_button(tr("&Later"), "later", "chip", self.reject)
        begin = make_wide_button(tr("&Begin"), "begin", "primary", partial(self._step, TaskStep.BEGUN), default=True)
        self.add_buttons(later, begin)

    def _step(self, step: TaskStep) -> None:
        chosen = [number for number, button in enumerate(self._skills, 1) if button.isChecked()]
        self._mark(step, chosen[0] if chosen else 0)
