"""The timeline window without a desktop: rows and sums by their accessible names, live rows, labels, memory let go."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QPushButton, QWidget

from storage.clock import NS_PER_S
from storage.timeline import FullPicture, Moment, MomentKind, MomentsChanged, Thumbnail, TimelineTrouble
from tests.fakes.narrowing import as_a, present
from tests.fakes.ui.every_window import FACTS
from tests.fakes.ui.moments import DAY, WINDOW_S, day_of, moment_of
from tests.fakes.ui.requests import TimelineNotes, forget_report
from ui.timeline import moments as moments_module
from ui.timeline.band import LEAST_SHOWN_NS, DayBand
from ui.timeline.moments import MomentsList
from ui.timeline.picture import PictureWindow
from ui.timeline.window import TimelineWindow
from ui.views.timeline import (
    FORGETTING,
    NOTHING_FOUND,
    NOTHING_MARKED,
    PICTURE_LOST,
    REPORTED,
    REPORTING,
    TimelineRowView,
    view_row,
)


def work(number: int, need: float = 0.1, frame: int = 0) -> Moment:
    facts: dict[str, Any] = {"app": "gimp", "state": "frustration", "estimates": 4, "why": "No offer: so it was."}
    return moment_of(WINDOW_S * number, moment_id=f"s/w{number}", help_need=need, frame=frame, **facts)


Shown = tuple[TimelineWindow, TimelineNotes]


@pytest.fixture
def shown(qapp: QApplication) -> Shown:
    requests = TimelineNotes()
    window = TimelineWindow(requests)
    window.appear()
    qapp.processEvents()
    assert requests.calls[:3] == [("open",), ("request_day", None), ("request_facts",)]
    requests.calls.clear()
    tick(window, "in_detail")
    return window, requests


def tick(window: TimelineWindow, name: str) -> None:
    box = present(window.findChild(QWidget, name))
    QTest.keyClick(box, Qt.Key.Key_Space)


def list_of(window: TimelineWindow) -> MomentsList:
    return as_a(MomentsList, window.findChild(MomentsList))


def spoken_rows(window: TimelineWindow) -> list[str]:
    face = present(QAccessible.queryAccessibleInterface(list_of(window)))
    return [face.child(row).text(QAccessible.Text.Name) for row in range(face.childCount())]


def heads(window: TimelineWindow) -> list[str]:
    """Return what rows say behind their time; from the model, since nobody tells the reader of another one here."""
    model = list_of(window).moments
    return [str(model.data(model.index(row))).split(". ")[1] for row in range(model.rowCount())]


def button(window: QWidget, name: str) -> QPushButton:
    return as_a(QPushButton, window.findChild(QPushButton, name))


def text_of(window: QWidget, name: str) -> str:
    found = present(window.findChild(QWidget, name))
    return str(found.property("text"))


def texts_of(page: QWidget) -> str:
    return " ".join(label.text() for label in page.findChildren(QLabel))


def choose(window: TimelineWindow, *rows: int) -> None:
    view = list_of(window)
    view.clearSelection()
    for row in rows:
        view.selectionModel().select(view.model().index(row, 0), QItemSelectionModel.SelectionFlag.Select)


def test_a_screen_reader_hears_every_row_and_what_the_buttons_do(shown: Shown) -> None:
    window, _ = shown
    window.take(day_of(work(0), work(1, 0.8)))
    rows = spoken_rows(window)
    assert len(rows) == 2
    assert rows[1].endswith("Struggling in gimp. Help need 80 %. No offer: so it was.")
    assert text_of(window, "day") == "Today, Monday 21 September 2026"
    assert text_of(window, "summary").startswith("48 s of work seen")
    nameless = [
        child.objectName()
        for child in (*window.findChildren(QPushButton), list_of(window))
        if not child.accessibleName() and child.isVisible()
    ]
    assert nameless == []
    assert window.focusWidget() is list_of(window)


def test_rows_that_come_live_are_put_in_order_and_replace_older_ones(shown: Shown) -> None:
    window, _ = shown
    window.take(day_of(work(0), work(2)))
    choose(window, 1)
    window.take(MomentsChanged(day=DAY, moments=(work(1), replace(work(2), help_need=0.9))))
    assert [spoken.split("need ")[1].split(" ")[0] for spoken in spoken_rows(window)] == ["10", "10", "90"]
    assert [moment.moment_id for moment in list_of(window).chosen] == ["s/w2"]
    window.take(MomentsChanged(day=DAY - dt.timedelta(days=1), moments=(work(3),)))
    assert len(spoken_rows(window)) == 3


def test_a_stretch_is_labelled_and_the_label_is_confirmed_once_it_is_stored(shown: Shown) -> None:
    window, requests = shown
    window.take(day_of(*(work(number) for number in range(5))))
    assert not button(window, "stuck").isEnabled()
    choose(window, 1, 2, 3)
    requests.calls.clear()
    button(window, "stuck").click()
    assert requests.calls == [("report", "s", 24 * NS_PER_S + 1, 4 * 24 * NS_PER_S - 1, True)]
    assert REPORTING in text_of(window, "details")
    said = replace(work(1), moment_id="s/r9", kind=MomentKind.REPORT, needed=True)
    window.take(MomentsChanged(day=DAY, moments=(said,)))
    assert REPORTED in text_of(window, "details")
    assert any("You were stuck here" in spoken for spoken in spoken_rows(window))
    choose(window, 0)
    button(window, "fine").click()
    assert requests.calls[-1] == ("report", "s", 1, 24 * NS_PER_S - 1, False)


def test_only_what_stands_out_is_shown_on_request(shown: Shown) -> None:
    """Offers and what the person said; where there is none it says so."""
    window, _ = shown
    offer = replace(work(1), moment_id="s/o1", kind=MomentKind.OFFER, title="Undone twice")
    window.take(day_of(work(0), offer, work(2)))
    tick(window, "only_marked")
    assert [spoken.split(". ")[1] for spoken in spoken_rows(window)] == ["Help was offered: Undone twice"]
    window.take(MomentsChanged(day=DAY, moments=(work(3),)))
    assert len(spoken_rows(window)) == 1
    window.take(day_of(work(0)))
    assert list_of(window).moments.rowCount() == 0
    assert list_of(window).empty_text == NOTHING_MARKED


def test_pictures_are_requested_for_rows_in_view_and_few_are_kept(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, requests = shown
    monkeypatch.setattr(moments_module, "MAX_THUMBNAILS", 3)
    window.take(day_of(*(work(number, frame=number + 1) for number in range(500))))
    QApplication.processEvents()
    wanted = [call[1] for call in requests.calls if call[0] == "request_thumbnails"][-1]
    assert 3 < len(wanted) < 30
    assert wanted[-1].moment_id == "s/w499"
    for moment in wanted:
        window.take(Thumbnail(moment_id=moment.moment_id, width=2, height=1, rgb=b"\0" * 6))
    assert len(list_of(window).moments.thumbnails) == 3


def test_a_thousand_rows_are_put_into_words_only_where_they_are_in_view(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day costs what a screenful costs."""
    window, _ = shown
    worded: list[str] = []

    def note(one: Moment) -> TimelineRowView:
        worded.append(one.moment_id)
        return view_row(one)

    monkeypatch.setattr(moments_module, "view_row", note)
    window.take(day_of(*(work(number) for number in range(5000))))
    window.grab()
    assert 0 < len(set(worded)) < 50


def test_forgetting_empties_the_window_at_once_and_reads_the_day_again(shown: Shown) -> None:
    window, requests = shown
    window.take(day_of(work(0)))
    window.take(forget_report())
    assert len(spoken_rows(window)) == 1
    assert ("request_day", DAY) not in requests.calls
    window.let_go()
    assert spoken_rows(window) == []
    assert text_of(window, "day") == FORGETTING
    window.take(forget_report(done=True))
    assert requests.calls[-2:] == [("request_day", DAY), ("request_facts",)]
    requests.calls.clear()
    window.take(TimelineTrouble(what="The disk is full", remedy="Free some."))
    assert text_of(window, "trouble") == "The disk is full. Free some."
    assert ("request_day", DAY) in requests.calls


def test_closing_ends_the_reader(shown: Shown) -> None:
    window, requests = shown
    gone: list[bool] = []
    window.gone.connect(lambda: gone.append(True))
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert requests.calls[-1] == ("close",)
    assert gone == [True]


def test_the_band_marks_offers_and_no_cards_that_somebody_asked_for(shown: Shown) -> None:
    window, _ = shown
    (band,) = window.findChildren(DayBand)

    def picture(*moments: Moment) -> QImage:
        window.take(day_of(work(1), *moments))
        return band.grab().toImage()

    offer = replace(work(2, need=0.8), moment_id="s/o2", kind=MomentKind.OFFER)
    alone = picture()
    assert picture(replace(offer, help_need=None)) == alone
    assert picture(offer) != alone


def test_work_stands_in_stretches_that_open_into_their_windows(shown: Shown) -> None:
    """By Right and Left, or Return; a stretch that is open stays so while rows are added to it."""
    window, _ = shown
    tick(window, "in_detail")
    window.take(day_of(*(work(number) for number in range(3)), replace(work(3), app="calc")))
    view = list_of(window)
    assert heads(window) == ["gimp", "calc"]
    choose(window, 0)
    view.setCurrentIndex(view.model().index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert len(heads(window)) == 5
    assert [moment.kind for moment in view.chosen] == [MomentKind.STRETCH]
    window.take(MomentsChanged(day=DAY, moments=(replace(work(4), app="calc"),)))
    assert len(heads(window)) == 5
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert len(heads(window)) == 2
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert len(heads(window)) == 5


def test_a_whole_stretch_is_labelled(shown: Shown) -> None:
    window, requests = shown
    tick(window, "in_detail")
    window.take(day_of(*(work(number) for number in range(3))))
    choose(window, 0)
    button(window, "stuck").click()
    assert requests.calls[-1] == ("report", "s", 1, 3 * 24 * NS_PER_S - 1, True)


def test_words_are_searched_for_and_a_search_that_finds_nothing_says_so(shown: Shown) -> None:
    """Control and F go there from anywhere in the window."""
    window, _ = shown
    window.take(day_of(work(0), replace(work(1), app="calc"), work(2)))
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = present(window.findChild(QWidget, "search"))
    assert window.focusWidget() is field
    QTest.keyClicks(field, "CALC")
    assert heads(window) == ["Struggling in calc"]
    QTest.keyClicks(field, "x")
    assert heads(window) == []
    assert list_of(window).empty_text == NOTHING_FOUND


def test_a_sentence_on_top_leads_to_what_it_is_about(shown: Shown) -> None:
    window, _ = shown
    offer = replace(work(2), moment_id="s/o1", kind=MomentKind.OFFER, title="Undone twice")
    window.take(day_of(work(0), replace(work(1), help_need=0.9), offer, work(2), replace(work(3), app="calc")))
    tick(window, "in_detail")
    button(window, "sentence_0").click()
    assert [moment.app for moment in list_of(window).chosen] == ["gimp"]
    button(window, "sentence_1").click()
    assert heads(window) == ["Help was offered: Undone twice"]
    button(window, "sentence_2").click()
    assert heads(window) == ["gimp", "Help was offered: Undone twice"]


def test_a_recorded_moment_is_seen_in_full_size(shown: Shown) -> None:
    """By its button, and by Return on its row; one whose picture was lost says so. Forgetting takes it away."""
    window, requests = shown
    window.take(day_of(work(0), work(1, frame=7)))
    assert not button(window, "look").isEnabled()
    choose(window, 1)
    button(window, "look").click()
    assert requests.calls[-1] == ("request_picture", work(1, frame=7))
    (seen,) = window.findChildren(PictureWindow)
    window.take(FullPicture(moment_id="s/w1", width=2, height=1, rgb=b"\xff\0\0" * 2))
    canvas = present(seen.findChild(QWidget, "picture"))
    middle = canvas.rect().center()
    assert QColor(canvas.grab().toImage().pixel(middle)).name() == "#ff0000"
    window.take(FullPicture(moment_id="s/w1"))
    assert text_of(seen, "note") == PICTURE_LOST
    window.let_go()
    assert not seen.isVisible()
    window.take(day_of(work(0), work(1, frame=7)))
    view = list_of(window)
    view.setCurrentIndex(view.model().index(1, 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert requests.calls[-1] == ("request_picture", work(1, frame=7))


def test_the_band_shows_a_shorter_time_on_request(shown: Shown) -> None:
    """Around what is selected, at most ten minutes, and the whole day again."""
    window, _ = shown
    window.take(day_of(*(work(number) for number in range(0, 400, 100))))
    (band,) = window.findChildren(DayBand)
    whole = band.grab().toImage()
    choose(window, 1)
    for _ in range(9):
        button(window, "zoom_in").click()
    assert band._end_ns - band._begin_ns == LEAST_SHOWN_NS
    assert band._begin_ns <= work(100).begin_wall_ns <= band._end_ns
    window.take(MomentsChanged(day=DAY, moments=(work(201),)))
    assert band._end_ns - band._begin_ns == LEAST_SHOWN_NS
    for _ in range(9):
        button(window, "zoom_out").click()
    list_of(window).clearSelection()
    window.take(day_of(*(work(number) for number in range(0, 400, 100))))
    assert band.grab().toImage() == whole


def test_buttons_lead_to_the_settings_and_forget_what_was_learned_with_a_yes(shown: Shown) -> None:
    window, requests = shown
    wanted: list[bool] = []
    window.settings.connect(lambda: wanted.append(True))
    button(window, "stored.act").click()
    assert wanted == [True]
    window._tabs.setCurrentWidget(window._learned)
    for problems in (FACTS.problems, ()):  # what is damaged can be forgotten too
        window.take(replace(FACTS, learned=(), problems=problems))
        assert button(window, "learned.act").isEnabled() is bool(problems)
    window.take(replace(FACTS, learned=("It waits longer.",)))
    for name, calls in (("cancel", []), ("agree", [("forget_learned",)])):
        requests.calls.clear()
        button(window, "learned.act").click()
        button(present(window._confirm), name).click()
        assert requests.calls == calls


def test_a_topic_is_unmuted_by_its_button(shown: Shown) -> None:
    window, requests = shown
    window._tabs.setCurrentWidget(window._learned)
    window.take(replace(FACTS, learned=(), muted=("undo_bursts", "dead_clicks")))
    assert button(window, "learned.act").isEnabled()
    requests.calls.clear()
    button(window, "unmute_dead_clicks").click()
    assert requests.calls == [("unmute", "dead_clicks")]


def test_a_page_is_filled_with_what_came_before_it_was_turned_to(shown: Shown) -> None:
    """With what is known at once, and it is requested anew; what nobody turns to is not laid out."""
    window, requests = shown
    window.take(replace(FACTS, learned=("It waits longer.",)))
    window.take(day_of(work(1)))
    for page, name in ((window._stored, "fact_0"), (window._learned, "sentence_0"), (window._time, "fact_0")):
        assert page.findChild(QWidget, name) is None
        requests.calls.clear()
        window._tabs.setCurrentWidget(page)
        assert page.findChild(QWidget, name) is not None
        assert requests.calls == [("request_facts",)]


def test_work_that_goes_on_moves_nothing_on_other_pages(shown: Shown) -> None:
    """Who reads what was sent stays where they are while rows of the running session come in."""
    window, _ = shown
    window.take(replace(FACTS, sent=FACTS.sent * 40, learned=("It waits longer.",)))
    window.take(day_of(work(1)))
    window._tabs.setCurrentWidget(window._sent)
    sent = present(window.findChild(QListView, "sent"))
    sent.setCurrentIndex(sent.model().index(30, 0))
    window.take(MomentsChanged(day=DAY, moments=(work(2),)))
    assert sent.currentIndex().row() == 30
    window._tabs.setCurrentWidget(window._learned)
    sentence = window.findChild(QWidget, "sentence_0")
    window.take(MomentsChanged(day=DAY, moments=(work(3),)))
    assert window.findChild(QWidget, "sentence_0") is sentence


def test_what_is_forgotten_leaves_pages_that_were_turned_to_before(shown: Shown) -> None:
    window, _ = shown
    window.take(FACTS)
    window.take(day_of(work(1)))
    for page in (window._time, window._sent):
        window._tabs.setCurrentWidget(page)
    window._tabs.setCurrentIndex(0)
    assert "gimp" in texts_of(window._time)
    window.let_go()
    assert "gimp" not in texts_of(window._time)
    window.take(replace(FACTS, sent=()))
    assert present(window.findChild(QListView, "sent")).model().rowCount() == 0


def test_a_long_sentence_on_top_forces_no_window_to_be_wide(shown: Shown) -> None:
    """It is broken to the width, and said whole to a screen reader."""
    window, _ = shown
    offer = replace(work(1), moment_id="s/o1", kind=MomentKind.OFFER, title="Undone twice in a very long title " * 3)
    window.take(day_of(replace(work(0), help_need=0.9), offer, replace(work(1), help_need=0.9)))
    QApplication.processEvents()
    narrowest = window.minimumSizeHint().width()
    sentence = button(window, "sentence_0")
    assert sentence.minimumSizeHint().width() > narrowest or "\n" in sentence.text()
    window.resize(narrowest, window.height())
    QApplication.processEvents()
    assert sentence.text().replace("\n", " ") == sentence.accessibleName()
    widest = max(map(sentence.fontMetrics().horizontalAdvance, sentence.text().split("\n")))
    assert widest <= sentence.width()
    assert sentence.height() >= sentence.text().count("\n") * sentence.fontMetrics().height()
