"""The video: pictures stand where their rows say, survive a kill, and only files of the session are opened."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Frame
from storage.session.video import SessionImages, VideoPlan, VideoWriter, read_picture, split_ref
from tests.fakes.sessions.rows import SIZE, number_of, picture, recorded_pictures

MS = 1_000_000


def write(folder: Path, count: int, *, gap_ms: int = 500, file_s: float = 300.0) -> list[str]:
    """Write plain grey pictures; return their references."""
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
    """Within a file milliseconds strictly increase, a file has one size and bounded length, file numbers only grow."""
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
    """Each file starts at millisecond zero."""
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
    """A picture is named by a plain file name and a millisecond, and by nothing else."""
    with pytest.raises(BadFile, match="no file of its session"):
        read_picture(tmp_path, ref)


def test_each_picture_is_found_where_its_row_says(tmp_path: Path) -> None:
    """Every picture of several files can be read alone and shows what was written."""
    refs = write(tmp_path, 12, file_s=2.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["screen-000.mp4", "screen-001.mp4", "screen-002.mp4"]
    assert [f"{file}@{ms}" for file, ms in recorded_pictures(tmp_path)] == refs
    for number in (11, 0, 5, 4):
        jpeg = read_picture(tmp_path, refs[number])
        assert jpeg is not None
        assert number_of(jpeg, range(12)) == number
    assert read_picture(tmp_path, "screen-000.mp4@1200") is None


def test_files_are_private_and_never_overwritten(tmp_path: Path) -> None:
    """A video is readable by its owner alone, and a file that is there already is not touched."""
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
    """Every fragment stands alone: what is before the cut is read, and nothing is made up."""
    refs = write(tmp_path, 10)
    path = tmp_path / "screen-000.mp4"
    whole = path.read_bytes()
    counts = []
    for cut in range(900, len(whole), 157):
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
    """After a file was closed it takes no picture; the next file does."""
    plan, writer = VideoPlan(2.0), VideoWriter(tmp_path)
    refs = [plan.ref(n * 500 * MS, SIZE) for n in range(5)]
    assert writer.write(picture(0, refs[0]))
    writer.close()
    assert [writer.write(picture(n, refs[n])) for n in (1, 2, 4)] == [False, False, True]
    writer.close()
    assert recorded_pictures(tmp_path) == [("screen-000.mp4", 0), ("screen-001.mp4", 0)]
