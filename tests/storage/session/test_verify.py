"""`verify`: what a session holds, what may be missing, and what is wrong with it."""

import fcntl
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Environment, EventKind, InputEvent
from storage.session.log import SessionWriter
from storage.session.verify import verify
from tests.fakes.sessions.session_sample import write_session


def beat(folder: Path, seen_s: float, taken_s: float) -> Path:
    times = (round(seen_s * NS_PER_S), round(taken_s * NS_PER_S))
    path = folder / "pulse"
    path.write_bytes(b"".join(time.to_bytes(8, "little", signed=True) for time in times))
    return path


def test_a_whole_session_is_sound(tmp_path: Path) -> None:
    report = verify(write_session(tmp_path))
    assert report.as_json() == {"ok": True, "duration_s": 10.0, "frames": 3, "events": 7, "lost_s": 0.0, "problems": []}


@pytest.mark.parametrize(
    ("seen_s", "taken_s", "lost_s"),
    [(109, 109, 0.5), (50, 50, 0.5), (110.25, 109, 1.25 + 2.0), (109.5, 110.5, 1.5 + 2.0)],
)
def test_a_kill_loses_at_most_what_was_pending_and_one_interval(
    tmp_path: Path, seen_s: float, taken_s: float, lost_s: float
) -> None:
    """The bound is from the last row to the last thing seen, and one interval in which nobody looked again."""
    folder = write_session(tmp_path, ended=False, pictures=0)
    beat(folder, seen_s, taken_s)
    report = verify(folder)
    assert (report.ok, report.lost_s) == (True, lost_s)
    assert "cut off" in report.problems[-1]


@pytest.mark.parametrize(("battery", "lost_s"), [(False, 1.0 + 0.5), (True, 1.0 + 1.0)])
def test_the_interval_is_short_while_input_flows(tmp_path: Path, battery: bool, lost_s: float) -> None:
    folder = write_session(tmp_path, ended=False, pictures=0)
    writer = SessionWriter(folder)
    late = InputEvent(seq=15, at_ns=109 * NS_PER_S, t_ns=109 * NS_PER_S, kind=EventKind.KEY)
    writer.append([Environment(seq=14, at_ns=109 * NS_PER_S, on_battery=battery), late])
    writer.close()
    beat(folder, 110, 109)
    assert verify(folder).lost_s == lost_s


def test_a_cut_session_without_a_heartbeat_still_has_a_bound(tmp_path: Path) -> None:
    """Rows wait at most as long as the settings in force say."""
    report = verify(write_session(tmp_path, ended=False, pictures=0))
    assert (report.ok, report.lost_s) == (True, 1.0)


def test_an_end_with_a_heartbeat_left_is_not_trusted(tmp_path: Path) -> None:
    """The heartbeat file is removed when everything was written; if it stayed, something may be missing."""
    folder = write_session(tmp_path, pictures=0)
    beat(folder, 111, 110)
    assert verify(folder).lost_s == 1.0 + 2.0


def test_a_session_being_recorded_is_reported_as_such(tmp_path: Path) -> None:
    """A running recorder holds the lock of the heartbeat file."""
    folder = write_session(tmp_path, ended=False, pictures=0)
    with beat(folder, 109, 109).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "still being recorded" in verify(folder).problems[-1]


def test_pictures_missing_at_the_end_count_as_lost(tmp_path: Path) -> None:
    folder = write_session(tmp_path, ended=False, pictures=2)
    beat(folder, 109, 109)
    report = verify(folder)
    assert report.lost_s == 0.5 + 6.0
    assert "1 of 3 pictures are not in the video" in report.problems


def test_a_missing_or_invalid_video_is_reported(tmp_path: Path) -> None:
    folder = write_session(tmp_path)
    for make in (
        (folder / "screen-000.mp4").unlink,
        lambda: (folder / "screen-000.mp4").write_text("ffconcat version 1.0\nfile x.mp4\n"),
    ):
        make()
        report = verify(folder)
        assert report.ok
        assert any("screen-000.mp4" in problem for problem in report.problems)


def test_rows_that_do_not_follow_on_are_not_sound(tmp_path: Path) -> None:
    folder = write_session(tmp_path, pictures=0)
    with closing(sqlite3.connect(folder / "session.db", isolation_level=None)) as connection:
        body = json.loads(connection.execute("SELECT body FROM records WHERE seq = 7").fetchone()[0])
        connection.execute("DELETE FROM records WHERE seq = 5")
        changed = json.dumps(body | {"at_ns": 1})
        connection.execute("UPDATE records SET at_ns = 1, body = ? WHERE seq = 7", (changed,))
        late = json.dumps(body | {"seq": 15, "at_ns": 120 * NS_PER_S})
        connection.execute("INSERT INTO records VALUES (15, ?, 'input_event', ?)", (120 * NS_PER_S, late))
    report = verify(folder)
    assert (report.ok, report.damaged) == (False, False)
    told = "\n".join(report.problems)
    assert "rows 5 to 5 are missing" in told
    assert "row 7 (input_event) is earlier" in told
    assert "row 15 comes after the end" in told


def test_a_row_that_does_not_decode_is_damage(tmp_path: Path) -> None:
    folder = write_session(tmp_path, pictures=0)
    with closing(sqlite3.connect(folder / "session.db", isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = '{' WHERE seq = 5")
    report = verify(folder)
    assert (report.ok, report.damaged, report.frames) == (False, True, 1)


def test_a_truncated_database_is_damage_or_no_session(tmp_path: Path) -> None:
    folder = write_session(tmp_path, pictures=0)
    path = folder / "session.db"
    data = path.read_bytes()
    refused = 0
    for length in range(0, len(data), 4_096):
        path.write_bytes(data[:length])
        try:
            assert verify(folder).damaged
        except BadFile:
            refused += 1
    assert refused > 0


def test_a_folder_without_a_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile):
        verify(tmp_path)
    with closing(sqlite3.connect(tmp_path / "session.db")) as connection:
        connection.execute("CREATE TABLE other (x)")
    with pytest.raises(BadFile, match="not a Kairos session"):
        verify(tmp_path)
    (tmp_path / "session.db").write_text("hello")
    with pytest.raises(BadFile):
        verify(tmp_path)
