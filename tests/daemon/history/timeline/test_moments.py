"""The moments of a session: what a row of the timeline says, and that reading on gives what reading at once gives."""

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.history.timeline.days import LATE_CUT_NS, belongs, needs_between, read_day, read_on
from daemon.history.timeline.moments import PARTS, EstimatePart, MomentFold
from daemon.purge.span import of_day
from policies.gates import REASONS
from storage import testing
from storage.clock import NS_PER_S, local_time
from storage.records import (
    DialogSeen,
    EarlierReport,
    Estimate,
    Feedback,
    FeedbackKind,
    Goal,
    GoalKind,
    HelpAnswer,
    HelpFound,
    ModelTier,
    NeedReport,
    Offer,
    Record,
    ReportedBy,
    SessionStart,
    Switch,
    SwitchName,
    Window,
)
from storage.session.log import SessionReader, SessionWriter, create_session
from storage.testing import plain
from storage.timeline import Moment, MomentKind
from tests.fakes.detectors.questions import study_row
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.derived_session import number_anew, rows_of_here, simulated

WALL_NS = 1_700_000_000 * NS_PER_S
DAY = local_time(WALL_NS).date()
NOW_S = WALL_NS / NS_PER_S


def live_rows(*extra: Record) -> list[Record]:
    rows = rows_of_here()
    return number_anew([*rows, *(replace(row, at_ns=rows[-1].at_ns) for row in extra)])


def fold(rows: list[Record], **of: object) -> MomentFold:
    first = as_a(SessionStart, rows[0])
    made = MomentFold(first, **of)  # type: ignore[arg-type]  # keyword arguments as they are
    for row in rows[1:]:
        made.add(row)
    return made


def write(base: Path, rows: list[Record], wall_ns: int = WALL_NS) -> Path:
    """Write rows as a session of that time; its first row gets the name of its folder."""
    folder = create_session(base, wall_ns)
    first = as_a(SessionStart, rows[0])
    testing.write_session(folder, [replace(first, session_id=folder.name, wall_ns=wall_ns), *rows[1:]])
    return folder


def of_kind(moments: list[Moment] | tuple[Moment, ...], kind: MomentKind) -> list[Moment]:
    return [moment for moment in moments if moment.kind is kind]


def test_a_window_of_work_is_one_moment_with_its_highest_estimate() -> None:
    rows = live_rows()
    work = of_kind(fold(rows).moments, MomentKind.WORK)
    windows = [row for row in rows if isinstance(row, Window)]
    assert len(work) == len(windows) > 3
    for one, window in zip(work, windows, strict=True):
        estimates = [row for row in rows if isinstance(row, Estimate) and row.window_id == window.window_id]
        assert (one.start_ns, one.end_ns, one.estimates) == (window.start_ns, window.end_ns, len(estimates))
        assert one.help_need == max(row.help_need for row in estimates)
        assert one.end_wall_ns - one.begin_wall_ns == pytest.approx(window.end_ns - window.start_ns, abs=2_000_000)
        assert one.why in REASONS.values()
        assert one.frame == 0


def test_an_offer_says_what_was_seen_why_and_how_it_was_answered() -> None:
    rows = live_rows()
    offer = next(row for row in rows if isinstance(row, Offer))
    (shown,) = of_kind(fold(rows[: offer.seq]).moments, MomentKind.OFFER)
    assert shown.answer == ""
    assert shown.title
    assert shown.why == REASONS["at_break"]
    answered = fold([*rows[: offer.seq], replace(Feedback(offer_id=offer.offer_id, kind=FeedbackKind.WRONG), seq=999)])
    assert of_kind(answered.moments, MomentKind.OFFER)[0].answer == "wrong"
    asked = fold([rows[0], replace(offer, asked=True)])
    assert [(moment.title, moment.why) for moment in asked.moments] == [("You asked for help", "")]
    for page, trouble, said in (
        ("p1", None, "An answer with 3 steps was shown."),
        ("", None, "Nothing was found."),
        ("", "no_window", "Nothing could be searched: no window was in use."),
    ):
        found = plain(HelpFound, asked=True, page_id=page, steps=3, prefix_id="", trouble=trouble)
        (told,) = fold(number_anew([rows[0], found, replace(offer, asked=True)])).moments
        assert told.detail == said
        for first_ns, more in ((0, ""), (9, " A model answered.")):
            model = plain(
                HelpAnswer, offer_id=offer.offer_id, tier=ModelTier.LOCAL, model="m", latency_ns=9, first_ns=first_ns
            )
            (told,) = fold(number_anew([rows[0], found, replace(offer, asked=True), model, model])).moments
            assert told.detail == said + more
    assert fold([rows[0], replace(offer, counterfactual=True)]).moments == []


def test_reading_on_gives_what_reading_at_once_gives(tmp_path: Path) -> None:
    rows = live_rows()
    folder = write(tmp_path, rows[:1])
    first = as_a(SessionStart, rows[0])
    live = MomentFold(replace(first, session_id=folder.name))
    writer = SessionWriter(folder)
    seen: dict[str, Moment] = {}
    for at in range(1, len(rows), 40):
        writer.append(rows[at : at + 40])
        seen |= {moment.moment_id: moment for moment in read_on(tmp_path, live)}
    assert read_on(tmp_path, live) == []
    writer.close()
    day, _ = read_day(tmp_path, DAY, now_s=NOW_S)
    assert sorted(seen.values(), key=lambda one: (one.begin_wall_ns, one.moment_id)) == list(day.moments)


def test_work_has_the_task_and_the_name_that_the_recording_and_the_desktop_know() -> None:
    """The dialog or document that it was about, until another one; single controls do not count."""
    first, *_ = live_rows()
    estimate = plain(Estimate, state_probs={"frustration": 1.0}, app="calc")
    dialog = plain(DialogSeen, title="Format Cells", title_digest="d1", app="calc", text_digest="")
    rows: list[Record] = [replace(first, recording=True)]  # type: ignore[call-arg]  # a first row has it
    for window, goal in enumerate(
        (
            Goal(app="calc", kind=GoalKind.DIALOG, digest="d1"),
            Goal(app="calc", kind=GoalKind.CONTROL, digest="d2"),
            Goal(app="other", kind=GoalKind.DOCUMENT, digest="d1"),
            Goal(app="calc", kind=GoalKind.DOCUMENT, digest="not recorded"),
        )
    ):
        rows += [dialog, goal, replace(estimate, window_id=window, prefix_id=f"w{window}/100")]
    moments = fold(number_anew(rows), name_of={"calc": "LibreOffice Calc"}.get).moments
    assert [moment.task for moment in moments] == ["Format Cells", "Format Cells", "Format Cells", ""]
    assert {(moment.app, moment.named) for moment in moments} == {("calc", "LibreOffice Calc")}


def test_a_study_that_hides_its_lots_hides_why(tmp_path: Path) -> None:
    """Until it is over there is no reason that tells of the arm; control: without the study there is."""
    study = study_row(None, study="s", masked_until_wall_ns=2 * WALL_NS)
    rows = live_rows()
    rows = number_anew([rows[0], study, *rows[1:]])
    hidden, shown = (
        {moment.why for moment in fold(rows, studies=studies, now_s=NOW_S).moments} for studies in ({"s"}, set[str]())
    )
    assert REASONS["not_enough"] in shown
    assert REASONS["not_enough"] not in hidden
    assert "An offer was made. Why is shown when the study is over." in hidden
    folder = write(tmp_path, rows)
    assert {moment.why for moment in read_day(tmp_path, DAY, studies={"s"}, now_s=NOW_S)[0].moments} == hidden
    assert folder.is_dir()


def test_a_day_names_its_neighbours_and_what_it_cannot_read(tmp_path: Path) -> None:
    rows = live_rows()
    write(tmp_path, rows)
    write(tmp_path, rows, WALL_NS - 3 * 86_400 * NS_PER_S)
    later = write(tmp_path, rows, WALL_NS + 86_400 * NS_PER_S)
    damaged = write(tmp_path, rows)
    (damaged / "session.db").write_bytes(b"no database")
    write(tmp_path, list(simulated()))
    day, folds = read_day(tmp_path, DAY, now_s=NOW_S)
    assert (day.earlier, day.later) == (DAY - dt.timedelta(days=3), DAY + dt.timedelta(days=1))
    week_later, _ = read_day(tmp_path, DAY + dt.timedelta(days=1), now_s=NOW_S + 7 * 86_400)
    assert week_later.later == week_later.today == DAY + dt.timedelta(days=7)
    assert read_day(tmp_path, DAY + dt.timedelta(days=7), now_s=NOW_S + 7 * 86_400)[0].later is None
    assert day.unreadable == (damaged.name,)
    assert len(folds) == 1
    assert len(of_kind(day.moments, MomentKind.OFFER)) == sum(isinstance(row, Offer) for row in rows)
    (later / "session.db").unlink()
    assert read_day(tmp_path, DAY + dt.timedelta(days=1), now_s=NOW_S)[0].moments == ()


def test_what_a_later_session_says_of_a_stretch_stands_there(tmp_path: Path) -> None:
    rows = live_rows()
    folder = write(tmp_path, rows)
    begin_ns = rows[0].at_ns + 10 * NS_PER_S
    said = EarlierReport(session=folder.name, start_ns=begin_ns, end_ns=begin_ns + NS_PER_S, needed=False)
    write(tmp_path, live_rows(said, replace(said, session="20200101-000000-abcd")), WALL_NS + 86_400 * NS_PER_S)
    (report,) = of_kind(read_day(tmp_path, DAY, now_s=NOW_S)[0].moments, MomentKind.REPORT)
    assert (report.needed, report.begin_wall_ns) == (False, WALL_NS + 10 * NS_PER_S)
    later, _ = read_day(tmp_path, DAY + dt.timedelta(days=1), now_s=NOW_S)
    assert of_kind(later.moments, MomentKind.REPORT) == []


def test_time_without_watching_lasts_until_it_ends() -> None:
    paused = Switch(name=SwitchName.PAUSED, on=True, by="person", at_ns=5 * NS_PER_S)
    resumed = replace(paused, on=False, at_ns=65 * NS_PER_S)
    consent = Switch(name=SwitchName.CONSENT, on=False, by="person")
    first = live_rows()[0]
    (off,) = fold([first, paused, resumed, consent]).moments
    assert (off.kind, off.title, off.end_ns - off.start_ns) == (MomentKind.OFF, "paused", 60 * NS_PER_S)


def test_what_the_person_said_is_a_moment_and_a_request_is_none() -> None:
    said = NeedReport(start_ns=1, end_ns=2, needed=True)
    moments = fold([live_rows()[0], said, replace(said, by=ReportedBy.ASKED)]).moments
    assert [(moment.kind, moment.needed) for moment in moments] == [(MomentKind.REPORT, True)]


def test_a_stretch_has_the_estimates_that_the_engine_would_find(tmp_path: Path) -> None:
    rows = live_rows()
    folder = write(tmp_path, rows)
    work = of_kind(fold(rows).moments, MomentKind.WORK)
    best = max(work, key=lambda one: one.help_need or 0.0)
    found = needs_between(tmp_path, folder.name, best.start_ns + 1, best.end_ns - 1)
    assert found == {best.app: pytest.approx(best.help_need)}
    assert needs_between(tmp_path, folder.name, 0, 1) == {}


def test_what_comes_right_after_midnight_belongs_to_the_session_that_was_cut_late() -> None:
    span = of_day(DAY)
    assert span.end_wall_ns is not None
    late = Moment(
        moment_id="x",
        kind=MomentKind.WORK,
        session=f"{DAY:%Y%m%d}-235900-abcd",
        begin_wall_ns=span.end_wall_ns + 1,
        end_wall_ns=span.end_wall_ns + 2,
        start_ns=0,
        end_ns=1,
    )
    tomorrow = DAY + dt.timedelta(days=1)
    assert belongs(late, span, DAY)
    assert not belongs(replace(late, session=f"{tomorrow:%Y%m%d}-000001-abcd"), span, DAY)
    assert not belongs(replace(late, begin_wall_ns=span.end_wall_ns + LATE_CUT_NS + 1), span, DAY)


def test_a_day_of_parts_of_rows_is_the_day_of_the_rows(tmp_path: Path) -> None:
    """Most of an estimate is not shown; control: parts were read."""
    folder = write(tmp_path, live_rows())
    with SessionReader(folder) as reader:
        whole = list(reader.rows())
        in_parts = [reader.first(), *reader.rows(MomentFold(reader.first()).kinds, parts=PARTS)]
    assert fold(in_parts).moments == fold(whole).moments
    assert sum(isinstance(row, EstimatePart) for row in in_parts) == sum(isinstance(row, Estimate) for row in whole) > 0
