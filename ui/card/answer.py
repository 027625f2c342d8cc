"""A model's answer on the card, as it comes in: plain text and steps, and who wrote them."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from storage.translation import tr
from ui.card.parts import StepRow, make_part, make_rule, make_small
from ui.theme import Theme
from ui.told import Told
from ui.views.answer import AnswerView
from ui.widgets import Prose, filled


class AnswerPart(QWidget):
    """One answer, the first one or that to a follow-up. It is hidden until something is to be shown."""

    def __init__(self, theme: Theme) -> None:
        """Lay out what any answer has; steps come later."""
        super().__init__()
        self._theme = theme
        self._rows: list[StepRow] = []
        self._asked = make_small("", "asked")
        self._status = Told("", "status", faint=True)
        self._by = make_small("", "by")
        self._text = Prose("", "answer")
        self._steps_part, self._steps = make_part(QVBoxLayout(), spacing=8)
        self._notes = make_small("", "notes")
        parts = (self._asked, self._by, self._text, self._steps_part, self._status, self._notes)
        filled(QVBoxLayout(self), make_rule(theme), *parts, spacing=10, margins=(0, 0, 0, 0))
        self.hide()

    def mark(self, number: int | None, remark: str = "") -> bool:
        """Mark the step that is next with a remark, or none; return whether the height may have changed."""
        changed = [
            row.mark(on=row.step.number == number, remark=remark, done=number is not None and row.step.number < number)
            for row in self._rows
        ]
        return any(changed)

    def show_view(self, view: AnswerView) -> None:
        """Show an answer as far as it has come, in place of what was shown of it."""
        self._asked.say(tr("You asked: {question}", question=view.asked) if view.asked else "")
        self._by.say(view.by)
        self._text.say(view.text)
        self._status.say(view.status)
        self._notes.say("\n".join(view.notes))
        for row, step in zip(self._rows, view.steps, strict=False):
            if row.step != step:
                row.show_step(step)
        for step in view.steps[len(self._rows) :]:
            row = StepRow(step, self._theme)
            self._rows.append(row)
            self._steps.addWidget(row)
            row.show()  # one that is made later would be left out of the height
        for row in self._rows[len(view.steps) :]:
            self._steps.removeWidget(row)
            row.hide()
            row.deleteLater()
        del self._rows[len(view.steps) :]
        self._steps_part.setVisible(bool(self._rows))
        self.show()
