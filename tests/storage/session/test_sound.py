"""The sound of a session: where it stands in its files, and that everything that knows of files knows of these."""

from pathlib import Path

import pytest

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Sound
from storage.session.sound import RATE, SoundPlan, SoundWriter, read_sound, sound_ref
from storage.session.transfer.export import export_session
from storage.session.transfer.import_session import import_session
from storage.session.verify import verify
from storage.session.video_sandbox import probe_video
from storage.testing import SessionBuilder
from tests.fakes.sessions.rows import rows_in
from tests.fakes.sound.tones import placed, seconds_with, tone, write_sound


def test_a_gap_stays_a_gap(tmp_path: Path) -> None:
    plan = SoundPlan(300)
    blocks = placed(plan, 0, tone(600)) + placed(plan, 7 * NS_PER_S, tone(2000))
    write_sound(tmp_path, blocks)
    path = tmp_path / "sound-000.mp4"
    assert {blocks[0].file, blocks[-1].file} == {path.name}
    assert (min(seconds_with(path, 600)), max(seconds_with(path, 2000))) == (0.0, 7.98)
    lengths = (len(seconds_with(path, 600)), len(seconds_with(path, 2000)))
    assert lengths == (51, 50), "Opus looks 6.5 ms ahead: the end of one stretch is in the first packet of the next"
    assert sound_ref(blocks[50]) == "sound-000.mp4@7000"


def test_a_file_ends_after_its_time_and_where_it_was_abandoned() -> None:
    plan = SoundPlan(10)
    files = [plan.place(second * NS_PER_S, b"").file for second in (0, 9, 10)]
    plan.cut()
    assert [*files, plan.place(11 * NS_PER_S, b"").file] == [
        "sound-000.mp4",
        "sound-000.mp4",
        "sound-001.mp4",
        "sound-002.mp4",
    ]


def test_places_never_go_back() -> None:
    plan = SoundPlan(300)
    assert [plan.place(t_ns, b"").at for t_ns in (NS_PER_S, 2 * NS_PER_S, NS_PER_S)] == [0, RATE, RATE + 1]


def test_a_file_that_is_still_written_holds_all_but_the_last_fragment(tmp_path: Path) -> None:
    """As a kill leaves it: at most .4 s are missing, wherever it is cut off."""
    writer = SoundWriter(tmp_path)
    for block in placed(SoundPlan(300), 0, tone(600, 5)):
        writer.write(block)
    path = tmp_path / "sound-000.mp4"
    assert max(seconds_with(path, 600)) > 4.6
    whole = path.read_bytes()
    writer.close()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    assert 2.5 < max(seconds_with(path, 600)) < 4
    assert len(probe_video(path).times_ms) == len(list(read_sound(path)))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    made = SessionBuilder()
    begin_ns = made.clock.now_ns()
    made.wait(10).put(Sound, t_ns=begin_ns, on=True, sound_ref="sound-000.mp4@0")
    folder = made.end().write(tmp_path / "sessions")
    write_sound(folder, placed(SoundPlan(300), begin_ns, tone(600, 5)))
    return folder


def test_sound_goes_with_an_export_where_that_is_said_and_comes_back(session: Path, tmp_path: Path) -> None:
    export_session(session, tmp_path / "out.kairos", video=False, speech=True)
    back = import_session(tmp_path / "out.kairos", tmp_path / "others")
    assert (back / "sound-000.mp4").read_bytes() == (session / "sound-000.mp4").read_bytes()
    export_session(session, tmp_path / "silent.kairos", video=True, labels=True)
    silent = import_session(tmp_path / "silent.kairos", tmp_path / "others")
    assert not (silent / "sound-000.mp4").exists()
    assert [row.sound_ref for row in rows_in(silent) if isinstance(row, Sound)] == [None]


def test_sound_that_is_missing_or_damaged_is_noted(session: Path) -> None:
    assert verify(session).problems == ()
    (session / "sound-000.mp4").write_bytes(b"no sound at all")
    assert any("places of sound" in problem for problem in verify(session).problems)
    assert verify(session).ok, "what a kill leaves is sound"


def test_a_video_is_no_sound(session: Path, tmp_path: Path) -> None:
    folder = SessionBuilder()
    folder.picture(100)
    video = folder.end().write(tmp_path / "videos") / "screen-000.mp4"
    video.replace(session / "sound-000.mp4")
    with pytest.raises(BadFile, match="is not sound alone"):
        probe_video(session / "sound-000.mp4")
