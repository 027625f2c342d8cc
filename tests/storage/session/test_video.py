"""The video: pictures stand where their rows say, survive a kill, and only files of the session are opened."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Frame
from storage.session.video import SessionImages, VideoPlan, VideoWriter, read_picture, split_ref
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import SIZE, number_of, picture, recorded_pictures

MS = 1_000_000


def write(folder: Path, count: int, *, gap_ms: int = 500, file_s: float = 300.0) -> list[str]:
    plan, writer = VideoPlan(file_s), VideoWriter(folder)
    refs = [plan.ref(n * gap_ms * MS, SIZE) for n in range(count)]
    assert all(writer.write(picture(n, ref)) for n, ref in enumerate(refs))
    writer.close()
    return refs


@given(
    moves=st.lists(
        st.tuples(st.integers(0, 40 * NS_PER_S), st.sampled_from([(960, 540), (960, 600)])), min_size=1, max_size=60
    )
)
def test_a_plan_never_repeats_or_goes_back(moves: list[tuple[int, tuple[int, int]]]) -> None:
    plan = VideoPlan(60.0)
    t_ns = 5 * NS_PER_S
    last: tuple[str, int] = ("", -1)
    sizes: dict[str, tuple[int, int]] = {}
    for gap_ns, size in moves:
        t_ns += gap_ns
        file, ms = split_ref(plan.ref(t_ns, size))
        assert file > last[0] or (file == last[0] and ms > last[1])
        assert sizes.setdefault(file, size) == size
        assert ms < 60_000 + len(moves)
        last = (file, ms)


def test_a_new_file_begins_after_its_time_with_a_new_size_and_after_a_cut() -> None:
    plan = VideoPlan(2.0)
    refs = [plan.ref(ms * MS, (960, 540)) for ms in (7000, 7500, 8999, 9000)]
    refs.append(plan.ref(9100 * MS, (800, 600)))
    plan.cut()
    refs += [plan.ref(9200 * MS, (800, 600)), plan.ref(9700 * MS, (800, 600))]
    assert [split_ref(ref) for ref in refs] == [
        ("screen-000.mp4", 0),
        ("screen-000.mp4", 500),
        ("screen-000.mp4", 1999),
        ("screen-001.mp4", 0),
        ("screen-002.mp4", 0),
        ("screen-003.mp4", 0),
        ("screen-003.mp4", 500),
    ]


@pytest.mark.parametrize(
    "ref", ["", "screen-000.mp4", "../screen-000.mp4@1", "/etc/passwd@1", "a/b.mp4@1", ".hidden@1", "a@-1", "a@1\n"]
)
def test_a_reference_that_leaves_the_folder_is_refused(tmp_path: Path, ref: str) -> None:
    with pytest.raises(BadFile, match="no file of its session"):
        read_picture(tmp_path, ref)


def test_each_picture_is_found_where_its_row_says(tmp_path: Path) -> None:
    refs = write(tmp_path, 12, file_s=2.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["screen-000.mp4", "screen-001.mp4", "screen-002.mp4"]
    assert [f"{file}@{ms}" for file, ms in recorded_pictures(tmp_path)] == refs
    for number in (11, 0, 5, 4):
        assert number_of(present(read_picture(tmp_path, refs[number])), range(12)) == number
    assert read_picture(tmp_path, "screen-000.mp4@1200") is None


def test_files_are_private_and_never_overwritten(tmp_path: Path) -> None:
    refs = write(tmp_path, 2)
    assert (tmp_path / "screen-000.mp4").stat().st_mode & 0o777 == 0o600
    before = (tmp_path / "screen-000.mp4").read_bytes()
    with pytest.raises(FileExistsError):
        VideoWriter(tmp_path).write(picture(5, refs[0]))
    assert (tmp_path / "screen-000.mp4").read_bytes() == before


def test_a_picture_that_was_lost_is_none_and_not_its_neighbour(tmp_path: Path) -> None:
    """A row may name a picture that a kill took; the one before it is not passed off as it."""
    write(tmp_path, 3)
    lost = Frame(seq=1, t_ns=0, monitor="m", size=SIZE, digest="", changed=(), image_ref="screen-000.mp4@1500")
    gone = Frame(seq=2, t_ns=0, monitor="m", size=SIZE, digest="", changed=(), image_ref="screen-009.mp4@0")
    images = SessionImages(tmp_path, [lost, gone])
    assert images.jpeg(1) is None
    assert images.jpeg(2) is None
    images.close()


def test_a_file_cut_anywhere_gives_its_first_pictures(tmp_path: Path) -> None:
    """Every fragment stands alone: what is before the cut is read, and nothing is made up, also inside of its head."""
    refs = write(tmp_path, 10)
    path = tmp_path / "screen-000.mp4"
    whole = path.read_bytes()
    counts = []
    for cut in range(900, len(whole), 7):
        path.write_bytes(whole[:cut])
        try:
            found = [f"{file}@{ms}" for file, ms in recorded_pictures(tmp_path)]
        except BadFile:
            found = []
        assert found == refs[: len(found)]
        counts.append(len(found))
    assert counts == sorted(counts)
    assert counts[-1] >= 9


def test_a_play_list_named_like_a_video_opens_nothing_else(tmp_path: Path) -> None:
    """The container format comes from the bytes, so a text that names another file is refused."""
    refs = write(tmp_path, 2)
    (tmp_path / "screen-000.mp4").rename(tmp_path / "secret.mp4")
    (tmp_path / "screen-000.mp4").write_text("#EXTM3U\n#EXTINF:1,\nsecret.mp4\n#EXT-X-ENDLIST\n")
    with pytest.raises(BadFile, match="not an mp4"):
        read_picture(tmp_path, refs[0])
    (tmp_path / "screen-000.mp4").unlink()
    (tmp_path / "screen-000.mp4").symlink_to(tmp_path / "secret.mp4")
    with pytest.raises(BadFile):
        read_picture(tmp_path, refs[0])
    assert read_picture(tmp_path, "secret.mp4@0") is not None


def test_a_picture_for_an_abandoned_file_is_not_written(tmp_path: Path) -> None:
    plan, writer = VideoPlan(2.0), VideoWriter(tmp_path)
    refs = [plan.ref(n * 500 * MS, SIZE) for n in range(5)]
    assert writer.write(picture(0, refs[0]))
    writer.close()
    assert [writer.write(picture(n, refs[n])) for n in (1, 2, 4)] == [False, False, True]
    writer.close()
    assert recorded_pictures(tmp_path) == [("screen-000.mp4", 0), ("screen-001.mp4", 0)]


def test_images_of_frames_are_decoded_in_one_pass_and_cached(tmp_path: Path) -> None:
    """Nested prefixes ask for the same frames again and again, and each file is opened once."""
    refs = write(tmp_path, 16)
    frames = [
        Frame(seq=100 + n, t_ns=n, monitor="m", size=SIZE, digest="", changed=(), image_ref=ref)
        for n, ref in enumerate(refs)
    ]
    images = SessionImages(tmp_path, [*frames, Frame(seq=7, t_ns=9, monitor="m", size=SIZE, digest="", changed=())])
    opened: list[str] = []
    for last in (4, 8, 12, 16):
        for number in range(last):
            assert number_of(present(images.jpeg(100 + number)), range(16)) == number
            opened.append(str(id(images._pass)))
    assert len(set(opened)) == 1
    assert images.jpeg(7) is None
    assert images.jpeg(99) is None
    assert images.jpeg(103) is not None
    images.close()


def test_a_moment_that_does_not_increase_is_not_written(tmp_path: Path) -> None:
    """A container wants strictly increasing times; a picture that would break that is refused, not raised."""
    writer = VideoWriter(tmp_path)
    written = [writer.write(picture(0, f"screen-000.mp4@{ms}")) for ms in (0, 500, 500, 400, 501)]
    writer.close()
    assert written == [True, True, False, False, True]
    assert [ms for _, ms in recorded_pictures(tmp_path)] == [0, 500, 501]


def torn(folder: Path, count: int) -> int:
    plan, writer = VideoPlan(300.0), VideoWriter(folder)
    for number in range(count):
        assert writer.write(picture(number, plan.ref(number * 500 * MS, SIZE)))
    try:
        readable = len(recorded_pictures(folder))
    except BadFile:
        readable = 0
    writer.close()
    return readable


@pytest.mark.parametrize(
    ("flags", "readable"), [(None, 9), ("empty_moov+default_base_moof+frag_keyframe", 0), ("faststart", 0)]
)
def test_only_the_newest_picture_is_not_in_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str | None, readable: int
) -> None:
    """What a kill leaves is all but the newest picture; written in any other way it would be nothing."""
    if flags is not None:
        monkeypatch.setattr("storage.session.video.MOVFLAGS", flags)
    assert torn(tmp_path, 10) == readable
