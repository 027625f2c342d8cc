"""One's own days as a benchmark: what counts as truth, shares that lie in their intervals, and what is proposed."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from daemon.history.own_days import OwnDays, TruthSource, propose, read_own_days, try_choices
from lab.benchmarks.mine.benchmark import write_month
from storage.clock import DAY_NS, HOUR_NS, NS_PER_S
from storage.records import ME, EarlierReport, FeedbackKind, NeedLabel, NeedReport, ReportedBy, SegmentLabel, Window
from storage.session.labels import LABELS, put_label
from storage.testing import WALL_NS, SessionBuilder

BEGIN_NS, END_NS = WALL_NS - HOUR_NS, WALL_NS + 40 * DAY_NS


def days_of(base: Path) -> OwnDays:
    return read_own_days(base, BEGIN_NS, END_NS)


def offer(session: SessionBuilder, answer: FeedbackKind | None) -> None:
    session.wait(1800).offer(app=session.app)
    session.wait(10)
    if answer is not None:
        session.answer(answer)


def work(session: SessionBuilder, seconds: float) -> None:
    start_ns = session.clock.now_ns()
    session.wait(seconds)
    session.put(Window, start_ns=start_ns, end_ns=session.clock.now_ns())


def test_what_was_said_counts_before_how_an_offer_was_answered(tmp_path: Path) -> None:
    """A label before a report before an answer; an offer that was ignored, and no more, is not known."""
    session = SessionBuilder()
    for answer in (FeedbackKind.ACCEPTED, FeedbackKind.DISMISSED, FeedbackKind.IGNORED, FeedbackKind.ACCEPTED):
        offer(session, answer)
    at_ns = [row.at_ns for row in session.rows if row.KIND == "offer"]
    session.put(NeedReport, start_ns=at_ns[3] - NS_PER_S, end_ns=at_ns[3] + NS_PER_S, needed=False)
    session.put(NeedReport, start_ns=at_ns[1] - NS_PER_S, end_ns=at_ns[1] + NS_PER_S, needed=False)
    folder = session.end().write(tmp_path)
    around = {"rater": ME, "start_ns": at_ns[1] - NS_PER_S, "end_ns": at_ns[1] + NS_PER_S}
    put_label(folder, SegmentLabel(label_id="a", need=NeedLabel.YES, **around))  # type: ignore[arg-type]  # they fit
    assert [offer.right for offer in days_of(tmp_path).offers] == [True, True, None, False]


def test_need_is_missed_where_no_offer_came_by_what_told_of_it(tmp_path: Path) -> None:
    """Labels, reports, earlier reports, asking and turning to help; signs of one need are one, by the surest."""
    session = SessionBuilder()
    session.focus("writer")
    offer(session, FeedbackKind.IGNORED)
    near_ns = session.clock.now_ns()
    session.put(NeedReport, start_ns=near_ns, end_ns=near_ns, needed=True)  # there was an offer
    for helper in ("yelp", "firefox", "ChatGPT-desktop"):
        session.wait(3600).focus(helper)
        session.wait(20).focus("writer")
    session.wait(3600)
    asked_ns = session.clock.now_ns()
    session.put(NeedReport, start_ns=asked_ns, end_ns=asked_ns, needed=True, by=ReportedBy.ASKED)
    session.offer(asked=True, app="writer")
    session.put(NeedReport, start_ns=asked_ns - NS_PER_S, end_ns=asked_ns, needed=True)
    first = session.wait(7200).end().write(tmp_path)
    begin_ns = session.clock.now_ns() - 3600 * NS_PER_S
    kept = SegmentLabel(label_id="a", rater=ME, start_ns=begin_ns, end_ns=begin_ns + 60 * NS_PER_S, need=NeedLabel.YES)
    put_label(first, kept)
    later = SessionBuilder(wall_ns=WALL_NS + DAY_NS)
    later.put(EarlierReport, session=first.name, start_ns=near_ns // 2, end_ns=near_ns // 2, needed=True, needs={})
    later.end().write(tmp_path)
    days = days_of(tmp_path)
    by = {source: (days.missed(source).count, days.missed(source).total) for source in TruthSource}
    assert by[TruthSource.TURNED] == (3, 3)
    assert by[TruthSource.REPORT] == (2, 3)
    assert by[TruthSource.LABEL] == (1, 1)
    assert by[TruthSource.ASKED] == (0, 0)
    assert (days.missed().count, days.missed().total) == (6, 7)


def test_a_calm_moment_is_drawn_for_each_need_from_the_same_program(tmp_path: Path) -> None:
    """Well apart from any need, each once, and the same ones every time."""
    session = SessionBuilder()
    for app in ("writer", "calc", "writer"):
        session.focus(app)
        for _ in range(10):
            work(session, 300)
        at_ns = session.clock.now_ns()
        session.put(NeedReport, start_ns=at_ns, end_ns=at_ns, needed=True)
    session.end().write(tmp_path)
    days = days_of(tmp_path)
    drawn = [moment for moment in days.moments if moment.source is TruthSource.DRAWN]
    assert sorted(moment.app for moment in drawn) == ["calc", "writer", "writer"]
    assert len({moment.begin_wall_ns for moment in drawn}) == 3
    needs = [moment for moment in days.moments if moment.needed]
    for moment in drawn:
        assert all(abs(moment.begin_wall_ns - need.begin_wall_ns) > 600 * NS_PER_S for need in needs)
    assert days_of(tmp_path) == days


def test_what_is_from_elsewhere_of_another_time_or_damaged_is_left_out(tmp_path: Path) -> None:
    """Nor do other raters say what the person needed."""
    for changes in ({"imported_from": "export"}, {"wall_ns": WALL_NS - DAY_NS}):
        other = SessionBuilder(**changes)
        offer(other, FeedbackKind.ACCEPTED)
        other.end().write(tmp_path)
    damaged = SessionBuilder(wall_ns=WALL_NS + 2 * DAY_NS).wait(5).end().write(tmp_path)
    (damaged / LABELS).write_bytes(b"damaged")
    folder = SessionBuilder().wait(100).end().write(tmp_path)
    put_label(folder, SegmentLabel(label_id="a", rater="Anna", start_ns=0, end_ns=9, need=NeedLabel.YES))
    days = days_of(tmp_path)
    assert (days.folders, days.offers, days.moments) == ((folder,), (), ())


@pytest.mark.parametrize(
    ("rates", "now", "proposed"),
    [
        ((0.05, 0.5, 0.1), "now and then", "rarely"),
        ((0.05, 0.5, 0.1), "rarely", None),
        ((0.9, 0.9, 0.1), "now and then", "often"),
        ((0.9, 0.9, 0.1), "often", None),
        ((0.9, 0.1, 0.1), "now and then", None),
        ((0.5, 0.5, 0.5), "often", None),
    ],
)
def test_what_is_proposed(tmp_path: Path, rates: Sequence[float], now: str, proposed: str | None) -> None:
    """Less where most offers were not needed, more where most were and most need was missed, else nothing."""
    write_month(tmp_path, random.Random(3), 80, 60, rates)
    found = propose(days_of(tmp_path), now)
    assert found.how_often == proposed
    assert found.exclude == (("writer",) if rates[0] == 0.05 else ())


def test_what_is_said_later_is_of_the_program_that_was_in_front_then(tmp_path: Path) -> None:
    """A label, and a report of a later session; calm moments are drawn from that program."""
    session = SessionBuilder()
    session.focus("writer")
    for _ in range(20):
        work(session, 60)
    begin_ns = session.clock.now_ns()
    work(session, 3600)
    reported_ns = session.clock.now_ns()
    work(session, 3600)
    session.focus("mail")
    for _ in range(60):
        work(session, 60)
    folder = session.end().write(tmp_path)
    said = SegmentLabel(label_id="a", rater=ME, start_ns=begin_ns, end_ns=begin_ns + NS_PER_S, need=NeedLabel.YES)
    put_label(folder, said)
    later = SessionBuilder(wall_ns=WALL_NS + DAY_NS)
    later.put(EarlierReport, session=folder.name, start_ns=reported_ns, end_ns=reported_ns, needed=True, needs={})
    later.end().write(tmp_path)
    moments = days_of(tmp_path).moments
    assert {(moment.source, moment.app) for moment in moments} == {
        (TruthSource.LABEL, "writer"),
        (TruthSource.REPORT, "writer"),
        (TruthSource.DRAWN, "writer"),
    }


def test_what_cannot_be_replayed_is_left_out_with_its_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one choice is enough; its needs would all be missed. Control: all that is replayed counts."""
    for number in range(2):
        session = SessionBuilder(wall_ns=WALL_NS + number * DAY_NS)
        session.focus("writer")
        for _ in range(15):
            session.wait(1800)
            at_ns = session.clock.now_ns()
            session.put(NeedReport, start_ns=at_ns, end_ns=at_ns, needed=True)
        session.end().write(tmp_path)
    days = days_of(tmp_path)
    lost = days.folders[1]

    def replayed(folder: Path, choice: str) -> list[tuple[int, str]] | None:
        return None if folder == lost and choice == "often" else [(WALL_NS, "writer")]

    assert [trial.missed.total for trial in try_choices(days, ())] == [30] * 3
    monkeypatch.setattr("daemon.history.own_days._replayed", replayed)
    found = list(try_choices(days, ()))
    assert [(trial.missed.total, trial.offers, trial.left_out) for trial in found] == [(15, 1, 1)] * 3


def test_each_choice_is_replayed_on_the_same_days(tmp_path: Path) -> None:
    """Nothing is offered in programs that are excluded; what cannot be replayed gives no offers."""
    write_month(tmp_path, random.Random(3), 5, 2, (0.5, 0.5, 0.5))
    days = days_of(tmp_path)
    found = list(try_choices(days, ()))
    assert [trial.how_often for trial in found] == ["rarely", "now and then", "often"]
    assert all(trial.missed.total == days.missed().total for trial in found)
    assert [trial.offers for trial in try_choices(days, ("writer",))] == [0, 0, 0]
