"""Files of a session that lose their end: what stays is as it was, and a file is the old one or the new one."""

from pathlib import Path

import pytest

from daemon.purge.intent import StoredRow
from daemon.purge.rows import replace_rows, rows_before, shorten, stored
from daemon.purge.videos import shorten_videos
from storage.errors import BadFile, EnvironmentFault
from storage.records import SessionEnd
from storage.session.log import DATABASE, SessionReader, SessionWriter
from tests.fakes.sessions.rows import recorded_pictures, rows_in
from tests.fakes.sessions.session_sample import listing, write_session, write_video


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_session(tmp_path)


END = stored(SessionEnd(seq=5, at_ns=102 * 10**9, reason="purged"))


def test_the_rows_that_stay_are_the_same_to_the_byte(session: Path) -> None:
    before = list(rows_before(session, 5))
    shorten(session, 5, [END])
    assert list(rows_before(session, 99)) == [*before, END]
    assert {path.name for path in session.iterdir()} == {DATABASE, "screen-000.mp4"}
    assert (session / DATABASE).stat().st_mode & 0o777 == 0o600


def test_the_write_ahead_log_of_before_is_not_applied_to_the_new_file(session: Path) -> None:
    """It is folded into the old one first."""
    writer = SessionWriter(session)  # as left by a kill: open, with its log beside it
    writer._database.execute("SELECT count(*) FROM records")
    assert (session / f"{DATABASE}-wal").exists()
    writer._database.conn.close()
    shorten(session, 5, [END])
    with SessionReader(session) as reader:
        assert reader.last() == SessionEnd(seq=5, at_ns=102 * 10**9, reason="purged")


def test_a_fault_on_the_way_leaves_the_old_file(session: Path) -> None:
    before = listing(session)
    with pytest.raises(BadFile):
        replace_rows(session, [END, END])
    assert listing(session) == before
    other = SessionWriter(session)
    other._database.execute("SELECT count(*) FROM records")
    with pytest.raises(EnvironmentFault):
        replace_rows(session, [END])
    other.close()
    (session / DATABASE).write_bytes(b"x" * 8192)
    with pytest.raises((BadFile, EnvironmentFault)):
        shorten(session, 5, [END])
    assert [path.name for path in session.iterdir() if ".new" in path.name] == []


def test_pictures_after_a_millisecond_are_gone_and_the_others_bit_for_bit_there(session: Path) -> None:
    (session / "screen-000.mp4.new").write_bytes(b"half")
    (session / "screen-001.mp4").write_bytes((session / "screen-000.mp4").read_bytes())
    kept = recorded_pictures(session)[:2]
    assert shorten_videos(session, {"screen-000.mp4": 1000}) == []
    assert recorded_pictures(session) == kept == [("screen-000.mp4", 0), ("screen-000.mp4", 1000)]
    assert {path.name for path in session.iterdir()} == {DATABASE, "screen-000.mp4"}
    again = (session / "screen-000.mp4").read_bytes()
    assert shorten_videos(session, {"screen-000.mp4": 1000}) == []
    assert recorded_pictures(session) == kept
    assert len(again) == (session / "screen-000.mp4").stat().st_size


def test_a_video_that_cannot_be_read_is_deleted_whole(session: Path) -> None:
    """It may hold anything, and no picture of it can be shown."""
    (session / "screen-000.mp4").write_bytes(b"no video at all")
    assert shorten_videos(session, {"screen-000.mp4": 1000}) == ["screen-000.mp4"]
    assert not (session / "screen-000.mp4").exists()


def test_a_video_of_another_program_is_shortened_too(session: Path) -> None:
    """As an import has it: not in fragments, with pictures that refer to later ones."""
    import numpy as np

    (session / "screen-000.mp4").unlink()
    pictures = [np.full((96, 160, 3), 20 * number, np.uint8) for number in range(10)]
    write_video(session / "screen-000.mp4", pictures, options={"bf": "2"})
    assert len(recorded_pictures(session)) == 10
    assert shorten_videos(session, {"screen-000.mp4": 500}) == []
    assert [ms for _, ms in sorted(recorded_pictures(session))] == [0, 100, 200, 300, 400, 500]


def test_a_row_is_stored_as_the_log_stores_it(session: Path) -> None:
    rows = rows_in(session)
    assert list(map(stored, rows)) == list(rows_before(session, 99))
    assert isinstance(stored(rows[0]), StoredRow)
