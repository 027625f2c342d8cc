"""The window "What Kairos saw". Everything in it comes from the reader; what the person does goes to it.

It was opened by the person, so it may take the focus. Closing it ends the reader and gives everything back.
"""

import datetime as dt
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from storage.timeline import (
    ForgetReport,
    ForgetScope,
    FullPicture,
    Moment,
    MomentKind,
    MomentsChanged,
    Thumbnail,
    TimelineDay,
    TimelineFacts,
    TimelineReply,
    TimelineRequests,
    TimelineTrouble,
)
from storage.translation import tr
from ui.dialogs.window import ConfirmWindow
from ui.theme import current_theme, scaled_font, style_sheet
from ui.timeline.band import DayBand
from ui.timeline.moments import MomentsList
from ui.timeline.pages import FactsPage, LearnedPage, SentPage
from ui.timeline.picture import PictureWindow
from ui.told import Told
from ui.views.day import MOST_SENTENCES, DaySentence, view_sentences, view_times
from ui.views.forget import view_trouble
from ui.views.text import long_day
from ui.views.timeline import (
    CHANGE_SETTINGS,
    DAY,
    EARLIER,
    FINE,
    FORGET,
    FORGET_LEARNED,
    FORGET_LEARNED_TEXT,
    FORGET_LEARNED_TITLE,
    FORGET_LEARNED_YES,
    FORGETTING,
    IN_DETAIL,
    LABEL,
    LATER,
    LEARNED,
    LEGEND,
    ONLY_MARKED,
    PICTURE,
    READING,
    REPORTED,
    REPORTING,
    SEARCH,
    SEARCH_HINT,
    SENT,
    STORED,
    STUCK,
    TABS,
    TIME,
    TIMELINE,
    TITLE,
    ZOOM_IN,
    ZOOM_OUT,
    day_title,
    stretches,
    view_details,
    view_forget_choices,
    view_stored,
    view_summary,
)
from ui.widgets import Prose, TickBox, WrappedButton, beside, bring_up, centred, filled, make_area, make_wide_button

WIDTH, HEIGHT = 940, 680
WIDTH_IN_CHARACTERS = 110
LOW = 36
"""Lines of text below which a window has no room for more than one sentence, nor for what keys and wheel do too."""

_MARGIN = 20
_FREE = 60


class TimelineWindow(QDialog):
    """The window; `gone` says that it was closed."""

    gone = Signal()
    settings = Signal()
    """Somebody wants the settings."""

    labelled = Signal(str, object)
    """Somebody wants to label a session, from this time of day on, in nanoseconds."""

    def __init__(self, requests: TimelineRequests, *, can_label: bool = False) -> None:
        """Lay the window out, hidden and empty; show it with `appear`. `can_label`: there is a window for labels."""
        super().__init__(None, Qt.WindowType.Window)
        self.theme = current_theme()
        self._requests = requests
        self._day: TimelineDay | None = None
        self._facts: TimelineFacts | None = None
        self._turned_to: set[QWidget] = set()
        self._pending = 0
        self._focused = False
        self.setWindowTitle(f"Kairos: {tr(TITLE)}")
        self.setAccessibleName(tr(TITLE))
        self.setStyleSheet(style_sheet(self.theme, "timeline"))
        self._heading = Prose(tr(READING), "day", size=1.3, bold=True)
        self._summary, self._trouble = Told("", "summary", faint=True), Told("", "trouble")
        self._earlier = self._make_button("\u2039", tr(EARLIER), "earlier", "icon")
        self._later = self._make_button("\u203a", tr(LATER), "later", "icon")
        self._forget = self._make_button(tr(FORGET), tr(FORGET).replace("&", ""), "forget", "chip")
        self._only = TickBox(tr(ONLY_MARKED), "only_marked", self.theme)
        self._in_detail = TickBox(tr(IN_DETAIL), "in_detail", self.theme)
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._search.setAccessibleName(tr(SEARCH))
        self._search.setPlaceholderText(tr(SEARCH_HINT))
        self._search.setClearButtonEnabled(True)
        self._search.setMinimumHeight(round(self.fontMetrics().height() * 1.8))
        self._sentences = [WrappedButton(f"sentence_{number}", "lead") for number in range(MOST_SENTENCES)]
        self._said: list[DaySentence] = []
        self._zoom_in = self._make_button("+", tr(ZOOM_IN), "zoom_in", "icon")
        self._zoom_out = self._make_button("\u2212", tr(ZOOM_OUT), "zoom_out", "icon")
        self._tools = QWidget()
        self._picture: PictureWindow | None = None
        self._band = DayBand(self.theme)
        self._list = MomentsList(self.theme)
        self._details = Prose("", "details", faint=True)
        self._details_head = Prose("", "details_head", bold=True)
        self._stuck = self._make_button(tr(STUCK), tr(STUCK).replace("&", ""), "stuck", "chip")
        self._fine = self._make_button(tr(FINE), tr(FINE).replace("&", ""), "fine", "chip")
        self._look = self._make_button(tr(PICTURE), tr(PICTURE).replace("&", ""), "look", "chip")
        self._label = self._make_button(tr(LABEL), tr(LABEL).replace("&", ""), "label", "chip")
        self._label.setVisible(can_label)
        self._sent, self._time = SentPage(), FactsPage("time", tr(TIME))
        self._learned = LearnedPage("learned", tr(LEARNED), (tr(FORGET_LEARNED), self._ask_to_forget_learned))
        self._stored = FactsPage("stored", tr(STORED), (tr(CHANGE_SETTINGS), self.settings.emit))
        self._confirm: ConfirmWindow | None = None
        self._tabs = QTabWidget()
        self._lay_out()
        self._connect()
        self._show_details()

    # ------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        for button in (self._zoom_in, self._zoom_out, self._look):
            button.setMinimumSize(0, 0)
            button.setFixedHeight(round(self.fontMetrics().height() * 1.6))
            if button is not self._look:
                button.setFixedWidth(round(self.fontMetrics().height() * 2))
        for sentence in self._sentences:
            sentence.setMinimumHeight(round(self.fontMetrics().height() * 1.6))
            sentence.hide()
        for button in (self._earlier, self._later):
            button.setFont(scaled_font(1.5))
            button.setMinimumWidth(0)
            button.setFixedWidth(round(self.fontMetrics().height() * 2.4))
        head = beside(self._heading, self._earlier, self._later, 10, self._forget, spacing=6)
        head.setStretchFactor(self._heading, 1)
        self._tabs.setObjectName("tabs")
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.addTab(make_area(self._make_timeline(), "timeline_area"), tr(TIMELINE))
        self._tabs.addTab(self._time, tr(TIME))
        self._tabs.addTab(self._sent, tr(SENT))
        self._tabs.addTab(self._stored, tr(STORED))
        self._tabs.addTab(self._learned, tr(LEARNED))
        self._tabs.tabBar().setAccessibleName(tr(TITLE))
        margins = (_MARGIN, _MARGIN - 4, _MARGIN, _MARGIN - 4)
        column = filled(QVBoxLayout(self), head, self._summary, self._trouble, self._tabs, spacing=8, margins=margins)
        column.setStretchFactor(self._tabs, 1)
        width = max(WIDTH, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS)
        centred(self, width, max(HEIGHT, self.fontMetrics().height() * 38), free=_FREE)
        above = (*self._sentences, self._zoom_in, self._zoom_out, self._search, self._only, self._in_detail)
        buttons = (self._look, self._stuck, self._fine, self._label, self._earlier, self._later, self._forget)
        for before, after in pairwise((self._tabs.tabBar(), *above, self._list, *buttons)):
            self.setTabOrder(before, after)

    def _make_timeline(self) -> QWidget:
        page = QWidget()
        page.setObjectName("timeline")
        legend = QLabel(tr(LEGEND))
        legend.setObjectName("legend")
        legend.setProperty("role", "faint")
        legend.setFont(scaled_font(0.9))
        holder = QWidget()
        answers = beside(self._details_head, None, self._stuck, self._fine)
        answers.setStretchFactor(self._details_head, 1)
        details = beside(self._details, self._label)
        details.setStretchFactor(self._details, 1)
        filled(QVBoxLayout(holder), answers, details, None, spacing=2, margins=(0, 4, 0, 0))
        holder.setMinimumHeight(round(self.fontMetrics().height() * 4.6))
        above = beside(self._search, self._only, self._in_detail, spacing=16)
        above.setStretchFactor(self._search, 1)
        tools = (self._zoom_in, self._zoom_out, self._look, None, legend)
        filled(QHBoxLayout(self._tools), *tools, spacing=4, margins=(0, 0, 0, 0))
        parts = (filled(QVBoxLayout(), *self._sentences, spacing=0), self._band, self._tools, above, self._list, holder)
        column = filled(QVBoxLayout(page), *parts, spacing=8, margins=(0, 10, 0, 0))
        column.setStretchFactor(self._list, 1)
        return page

    def _make_button(self, text: str, name: str, object_name: str, role: str) -> QPushButton:
        button = make_wide_button(text, object_name, role)
        button.setAccessibleName(name)
        button.setToolTip("" if role == "chip" else name)
        button.setEnabled(object_name in ("forget", "zoom_in", "zoom_out"))
        return button

    def _connect(self) -> None:
        self._list.selected.connect(self._show_details)
        self._list.wanted.connect(self._requests.request_thumbnails)
        self._band.dragged.connect(self._list.select_between)
        model = self._list.moments
        self._only.toggled.connect(lambda on: self._list.show_otherwise(partial(model.show_only_marked, on)))
        self._in_detail.toggled.connect(lambda on: self._list.show_otherwise(partial(model.show_in_detail, on)))
        self._search.textChanged.connect(lambda text: self._list.show_otherwise(partial(model.search, text)))
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self._begin_search)
        self._zoom_in.clicked.connect(lambda: self._band.zoom(1))
        self._zoom_out.clicked.connect(lambda: self._band.zoom(-1))
        for number, button in enumerate(self._sentences):
            button.clicked.connect(partial(self._follow, number))
        self._list.looked_at.connect(self._look_at)
        self._look.clicked.connect(lambda: self._look_at(self._list.chosen[0]))
        self._label.clicked.connect(self._begin_labels)
        self._learned.unmuted.connect(self._requests.unmute)
        self._stuck.clicked.connect(partial(self._report, needed=True))
        self._fine.clicked.connect(partial(self._report, needed=False))
        self._earlier.clicked.connect(lambda: self._go_to(self._day.earlier if self._day is not None else None))
        self._later.clicked.connect(lambda: self._go_to(self._day.later if self._day is not None else None))
        self._forget.clicked.connect(self._choose_what_to_forget)
        self._tabs.currentChanged.connect(self._turn_page)

    # ------------------------------------------------------------ showing

    def appear(self) -> None:
        """Show the window in front, and request what it shows."""
        if not self.isVisible():
            self._requests.open()
            self._requests.request_day(None)
            self._requests.request_facts()
        bring_up(self)

    def take(self, reply: TimelineReply) -> None:
        """Show a reply of the reader."""
        match reply:
            case TimelineDay():
                self._show_day(reply)
            case MomentsChanged():
                self._show_changes(reply)
            case FullPicture():
                if self._picture is not None:
                    self._picture.take(reply)
            case Thumbnail():
                self._list.keep_thumbnail(reply)
            case TimelineFacts():
                self._facts = reply
                self._fill_facts()
            case ForgetReport():
                self._show_what_is_left(reply)
            case TimelineTrouble():
                self._show_trouble(reply)

    def _show_day(self, day: TimelineDay) -> None:
        self._day = day
        self._heading.setText(day_title(day.day, day.today))
        self._earlier.setEnabled(day.earlier is not None)
        self._later.setEnabled(day.later is not None)
        self._list.show(day.moments)
        self._refresh()
        self._show_details()
        if not self._focused:
            self._focused = True
            self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_changes(self, changes: MomentsChanged) -> None:
        if self._day is None or changes.day != self._day.day:
            return
        self._list.put(changes.moments)
        self._refresh()
        if self._pending and any(moment.kind is MomentKind.REPORT for moment in changes.moments):
            self._pending = 0
            self._show_details(note=tr(REPORTED))
            self._requests.request_facts()

    def _refresh(self) -> None:
        moments = self._list.moments.everything
        self._band.show_moments(moments)
        self._said = said = view_sentences(moments)
        is_low = self.height() < LOW * self.fontMetrics().height()
        room = 1 if is_low else MOST_SENTENCES
        self._tools.setVisible(not is_low)
        for number, button in enumerate(self._sentences):
            button.say(said[number].text if number < min(room, len(said)) else "")
        if self._day is not None:
            summary = view_summary(self._day, moments)
            self._summary.say(summary)
            self._summary.setVisible(bool(self._day.left_out or self._day.unreadable or not said) and bool(summary))
        self._fill_times()

    def turn_to(self, page: str) -> None:
        """Turn to a page, by its name."""
        self._tabs.setCurrentIndex(TABS.index(page))

    def _turn_page(self) -> None:
        """Fill a page from the first time on that somebody turns to it: most look at the timeline alone."""
        self._turned_to.add(self._tabs.currentWidget())
        self._fill_times()
        self._fill_facts()
        self._requests.request_facts()

    def _fill_times(self) -> None:
        if self._day is not None and self._time in self._turned_to:
            moments = self._list.moments.everything
            self._time.show_rows(((tr(DAY), view_summary(self._day, moments)), *view_times(moments)))

    def _fill_facts(self) -> None:
        if self._facts is None:
            return
        if self._stored in self._turned_to:
            self._stored.show_rows(view_stored(self._facts.stored))
        for page in (self._sent, self._learned):
            if page in self._turned_to:
                page.show_facts(self._facts)

    def _show_details(self, *, note: str = "") -> None:
        chosen = self._list.chosen
        view = view_details(chosen)
        self._details_head.say(view.head)
        self._details.setText("\n".join((*view.lines, *([note] if note else []))))
        self._details.updateGeometry()
        for button in (self._stuck, self._fine):
            button.setEnabled(view.can_report)
        self._label.setEnabled(bool(chosen))
        self._look.setEnabled(len(chosen) == 1 and bool(chosen[0].frame))
        if chosen:
            self._band.show_chosen(
                min(moment.begin_wall_ns for moment in chosen), max(moment.end_wall_ns for moment in chosen)
            )
        else:
            self._band.show_chosen(None, None)

    def _show_trouble(self, trouble: TimelineTrouble) -> None:
        self._pending = 0
        self._trouble.say(view_trouble(trouble).text)
        if self._heading.text() == tr(FORGETTING):
            self._go_to(self._day.day if self._day is not None else None)

    # ------------------------------------------------------------ what the person does

    def _go_to(self, day: dt.date | None) -> None:
        self._trouble.hide()
        self._requests.request_day(day)

    def _begin_search(self) -> None:
        self._tabs.setCurrentIndex(0)
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _follow(self, number: int) -> None:
        sentence = self._said[number]
        self._search.setText(sentence.words)
        self._only.setChecked(sentence.marked)
        if sentence.begin_wall_ns:
            self._list.select_between(sentence.begin_wall_ns, sentence.end_wall_ns)
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look_at(self, moment: Moment) -> None:
        if self._picture is not None:
            self._picture.done(0)
        self._picture = PictureWindow(self, moment)
        self._picture.gone.connect(self._forget_picture)
        self._requests.request_picture(moment)

    def _forget_picture(self) -> None:
        self._picture = None

    def _begin_labels(self) -> None:
        chosen = self._list.chosen
        if chosen:
            self.labelled.emit(chosen[0].session, chosen[0].begin_wall_ns)

    def _report(self, *, needed: bool) -> None:
        """Say how the selected stretch was; it comes back as a row."""
        chosen: list[Moment] = self._list.chosen
        found = stretches(chosen)
        if not found:
            return
        self._pending += len(found)
        for stretch in found:
            self._requests.report(stretch.session, stretch.start_ns, stretch.end_ns, needed=needed)
        self._show_details(note=tr(REPORTING))

    def _choose_what_to_forget(self) -> None:
        menu = QMenu(self)
        menu.setAccessibleName(tr(FORGET).replace("&", ""))
        day = self._day.day if self._day is not None else None
        for scope, text in view_forget_choices().items():
            action = menu.addAction(text)
            action.triggered.connect(partial(self._requests.preview_forget, scope, day))
            if scope is ForgetScope.DAY and self._day is not None and self._day.earlier is not None:
                action = menu.addAction(long_day(self._day.earlier))
                action.triggered.connect(partial(self._requests.preview_forget, scope, self._day.earlier))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._forget.mapToGlobal(QPoint(0, self._forget.height())))

    def _ask_to_forget_learned(self) -> None:
        title, text, yes = tr(FORGET_LEARNED_TITLE), tr(FORGET_LEARNED_TEXT), tr(FORGET_LEARNED_YES)
        self._confirm = ConfirmWindow(title, text, yes, self._requests.forget_learned, lambda: None)
        self._confirm.gone.connect(partial(setattr, self, "_confirm", None))
        self._confirm.appear()

    def _show_what_is_left(self, report: ForgetReport) -> None:
        """Show it once something is forgotten; the question and what went have a window of their own."""
        if report.done:
            self._trouble.hide()
            self._requests.request_day(self._day.day if self._day is not None else None)
            self._requests.request_facts()

    def let_go(self) -> None:
        """Show nothing more: something is being deleted."""
        self._heading.setText(tr(FORGETTING))
        if self._picture is not None:
            self._picture.done(0)
        self._list.show([])
        self._refresh()

    # ------------------------------------------------------------ the end

    def done(self, result: int) -> None:
        """Close: end the reader, and give everything back."""
        super().done(result)
        if self._confirm is not None:
            self._confirm.close()
        self._requests.close()
        self._list.moments.show([])
        self.gone.emit()
        self.deleteLater()
