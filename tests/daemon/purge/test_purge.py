"""What was forgotten is in no file any more, and what stays is whole: it verifies, replays, and lies where it lay."""

import datetime as dt
import json
import logging
import resource
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from daemon.purge.intent import PURGE
from daemon.purge.purge import PurgeReport, begin, finish, is_begun, is_pending, preview
from daemon.purge.span import PurgeSpan, everything, last, of_day
from daemon.replay.replay import replay
from daemon.runtime.run import PlainFormatter
from storage import testing
from storage.clock import DAY_NS, NS_PER_S, SystemClock, boot_mark, local_time
from storage.errors import BadFile, EnvironmentFault
from storage.files import LOG_NAME, cache_folder, private_folder, sent_file, sessions_folder, state_file, state_folder
from storage.records import Anchor, EarlierReport, HelpAnswer, ModelAnswer, ModelTier, Record, SessionEnd, SessionStart
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.heartbeat import Heartbeat
from storage.session.log import DATABASE, DIAGNOSIS, GOALS, MODEL_ANSWERS, SessionReader, list_sessions
from storage.session.verify import verify
from storage.state.store import Helped, StateStore
from storage.testing import SessionBuilder, write_session
from tests.fakes.accessibility.remembered import CONSENT, MARKERS, PROGRAM, Remembered, files_with, marked_pictures
from tests.fakes.detectors.questions import enrolment, study_row
from tests.fakes.mllm.sent_requests import picture, request
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import rows_in, start
from tests.fakes.sessions.session_sample import listing


def purge(span: PurgeSpan) -> PurgeReport:
    begin(span, sessions_folder(), state_file())
    return present(finish(state_file()))


def since_cut(remembered: Remembered) -> PurgeSpan:
    return last(remembered.last_s, remembered.now_wall_ns)


def found() -> dict[str, int]:
    return {name: len(files_with(marker)) for name, marker in MARKERS.items()} | {
        "pictures": marked_pictures(sessions_folder())
    }


WRONG_NS, RIGHT_NS = 1_500_000_000 * NS_PER_S, 1_790_000_000 * NS_PER_S

NOTHING = dict.fromkeys([*MARKERS, "pictures"], 0)


def files() -> dict[str, tuple[int, int, bytes]]:
    """Return all sessions to the byte, but for what SQLite leaves beside a write-ahead log that was read."""
    return {name: facts for name, facts in listing(sessions_folder()).items() if not name.endswith("-shm")}


def test_the_marks_are_found_where_they_are_looked_for(remembered: Remembered) -> None:
    """The control of all that follows: rows, the write-ahead log, what was learned and sent, and decoded pictures."""
    assert all(count > 0 for count in found().values()), found()
    names = {path.name for marker in MARKERS.values() for path in files_with(marker)}
    assert names == {DATABASE, f"{DATABASE}-wal", "state.db", "sent.db"}
    assert marked_pictures(remembered.cut) > 0
    assert marked_pictures(remembered.before) == 0


def test_deleting_rows_in_place_leaves_the_marks(remembered: Remembered) -> None:
    """The other control: a DELETE by SQL, with the overwriting that our connections ask for, is not enough."""
    with sqlite3.connect(remembered.cut / DATABASE) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM records WHERE at_ns >= ?", (150 * NS_PER_S,))
        database.commit()
        assert any(path.parent == remembered.cut for path in files_with(MARKERS["title"]))
    database.close()


def test_the_last_minutes_are_in_no_file_any_more(remembered: Remembered) -> None:
    before = listing(remembered.before)
    for name in (DIAGNOSIS, f".{DIAGNOSIS}.part", GOALS, f".{GOALS}.part", MODEL_ANSWERS, f"{MODEL_ANSWERS}-journal"):
        (remembered.cut / name).write_bytes(MARKERS["title"])
    report = purge(since_cut(remembered))
    assert found() == NOTHING
    assert (report.deleted, report.cut, report.requests) == ((remembered.inside.name,), (remembered.cut.name,), 2)
    assert report.problems == ()
    assert listing(remembered.before) == before
    assert list_sessions(sessions_folder()) == [remembered.before, remembered.cut]
    assert {path.name for path in remembered.cut.iterdir()} == {DATABASE, "screen-000.mp4", "screen-001.mp4"}
    assert not is_pending(state_file())


def test_a_session_that_was_cut_verifies_and_replays(remembered: Remembered) -> None:
    rows = [row for row in rows_in(remembered.cut) if row.at_ns < 150 * NS_PER_S]
    purge(since_cut(remembered))
    report = verify(remembered.cut)
    assert (report.ok, report.problems, report.lost_s) == (True, (), 0.0)
    result = replay(remembered.cut, check=True)
    assert result.identical, result.reason
    left = rows_in(remembered.cut)
    assert left[: len(rows)] == rows
    assert [row.reason for row in left[len(rows) :] if isinstance(row, SessionEnd)] == ["purged"]
    assert replay(remembered.before, check=True).identical


def test_what_was_learned_is_put_back_to_what_it_was(remembered: Remembered) -> None:
    with StateStore(state_file()) as state:
        assert PROGRAM in json.dumps(state.policy_state("default")[0])
    purge(since_cut(remembered))
    with StateStore(state_file()) as state:
        saved, wall_ns = state.policy_state("default")
        assert state.consent() == CONSENT
        assert state.announced_deletions() == {}
    assert PROGRAM not in json.dumps(saved)
    assert "editor" in json.dumps(saved["learned"])
    assert remembered.cut_wall_ns - NS_PER_S < wall_ns <= remembered.cut_wall_ns
    with SentLog(sent_file()) as log:
        assert [entry.session for entry in SentLogReader(log).newest(9)] != []
        assert len(SentLogReader(log).numbers()) == 2
        assert all(SentLogReader(log).find_problem(number) is None for number in SentLogReader(log).numbers())


def test_everything_is_forgotten_but_consent_and_settings(remembered: Remembered) -> None:
    (remembered.before / DATABASE).write_bytes(b"no database")
    sent_file().write_bytes(b"no database either")
    report = purge(everything())
    assert list_sessions(sessions_folder()) == []
    assert list(sessions_folder().iterdir()) == []
    assert found() == NOTHING
    assert not sent_file().exists()
    with StateStore(state_file()) as state:
        assert (state.policy_states(), state.consent()) == ({}, CONSENT)
    assert "consent" in str(report.as_json()["kept"])
    assert len(report.not_reached) == 3


def test_sessions_from_before_another_folder_was_set_are_named(remembered: Remembered, tmp_path: Path) -> None:
    """`forget --all` of the folder that is set now leaves them, and says so."""
    folder = tmp_path / "other"
    write_session(folder / remembered.inside.name, rows_in(remembered.inside))
    begin(everything(), folder, state_file())
    report = present(finish(state_file()))
    assert (report.deleted, list_sessions(folder)) == ((remembered.inside.name,), [])
    assert str(sessions_folder()) in report.not_reached[0]
    assert len(purge(everything()).not_reached) == 3


def test_the_daemon_s_own_log_forgets_the_span_too(remembered: Remembered) -> None:
    def line(wall_ns: int, text: str) -> str:
        at = dt.datetime.fromtimestamp(wall_ns / NS_PER_S).astimezone()
        return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} INFO daemon: {text}\n"

    kept = line(remembered.cut_wall_ns - NS_PER_S, "before") + "and more of it\n"
    gone = line(remembered.cut_wall_ns, "host of a model") + "Traceback\n" + line(remembered.now_wall_ns, "after")
    logs = [state_folder() / LOG_NAME, state_folder() / f"{LOG_NAME}.1"]
    for log in logs:
        log.write_text(kept + gone)
    with logs[0].open("a") as written_by_the_daemon:
        purge(since_cut(remembered))
        assert [log.read_text() for log in logs] == [kept, kept]
        written_by_the_daemon.write(line(remembered.now_wall_ns + NS_PER_S, "later"))
    assert logs[0].read_text().startswith(f"{kept}2")
    purge(everything())
    assert [log.read_text() for log in logs] == ["", ""]


def test_lines_name_their_offset_and_go_after_the_zone_has_changed(
    remembered: Remembered, set_zone: Callable[[str], None]
) -> None:
    log = state_folder() / LOG_NAME
    lines = []
    for zone in ("Pacific/Apia", "America/St_Johns"):
        set_zone(zone)
        for offset_s in (-2, 2):
            line = logging.makeLogRecord({"msg": f"{zone} {offset_s}"})
            line.created = remembered.cut_wall_ns / NS_PER_S + offset_s
            lines.append(PlainFormatter("%(asctime)s %(message)s").format(line) + "\n")
    log.write_text("".join(lines))
    purge(since_cut(remembered))
    assert log.read_text() == lines[0] + lines[2]


@pytest.mark.parametrize("scope", ["last", "day", "all"])
def test_what_was_shown_by_a_wrong_clock_is_in_no_file_any_more(scope: str) -> None:
    """A session that began under a clock of years before; it was set right while it ran, and lasted for minutes."""
    session = SessionBuilder(wall_ns=WRONG_NS)
    session.wait(300).keys(3)
    session.put(Anchor, wall_ns=RIGHT_NS, reason="clock_jump")
    session.wait(60).keys(3).end()
    folder = session.write(sessions_folder())
    shown = {"before": WRONG_NS - NS_PER_S, "wrong": WRONG_NS + 200 * NS_PER_S, "right": RIGHT_NS + NS_PER_S}
    with SentLog(sent_file()) as sent:
        for text, at_ns in shown.items():
            sent.begin(request(at_ns=at_ns, session="" if text == "before" else str(folder), text=f"ask-{text}"))
    log = state_folder() / LOG_NAME
    log.write_text(
        "".join(f"{local_time(at_ns).isoformat(' ', 'milliseconds')} {text}\n" for text, at_ns in shown.items())
    )
    now_ns = RIGHT_NS + 90 * NS_PER_S
    day = local_time(RIGHT_NS).date()
    span = {"last": last(600, now_ns), "day": of_day(day), "all": everything()}[scope]
    planned = preview(span, sessions_folder(), state_file())
    report = purge(span)
    assert report.requests == planned.requests
    left = {text for text in shown if files_with(text.encode())}
    assert left == {"last": {"before"}, "day": {"before", "wrong"}, "all": set()}[scope]
    assert list_sessions(sessions_folder()) == ([folder] if scope == "day" else [])


@pytest.mark.parametrize("boot", ["this", "another"])
def test_what_lies_wholly_under_a_wrong_clock_goes_with_the_last_minutes(boot: str) -> None:
    """The clock was set right after the session; times of another start of the machine say nothing of now."""
    clock = SystemClock()
    name = "20160101-000000-abcd"
    mark = boot_mark(name if boot == "this" else f"{name} {boot}")
    session = SessionBuilder(begin_ns=clock.now_ns() - 60 * NS_PER_S, wall_ns=WRONG_NS, session_id=name, boot=mark)
    folder = write_session(sessions_folder() / name, session.wait(30).keys(3).end().rows)
    with SentLog(sent_file()) as sent:
        sent.begin(request(at_ns=WRONG_NS + 20 * NS_PER_S, session="", text="ask-wrong"))
    span = last(300, clock.wall_ns())
    preview(span, sessions_folder(), state_file())
    report = purge(span)
    assert (report.deleted, report.requests) == (((folder.name,), 1) if boot == "this" else ((), 0))
    assert bool(files_with(b"ask-wrong")) == (boot == "another")


MARK = b"Holunderblueten"


@pytest.mark.parametrize("scope", ["last", "all"])
@pytest.mark.parametrize(
    "place",
    [
        "state/kairos.log",
        "state/kairos.log.2",
        "state/.import-x1y2/records.jsonl",
        "state/.import-x1y2/session.db",
        "state/sessions/.import-x1y2/session.db-wal",
        "state/sessions/.deleted-20260101-000000-abcd/session.db",
        "state/.export-x1y2/session.db",
        "state/.export-x1y2.zip",
        "state/sessions/.export-x1y2/session.db",
        "state/.purge.part",
        "cache/diagnose/answers.db",
        "cache/diagnose/answers.db-journal",
        "cache/samples/1.npz",
        "inside/session.db-wal",
        "inside/.diagnosis.json.part",
        "cut/screen-000.mp4.new",
        "cut/sound-000.mp4",
        "cut/sound-001.mp4.new",
        "cut/words.json",
        "cut/.words.json.part",
        "cut/session.db.new",
        "cut/session.db.new-journal",
        "cut/model_answers.db",
        "cut/goals.json",
    ],
)
def test_a_marker_in_each_kind_of_file_is_nowhere(remembered: Remembered, place: str, scope: str) -> None:
    """Strings over the whole tree: what was half written, kept beside, cached or logged."""
    where, _, name = place.partition("/")
    base = {"state": state_folder(), "cache": cache_folder(), "inside": remembered.inside, "cut": remembered.cut}[where]
    path = base / name
    path.parent.mkdir(parents=True, exist_ok=True)
    written = f"{local_time(remembered.now_wall_ns).isoformat(' ', 'milliseconds')} ".encode() + MARK
    path.write_bytes(written)
    trees = (state_folder(), cache_folder())

    def holders() -> list[Path]:
        return [path for tree in trees for path in tree.rglob("*") if path.is_file() and MARK in path.read_bytes()]

    assert holders() == [path]
    purge(since_cut(remembered) if scope == "last" else everything())
    assert holders() == []


@pytest.mark.parametrize("name", ["sent.db-wal", "state.db-journal", LOG_NAME])
def test_what_a_database_left_behind_and_lines_without_a_time_go_with_everything(name: str) -> None:
    path = private_folder(state_folder()) / name
    path.write_bytes(MARK)
    purge(everything())
    assert files_with(MARK) == []


def test_what_cannot_be_read_or_cannot_go_keeps_nothing_else_from_going(
    remembered: Remembered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a damaged log of what was sent nor a folder that was being deleted before."""
    sent_file().write_bytes(b"noise" * 1000)
    assert preview(everything(), sessions_folder(), state_file()).requests == 0
    closed = EnvironmentFault("it cannot be deleted")
    monkeypatch.setattr("daemon.purge.carry_out.sweep_removed", Mock(side_effect=closed))
    report = purge(everything())
    assert (remembered.inside.name in report.deleted, closed.what in report.problems) == (True, True)


def test_a_dry_run_changes_nothing(remembered: Remembered) -> None:
    for span in (since_cut(remembered), everything()):
        before, marks = files(), found()
        report = preview(span, sessions_folder(), state_file())
        assert files() == before
        assert found() == marks
        assert not is_pending(state_file())
        assert report.dry_run
        assert remembered.inside.name in report.deleted


def test_an_empty_span_is_no_error(remembered: Remembered) -> None:
    before = files()
    report = purge(last(1.0, remembered.now_wall_ns))
    assert (report.deleted, report.cut, report.requests, report.learned) == ((), (), 0, False)
    assert files() == before
    shutil.rmtree(state_folder())
    assert purge(everything()).deleted == ()


@pytest.mark.parametrize(("scope", "left"), [("last", ["before"]), ("day", ["later"]), ("all", [])])
def test_what_helped_first_in_the_span_is_forgotten(remembered: Remembered, scope: str, left: list[str]) -> None:
    cut_ns = remembered.cut_wall_ns
    times = {"before": cut_ns - NS_PER_S, "inside": cut_ns + NS_PER_S, "later": remembered.now_wall_ns + 2 * DAY_NS}
    with StateStore(state_file()) as state:
        state.save_helped(Helped(key="0f", answers=tuple(("calc", name, at_ns) for name, at_ns in times.items())))
    day = of_day(local_time(cut_ns).date())
    purge({"last": since_cut(remembered), "day": day, "all": everything()}[scope])
    with StateStore(state_file()) as state:
        assert [digest for _, digest, _ in state.helped().answers] == left


def test_a_past_day_goes_and_what_it_taught_goes_from_later_sessions_too(remembered: Remembered) -> None:
    day = local_time(remembered.cut_wall_ns).date()
    later = _session_after(remembered, remembered.now_wall_ns + 2 * 86_400 * NS_PER_S)
    assert later in {path.parent for path in files_with(MARKERS["program"])}
    with StateStore(state_file()) as state:
        saved, wall_ns = state.policy_state("default")
        state.save_policy_state("default", {**saved, "muted": ["dead_clicks"]}, wall_ns)
    report = purge(of_day(day))
    assert len(report.deleted) == 3
    assert report.began_after == (later.name,)
    assert found() == NOTHING
    assert verify(later).ok
    with StateStore(state_file()) as state:
        assert state.policy_state("default")[0]["muted"] == ["dead_clicks"]


def test_what_was_said_later_of_a_day_that_goes_is_forgotten_too(remembered: Remembered) -> None:
    day = local_time(remembered.cut_wall_ns).date()
    later = _session_after(remembered, remembered.now_wall_ns + 2 * 86_400 * NS_PER_S)
    said = [
        EarlierReport(
            seq=n, at_ns=NS_PER_S, session=name, start_ns=7, end_ns=9, needed=True, needs={"zwetschgenapp": 0.5}
        )
        for n, name in ((2, remembered.inside.name), (3, "20200101-000000-abcd"))
    ]
    first, last_row = rows_in(later)
    _write_anew(later, [first, *said, replace(last_row, seq=4)])
    assert purge(of_day(day)).began_after == (later.name,)
    left = [row for row in rows_in(later) if isinstance(row, EarlierReport)]
    assert left == [replace(said[0], session="", start_ns=0, end_ns=0, needs={}), said[1]]
    assert verify(later).ok


def test_a_damaged_session_is_named_and_does_not_stop_the_rest(remembered: Remembered) -> None:
    shutil.copytree(remembered.inside, inside := remembered.inside.with_name(f"{remembered.inside.name[:-4]}0000"))
    shutil.copytree(remembered.before, across := remembered.before.with_name(f"{remembered.before.name[:-4]}0000"))
    for folder in (inside, across):
        (folder / DATABASE).write_bytes(b"this is no database")
    report = purge(since_cut(remembered))
    assert not inside.exists()
    assert across.exists()
    assert len(report.problems) == 1
    assert across.name in report.problems[0]
    assert found() | {"pictures": 0} == NOTHING
    assert not is_pending(state_file())


def test_a_session_that_cannot_be_replayed_here_is_cut_all_the_same(remembered: Remembered) -> None:
    _change_first(remembered.cut, lambda row: replace(row, detector_version="another"))
    purge(since_cut(remembered))
    report = verify(remembered.cut)
    assert (report.ok, report.problems) == (True, ())
    with SessionReader(remembered.cut) as reader:
        assert isinstance(reader.last(), SessionEnd)
        began = reader.first().policy_state["saved"]
    with StateStore(state_file()) as state:
        assert state.policy_state("default")[0] == began


def test_a_session_that_is_still_recorded_stops_it_before_anything_of_it_is_lost(remembered: Remembered) -> None:
    pulse = Heartbeat(remembered.cut)
    with pytest.raises(EnvironmentFault, match="being recorded"):
        purge(since_cut(remembered))
    assert is_begun(since_cut(remembered), state_file())
    pulse.close(in_order=False)
    assert finish(state_file()) is not None
    assert found() == NOTHING


def test_a_full_disk_leaves_every_session_whole_and_the_purge_pending(remembered: Remembered) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    begin(since_cut(remembered), sessions_folder(), state_file())
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(EnvironmentFault) as raised:
            finish(state_file())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.exit_code == 3
    assert all(verify(folder).ok for folder in list_sessions(sessions_folder()))
    assert is_pending(state_file())
    finish(state_file())
    assert found() == NOTHING
    assert replay(remembered.cut, check=True).identical


def test_an_intent_that_is_damaged_is_named(remembered: Remembered) -> None:
    """Nobody guesses what was to be deleted."""
    (state_folder() / PURGE).write_text("{")
    before = listing(sessions_folder())
    with pytest.raises(BadFile, match="is damaged"):
        finish(state_file())
    assert listing(sessions_folder()) == before


STUDY = enrolment(dt.date(2026, 9, 1), 60)


@pytest.mark.parametrize("imported_from", [None, "agentnet"])
def test_questions_of_a_study_are_as_far_as_before_the_span(remembered: Remembered, imported_from: str | None) -> None:
    """By the row of the study in the first session that goes; one that was imported says nothing of this person."""
    first = start(
        session_id=remembered.inside.name, wall_ns=remembered.now_wall_ns, imported_from=imported_from, policy="utility"
    )
    asked = {"sampling_state": {"unanswered": 1}, "elapsed_ns": NS_PER_S}
    study = study_row(None, first_date=20_000, days=20, utc_offset_s=0, seq=2, at_ns=1, **asked)
    _write_anew(remembered.inside, [first, study])
    with StateStore(state_file()) as state:
        state.save_enrolment(STUDY)
        state.save_sampling_state("s1", {"unanswered": 5}, 9)
    report = purge(last(1.0, remembered.now_wall_ns + NS_PER_S))
    with StateStore(state_file()) as state:
        found_state = state.sampling_state("s1")
        assert state.enrolment() == STUDY
    before = ({"unanswered": 1}, remembered.now_wall_ns - NS_PER_S)
    assert found_state == (before if imported_from is None else ({"unanswered": 5}, 9))
    assert "kairos study leave" in report.not_reached[-1]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Pacific/Auckland", "America/St_Johns"])
def test_a_day_is_a_local_one(remembered: Remembered, set_zone: Callable[[str], None], zone: str) -> None:
    """The same sessions lie on other days elsewhere."""
    set_zone(zone)
    began = dt.datetime.fromtimestamp(remembered.cut_wall_ns / NS_PER_S, tz=dt.UTC)
    day = local_time(remembered.cut_wall_ns).date()
    span = of_day(day)
    assert span.begin_wall_ns <= remembered.cut_wall_ns < (span.end_wall_ns or 0)
    assert began.date() - day in (dt.timedelta(0), dt.timedelta(days=-1), dt.timedelta(days=1))
    report = preview(of_day(day + dt.timedelta(days=3)), sessions_folder(), state_file())
    assert (report.deleted, report.cut) == ((), ())
    assert remembered.inside.name in preview(span, sessions_folder(), state_file()).deleted


def _session_after(remembered: Remembered, wall_ns: int) -> Path:
    with StateStore(state_file()) as state:
        saved, _ = state.policy_state("default")
    stamp = local_time(wall_ns)
    folder = remembered.before.with_name(f"{stamp:%Y%m%d-%H%M%S}-aaaa")
    learned = {"saved": dict(saved), "elapsed_ns": 5}
    first = start(session_id=folder.name, wall_ns=wall_ns, policy="utility", policy_state=learned)
    return testing.write_session(folder, [first, SessionEnd(reason="cut", seq=2, at_ns=NS_PER_S)])


def _change_first(folder: Path, change: Callable[[SessionStart], Record]) -> None:
    rows = rows_in(folder)
    assert isinstance(rows[0], SessionStart)
    _write_anew(folder, [change(rows[0]), *rows[1:]])


def _write_anew(folder: Path, rows: list[Record]) -> None:
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        (folder / name).unlink(missing_ok=True)
    testing.write_session(folder, rows)


def test_a_session_that_is_damaged_behind_the_cut_is_cut(remembered: Remembered) -> None:
    last_seq = max(row.seq for row in rows_in(remembered.cut))
    with closing(sqlite3.connect(remembered.cut / DATABASE)) as database, database:
        database.execute("UPDATE records SET body = 'torn' WHERE seq = ?", (last_seq,))
    report = purge(since_cut(remembered))
    assert (report.cut, report.problems) == ((remembered.cut.name,), ())
    assert found() == NOTHING
    assert replay(remembered.cut, check=True).identical


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("written", [True, False])
def test_requests_that_rows_behind_the_cut_name_go_whenever_they_were_sent(
    remembered: Remembered, *, own: bool, written: bool
) -> None:
    """The clock may have been set; numbers that a session names but did not send are another one's."""
    session = str(remembered.cut if own else remembered.before)
    with SentLog(sent_file()) as log:
        number = log.begin(request(picture(3), at_ns=1, session=session))
    rows = rows_in(remembered.cut)
    asked: dict[str, Any] = {"tier": ModelTier.LOCAL, "model": "m", "latency_ns": 1, "sent": (str(number), "none")}
    asked |= {"asked_at_ns": rows[-1].at_ns, "at_ns": rows[-1].at_ns, "seq": rows[-1].seq + 1}
    judged = ModelAnswer(prefix_id="w1/25", window_id=1, trouble="busy", **asked)
    _write_anew(remembered.cut, [*rows, HelpAnswer(offer_id="o1", **asked) if written else judged])
    assert preview(since_cut(remembered), sessions_folder(), state_file()).requests == 2 + own
    assert purge(since_cut(remembered)).requests == 2 + own
    with SentLog(sent_file()) as log:
        assert (number in SentLogReader(log).numbers()) is not own
