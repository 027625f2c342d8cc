"""What leads into the window for labels: a stretch in What Kairos saw, and a moment of the evening review."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from storage.clock import NS_PER_S
from storage.enrolment import DEFAULT_ITEMS
from storage.ports import REVIEW_PREFIX, ReviewQuestion
from storage.settings import InterfaceSettings
from storage.timeline import SessionToLabel
from tests.fakes.narrowing import present
from tests.fakes.ui.interface import Until, button
from tests.fakes.ui.moments import WALL_NS, day_of, moment_of
from tests.fakes.ui.requests import Calls, LabelNotes, TimelineNotes, forget_report
from ui.app import Interface

MOMENT = moment_of(40, session="s1", moment_id="s1/w1", app="calc")


@pytest.fixture
def labels() -> LabelNotes:
    """Return what is asked of the reader."""
    return LabelNotes()


@pytest.fixture
def made(qapp: QApplication, labels: LabelNotes) -> Iterator[Interface]:
    interface = Interface(Calls(), InterfaceSettings(), TimelineNotes(), labels=labels)
    yield interface
    interface.close()
    qapp.processEvents()


def look_at_the_day(interface: Interface) -> None:
    interface._show_seen()
    present(interface._seen).take(day_of(MOMENT))


def test_a_stretch_of_the_day_leads_to_its_time(made: Interface, labels: LabelNotes) -> None:
    """The button waits for a row; the window opens at that time, and another stretch takes its place."""
    look_at_the_day(made)
    more = button(present(made._seen), "label")
    assert not more.isEnabled()
    present(made._seen)._list._select(0, 0)
    more.click()
    first = present(made._label_window)
    assert labels.calls == [("open", "s1")]
    session = SessionToLabel(
        session="s1",
        begin_wall_ns=WALL_NS,
        begin_ns=0,
        end_ns=90 * NS_PER_S,
        pictures=(),
        acts=(),
        moments=(),
        labels=(),
    )
    made._on_labels(session)
    assert first._at_ns == 40 * NS_PER_S
    more.click()
    assert made._label_window is not first
    assert [call[0] for call in labels.calls] == ["open", "close", "open"]


def test_the_window_goes_before_anything_is_forgotten(made: Interface, labels: LabelNotes) -> None:
    """It holds what is about to be deleted."""
    made._show_labels("s1", MOMENT.begin_wall_ns)
    made._forget(forget_report())
    assert made._label_window is None
    assert labels.calls[-1] == ("close",)


def test_the_evening_review_leads_to_its_moment(made: Interface, labels: LabelNotes, until: Until) -> None:
    """A question of a study does not: nothing of it is recorded for oneself."""
    item = ReviewQuestion(
        code="m0", text="were you stuck?", choices=("yes", "no"), session="s1", begin_wall_ns=MOMENT.begin_wall_ns
    )
    made.bridge.show_question(f"{REVIEW_PREFIX}2026-09-21", (item,))
    until(lambda: made._question is not None and made._question._armed)
    assert button(present(made._question), "more").isVisible()
    button(present(made._question), "more").click()
    assert labels.calls == [("open", "s1")]
    assert made._question is not None
    assert present(made._label_window)._at_wall_ns == MOMENT.begin_wall_ns
    made.bridge.show_question("r1/1", DEFAULT_ITEMS)
    until(lambda: made._question is not None and made._question.view.question_id == "r1/1")
    assert not button(present(made._question), "more").isVisible()


def test_without_a_reader_there_is_no_way_there(qapp: QApplication) -> None:
    """As where the timeline alone is shown."""
    interface = Interface(Calls(), InterfaceSettings(), TimelineNotes())
    look_at_the_day(interface)
    assert not button(present(interface._seen), "label").isVisible()
    interface._show_labels("s1", MOMENT.begin_wall_ns)
    assert interface._label_window is None
    interface.close()
