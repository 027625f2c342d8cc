"""The card of a study's question: at most three taps, one item after the other, and two ways not to answer.

It is as quiet as the card of an offer: it takes no focus and no key of the program below, never moves by itself, and a
click in the first moment is no answer. Who wants to answer by keyboard clicks its surface once; from then on it takes
keys: digits choose, Tab and Space press buttons, Escape is "not now". It goes when the question expires.
"""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from storage.records import AnswerKind
from storage.translation import tr, translatable
from ui.card.card import GUARD_MS
from ui.quiet_window import MARGIN, QuietWindow
from ui.theme import scaled_font
from ui.views.question import DECLINE, SAY_MORE, SAY_MORE_HINT, QuestionView
from ui.widgets import CHIP_HEIGHT, Prose, beside, clear, filled, make_button

TITLE = "Kairos question"  # WM_NAME of the card
KEYS = translatable("Click the card to answer by keyboard: digits choose, Escape is not now.")

Reply = Callable[[AnswerKind, Mapping[str, int]], None]


class QuestionCard(QuietWindow):
    """The window of one question. `reply` gets the kind of reply and the choices, at most once."""

    labelled = Signal(str, object)
    """Somebody wants to label the session that it is about, from this time of day on, in nanoseconds."""

    def __init__(self, view: QuestionView, reply: Reply, *, corner: str) -> None:
        """Lay the card out, hidden; show it with `appear`."""
        super().__init__(TITLE, corner=corner)
        self.view = view
        self._reply = reply
        self._armed = False
        self._choices: dict[str, int] = {}
        self._first: QPushButton | None = None
        self._lay_out()
        self._show_item()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the card; answers count from a moment later."""
        super().appear(above=above)
        QTimer.singleShot(GUARD_MS, self, self._arm)

    def _lay_out(self) -> None:
        eyebrow, self._place = QLabel(self.view.eyebrow), QLabel()
        self._picture = QLabel()
        self._picture.setObjectName("picture")
        for label, name in ((eyebrow, "eyebrow"), (self._place, "place")):
            label.setObjectName(name)
            label.setProperty("role", "faint")
            label.setFont(scaled_font(0.9))
        self._words = Prose("", "words", size=1.15, bold=True)
        self._rows = filled(QVBoxLayout(), spacing=6)
        heading = beside(eyebrow, None, self._place, spacing=-1)
        filled(
            self.column, heading, 6, self._picture, 6, self._words, 12, self._rows, 12, self._make_declines(), spacing=0
        )

    def _make_declines(self) -> QHBoxLayout:
        buttons = []
        for kind, text, hint in DECLINE:
            button = make_button(tr(text), kind.value, "quiet", partial(self._decline, kind), hint=tr(hint))
            button.setAccessibleDescription(tr(hint))
            buttons.append(button)
        self._more = make_button(tr(SAY_MORE), "more", "quiet", self._say_more, hint=tr(SAY_MORE_HINT))
        self._more.setAccessibleDescription(tr(SAY_MORE_HINT))
        return beside(*buttons, None, self._more, spacing=18)

    def _say_more(self) -> None:
        if self._armed:
            item = self.view.items[len(self._choices)]
            self.labelled.emit(item.session, item.begin_wall_ns)

    def _show_item(self) -> None:
        item = self.view.items[len(self._choices)]
        self._place.setText(item.place)
        self._show_picture(item.picture)
        self._more.setVisible(bool(item.session))
        self._words.say(item.text)
        self.setAccessibleName(f"{self.view.eyebrow}. {item.text}")
        self.setAccessibleDescription(tr(KEYS))
        self._words.setToolTip(tr(KEYS))
        clear(self._rows)
        self._first = None
        for number, text in enumerate(item.choices):
            button = make_button(text, f"choice-{number}", "choice", partial(self._choose, number), height=CHIP_HEIGHT)
            button.setAccessibleName(text)
            place = tr("{number} of {count}", number=number + 1, count=len(item.choices))
            button.setAccessibleDescription(f"{item.text} {place}")
            self._first = self._first or button
            self._rows.addWidget(button)
            button.show()  # one that is made later would be left out of the height

    def _show_picture(self, picture: tuple[int, int, bytes] | None) -> None:
        self._picture.setVisible(picture is not None)
        if picture is None:
            return
        width, height, rgb = picture
        image = QImage(rgb, width, height, 3 * width, QImage.Format.Format_RGB888)
        ratio = self.devicePixelRatio()
        wide = round((self.width() - 2 * MARGIN) * ratio)
        shown = QPixmap.fromImage(image).scaledToWidth(wide, Qt.TransformationMode.SmoothTransformation)
        shown.setDevicePixelRatio(ratio)
        self._picture.setPixmap(shown)

    def _arm(self) -> None:
        self._armed = True

    def _choose(self, number: int) -> None:
        item = self.view.items[len(self._choices)]
        if not self._armed or number >= len(item.choices):
            return
        self._choices[item.code] = number
        if len(self._choices) < len(self.view.items):
            self._armed = False  # the second click of a double click is no answer to the next item
            QTimer.singleShot(GUARD_MS, self, self._arm)
            self._show_item()
            if self.takes_keys:
                self.take_keys(self._first)
            self.settle()
            return
        self._finish(AnswerKind.ANSWERED, self._choices)

    def _decline(self, kind: AnswerKind) -> None:
        """Hand over that the person does not answer; of a study's question what they had chosen is left out."""
        if self._armed:
            self._finish(kind, self._choices if self.view.keeps_partial else {})

    def _finish(self, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        self._armed = False
        self._reply(kind, choices)
        self.close()

    # ------------------------------------------------------------ keyboard, once it was asked for

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take the keyboard: somebody clicked the card itself, and no button."""
        super().mousePressEvent(event)
        self.take_keys(self._first)

    def reach(self) -> None:
        """Give the card the keyboard, beginning at the first choice."""
        self.take_keys(self._first)

    def dismiss(self) -> None:
        """Answer "not now"."""
        self._decline(AnswerKind.NOT_NOW)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Digits choose, from 1 on; Escape is "not now"."""
        number = event.key() - Qt.Key.Key_1
        if event.key() == Qt.Key.Key_Escape:
            self._decline(AnswerKind.NOT_NOW)
        elif 0 <= number < len(self.view.items[len(self._choices)].choices):
            self._choose(number)
        else:
            super().keyPressEvent(event)
