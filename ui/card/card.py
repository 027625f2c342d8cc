"""The card: one offer of help, its reason, the ways to answer it, and behind "Show me" the steps of a page.

Where a model is on it can be asked there, and its answer comes in below the page. The card leaves its corner only where
it lies over what is ringed, and takes no focus but when somebody clicks the field of a follow-up question or reaches it
by its shortcut. The "Show me" button stands at `storage.ports.ACCEPT_POINT`. A click in the first moment is not an
answer: it was meant for the program that the card has just covered.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from storage.ports import CARD_TITLE
from storage.records import Box, FeedbackKind
from storage.translation import tr
from ui.card.answer import AnswerPart
from ui.card.asking import Asking, AskRow
from ui.card.parts import Scrolled, StepRow, make_part, make_rule, make_small
from ui.quiet_window import GAP, MARGIN, QuietWindow, activate_layouts, height_of
from ui.theme import scaled_font
from ui.told import Told
from ui.views.answer import AnswerView, begun, stopped
from ui.views.card import ACCEPT, DISMISS, FOLDED_STEPS, MORE, NO_HELP, SAY, Button, CardView, named
from ui.widgets import BUTTON_HEIGHT, BUTTON_WIDTH, Part, Prose, beside, filled, make_button

GUARD_MS = 400  # a click this soon after the card appeared is no answer; a guess, above the time of a reflex
ADVICE_MS = 120_000  # how long advice stays without being closed; a guess
DONE_MS = 2_000  # how long it stays on once the last step is done
LINGER_MS = 10_000  # how long it stays on when the pointer is still over it
LEAST_SCROLLED = 120  # pixels that the help has at least on a screen too small for all of it


class Card(QuietWindow):
    """The window of one offer. `answer` gets the kind of each answer, at most once."""

    ask = Signal(str)
    """Somebody asks the model: with the question that was typed, or nothing."""

    stop = Signal()
    """Somebody stops the answer."""

    answers = (FeedbackKind.ACCEPTED.value, FeedbackKind.DISMISSED.value)

    choose = Signal(str)
    """Somebody wants another candidate: its page."""

    ask_again = Signal()
    """Somebody wants to ask something else."""

    def __init__(
        self, view: CardView, answer: Callable[[FeedbackKind], None], *, corner: str, clear_of: Box | None = None
    ) -> None:
        """Lay the card out, hidden; show it with `appear`. It comes up clear of `clear_of`, pixels of the desktop."""
        super().__init__(CARD_TITLE, corner=corner, clear_of=clear_of)
        self.view = view
        self.accepted = False
        self._answer = answer
        self._armed = False
        self._stay = QTimer(self, singleShot=True)
        self._stay.timeout.connect(self._leave)
        self._steps: list[StepRow] = []
        self._fold: QWidget | None = None
        self._answer_parts: dict[str, AnswerPart] = {}
        self._leading: AnswerPart | None = None
        self._answers_shown: dict[str, AnswerView] = {}
        self._scrolled_to = 0
        self._asking_is_armed = False
        self.setAccessibleName(f"Kairos: {view.title}")
        self.setAccessibleDescription(view.reason)
        self._lay_out()
        if view.asked:
            self._open()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the card; answers count from a moment later."""
        super().appear(above=above)
        QTimer.singleShot(GUARD_MS, self, self._arm)

    def show_microphone(self, on: bool) -> None:
        """Show or hide the sign that the microphone is open."""
        if self._microphone.isHidden() == on:
            self._microphone.setVisible(on)
            self.settle()

    def mark(self, number: int, remark: str = "") -> None:
        """Mark the step that is next with a remark, and unfold the steps if it is among those folded.

        Once a model's answer leads, it is a step of that.
        """
        if self._leading is not None:
            if self._leading.mark(number, remark):
                self.settle()
            return
        changed = [
            row.mark(on=row.step.number == number, remark=remark, done=row.step.number < number) for row in self._steps
        ]
        if any(changed):
            self.settle()
        for row in self._steps:
            if row.step.number == number:
                if row.isHidden():
                    self._unfold()
                self._words.ensureWidgetVisible(row, 0, 0)

    def finish(self) -> None:
        """Say that the steps are done, and go after a moment, unless somebody is at the card.

        With a model's answer there is more to read, so it stays as long as ever.
        """
        self._done.show()
        self.settle()
        if not self._answers_shown:
            self._stay.start(DONE_MS)

    def show_answer(self, view: AnswerView) -> None:
        """Show a model's answer as far as it has come, and what can be done about it now."""
        part = self._answer_parts.get(view.key)
        is_new = part is None
        if part is None:
            part = self._answer_parts[view.key] = AnswerPart(self._theme)
            self._answer_column.addWidget(part)
        self._answers_shown[view.key] = view
        part.show_view(view)
        if view.leads and part is not self._leading:
            self._lead_by(part)
        if self.accepted:
            self._offer_asking()
            self._stay.start(ADVICE_MS)
        self.refresh_tab_order()
        self.settle()
        bar = self._words.verticalScrollBar()
        if is_new or bar.value() == self._scrolled_to:  # else somebody has scrolled elsewhere
            self._words.show_top_of(part)
            self._scrolled_to = bar.value()

    def _lead_by(self, part: AnswerPart) -> None:
        """From now on the ring follows the steps of an answer: nothing else is marked."""
        for row in self._steps:
            row.mark(on=False)
        if self._leading is not None:
            self._leading.mark(None)
        self._leading = part

    def reach(self) -> None:
        """Give the card the keyboard: Tab goes through it, Enter and Space press, Escape gives the keyboard back."""
        field = self._asking.field
        self.take_keys(field if self.accepted and self._asking.offered is Asking.FIELD else self._first_button())

    def dismiss(self) -> None:
        """Take the card away, as "Not now" or "Close" would."""
        if self.accepted:
            self.close()
        else:
            self._give(FeedbackKind.DISMISSED)

    def settle(self) -> None:
        """Fit the card to its content; words that are too tall for the screen scroll."""
        self._words.setFixedHeight(0)
        activate_layouts(self)
        rest = height_of(self.column, self.width())
        room = self.screen_area().height() - 2 * GAP - self.lift - rest
        full = self._words.full_height(self.width() - 2 * MARGIN)
        height = min(full, max(LEAST_SCROLLED, room))
        policy = Qt.ScrollBarPolicy  # a bar that has come takes width, so words need more height, so it would stay
        self._words.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if height == full else policy.ScrollBarAsNeeded
        )
        self._words.setFixedHeight(height)
        super().settle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Scroll with the arrow keys while the card has the keyboard."""
        bar = self._words.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_PageDown:
                bar.setValue(bar.value() + bar.singleStep() * 2)
            case Qt.Key.Key_Up | Qt.Key.Key_PageUp:
                bar.setValue(bar.value() - bar.singleStep() * 2)
            case _:
                super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self._advice = self._make_advice()
        self._microphone = make_small(tr("● The microphone is open"), "microphone")
        self._microphone.hide()
        parts = (
            self._microphone,
            *(make_small(self.view.eyebrow, "eyebrow"), 4, Prose(self.view.title, "title", size=1.3, bold=True), 6),
            *(Prose(self.view.reason, "reason", faint=True), self._advice),
        )
        self._words = Scrolled(make_part(QVBoxLayout(), *parts, spacing=0)[0], self._theme)
        self._asking = AskRow(self.view.ask)
        self._asking.ask.connect(self._on_ask)
        self._asking.stop.connect(self._on_stop)
        self._asking.keys_wanted.connect(lambda: self.take_keys(self._asking.field))
        self._asking.keys_done.connect(self.give_keys_back)
        self._more, self._answers, self._end = self._make_more(), self._make_answers(), self._make_end()
        filled(self.column, self._words, self._asking, self._more, 18, self._answers, self._end, spacing=0)
        for later in (self._advice, self._more, self._end):
            later.hide()

    def _make_advice(self) -> QWidget:
        shown: list[Part] = [make_rule(self._theme)]
        words = Prose if self.view.note else Told  # those of a model get no buttons of ours
        shown.append(self._make_steps() if self.view.steps else words(self.view.advice, "advice"))
        if self.view.guess:
            shown.append(make_small(tr("It looks like: {goal} (a guess)", goal=self.view.guess), "guess"))
        if self.view.note:
            shown.append(make_small(self.view.note, "note"))
        if self.view.asked:
            shown.append(self._make_others())
        answers, self._answer_column = make_part(QVBoxLayout(), spacing=14)
        return make_part(QVBoxLayout(), *shown, answers, spacing=14, margins=(0, 14, 0, 0))[0]

    def _make_others(self) -> QWidget:
        """Make the rows of what else answers, and of what to do where nothing of it helps."""
        others = [
            make_button(other.text, f"other_{n}", "choice", partial(self.choose.emit, other.page_id), hint=other.hint)
            for n, other in enumerate(self.view.others)
        ]
        for button, other in zip(others, self.view.others, strict=True):
            button.setAccessibleName(other.hint)
            button.setMinimumWidth(1)  # a long name is cut, and its hint has all of it
        again = make_button(tr("Ask again"), "ask_again", "chip", self.ask_again)
        no_help = [self._make_answer(NO_HELP, "chip")] if self.view.steps else []
        return make_part(QVBoxLayout(), *others, beside(*no_help, again, None), spacing=6)[0]

    def _make_steps(self) -> QWidget:
        self._steps = [StepRow(step, self._theme) for step in self.view.steps]
        part, column = make_part(QVBoxLayout(), *self._steps, spacing=8)
        if self.view.fold_text:
            for row in self._steps[FOLDED_STEPS:]:
                row.hide()
            self._fold = make_button(self.view.fold_text, "fold", "quiet", self._unfold)
            column.addLayout(beside(self._fold, None, spacing=-1))
        return part

    def _unfold(self) -> None:
        for row in self._steps:
            row.show()
        if self._fold is not None:
            self._fold.hide()
        self.settle()

    def _make_more(self) -> QWidget:
        rows = (beside(*(self._make_answer(button, "chip") for button in line), None) for line in MORE)
        return make_part(QVBoxLayout(), *rows, spacing=8, margins=(0, 16, 0, 0))[0]

    def _make_answers(self) -> QWidget:
        """Make the row that is always there: the accept button first, where `ACCEPT_POINT` says."""
        accept = self._make_answer(SAY if self.view.asks_back else ACCEPT, "primary")
        accept.setMinimumWidth(BUTTON_WIDTH)
        more = make_button("⋯", "more", "icon", self._toggle_more, hint=tr("Other answers"))
        more.setFixedWidth(BUTTON_HEIGHT)
        more.setFont(scaled_font(1.5, QFont.Weight.Bold))
        more.setAccessibleName(tr("Other answers"))
        return make_part(QHBoxLayout(), accept, self._make_answer(DISMISS, ""), None, more, spacing=8)[0]

    def _make_end(self) -> QWidget:
        """Make the row under the advice: closing is on the right, clear of the accept button's place."""
        close = make_button(tr("Close"), "close", "chip", self.close, height=BUTTON_HEIGHT)
        self._done = Prose(tr("✓ Done"), "done", bold=True)
        self._done.hide()
        return make_part(QHBoxLayout(), self._done, None, close)[0]

    def _make_answer(self, button: Button, role: str) -> QWidget:
        """Make a button that answers the offer."""
        button = named(button, self.view.about)
        return make_button(button.text, button.kind.value, role, lambda: self._give(button.kind), hint=button.hint)

    def _arm(self) -> None:
        self._armed = True

    def _toggle_more(self) -> None:
        self._more.setVisible(self._more.isHidden())
        self.settle()

    def _give(self, kind: FeedbackKind) -> None:
        """Hand the answer over; stay with the advice if it was wanted, else leave."""
        if not self._armed:
            return
        self._armed = False
        self._answer(kind)
        if kind is not FeedbackKind.ACCEPTED or self.view.asks_back:
            self.close()
            if kind is FeedbackKind.ACCEPTED:
                self.ask_again.emit()
            return
        self._open()
        self.settle()

    def _open(self) -> None:
        self.accepted = True
        self._more.hide()
        self._answers.hide()
        self._advice.show()
        self._end.show()
        self._offer_asking()
        QTimer.singleShot(GUARD_MS, self, self._arm_asking)
        self._stay.start(ADVICE_MS)
        if self.takes_keys:
            self.take_keys(self._first_button())

    def _arm_asking(self) -> None:
        """Let the model be asked: the second click of a double click is no wish to send a picture of the screen."""
        self._asking_is_armed = True

    def _on_ask(self, question: str) -> None:
        if not self._asking_is_armed:
            return
        self.show_answer(begun(self.view.ask, question))
        self.ask.emit(question)

    def _on_stop(self) -> None:
        """Stop the answer; the core says how far it had come."""
        for view in tuple(self._answers_shown.values()):
            if view.running:
                self.show_answer(stopped(view))
        self.stop.emit()

    def _offer_asking(self) -> None:
        """Offer what can be done now: ask, stop what comes, try again, or ask one follow-up question."""
        last = next(reversed(self._answers_shown.values()), None)
        if not self.view.ask.text:
            offered = Asking.NOTHING
        elif last is None:
            offered = Asking.ASK
        elif last.running:
            offered = Asking.STOP
        elif last.failed:
            offered = Asking.FIELD if last.key else Asking.ASK
        else:
            offered = Asking.NOTHING if last.key else Asking.FIELD
        self._asking.offer(offered)

    def _first_button(self) -> QWidget | None:
        """Return the button that the keyboard begins at: the one that goes on, else the one that closes."""
        names = ("ask", "stop", "close") if self.accepted else (FeedbackKind.ACCEPTED.value,)
        found = (self.findChild(QPushButton, name) for name in names)
        return next((button for button in found if button is not None and not button.isHidden()), None)

    def _leave(self) -> None:
        """Close advice that was left alone, unless the pointer rests on it."""
        running = any(view.running for view in self._answers_shown.values())
        if self.underMouse() or self.takes_keys or running:
            self._stay.start(LINGER_MS)
        else:
            self.close()
