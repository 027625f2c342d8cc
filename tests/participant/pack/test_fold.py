"""Rows of sessions written by hand: which decisions are points, their outcomes, questions, days, switches."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec
import pytest

from participant.documents.plan import Sent
from participant.documents.rows import AnswerRow, DayRow, Outcomes, PointRow
from participant.pack.fold import RowFold
from participant.pack.points import SPAN_NS
from participant.pack.state import FoldState
from storage.records import (
    Anchor,
    Answer,
    AnswerKind,
    Decision,
    Feedback,
    FeedbackKind,
    KeyClass,
    Problem,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionStart,
    StudyStart,
    Switch,
    SwitchName,
    Verdict,
    Wake,
    Withdrawal,
)
from study.rehearsal.compare import rows_of_sessions
from tests.fakes.studies.documents import point
from tests.fakes.studies.session import ALL, BOOT_NS, DATE, WHO, S, StudySession, local_wall_ns

FOREVER = local_wall_ns(300, 0)


Kind = TypeVar("Kind")


def rows_of(kind: type[Kind], *sessions: Sequence[Record], now_wall_ns: int = FOREVER) -> list[Kind]:
    return [timed.row for timed in rows_of_sessions(sessions, WHO, now_wall_ns) if isinstance(timed.row, kind)]


def points(session: StudySession) -> list[PointRow]:
    return rows_of(PointRow, session.rows)


def days(session: StudySession) -> list[DayRow]:
    return rows_of(DayRow, session.rows)


def test_an_offer_is_a_point_with_all_that_came_of_it() -> None:
    session = StudySession(day=9, minute=600, drawn=17)
    session.decide(1.0, "evidence", "not_enough")
    seq = session.offer(60.0)
    session.key(61.0)
    session.key(61.5)
    session.key(63.0, KeyClass.UNDO, count=3)
    session.key(64.0, own=True)
    session.add(70.0, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.ACCEPTED))
    session.estimate(120.0, 0.6)
    session.estimate(200.0, 0.2)
    session.estimate(360.0, 0.4)  # on the last moment
    session.estimate(360.5, 1.0)  # too late
    session.key(370.0, KeyClass.UNDO)
    session.end(1000.0)
    assert points(session) == [
        msgspec.structs.replace(
            point(601),
            action="offer",
            response="accepted",
            need=0.9,
            states=points(session)[0].states,
            evidence=("undo_bursts",),
            wait_s=2.2,
            outcomes=Outcomes(watched_s=300, need=0.4, recovered=True, active_s=2, undos=3),
        ),
    ]
    assert sum(points(session)[0].states.values()) == pytest.approx(1.0)


def test_a_later_estimate_of_the_same_prefix_takes_the_place_of_the_first() -> None:
    """A model's answer about a prefix does not count twice."""
    session = StudySession()
    session.decide(10.0, "arm", "withheld", propensity=0.5)
    session.estimate(20.0, 0.8, prefix="w9/25")
    session.estimate(21.0, 0.2, prefix="w9/25")
    session.estimate(40.0, 0.6, prefix="w9/50")
    session.end(400.0)
    assert points(session)[0].outcomes.need == pytest.approx(0.4)
    assert points(session)[0].outcomes.recovered is False


POINTS: dict[str, tuple[dict[str, object], tuple[str, str | None] | None]] = {
    "an offer": ({"gate": "all", "reason": "at_break", "propensity": 0.5}, ("offer", None)),
    "an offer of a certain arm": ({"gate": "all", "reason": "by_arm"}, ("offer", None)),
    "one withheld": ({"gate": "arm", "reason": "withheld", "propensity": 0.5}, ("withheld", None)),
    "one in silence": ({"gate": "arm", "reason": "silent"}, ("withheld", None)),
    "a second assignment that is not drawn": ({"gate": "arm", "reason": "drawn"}, None),
    "too little evidence": ({"gate": "evidence", "reason": "not_enough"}, None),
    "not worth it": ({"gate": "utility", "reason": "not_worth_it"}, None),
    "a call": ({"gate": "manners", "reason": "call"}, ("none", "manners")),
    "a call without evidence": (
        {"gate": "manners", "reason": "call", "numbers": {"help_need": 0.9, "sum": 2.9, "upper": 3.0}},
        None,
    ),
    "a call before any estimate": ({"gate": "manners", "reason": "call", "numbers": {}}, None),
    "a pause": ({"gate": "consent", "reason": "paused", "verdict": Verdict.NEVER}, ("none", "consent")),
    "cool-down": ({"gate": "budget", "reason": "cooldown"}, ("none", "budget")),
    "an offer on the screen": ({"gate": "budget", "reason": "showing"}, None),
    "an offer taken back": ({"gate": "manners", "reason": "call", "withdraw": True}, None),
    "nothing to say": ({"gate": "content", "reason": "nothing_to_say"}, ("none", "content")),
    "said before": ({"gate": "novelty", "reason": "said_recently"}, ("none", "novelty")),
    "waiting for a break": ({"gate": "break", "reason": "waiting_for_break"}, None),
    "no break came": ({"gate": "break", "reason": "no_break"}, ("none", "break")),
    "another application while waiting": ({"gate": "withdrawal", "reason": "app_changed"}, ("none", "withdrawal")),
    "moved on": ({"gate": "withdrawal", "reason": "moved_on"}, None),
}


@pytest.mark.parametrize("case", POINTS)
def test_which_decisions_are_points(case: str) -> None:
    decision, expected = POINTS[case]
    session = StudySession()
    session.decide(10.0, **decision)  # type: ignore[arg-type]  # fields of a decision
    session.end(900.0)
    found = [(row.action, row.gate) for row in points(session)]
    assert found == ([] if expected is None else [expected])
    (day,) = days(session)
    assert day.gates == {decision["gate"]: 1}


def test_only_a_new_estimate_tells_that_a_gate_before_the_evidence_stopped_an_offer() -> None:
    """A tick or a change of focus may be about another application."""
    session = StudySession()
    session.decide(10.0, "manners", "call")
    numbers = {"help_need": 1.0, "sum": 9.0, "upper": 3.0}
    session.add(400.0, Decision(verdict=Verdict.HOLD, gate="manners", reason="call", numbers=numbers))
    session.end(900.0)
    assert [row.minute for row in points(session)] == [600]


def test_while_a_gate_stays_closed_there_is_one_point_in_300_s() -> None:
    session = StudySession()
    for at_s in range(0, 1000, 20):
        session.decide(at_s, "budget", "cooldown")
        session.decide(at_s + 10, "novelty", "said_recently")
    session.end(2000.0)
    assert [(row.gate, row.minute) for row in points(session)] == [
        (gate, minute) for minute in (600, 605, 610, 615) for gate in ("budget", "novelty")
    ]
    assert days(session)[0].gates == {"budget": 50, "novelty": 50}


def test_arms_differ_in_what_calls_for_an_offer() -> None:
    for policy, numbers, expected in (
        ({"name": "threshold", "threshold": 0.5}, {"help_need": 0.6, "sum": -9.0, "upper": 3.0}, 1),
        ({"name": "threshold", "threshold": 0.7}, {"help_need": 0.6, "sum": 9.0, "upper": 3.0}, 0),
        ({"name": "random"}, {"help_need": 0.1, "sum": -9.0, "upper": 3.0}, 1),
        ({"name": "utility"}, {"help_need": 0.9, "sum": 2.0, "upper": 3.0}, 0),
        ({"name": "a_plugin"}, {"help_need": 0.9, "sum": 9.0, "upper": 3.0}, 0),
    ):
        session = StudySession(policy=policy)  # type: ignore[arg-type]  # settings of a policy
        session.decide(10.0, "budget", "cooldown", numbers=numbers)
        session.end(900.0)
        assert len(points(session)) == expected, policy


def test_lots_are_counted_on_from_where_the_session_began() -> None:
    session = StudySession(drawn=40)
    seq = session.offer(10.0)
    session.add(40.0, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.IGNORED, by="expiry"))
    session.decide(400.0, "arm", "withheld", propensity=0.5)
    session.decide(500.0, "all", "at_break", propensity=1.0)
    session.decide(800.0, "arm", "withheld", propensity=0.5)
    session.end(2000.0)
    assert [row.assignment_number for row in points(session)] == [40, 41, None, 42]
    other = StudySession(start={"policy_state": {"saved": {"seed": 8, "drawn": 3}}})
    other.offer(10.0)
    other.end(900.0)
    assert [row.assignment_number for row in points(other)] == [None]


def test_pauses_and_sleep_are_not_watched() -> None:
    """Seconds of pause, private time, excluded programs and suspend are missing from `watched_s` and from the day."""
    watching = {
        SwitchName.PAUSED: False,
        SwitchName.PRIVATE: False,
        SwitchName.EXCLUDED: False,
        SwitchName.CONSENT: True,
    }
    spans: list[tuple[Record, Record]] = [(Problem(code="disk_full", over=True), Wake(slept_ns=120 * S))]
    for name, on in watching.items():
        spans.append((Switch(name=name, on=not on, by="person"), Switch(name=name, on=on, by="person")))
    for begun, over in spans:
        session = StudySession()
        session.decide(60.0, "arm", "withheld", propensity=0.5)
        session.add(100.0, begun)
        session.add(220.0, over)
        session.end(660.0)
        assert points(session)[0].outcomes.watched_s == 180, begun
        assert days(session)[0].minutes == 9, begun


def test_how_an_offer_ends_is_its_response() -> None:
    for ending, expected in (
        *((Feedback(offer_id="o4", kind=kind), kind.value) for kind in FeedbackKind),
        (Withdrawal(offer_id="o4", reason="app_changed"), "withdrawn"),
        (Feedback(offer_id="o9", kind=FeedbackKind.ACCEPTED), None),
        (None, None),
    ):
        session = StudySession()
        assert session.offer(10.0) == 4
        if ending is not None:
            session.add(20.0, ending)
        session.end(900.0)
        assert [row.response for row in points(session)] == [expected]


def test_a_point_waits_for_its_offer_to_end() -> None:
    """An offer may stay for longer than the outcomes last; the answer belongs to its point all the same."""
    session = StudySession()
    seq = session.offer(10.0)
    session.estimate(400.0, 0.7)
    session.key(450.0, KeyClass.UNDO)
    session.add(500.0, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.DISMISSED))
    session.estimate(600.0, 0.7)
    assert points(session)[0].response == "dismissed"
    assert points(session)[0].outcomes == Outcomes(watched_s=300, need=None, recovered=None, active_s=0, undos=0)


def _cut(gap_s: float, *, minutes: float = 1438.0) -> tuple[list[Record], list[Record]]:
    first = StudySession(day=3, minute=minutes)
    first.decide(60.0, "arm", "withheld", propensity=0.5)
    first.estimate(100.0, 0.8)
    first.end(120.0)
    second = StudySession(day=3, minute=minutes + 2 + gap_s / 60, boot_ns=BOOT_NS + round((120 + gap_s) * S))
    second.key(5.0)
    second.estimate(30.0, 0.2)
    second.end(3600.0)
    return first.rows, second.rows


def test_a_point_goes_on_in_a_session_that_follows_at_once() -> None:
    """At midnight a session is cut; what lies between the two is not watched, and a later one has no part in it."""
    for gap_s, expected in (
        (2.0, Outcomes(watched_s=298, need=0.5, recovered=True, active_s=1, undos=0)),
        (0.0, Outcomes(watched_s=300, need=0.5, recovered=True, active_s=1, undos=0)),
        (100.0, Outcomes(watched_s=60, need=0.8, recovered=False, active_s=0, undos=0)),
    ):
        sessions = _cut(gap_s)
        (point,) = rows_of(PointRow, *sessions)
        assert (point.day, point.minute) == (3, 1439)
        assert point.outcomes == expected, gap_s
        assert [row.day for row in rows_of(DayRow, *sessions)] == [3, 4]


def test_a_point_is_not_finished_before_its_time() -> None:
    """Neither while its session runs, nor as long as the next one could follow."""
    first, _ = _cut(2.0)
    end_wall_ns = local_wall_ns(3, 1440)
    for later_s, count in ((0, 0), (300, 0), (331, 1)):
        assert len(rows_of(PointRow, first, now_wall_ns=end_wall_ns + later_s * S)) == count
    assert SPAN_NS == 300 * S


def test_a_session_cut_off_is_one_that_ends_with_its_last_record() -> None:
    """There is no row that says so."""
    session = StudySession()
    session.decide(60.0, "arm", "withheld", propensity=0.5)
    session.key(100.0)
    assert points(session)[0].outcomes.watched_s == 40


def _asked(session: StudySession, *steps: tuple[float, QuestionStep, str]) -> None:
    due_ns = BOOT_NS + 300 * S
    drawn = {"probability": 1.0, "lot": 0.3, "date": DATE, "block": 0}
    question = Question(question_id="r20780/0", moment=QuestionMoment.RANDOM, due_ns=due_ns, **drawn)  # type: ignore[arg-type]  # by name
    session.add(steps[0][0] if steps else 300.0, question)
    for at_s, step, reason in steps:
        if step is QuestionStep.ANSWERED:
            choices = {"stuck": 1, "bad_moment": 0, "other_code": 3}
            session.add(at_s, Answer(question_id="r20780/0", kind=AnswerKind.ANSWERED, choices=choices))
        session.add(
            at_s, QuestionOutcome(question_id="r20780/0", step=step, delay_ns=round((at_s - 300) * S), reason=reason)
        )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(301.5, QuestionStep.ASKED, ""), (310, QuestionStep.ANSWERED, "")], ("answered", None, 1.5)),
        ([(301.5, QuestionStep.ASKED, ""), (310, QuestionStep.DECLINED, "not_now")], ("declined", "not_now", 1.5)),
        ([(301.5, QuestionStep.ASKED, ""), (601, QuestionStep.EXPIRED, "")], ("expired", None, 1.5)),
        ([(301.5, QuestionStep.ASKED, ""), (320, QuestionStep.WITHDRAWN, "call")], ("withdrawn", "call", 1.5)),
        ([(360, QuestionStep.SKIPPED, "no_break")], ("skipped", "no_break", None)),
        ([(300, QuestionStep.SKIPPED, "Ada was in the room")], ("skipped", "other", None)),
        ([(300, QuestionStep.NOT_DRAWN, "")], ("not_drawn", None, None)),
        ([(301.5, QuestionStep.ASKED, "")], ("withdrawn", "cut_off", 1.5)),
        ([], ("skipped", "cut_off", None)),
    ],
)
def test_every_question_has_a_row(
    steps: list[tuple[float, QuestionStep, str]], expected: tuple[str, str | None, float | None]
) -> None:
    """However it ended, also when its session was cut off before."""
    session = StudySession()
    _asked(session, *steps)
    session.estimate(1000.0, 0.1)
    (row,) = rows_of(AnswerRow, session.rows)
    assert (row.step, row.reason, row.delay_s) == expected
    assert row.choices == ({"stuck": 1, "bad_moment": 0} if row.step == "answered" else {})
    assert (row.day, row.minute, row.moment, row.probability, row.phase) == (1, 605, "random", 1.0, "trial")


def test_the_end_of_a_question_in_a_later_session_changes_nothing() -> None:
    session = StudySession()
    _asked(session, (301.5, QuestionStep.ASKED, ""))
    later = StudySession(minute=700)
    later.add(0, QuestionOutcome(question_id="r20780/0", step=QuestionStep.WITHDRAWN, delay_ns=0, reason="cut_off"))
    later.end(60.0)
    assert [row.step for row in rows_of(AnswerRow, session.rows, later.rows)] == ["withdrawn"]


def test_a_day_counts_over_its_sessions() -> None:
    """Minutes, gates, problems by code; what is not one of our codes is `other`."""
    sessions = []
    for minute in (600, 700):
        session = StudySession(day=5, minute=minute)
        session.decide(10.0, "evidence", "not_enough")
        session.decide(20.0, "the boss came in", "not_enough")
        session.add(30.0, Problem(code="disk_full"))
        session.add(31.0, Problem(code="disk_full", over=True))
        session.add(32.0, Problem(code="Ada's laptop"))
        sessions.append(session.end(1800.0).rows)
    rows = [timed for timed in rows_of_sessions(sessions, WHO, FOREVER) if isinstance(timed.row, DayRow)]
    problems = {"disk_full": 2, "other": 2}
    assert [timed.row for timed in rows] == [
        DayRow(day=5, minutes=60, gates={"evidence": 2, "other": 2}, problems=problems, left_out=0, version="0.1.0")
    ]
    assert rows[0].wall_ns == local_wall_ns(6, 0)
    assert rows_of(DayRow, *sessions, now_wall_ns=local_wall_ns(5, 1439)) == []


def test_the_quiet_time_has_days_and_no_points() -> None:
    """So that nobody looks lost before day 1; and after the last day there is nothing."""
    for day, phase, expected in ((0, "quiet", [0]), (29, "trial", [])):
        session = StudySession(day=day, study={"phase": phase})
        session.offer(10.0)
        session.end(900.0)
        rows = rows_of_sessions([session.rows], WHO, FOREVER)
        assert [type(timed.row) for timed in rows] == [DayRow] * len(expected)
        assert [timed.row.day for timed in rows] == expected


def test_a_change_of_the_clock_moves_day_and_minute() -> None:
    session = StudySession(day=2, minute=600)
    session.add(10.0, Anchor(wall_ns=local_wall_ns(3, 61), reason="clock_jump"))
    session.decide(10.0 + 60, "arm", "withheld", propensity=0.5)
    session.end(900.0)
    rows = rows_of_sessions([session.rows], WHO, FOREVER)
    ((point, wall_ns),) = [(timed.row, timed.wall_ns) for timed in rows if isinstance(timed.row, PointRow)]
    assert (point.day, point.minute) == (3, 62)
    assert wall_ns == local_wall_ns(3, 62)


def test_switches_that_are_off_leave_rows_out() -> None:
    session = StudySession()
    session.offer(10.0)
    _asked(session, (301.5, QuestionStep.ASKED, ""), (310, QuestionStep.ANSWERED, ""))
    session.end(900.0)

    def kinds(*sends: Sent) -> list[str]:
        rows = rows_of_sessions([session.rows], replace(WHO, sends=frozenset(sends)), FOREVER)
        return sorted(type(timed.row).__name__ for timed in rows)

    assert kinds(*ALL) == ["AnswerRow", "DayRow", "PointRow"]
    assert kinds(Sent.QUESTIONS) == ["AnswerRow"]
    assert kinds(Sent.AGGREGATES) == ["DayRow", "PointRow"]
    assert kinds() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"start": {"imported_from": "a list"}},
        {"study": {"study": "another"}},
        {"study": {"participant": "bcdefghij2345677"}},
        {"study": {"days": 0}},
        {"study": {"utc_offset_s": 10**9}},
    ],
)
def test_sessions_of_others_are_left_out(changes: dict[str, dict[str, object]]) -> None:
    """Imported ones, and those of another study or person; the control is the same session without the change."""
    session, control = StudySession(**changes), StudySession()  # type: ignore[arg-type]  # fields of the first two rows
    for made, rows in ((session, 0), (control, 2)):
        made.offer(10.0)
        made.end(900.0)
        assert len(rows_of_sessions([made.rows], WHO, FOREVER)) == rows


def test_a_row_that_no_reader_takes_is_left_out_and_counted() -> None:
    """A damaged journal must not keep all later rows from being packed."""
    session = StudySession()
    session.decide(10.0, "arm", "withheld", propensity=0.0)
    session.decide(20.0, "arm", "withheld", propensity=0.5)
    session.end(900.0)
    assert [row.propensity for row in points(session)] == [0.5]
    assert days(session)[0].problems == {"row_invalid": 1}


def test_the_state_can_be_stored_between_any_two_records() -> None:
    """Written and read after each of them, also between sessions, it gives the same rows."""
    busy = StudySession(day=2)
    seq = busy.offer(10.0)
    busy.decide(100.0, "budget", "cooldown")
    busy.estimate(320.0, 0.3)  # the window of the offer is over, and it is on the screen
    busy.add(330.0, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.WRONG))
    busy.add(331.0, Switch(name=SwitchName.PAUSED, on=True, by="person"))
    busy.add(400.0, Switch(name=SwitchName.PAUSED, on=False, by="person"))
    _asked(busy, (401.5, QuestionStep.ASKED, ""), (410, QuestionStep.ANSWERED, ""))
    sessions = [busy.end(900.0).rows, *_cut(2.0)]
    fold, rows = RowFold(WHO), []
    for start, study, *others in sessions:
        assert isinstance(start, SessionStart)
        assert isinstance(study, StudyStart)
        fold.begin(start, study)
        rows += fold.taken()
        for record in others:
            fold = RowFold(WHO, msgspec.msgpack.decode(msgspec.msgpack.encode(fold.state), type=FoldState))
            fold.take(record)
            rows += fold.taken()
        fold.end()
        rows += fold.taken()
    fold = RowFold(WHO, msgspec.msgpack.decode(msgspec.msgpack.encode(fold.state), type=FoldState))
    fold.finish(FOREVER)
    rows += fold.taken()
    assert rows == rows_of_sessions(sessions, WHO, FOREVER)
    assert [type(timed.row) for timed in rows].count(PointRow) == 3
