"""Pictures of a prefix: thirty-two, evenly spread, each the last one shown by then, from one pass over each file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from lab.benchmarks.guide.clips import Clip, Video, VideoFile, load_sessions
from lab.benchmarks.guide.pictures import FRAMES, PictureStore, decode, moments_of
from storage.errors import BadFile
from tests.fakes.lab.clips import GAP_S, STARTS_S, session, video
from tests.fakes.sessions.rows import number_of


def shown(reel: PictureStore, clip: Clip, percent: int) -> list[int]:
    pictures, _ = reel.of(clip, percent)
    # Greys repeat after 180 pictures; only neighbours in time can be meant.
    near = range(max(0, round((clip.start_s - STARTS_S) / GAP_S) - 1), round((clip.end_s - STARTS_S) / GAP_S) + 2)
    return [number_of(image.jpeg, list(near)) for image in pictures]


def test_thirty_two_even_moments_show_what_was_on_the_screen(tmp_path: Path) -> None:
    """A moment between two pictures shows the earlier one, in every prefix."""
    clip = load_sessions(session(tmp_path / "s", length_s=9.0)).clips[1]
    data = load_sessions(tmp_path)
    with PictureStore(data.videos["s"], moments_of([clip], [25, 50, 100])) as reel:
        for percent in (25, 50, 100):
            pictures, at_s = reel.of(clip, percent)
            assert len(pictures) == len(at_s) == FRAMES
            assert at_s[0] == 0.0
            assert at_s[-1] == pytest.approx(9.0 * percent / 100)
            expected = [int((clip.start_s + at - STARTS_S) / GAP_S + 1e-6) for at in at_s]
            assert shown(reel, clip, percent) == expected


def test_one_pass_over_each_file_serves_all_prefixes_of_all_clips(tmp_path: Path) -> None:
    """Each file is decoded once, however many clips and prefixes there are, also where a clip spans two files."""
    data = load_sessions(session(tmp_path / "s", length_s=4.0, file_s=9.0))
    decodes: Counter[str] = Counter()

    def counting(path: Path, wanted_ms: Sequence[int], into: Path) -> Sequence[int]:
        decodes[path.name] += 1
        return decode(path, wanted_ms, into)

    clips = data.of("s")
    percents = (25, 50, 75, 100)
    with PictureStore(data.videos["s"], moments_of(clips, percents), decode=counting) as reel:
        for clip in clips:
            for percent in percents:
                numbers = shown(reel, clip, percent)
                assert numbers == sorted(numbers)
    assert len(data.videos["s"].files) == 3
    assert sorted(decodes.values()) == [1, 1, 1]


def test_a_still_screen_is_one_picture_many_times(tmp_path: Path) -> None:
    refs = video(tmp_path, 2)
    one = Video(name="v", app="a", files=(VideoFile(path=str(tmp_path / refs[0].split("@")[0]), start_s=STARTS_S),))
    clip = Clip(key="c", video="v", app="a", start_s=STARTS_S, end_s=STARTS_S + 20)
    with PictureStore(one, moments_of([clip], [100])) as reel:
        pictures, _ = reel.of(clip, 100)
    assert len({picture.digest for picture in pictures}) == 2
    assert pictures[-1] is pictures[-2]


@pytest.mark.parametrize("content", [b"#EXTM3U\n/etc/passwd\n", b"", b"\x00\x00\x00\x18ftypmp42" + b"x" * 200])
def test_a_file_that_is_no_video_is_refused_and_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.mp4").write_bytes(content)
    bad = Video(name="v", app="a", files=(VideoFile(path=str(tmp_path / "v.mp4"), start_s=0.0),))
    with pytest.raises(BadFile):
        PictureStore(bad, [0.0, 1.0])


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A video is a plain file."""
    video(tmp_path, 2)
    (tmp_path / "link.mp4").symlink_to(tmp_path / "screen-000.mp4")
    linked = Video(name="v", app="a", files=(VideoFile(path=str(tmp_path / "link.mp4"), start_s=0.0),))
    with pytest.raises(BadFile):
        PictureStore(linked, [0.0])
