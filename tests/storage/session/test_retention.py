"""Retention: told first, deleted a day later at the earliest, oldest first, and nothing but sessions."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.clock import DAY_NS, NS_PER_S
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import sent_file
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.heartbeat import Heartbeat
from storage.session.log import list_sessions
from storage.session.retention import (
    GB,
    NOTICE_NS,
    SessionInfo,
    delete_due_sessions,
    delete_session,
    plan_deletions,
    session_infos,
)
from storage.session.transfer.archive import staging_folder
from storage.settings import StorageSettings
from storage.state.store import StateStore
from tests.fakes.mllm.sent_requests import picture, request
from tests.fakes.sessions.killed import killed_at
from tests.fakes.sessions.rows import count_orphans
from tests.fakes.sessions.session_sample import write_session
from tests.fakes.sessions.unreadable import lock

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_NS = int(NOW.timestamp()) * NS_PER_S
SETTINGS = StorageSettings(keep_days=30, keep_gb=5.0)


def info(days: float, size: int) -> SessionInfo:
    return SessionInfo(folder=Path(f"s{days}"), started_wall_ns=NOW_NS - round(days * DAY_NS), size=size)


def make(base: Path, days: float, size: int = 10) -> Path:
    folder = base / f"{(NOW - timedelta(days=days)).astimezone():%Y%m%d-%H%M%S}-{round(days * 16):04x}"
    folder.mkdir(parents=True)
    (folder / "session.db").write_bytes(bytes(size))
    return folder


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateStore]:
    with StateStore(tmp_path / "state.db") as store:
        yield store


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def test_old_sessions_are_due_by_age_and_the_oldest_of_the_rest_by_size() -> None:
    sessions = [info(1, 2 * GB), info(40, GB), info(20, 2 * GB), info(10, 2 * GB), info(31, GB)]
    assert [(due.session.folder.name, due.reason) for due in plan_deletions(sessions, SETTINGS, NOW_NS)] == [
        ("s40", "age"),
        ("s31", "age"),
        ("s20", "size"),
    ]
    assert plan_deletions([info(29, 4 * GB)], SETTINGS, NOW_NS) == []


@given(
    sessions=st.lists(
        st.builds(info, st.floats(0, 60), st.integers(0, 2 * GB)), max_size=12, unique_by=lambda one: one.folder
    ),
    days=st.integers(1, 40),
    gigabytes=st.floats(0, 6),
)
def test_a_plan_leaves_what_is_young_and_fits(sessions: list[SessionInfo], days: int, gigabytes: float) -> None:
    settings = StorageSettings(keep_days=days, keep_gb=gigabytes)
    due = plan_deletions(sessions, settings, NOW_NS)
    going = [entry.session for entry in due]
    staying = [session for session in sessions if session not in going]
    assert all(session.started_wall_ns >= NOW_NS - days * DAY_NS for session in staying)
    assert sum(session.size for session in staying) <= gigabytes * GB
    oldest_staying = min((session.started_wall_ns for session in staying), default=NOW_NS)
    assert all(session.started_wall_ns <= oldest_staying for session in going)
    by_size = [entry.session for entry in due if entry.reason == "size"]
    if by_size:
        assert sum(session.size for session in staying) + by_size[-1].size > gigabytes * GB


def test_nothing_is_deleted_before_its_notice_is_a_day_old(state: StateStore, base: Path) -> None:
    old, young = make(base, 40), make(base, 2)
    first = delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert [due.session.folder for due in first.to_announce] == [old]
    assert first.deleted == ()
    second = delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS - 1)
    assert (second.to_announce, second.deleted) == ((), ())
    assert old.exists()
    third = delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS)
    assert [due.session.folder for due in third.deleted] == [old]
    assert state.announced_deletions() == {}
    assert not old.exists()
    assert young.exists()


def test_a_wall_clock_that_was_set_back_deletes_nothing(state: StateStore, base: Path) -> None:
    """A telling that lies in the future is none."""
    old = make(base, 40)
    delete_due_sessions(base, SETTINGS, state, NOW_NS + 100 * DAY_NS)
    later = delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert [due.session.folder for due in later.to_announce] == [old]
    assert old.exists()


def test_a_session_being_recorded_is_left_alone(tmp_path: Path) -> None:
    folder = make(tmp_path, 40)
    heartbeat = Heartbeat(folder)
    assert session_infos(tmp_path) == []
    with pytest.raises(UsageError, match="being recorded"):
        delete_session(folder, tmp_path)
    heartbeat.close(in_order=True)
    assert [session.folder for session in session_infos(tmp_path)] == [folder]
    delete_session(folder, tmp_path)
    assert not folder.exists()


def test_a_deletion_that_was_killed_leaves_no_half_of_a_session(tmp_path: Path) -> None:
    folder, other = make(tmp_path, 3), make(tmp_path, 2)
    assert killed_at("storage.session.retention.shutil.rmtree", "before", lambda: delete_session(folder, tmp_path))
    assert list_sessions(tmp_path) == [other]
    assert len(list(tmp_path.iterdir())) == 2
    with StateStore(tmp_path / "state" / "state.db") as state:
        delete_due_sessions(tmp_path, SETTINGS, state, NOW_NS)
    assert {path.name for path in tmp_path.iterdir()} - {"state", "xdg"} == {other.name}


def test_what_cannot_be_deleted_now_stays_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path, 3)
    with monkeypatch.context() as patch:
        patch.setattr("storage.session.retention.shutil.rmtree", Mock(side_effect=PermissionError(13, "no")))
        with pytest.raises(EnvironmentFault, match="cannot be deleted"):
            delete_session(folder, tmp_path)
    assert list_sessions(tmp_path) == [folder]
    delete_session(folder, tmp_path)
    assert list_sessions(tmp_path) == []


def test_only_a_session_inside_its_folder_is_deleted(tmp_path: Path, base: Path) -> None:
    folder = make(base, 3)
    outside = make(tmp_path / "elsewhere", 3)
    (base / "notes").mkdir()
    link = base / "20260101-000000-abcd"
    link.symlink_to(outside)
    for target in (base / "notes", outside, link, base, base / ".." / "elsewhere" / outside.name, base / "missing"):
        with pytest.raises(BadFile, match="nothing was deleted"):
            delete_session(target, base)
    (folder / "linked").symlink_to(outside)
    delete_session(folder, base)
    assert (outside / "session.db").exists()
    assert (base / "notes").exists()


@pytest.fixture
def west_of_greenwich(set_zone: Callable[[str], None]) -> None:
    set_zone("America/New_York")


@pytest.mark.usefixtures("west_of_greenwich")
def test_a_name_that_is_no_time_neither_stops_a_start_nor_stays_for_ever(state: StateStore, base: Path) -> None:
    strange = [base / f"{day}-235959-ffff" for day in ("99991231", "00001231", "00010101", "98760101")]
    for folder in strange:
        folder.mkdir(parents=True)
        (folder / "session.db").write_bytes(bytes(10))
        os.utime(folder / "session.db", ns=(NOW_NS - 40 * DAY_NS, NOW_NS - 40 * DAY_NS))
    (base / "99991231-235959-abcd").mkdir()  # without rows: no session
    old = make(base, 45)
    first = delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert {due.session.folder for due in first.to_announce} == {old, *strange}
    second = delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS)
    assert {due.session.folder for due in second.deleted} == {old, *strange}
    assert [folder.name for folder in base.iterdir()] == ["99991231-235959-abcd"]


def test_an_unreadable_folder_is_named_and_does_not_hold_up_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, state: StateStore, base: Path
) -> None:
    locked, old = make(base, 50), make(base, 40)
    lock(locked, monkeypatch)
    first = delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert [due.session.folder for due in first.to_announce] == [old]
    second = delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS)
    assert [due.session.folder for due in second.deleted] == [old]
    assert f"{locked} is neither counted nor deleted" in caplog.text


def send(folder: Path | None, days: float, seed: int, size: int = 1000) -> int:
    with SentLog() as log:
        session = "" if folder is None else str(folder.resolve())
        return log.begin(request(picture(seed, size), at_ns=NOW_NS - round(days * DAY_NS), session=session))


def sent() -> list[int]:
    with SentLog() as log:
        entries = SentLogReader(log)
        assert count_orphans(log) == 0
        assert [entries.find_problem(number) for number in entries.numbers()] == [None] * len(entries.numbers())
        return entries.numbers()


def test_what_was_sent_is_deleted_with_its_session(state: StateStore, base: Path) -> None:
    first, second, third = make(base, 3), make(base, 2), make(base, 1)
    numbers = [send(folder, 1, seed) for seed, folder in enumerate((first, second, third))]
    delete_session(first, base)
    assert sent() == numbers[1:]
    (second / "session.db").unlink()
    second.rmdir()
    delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert sent() == numbers[2:]


def test_old_requests_are_deleted_a_day_after_a_notice(state: StateStore, base: Path) -> None:
    old, next_day, young = send(None, 40, 1), send(None, 29.5, 2), send(None, 1, 3)
    first = delete_due_sessions(base, SETTINGS, state, NOW_NS)
    assert (first.must_announce, first.to_announce) == (True, ())
    assert not delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS - 1).must_announce
    assert sent() == [old, next_day, young]
    assert delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS).must_announce
    assert sent() == [next_day, young]
    assert not delete_due_sessions(base, SETTINGS, state, NOW_NS + 2 * NOTICE_NS).must_announce
    assert sent() == [young]


def test_a_wall_clock_that_is_ahead_for_a_while_empties_no_sent_log(state: StateStore, base: Path) -> None:
    numbers = [send(None, 1, 1), send(make(base, 2), 2, 2)]
    assert delete_due_sessions(base, SETTINGS, state, NOW_NS + 40 * DAY_NS).must_announce
    assert sent() == numbers
    assert not delete_due_sessions(base, SETTINGS, state, NOW_NS + NOTICE_NS).must_announce
    assert state.announced_deletions() == {}
    assert sent() == numbers


def test_what_a_moved_or_renamed_session_sent_is_deleted_with_it(tmp_path: Path, state: StateStore) -> None:
    """It belongs to the session's id, wherever its folder lies and whatever that is called meanwhile."""
    base, new_base = tmp_path / "sessions", tmp_path / "elsewhere"
    moved, renamed, other = (write_session(base, pictures=0) for _ in range(3))
    number = [send(folder, 1, seed) for seed, folder in enumerate((moved, renamed, other))][2]
    base.rename(new_base)
    (new_base / renamed.name).rename(new_base / "20260101-000000-abcd")
    delete_due_sessions(new_base, StorageSettings(keep_days=10**6), state, NOW_NS)
    assert len(sent()) == 3
    delete_session(new_base / moved.name, new_base)
    delete_session(new_base / "20260101-000000-abcd", new_base)
    assert sent() == [number]


def test_deleting_a_copy_leaves_what_the_session_itself_sent(base: Path) -> None:
    """A copy has the id of the session in its first row, and that is still here."""
    session = write_session(base, pictures=0)
    number = send(session, 1, 1)
    copy = base / "20260101-000000-abcd"
    shutil.copytree(session, copy)
    delete_session(copy, base)
    assert sent() == [number]
    delete_session(session, base)
    assert sent() == []


def test_staging_folders_of_killed_imports_are_swept_and_others_are_not(tmp_path: Path, base: Path) -> None:

    def leave() -> Path:
        (folder := base / ".import-killed" / "raw").mkdir(parents=True)
        (folder / "session.db").write_bytes(bytes(100))
        return folder.parent

    killed = leave()
    with StateStore(tmp_path / "state.db") as state, staging_folder(base) as running:
        assert not killed.exists()
        killed = leave()
        delete_due_sessions(base, SETTINGS, state, NOW_NS)
        assert not killed.exists()
        assert running.exists()
    assert list(base.iterdir()) == []


def test_what_was_sent_counts_to_the_size_of_its_session(state: StateStore, base: Path) -> None:
    heavy, light = make(base, 3), make(base, 1)
    send(heavy, 3, 1, size=900_000)
    send(light, 1, 2, size=1_000)
    roomy, tight = StorageSettings(keep_gb=0.001), StorageSettings(keep_gb=0.0005)
    trials = [send(None, 1, seed, size=60_000) for seed in range(3, 6)]
    assert delete_due_sessions(base, roomy, state, NOW_NS).to_announce == ()
    assert trials[0] not in sent()
    assert [due.session.folder for due in delete_due_sessions(base, tight, state, NOW_NS).to_announce] == [heavy]
    assert len(sent()) == 2  # nothing of a session goes before it was told
    delete_due_sessions(base, tight, state, NOW_NS + NOTICE_NS)
    assert len(sent()) == 1
    assert not heavy.exists()
    assert light.exists()


def test_keeping_for_ever_keeps_what_was_sent(tmp_path: Path, state: StateStore) -> None:
    """The largest number of days that a setting takes is no earlier time than a database knows."""
    number = send(None, 5000, 1)
    delete_due_sessions(tmp_path / "sessions", StorageSettings(keep_days=10**9), state, NOW_NS)
    assert sent() == [number]


def test_sessions_on_an_absent_disk_keep_what_they_sent(tmp_path: Path, state: StateStore) -> None:
    """An unplugged disk is no deletion."""
    elsewhere = tmp_path / "disk"
    number = send(make(elsewhere, 2), 2, 1)
    elsewhere.rename(tmp_path / "unplugged")
    delete_due_sessions(tmp_path / "sessions", SETTINGS, state, NOW_NS)
    assert sent() == [number]


def test_a_damaged_sent_log_does_not_prevent_a_start_and_is_reported_when_deleting(
    state: StateStore, base: Path
) -> None:
    folder = make(base, 3)
    send(folder, 3, 1)
    sent_file().write_bytes(b"no database at all" * 100)
    assert delete_due_sessions(base, SETTINGS, state, NOW_NS).to_announce == ()
    with pytest.raises(BadFile, match=r"sent\.db is damaged"):
        delete_session(folder, base)
    assert not folder.exists()


def test_a_session_that_was_no_longer_due_is_announced_again(state: StateStore, base: Path) -> None:
    old = make(base, 40)
    delete_due_sessions(base, SETTINGS, state, NOW_NS)
    delete_due_sessions(base, StorageSettings(keep_days=100), state, NOW_NS + 1)
    again = delete_due_sessions(base, SETTINGS, state, NOW_NS + 2 * NOTICE_NS)
    assert [due.session.folder for due in again.to_announce] == [old]
    assert old.exists()


def test_a_name_that_is_no_date_is_no_session_of_ours(tmp_path: Path) -> None:
    (tmp_path / "99999999-999999-abcd").mkdir()
    assert session_infos(tmp_path) == []
    assert session_infos(tmp_path / "nowhere") == []


def test_a_renamed_session_keeps_what_it_sent_until_it_is_deleted(state: StateStore, base: Path) -> None:
    kept, gone = (write_session(base, pictures=0) for _ in range(2))
    number, _ = (send(folder, 1, seed) for seed, folder in enumerate((kept, gone)))
    kept.rename(base / "20260101-000000-abcd")
    shutil.rmtree(gone)
    delete_due_sessions(base, StorageSettings(keep_days=10**6), state, NOW_NS)
    assert sent() == [number]
