"""The recorder: steps stay whole, idle means idle; a full disk stops the video, is reported once, and hurts nothing."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import storage.session.recorder
from storage.clock import NS_PER_S
from storage.records import Dropped, Record, Tick
from storage.session.heartbeat import is_recording, read_heartbeat
from storage.session.log import SessionWriter
from storage.session.recorder import MAX_PICTURES, SessionRecorder
from storage.session.sound import SoundPlan
from storage.session.video import Picture, VideoPlan, VideoWriter
from storage.settings import StorageSettings
from tests.fakes.narrowing import present
from tests.fakes.sessions.recording import CLOCK, DEADLINE_S, QUICK, Recording, heavy, until
from tests.fakes.sessions.rows import SIZE, picture, recorded_pictures, session, start, step
from tests.fakes.sound.tones import placed, tone


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path)


def begun(base: Path) -> Recording:
    recording = Recording(base)
    recording.recorder.put([start()])
    until(lambda: recording.count() == 1)
    return recording


def test_a_session_is_recorded_and_ends_in_order(recording: Recording) -> None:
    for rows in session(20):
        recording.recorder.put(rows)
    assert is_recording(recording.folder)
    assert recording.recorder.close(DEADLINE_S)
    assert recording.close() == list(range(1, 43))
    assert recording.reported == []
    assert not is_recording(recording.folder)
    assert read_heartbeat(recording.folder) is None


def test_rows_reach_the_disk_without_later_rows(tmp_path: Path) -> None:
    recording = begun(tmp_path)
    recording.recorder.put(step(2, 9))
    until(lambda: recording.seqs() == [1, 2, 3])
    assert present(read_heartbeat(recording.folder)).taken_ns == 9
    assert recording.recorder.close(DEADLINE_S)


def test_nothing_wakes_the_writer_while_nothing_is_pending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[None] = []
    turn = SessionRecorder._work_once

    def counted(self: SessionRecorder) -> bool:
        turns.append(None)
        return turn(self)

    monkeypatch.setattr(SessionRecorder, "_work_once", counted)
    recording = begun(tmp_path)
    until(lambda: len(turns) == 2)  # the second one waits
    CLOCK.sleep_s(20 * QUICK.flush_s)
    assert len(turns) == 2
    assert recording.recorder.close(DEADLINE_S)


def test_pictures_are_encoded_as_they_come(recording: Recording) -> None:
    plan = VideoPlan(300.0)
    refs = [plan.ref(n * NS_PER_S, SIZE) for n in range(4)]
    for number, ref in enumerate(refs):
        recording.recorder.put_picture(picture(number, ref))
    until(lambda: (recording.folder / "screen-000.mp4").exists() and len(recorded_pictures(recording.folder)) == 3)
    assert recording.recorder.close(DEADLINE_S)
    assert [f"{file}@{ms}" for file, ms in recorded_pictures(recording.folder)] == refs


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    event = threading.Event()
    write = VideoWriter.write

    def wait(self: VideoWriter, taken: Picture) -> bool:
        assert event.wait(DEADLINE_S)
        return write(self, taken)

    monkeypatch.setattr(VideoWriter, "write", wait)
    yield event
    event.set()


def test_a_slow_encoder_drops_the_oldest_pictures_and_counts_them(stuck: threading.Event, recording: Recording) -> None:
    """Pictures are bounded, rows go on; repeats do not count as lost, because no row names them."""
    plan = VideoPlan(300.0)
    recording.recorder.put_picture(picture(0, plan.ref(0, SIZE)))
    until(lambda: not recording.recorder._pictures)  # the first one is being encoded
    for number in range(1, MAX_PICTURES + 6):
        ref = plan.ref(number * NS_PER_S, SIZE)
        recording.recorder.put_picture(picture(number, ref, repeat=number == 2))
    recording.recorder.put([start()])
    stuck.set()
    until(lambda: bool(recording.reported))
    assert recording.recorder.close(DEADLINE_S)
    assert recording.reported == [Dropped(what="pictures", count=4, reason="overload")]
    assert [ms // 1000 for _, ms in recorded_pictures(recording.folder)] == [0, *range(6, MAX_PICTURES + 6)]
    assert recording.seqs() == [1]


def test_rows_beyond_the_limit_are_counted_and_the_heartbeat_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stuck: threading.Event
) -> None:
    """Memory is bounded; a session that lost rows says so and does not end as if it were whole."""
    monkeypatch.setattr(storage.session.recorder, "MAX_ROWS", 10)
    recording = Recording(tmp_path)
    recording.recorder.put_picture(picture(0, VideoPlan(300.0).ref(0, SIZE)))
    until(lambda: not recording.recorder._pictures)
    for seq in range(1, 24, 2):
        recording.recorder.put(step(seq, seq))
    stuck.set()
    until(lambda: bool(recording.reported))
    assert not recording.recorder.close(DEADLINE_S)
    assert recording.reported == [Dropped(what="rows", count=14, reason="overload")]
    assert recording.seqs() == list(range(1, 11))
    assert present(read_heartbeat(recording.folder)).taken_ns == 9


def test_too_little_free_disk_stops_pictures_and_not_rows(tmp_path: Path) -> None:
    recording = Recording(tmp_path, StorageSettings(flush_s=0.02, min_free_mb=1 << 30))
    recording.recorder.put([start()])
    until(lambda: recording.seqs() == [1] and not recording.recorder.stores_pictures)
    recording.recorder.put_picture(picture(0, VideoPlan(300.0).ref(0, SIZE)))
    recording.recorder.put(step(2, 5))
    until(lambda: recording.seqs() == [1, 2, 3])
    assert recording.recorder.close(DEADLINE_S)
    assert recording.problems() == [("disk_full", False)]
    assert Dropped(what="pictures", count=1, reason="disk_full") in recording.reported
    assert recorded_pictures(recording.folder) == []


def test_a_bug_in_the_writer_is_reported_and_raises_into_no_caller(tmp_path: Path) -> None:
    recording = begun(tmp_path)
    recording.recorder.put([Tick(seq=1)])
    until(lambda: bool(recording.reported))
    recording.recorder.put([Tick(seq=2)])
    recording.recorder.put_picture(picture(0, VideoPlan(300.0).ref(0, SIZE)))
    assert recording.problems() == [("storage_failed", False)]
    assert not recording.recorder.close(DEADLINE_S)
    assert read_heartbeat(recording.folder) is not None
    assert recording.seqs() == [1]


def test_rows_go_on_where_sound_cannot_be_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the library was built without Opus: PyAV says so with a `ValueError`."""

    def lacking(*_: object, **__: object) -> None:
        raise ValueError("libopus")

    recording = begun(tmp_path)
    monkeypatch.setattr("storage.session.sound.SoundWriter._open", lacking)
    assert recording.recorder.put_sound(placed(SoundPlan(300), 0, tone(600, 0.1)))
    until(lambda: bool(recording.reported))
    assert not recording.recorder.put_sound([])
    recording.recorder.put(step(2, 9))
    assert recording.close() == [1, 2, 3]
    assert recording.problems() == [("storage_failed", False)]


# ---------------------------------------------------------------- a disk that is really full


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB; needs root."""
    mount = tmp_path / "small"
    mount.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", mount], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield mount
    subprocess.run(["umount", "-l", mount], check=True)


def test_a_full_disk_stops_the_video_is_reported_once_and_recording_resumes_with_space(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage.session.recorder, "RETRY_S", 0.05)
    recording = Recording(small_disk)
    plan = VideoPlan(300.0)
    recording.recorder.put([start()])
    recording.recorder.put_picture(picture(0, plan.ref(0, SIZE)))
    until(lambda: recording.count() == 1)
    ballast = small_disk / "ballast"
    with ballast.open("wb") as file:
        file.write(bytes(9 << 20))
    for seq in range(2, 120):
        recording.recorder.put(heavy(seq))
    until(lambda: bool(recording.problems()))
    until(lambda: recording.recorder._rows_fail)
    assert not recording.recorder.stores_pictures
    recording.recorder.put_picture(picture(1, plan.ref(NS_PER_S, SIZE)))
    before = recording.seqs()
    assert before == list(range(1, len(before) + 1))
    assert len(before) < 119
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    until(lambda: len(recording.problems()) == 2)
    assert recording.problems() == [("disk_full", False), ("disk_full", True)]
    assert recording.recorder.stores_pictures
    plan.cut()
    for number in (2, 3):
        recording.recorder.put_picture(picture(number, plan.ref(number * NS_PER_S, SIZE)))
    recording.recorder.put([Tick(seq=120)])
    assert recording.close() == list(range(1, 121))
    assert recorded_pictures(recording.folder) == [
        ("screen-000.mp4", 0),
        ("screen-001.mp4", 0),
        ("screen-001.mp4", 1000),
    ]


LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
from tests.fakes.sessions.recording import Recording, heavy, until
recording = Recording(Path(sys.argv[1]))
for seq in range(2, 40):
    recording.recorder.put(heavy(seq))
until(lambda: recording.recorder._rows_fail)
recording.recorder.close(5.0)
print(recording.problems())
"""


def test_a_file_size_limit_is_reported_like_a_full_disk(tmp_path: Path) -> None:
    """Without root: a limit on file sizes stops recording, and the program lives to tell."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() in {"[('disk_full', False)]", "[('storage_failed', False)]"}


def _replace(folder: Path) -> None:
    other = folder.with_name("other.db")
    other.write_bytes(b"of somebody else")
    other.rename(folder / "session.db")


def _replace_folder(folder: Path) -> None:
    folder.rename(folder.with_name("aside"))
    SessionWriter(folder).close()


def _overwrite(folder: Path) -> None:
    """Write other bytes into the same file, as `cp` does."""
    path = folder / "session.db"
    path.write_bytes(b"of somebody else" * (path.stat().st_size // 16))


def _copy_over(folder: Path) -> None:
    other = SessionWriter(folder.with_name("other"))
    other.append([start(session_id="20000101-000000-0000")])
    other.close()
    (folder / "session.db").write_bytes((folder.with_name("other") / "session.db").read_bytes())


@pytest.mark.parametrize(
    "spoil",
    [
        shutil.rmtree,
        lambda folder: (folder / "session.db").unlink(),
        lambda folder: (folder / "session.db-wal").unlink(),
        lambda folder: folder.rename(folder.with_name("aside")),
        _replace,
        _replace_folder,
        _overwrite,
        _copy_over,
    ],
    ids=["removed", "no rows", "no newest rows", "moved", "replaced", "folder replaced", "overwritten", "copied over"],
)
def test_a_session_that_was_removed_or_overwritten_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(storage.session.recorder, "RETRY_S", 0.0)
    recording = Recording(tmp_path)
    recording.recorder.put([start()])
    for seq in range(2, 62):  # so much that the database itself is written, not only the log beside it
        recording.recorder.put(heavy(seq))
    until(lambda: recording.count() == 61)
    recording.recorder.put(heavy(62))
    until(lambda: recording.count() == 62)
    assert recording.reported == []
    spoil(recording.folder)
    for seq in range(63, 66):
        recording.recorder.put(heavy(seq))
        CLOCK.sleep_s(2 * QUICK.flush_s)
    until(lambda: recording.problems() == [("session_gone", False)])
    assert not recording.recorder.close(DEADLINE_S)
    assert recording.problems() == [("session_gone", False)]


def test_a_step_that_comes_during_a_commit_waits_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(tmp_path, StorageSettings(flush_s=3600.0, min_free_mb=0))
    append, meanwhile = SessionWriter.append, [step(2, 9)]

    def slow(self: SessionWriter, rows: Sequence[Record]) -> None:
        append(self, rows)
        if meanwhile:
            recording.recorder.put(meanwhile.pop())

    monkeypatch.setattr(SessionWriter, "append", slow)
    recording.recorder.put([start()])
    until(lambda: not meanwhile)
    CLOCK.sleep_s(0.1)
    assert recording.seqs() == [1]
    assert recording.close() == [1, 2, 3]


def test_steps_of_many_threads_stay_whole(recording: Recording) -> None:
    recording.recorder.put([start()])
    lock, numbers = threading.Lock(), iter(range(2, 2000, 2))

    def feed() -> None:
        for _ in range(100):
            with lock:
                recording.recorder.put(step(next(numbers), 5))

    threads = [threading.Thread(target=feed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recording.close() == list(range(1, 802))


def test_a_flood_of_rows_is_stored_whole(recording: Recording) -> None:
    for seq in range(1, 12_001):
        recording.recorder.put([Tick(seq=seq)])
    assert recording.close() == list(range(1, 12_001))


def noise(ref: str) -> Picture:
    planes = np.random.default_rng().integers(0, 255, (540, 640), np.uint8)
    return Picture(t_ns=0, ref=ref, planes=planes, width=640, height=360)


def test_a_video_on_a_full_disk_is_whole_up_to_there(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where free space was misjudged, the encoder's own failure stops the video and not the rows."""
    monkeypatch.setattr(storage.session.recorder, "LEAST_FREE_MB", 0)
    recording = begun(small_disk)
    (small_disk / "ballast").write_bytes(bytes(15 << 20))
    plan = VideoPlan(300.0)
    handed: list[str] = []
    encoded: list[str] = []
    encode = recording.recorder._encode

    def count(picture: Picture) -> None:
        encode(picture)
        encoded.append(picture.ref)

    monkeypatch.setattr(recording.recorder, "_encode", count)
    for number in range(500):
        if recording.problems():
            break
        handed.append(plan.ref(number * NS_PER_S, (640, 360)))
        recording.recorder.put_picture(noise(handed[-1]))
        until(lambda: encoded == handed)  # one after the other: none waits while another finds no room
    found = [f"{file}@{ms}" for file, ms in recorded_pictures(recording.folder)]
    assert recording.problems() == [("disk_full", False)]
    assert found == handed[: len(found)]
    assert len(found) >= len(handed) - 4
    (small_disk / "ballast").unlink()
    recording.recorder.put(step(2, 5))
    assert recording.close() == [1, 2, 3]


def test_a_session_that_ends_on_a_full_disk_opens_to_what_was_written(small_disk: Path) -> None:
    recording = begun(small_disk)
    (small_disk / "ballast").write_bytes(bytes(14 << 20))
    for seq in range(2, 60):
        recording.recorder.put(heavy(seq))
    until(lambda: recording.recorder._rows_fail)
    assert not recording.recorder.close(DEADLINE_S)
    found = recording.seqs()
    assert found == list(range(1, len(found) + 1))
    assert len(found) < 59
    assert present(read_heartbeat(recording.folder)).taken_ns == 59
    assert recording.problems() == [("disk_full", False)]
