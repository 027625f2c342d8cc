"""Videos from outside: pinned containers, no other file, limited children, and an exact look at what changed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from daemon.replay.imports.video_frames import scan_video, without_noise
from storage.errors import BadFile
from storage.session.video_sandbox import container_name, probe_video
from tests.fakes.sessions.session_sample import write_video


def pictures(count: int = 30) -> list[np.ndarray]:
    pattern = np.random.default_rng(1).integers(0, 255, (30, 40, 3), dtype=np.uint8)
    still = pattern.repeat(8, axis=0).repeat(8, axis=1)
    changed = still.copy()
    changed[100:120, 200:260] = 255
    return [still if number < count // 2 else changed for number in range(count)]


@pytest.mark.parametrize(("name", "container"), [("a.mp4", "mp4"), ("lies.mp4", "matroska")])
def test_a_real_video_is_read_whatever_its_name(tmp_path: Path, name: str, container: str) -> None:
    """The container is told by content."""
    write_video(tmp_path / name, pictures(), container=container)
    facts = probe_video(tmp_path / name)
    assert (facts.width, facts.height, len(facts.times_ms)) == (320, 240, 30)
    assert facts.times_ms[:3] == (0, 100, 200)


@pytest.mark.parametrize(
    "content",
    [
        b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        b"ffconcat version 1.0\nfile other.mp4\n",
        b"RIFF\0\0\0\0AVI LIST",
        b"\0\0\0\x20ftypisom" + bytes(200),
        b"\x1a\x45\xdf\xa3" + bytes(200),
        b"",
    ],
)
def test_what_is_no_mp4_or_mkv_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "screen.mp4").write_bytes(content)
    with pytest.raises(BadFile, match=r"screen\.mp4"):
        probe_video(tmp_path / "screen.mp4")


def test_a_video_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """A recording that a crash ended holds what came before."""
    rng = np.random.default_rng(2)
    noise = [rng.integers(0, 255, (240, 320, 3), dtype=np.uint8) for _ in range(10)]
    write_video(tmp_path / "v.mkv", noise, container="matroska")
    data = (tmp_path / "v.mkv").read_bytes()
    (tmp_path / "v.mkv").write_bytes(data[: len(data) * 2 // 3])
    assert 0 < len(probe_video(tmp_path / "v.mkv").times_ms) < 10


def test_links_are_not_followed(tmp_path: Path) -> None:
    write_video(tmp_path / "v.mp4", pictures(2))
    (tmp_path / "link.mp4").symlink_to(tmp_path / "v.mp4")
    with pytest.raises(BadFile, match="plain file"):
        probe_video(tmp_path / "link.mp4")


def test_only_two_containers_have_a_name() -> None:
    """Everything but mp4 and mkv is nameless, and so is never given to a demuxer."""
    assert container_name(b"\0\0\0\x18ftypmp42") == "mov"
    assert container_name(b"\x1a\x45\xdf\xa3\0\0\0\0") == "matroska"
    assert [container_name(start) for start in (b"", b"#EXTM3U\n", b"ffconcat", b"OggS\0\0\0\0")] == [None] * 4


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("while True: pass", "-"),
        ("bytearray(1 << 28)", "MemoryError"),
        ("open('big', 'wb').write(bytes(1 << 20))", "too large"),
    ],
)
def test_a_child_is_stopped_by_its_limits(tmp_path: Path, deed: str, told: str) -> None:
    code = (
        "import signal; from storage.limited_child import limit_self; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); limit_self(1, memory_bytes=250 << 20, file_bytes=1000); " + deed
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0
    assert told == "-" or told in done.stderr.decode()


def test_without_limits_the_same_child_would_go_on(tmp_path: Path) -> None:
    """Control: it is the limit that stops the memory, not the machine."""
    done = subprocess.run([sys.executable, "-c", "bytearray(1 << 28)"], cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == 0


def test_one_look_finds_where_and_when_the_picture_changed(tmp_path: Path) -> None:
    write_video(tmp_path / "v.mp4", pictures())
    (tmp_path / "new").mkdir()
    seen = scan_video(tmp_path / "v.mp4", tmp_path / "new", store_width=160, video_file_s=300)
    assert [(frame.ms, frame.boxes) for frame in seen.frames] == [(0, [[0, 0, 320, 240]]), (1500, [[192, 96, 128, 32]])]
    assert (seen.width, seen.height, seen.end_ms, seen.cut) == (320, 240, 2900, False)
    assert len({frame.digest for frame in seen.frames}) == 2
    copy = probe_video(tmp_path / "new" / "screen-000.mp4")
    assert (copy.width, copy.height, copy.times_ms) == (160, 120, (0, 1500))


def test_noise_of_an_encoder_is_no_change_but_slow_change_is() -> None:
    shown = np.full((10, 11, 4), 100, np.uint8)  # the last row and column of blocks are smaller
    assert np.array_equal(without_noise(shown, shown + 10), shown)
    assert np.array_equal(without_noise(shown, shown + 20), shown + 20)
    assert np.array_equal(without_noise(shown, shown - 20), shown - 20)
    caret = shown.copy()
    caret[4:8, 10] = 0
    assert np.argwhere((without_noise(shown, caret) != shown).any(axis=2)).tolist() == [[y, 10] for y in range(4, 8)]


def test_ringing_at_edges_is_no_change() -> None:
    """An encoder is wrong by much at the edges of letters, to both sides by turns; compared pixel by pixel it shows."""
    shown = np.full((8, 8, 4), 100, np.uint8)
    ringing = shown.copy()
    ringing[:, ::2] += 40
    ringing[:, 1::2] -= 40
    assert np.array_equal(without_noise(shown, ringing), shown)


def test_a_recording_at_rest_stays_at_rest_and_a_letter_is_seen(tmp_path: Path) -> None:
    """Text recorded with a key picture every three seconds, which draws it anew a little differently each time."""
    text = np.random.default_rng(7).integers(0, 2, (30, 80), np.uint8).repeat(8, axis=0).repeat(4, axis=1)
    page = np.repeat(text[:, :, None] * 200 + 20, 3, axis=2)
    typed = page.copy()
    typed[100:112, 200:208] = 255 - typed[100:112, 200:208]
    write_video(tmp_path / "v.mp4", [page] * 90 + [typed] * 60, options={"crf": "30", "g": "30", "preset": "veryfast"})
    (tmp_path / "new").mkdir()
    seen = scan_video(tmp_path / "v.mp4", tmp_path / "new", store_width=160, video_file_s=300)
    assert [frame.ms for frame in seen.frames] == [0, 9000]
    assert all(x <= 200 < x + w and y <= 100 < y + h for x, y, w, h in seen.frames[1].boxes[:1])
