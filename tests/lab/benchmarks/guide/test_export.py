"""Sessions that people labelled, written in the released layout of GUIDE and read back: nothing is left out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lab.benchmarks.guide.clips import ANNOTATIONS, BEHAVIOR, HELP, load_released
from lab.benchmarks.guide.export import export, read_wrong
from lab.benchmarks.guide.pictures import PictureStore, moments_of
from storage.clock import NS_PER_S
from storage.errors import BadFile, UsageError
from storage.records import NeedLabel, SegmentLabel, State, TaskMark, TaskStep
from storage.session.derived import copies_of
from storage.session.labels import LABELS, put_label
from storage.testing import WALL_NS, SessionBuilder


def labelled(base: Path, number: int, size: tuple[int, int] = (320, 180), task: str = "") -> Path:
    session = SessionBuilder(recording=True, wall_ns=WALL_NS + number * 3600 * NS_PER_S)
    session.focus("libreoffice calc")
    if task:
        session.put(TaskMark, code="freeze", step=TaskStep.BEGUN, title=task, program="Calc", skill=2)
    for shown in range(20):
        if shown == 10:
            session._plan.cut()
        if task and shown == 10:
            session.put(TaskMark, code="freeze", step=TaskStep.DONE, title=task, program="Calc", skill=2)
        session.wait(3).picture(12 * shown, size if shown >= 10 else (320, 180))
    folder = session.end().write(base)
    first = SegmentLabel(
        label_id="a",
        rater="Anna B.",
        start_ns=6 * NS_PER_S,
        end_ns=30 * NS_PER_S,
        states=(State.FRUSTRATION, State.DEBUGGING),
        need=NeedLabel.YES,
        wanted=f"freeze row {number}",
        would_help=f"the menu {number}",
    )
    put_label(folder, first)
    calm = SegmentLabel(
        label_id="b",
        rater="Anna B.",
        start_ns=30 * NS_PER_S,
        end_ns=60 * NS_PER_S,
        states=(State.PERFORMING_ACTIONS,),
        need=NeedLabel.NO,
        wanted=f"type row {number}",
    )
    put_label(folder, calm)
    return folder


def test_what_is_written_is_read_with_nothing_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All four tasks are asked; states, software, task and times are there, and the pictures at their times."""
    for number in range(6):
        labelled(tmp_path / "sessions", number)
    export(tmp_path / "sessions", tmp_path / "out")
    assert "left out" not in capsys.readouterr().err
    found = load_released(tmp_path / "out")
    assert not [note for note in found.notes if "left out" in note]
    assert len(found.videos) == 6
    behavior = [clip for clip in found.clips if clip.asks_behavior]
    intent = [clip for clip in found.clips if clip.intent is not None]
    need = [clip for clip in found.clips if clip.need is not None]
    content = [clip for clip in found.clips if clip.content is not None]
    assert [len(part) for part in (behavior, intent, need, content)] == [12, 12, 12, 6]
    stuck = (State.FRUSTRATION, State.DEBUGGING)
    assert [clip.states for clip in found.clips[:2]] == [stuck, (State.PERFORMING_ACTIONS,)]
    assert {clip.states for clip in (*need, *content)} == {stuck, (State.PERFORMING_ACTIONS,)}
    assert {clip.task for clip in found.clips} == {f"Task {number}" for number in range(1, 7)}
    assert {clip.app for clip in behavior} == {"libreoffice calc"}
    rows = json.loads((tmp_path / "out" / ANNOTATIONS / f"{BEHAVIOR}.json").read_text())
    assert rows[0]["labels"] == ["Frustration", "Debugging"]
    assert (rows[0]["start_time"], rows[0]["end_time"]) == (6.0, 30.0)
    assert [row["task"] for row in rows[::2]] == [f"Task {number}" for number in range(1, 7)]
    assert "2026" not in json.dumps(rows)  # when somebody worked is nobody's business
    clip = next(clip for clip in behavior if clip.start_s == 30.0)
    with PictureStore(found.videos[clip.video], moments_of([clip], [100], 11)) as store:
        pictures, _ = store.of(clip, 100, 11)
    assert len({id(picture) for picture in pictures}) == 11


def test_a_task_of_a_study_is_told_with_its_program(tmp_path: Path) -> None:
    """Of the stretch that was in it; and the session knows where its copy lies."""
    folder = labelled(tmp_path / "sessions", 0, task="Freeze the first row")
    export(tmp_path / "sessions", tmp_path / "out")
    rows = json.loads((tmp_path / "out" / ANNOTATIONS / f"{BEHAVIOR}.json").read_text())
    named = [(row["task"], row["software"]) for row in rows]
    assert named == [("Freeze the first row", "Calc"), ("Task 1", "libreoffice calc")]
    assert [clip.task for clip in load_released(tmp_path / "out").clips][:1] == ["Freeze the first row"]
    assert copies_of([folder]) == [str(tmp_path / "out")]


def test_what_cannot_be_written_is_counted_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A size that changes, no pictures, another rater, half a label, and being unsure, which is no help row."""
    base = tmp_path / "sessions"
    whole = labelled(base, 0)
    labelled(base, 1, (640, 360))
    bare = SessionBuilder(wall_ns=WALL_NS + 20 * 3600 * NS_PER_S).wait(60).end().write(base)
    unsure = SegmentLabel(label_id="c", rater="Anna B.", start_ns=0, end_ns=6 * NS_PER_S, states=(State.WAITING,))
    for folder in (whole, bare):
        put_label(folder, replace(unsure, need=NeedLabel.UNSURE))
    put_label(whole, replace(unsure, label_id="d", rater="Ben", need=NeedLabel.NO))
    put_label(whole, replace(unsure, label_id="e"))
    for n in range(4):  # more than anybody has said
        put_label(whole, replace(unsure, label_id=f"p{n}", rater="model", need=NeedLabel.NO, proposed=True))
    put_label(whole, replace(unsure, label_id="f", need=NeedLabel.NO, dropped=True))
    export(base, tmp_path / "out")
    said = capsys.readouterr().err
    for what in (
        "1 sessions in which the size of pictures changed",
        "1 sessions without pictures",
        "1 labels of other raters",
        "1 labels that do not say both",
        "4 labels that nobody has verified",
        "1 stretches that were dropped",
        "1 video written",
    ):
        assert what in said
    rows = json.loads((tmp_path / "out" / ANNOTATIONS / f"{HELP}.json").read_text())
    assert len(rows) == 2
    export(base, tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").touch()
    with pytest.raises(UsageError, match="not an empty folder"):
        export(base, tmp_path / "mine")
    with pytest.raises(BadFile, match="no labelled session"):
        export(tmp_path / "none", tmp_path / "other")


@pytest.mark.parametrize("fault", ["missing", "damaged", "labels"])
def test_one_session_that_cannot_be_read_keeps_no_other_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """It is counted, and nothing is left of its video."""
    folders = [labelled(tmp_path / "sessions", number) for number in range(2)]
    video = max(folders[1].glob("screen-*.mp4"))
    if fault == "missing":
        video.unlink()
    elif fault == "damaged":
        video.write_bytes(b"damaged")
    else:
        (folders[1] / LABELS).write_bytes(b"damaged")
    export(tmp_path / "sessions", tmp_path / "out")
    assert "1 sessions that cannot be read were left out" in capsys.readouterr().err
    assert len(load_released(tmp_path / "out").videos) == 1
    assert len(list((tmp_path / "out" / "videos").glob("*.mp4"))) == 1


def test_an_export_that_failed_can_be_repeated(tmp_path: Path) -> None:
    """Nothing is left where it should have been, nor beside it."""
    folder = labelled(tmp_path / "sessions", 0)
    kept = {video: video.read_bytes() for video in folder.glob("screen-*.mp4")}
    for video in kept:
        video.unlink()
    with pytest.raises(BadFile, match="no labelled session"):
        export(tmp_path / "sessions", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["sessions"]
    for video, content in kept.items():
        video.write_bytes(content)
    export(tmp_path / "sessions", tmp_path / "out")
    assert len(load_released(tmp_path / "out").videos) == 1


def test_wrong_answers_of_the_sample_go_along(tmp_path: Path) -> None:
    """Where the right one is as it was proposed; others are drawn, and a file that is no sample is refused."""
    folders = [labelled(tmp_path / "sessions", number) for number in range(5)]
    wrong = ["paint it", "print it", "sort it"]
    named = {"kind": "goal", "session": folders[0].name, "right": "freeze row 0", "wrong": wrong}
    helped = {"kind": "help", "session": folders[1].name, "right": "the menu 1", "wrong": wrong}
    sample = tmp_path / "sample.json"
    sample.write_text(json.dumps({"questions": [named, helped, {**named, "session": "x", "right": "type row 1"}]}))
    export(tmp_path / "sessions", tmp_path / "out", read_wrong(sample))
    clips = load_released(tmp_path / "out").clips
    given = {
        choice.right: choice.wrong
        for clip in clips
        for choice in (clip.intent, clip.content)
        if choice and not choice.ours
    }
    assert given == {"freeze row 0": tuple(wrong), "the menu 1": tuple(wrong)}
    sample.write_text("[]")
    with pytest.raises(BadFile, match="no sample"):
        read_wrong(sample)
