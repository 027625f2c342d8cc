"""The window "What Kairos saw". Everything in it comes from the reader; what the person does goes to it.

It was opened by the person, so it may take the focus. Closing it ends the reader and gives everything back.
"""

import datetime as dt
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QMenu, QPushButton, QTabWidget, QVBoxLayout, QWidget

from storage.timeline import (
    ForgetReport,
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
from ui.theme import current_theme, scaled_font, style_sheet
from ui.timeline.band import DayBand
from ui.timeline.moments import MomentsList
from ui.timeline.pages import LearnedPage, SentPage, StoredPage
from ui.views.forget import view_trouble
from ui.views.timeline import (
    EARLIER,
    FINE,
    FORGET,
    FORGETTING,
    LATER,
    LEARNED,
    LEGEND,
    ONLY_MARKED,
    READING,
    REPORTED,
    REPORTING,
    SENT,
    STORED,
    STUCK,
    TIMELINE,
    TITLE,
    day_title,
    stretches,
    view_details,
    view_forget_choices,
    view_summary,
)
from ui.widgets import Prose, TickBox, beside, bring_up, centred, filled, make_wide_button

WIDTH, HEIGHT = 940, 680
WIDTH_IN_CHARACTERS = 110
_MARGIN = 20
_FREE = 60


class TimelineWindow(QDialog):
    """The window; `gone` says that it was closed."""

    gone = Signal()

    def __init__(self, requests: TimelineRequests) -> None:
        """Lay the window out, hidden and empty; show it with `appear`."""
        super().__init__(None, Qt.WindowType.Window)
        self.theme = current_theme()
        self._requests = requests
        self._day: TimelineDay | None = None
        self._pending = 0
        self._focused = False
        self.setWindowTitle(f"Kairos: {tr(TITLE)}")
        self.setAccessibleName(tr(TITLE))
        self.setStyleSheet(style_sheet(self.theme, "timeline"))
        self._heading = Prose(tr(READING), "day", size=1.3, bold=True)
        self._summary = Prose("", "summary", faint=True)
        self._trouble = Prose("", "trouble")
        self._trouble.hide()
        self._earlier = self._make_button("\u2039", tr(EARLIER), "earlier", "icon")
        self._later = self._make_button("\u203a", tr(LATER), "later", "icon")
        self._forget = self._make_button(tr(FORGET), tr(FORGET).replace("&", ""), "forget", "chip")
        self._only = TickBox(tr(ONLY_MARKED), "only_marked", self.theme)
        self._band = DayBand(self.theme)
        self._list = MomentsList(self.theme)
        self._details = Prose("", "details", faint=True)
        self._details_head = Prose("", "details_head", bold=True)
        self._stuck = self._make_button(tr(STUCK), tr(STUCK).replace("&", ""), "stuck", "chip")
        self._fine = self._make_button(tr(FINE), tr(FINE).replace("&", ""), "fine", "chip")
        self._sent, self._stored, self._learned = SentPage(), StoredPage(), LearnedPage()
        self._tabs = QTabWidget()
        self._lay_out()
        self._connect()
        self._show_details()

    # ------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        for button in (self._earlier, self._later):
            button.setFont(scaled_font(1.5))
            button.setMinimumWidth(0)
            button.setFixedWidth(round(self.fontMetrics().height() * 2.4))
        head = beside(self._heading, self._earlier, self._later, 10, self._forget, spacing=6)
        head.setStretchFactor(self._heading, 1)
        self._tabs.setObjectName("tabs")
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.addTab(self._make_timeline(), tr(TIMELINE))
        self._tabs.addTab(self._sent, tr(SENT))
        self._tabs.addTab(self._stored, tr(STORED))
        self._tabs.addTab(self._learned, tr(LEARNED))
        self._tabs.tabBar().setAccessibleName(tr(TITLE))
        margins = (_MARGIN, _MARGIN - 4, _MARGIN, _MARGIN - 4)
        column = filled(QVBoxLayout(self), head, self._summary, self._trouble, self._tabs, spacing=8, margins=margins)
        column.setStretchFactor(self._tabs, 1)
        width = max(WIDTH, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS)
        centred(self, width, max(HEIGHT, self.fontMetrics().height() * 38), free=_FREE)
        buttons = (self._stuck, self._fine, self._earlier, self._later, self._forget)
        for before, after in pairwise((self._tabs.tabBar(), self._only, self._list, *buttons)):
            self.setTabOrder(before, after)

    def _make_timeline(self) -> QWidget:
        page = QWidget()
        page.setObjectName("timeline")
        legend = QLabel(tr(LEGEND))
        legend.setObjectName("legend")
        legend.setProperty("role", "faint")
        legend.setFont(scaled_font(0.9))
        holder = QWidget()
        words = filled(QVBoxLayout(), self._details_head, self._details, None, spacing=2)
        foot = filled(QHBoxLayout(holder), words, self._stuck, self._fine, spacing=8, margins=(0, 4, 0, 0))
        foot.setStretchFactor(words, 1)
        for button in (self._stuck, self._fine):
            foot.setAlignment(button, Qt.AlignmentFlag.AlignTop)
        holder.setMinimumHeight(round(self.fontMetrics().height() * 4.6))
        above = beside(self._only, None, legend, spacing=-1)
        column = filled(QVBoxLayout(page), self._band, above, self._list, holder, spacing=8, margins=(0, 10, 0, 0))
        column.setStretchFactor(self._list, 1)
        return page

    def _make_button(self, text: str, name: str, object_name: str, role: str) -> QPushButton:
        button = make_wide_button(text, object_name, role)
        button.setAccessibleName(name)
        button.setToolTip("" if role == "chip" else name)
        button.setEnabled(object_name == "forget")
        return button

    def _connect(self) -> None:
        self._list.selected.connect(self._show_details)
        self._list.wanted.connect(self._requests.request_thumbnails)
        self._band.dragged.connect(self._list.select_between)
        self._only.toggled.connect(self._list.show_only_marked)
        self._stuck.clicked.connect(partial(self._report, needed=True))
        self._fine.clicked.connect(partial(self._report, needed=False))
        self._earlier.clicked.connect(lambda: self._go_to(self._day.earlier if self._day is not None else None))
        self._later.clicked.connect(lambda: self._go_to(self._day.later if self._day is not None else None))
        self._forget.clicked.connect(self._choose_what_to_forget)
        self._tabs.currentChanged.connect(lambda _: self._requests.request_facts())

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
            case Thumbnail():
                self._list.keep_thumbnail(reply)
            case TimelineFacts():
                for page in (self._sent, self._stored, self._learned):
                    page.show_facts(reply)
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
        """Bring the band and the sums up to date."""
        moments = self._list.moments.everything
        self._band.show_moments(moments)
        if self._day is not None:
            self._summary.say(view_summary(self._day, moments))

    def _show_details(self, *, note: str = "") -> None:
        chosen = self._list.chosen
        view = view_details(chosen)
        self._details_head.say(view.head)
        self._details.setText("\n".join((*view.lines, *([note] if note else []))))
        self._details.updateGeometry()
        for button in (self._stuck, self._fine):
            button.setEnabled(view.can_report)
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
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._forget.mapToGlobal(QPoint(0, self._forget.height())))

    def _show_what_is_left(self, report: ForgetReport) -> None:
        """Show it once something is forgotten; the question and what went have a window of their own."""
        if report.done:
            self._trouble.hide()
            self._requests.request_day(self._day.day if self._day is not None else None)
            self._requests.request_facts()

    def let_go(self) -> None:
        """Show nothing more: something is being deleted."""
        self._heading.setText(tr(FORGETTING))
        self._list.show([])
        self._refresh()

    # ------------------------------------------------------------ the end

    def done(self, result: int) -> None:
        """Close: end the reader, and give everything back."""
        super().done(result)
        self._requests.close()
        self._list.moments.show([])
        self.gone.emit()
        self.deleteLater()
