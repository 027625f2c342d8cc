"""Clips of our own sessions, of the released layout, and of the sample that comes with the source."""

import re
from pathlib import Path

import pytest

from lab.benchmarks.guide.benchmark import SAMPLE
from lab.benchmarks.guide.clips import (
    BEHAVIOR,
    HELP,
    INTENT,
    Collection,
    is_released,
    load_released,
    load_sessions,
    states_in,
)
from storage import testing
from storage.errors import BadFile
from storage.records import State
from storage.session.verify import verify
from tests.fakes.lab.clips import STARTS_S, released, session, sessions
from tests.fakes.narrowing import present
from tests.fakes.sessions.rows import start

NAME = "Google_Slides_Novice_Task_2_7"
OTHER = "GIMP_Expert_Task_1_3"


def states(*rows: tuple[float, float, str], video: str = NAME) -> list[dict[str, object]]:
    return [{"video_id": video, "start_time": start, "end_time": end, "label": label} for start, end, label in rows]


def load(folder: Path, **parts: object) -> Collection:
    rows = {BEHAVIOR: [], INTENT: [], HELP: [], **parts}
    return load_released(released(folder, rows, pictures=8, names=(NAME, OTHER)))


# ---------------------------------------------------------------------- ours


def test_a_label_becomes_a_clip_with_its_context(tmp_path: Path) -> None:
    data = load_sessions(session(tmp_path / "one"))
    first, works, fails, looks = data.of("one")
    assert data.simulated
    assert (first.previous, works.previous, looks.previous) == (None, State.TASK_UNDERSTANDING, State.FRUSTRATION)
    assert [clip.need for clip in data.of("one")] == [False, False, True, False]
    assert present(fails.content).right == "say what stands in the way"
    assert works.content is None
    assert len(present(first.intent).wrong) == 3
    assert "get the work done fast" not in present(works.intent).wrong
    assert fails.start_s == pytest.approx(STARTS_S + 10)
    assert fails.app == "calc"


def test_a_session_without_pictures_is_left_out_and_named(tmp_path: Path) -> None:
    """A journal alone shows nothing; a folder of nothing else is refused."""
    sessions(tmp_path)
    lines = (tmp_path / "s0" / "labels.jsonl").read_text()
    bare = tmp_path / "bare"
    testing.write_session(bare / "session", [start()])
    (bare / "labels.jsonl").write_text(lines)
    assert any("bare" in note for note in load_sessions(tmp_path).notes)
    with pytest.raises(BadFile, match="no labelled session with video"):
        load_sessions(bare)


def test_labels_before_the_first_picture_are_left_out_and_counted(tmp_path: Path) -> None:
    """What was not filmed is not asked about."""
    folder = session(tmp_path / "one")
    path = folder / "labels.jsonl"
    first = path.read_text().splitlines()[0]
    early = first.replace(f'"start_ns": {int(STARTS_S * 1e9)}', '"start_ns": 1000000000').replace(
        f'"end_ns": {int((STARTS_S + 4) * 1e9)}', '"end_ns": 9000000000'
    )
    assert early != first
    path.write_text(early + "\n" + path.read_text())
    data = load_sessions(folder)
    assert len(data.clips) == 4
    assert data.notes == ("of one, 1 of 5 labels left out: too short or before any picture",)


# ---------------------------------------------------------------------- released


def test_behavior_rows_are_read_by_the_names_of_the_paper(tmp_path: Path) -> None:
    rows = states((4, 9, "Frustration"), (0, 4, "Exploration and Decision-Making"), (9, 12, "waiting"))
    data = load(tmp_path, **{BEHAVIOR: rows})
    assert [clip.states for clip in data.of(NAME)] == [(State.EXPLORATION,), (State.FRUSTRATION,), (State.WAITING,)]
    assert [clip.previous for clip in data.of(NAME)] == [None, State.EXPLORATION, State.FRUSTRATION]
    assert {clip.app for clip in data.clips} == {"Google Slides"}
    assert is_released(tmp_path)
    assert not data.simulated


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        (["Debugging", "Seeking External Help"], (State.DEBUGGING, State.SEEKING_EXTERNAL_HELP)),
        ("Seeking External Help, Debugging", (State.SEEKING_EXTERNAL_HELP, State.DEBUGGING)),
        ("Ideation and Planning / Waiting and Monitoring", (State.IDEATION, State.WAITING)),
        ("Exploration and Decision-Making and Frustration", (State.EXPLORATION, State.FRUSTRATION)),
        (["Waiting", "waiting and monitoring"], (State.WAITING,)),
        ("Debugging, then bored", ()),
        ("Frustrations", ()),
        ([], ()),
        (None, ()),
        ({"Debugging": 1}, ()),
    ],
)
def test_a_label_may_name_several_states(label: object, wanted: tuple[State, ...]) -> None:
    assert states_in(label) == wanted


def test_what_cannot_be_asked_is_counted(tmp_path: Path) -> None:
    """A goal without three others to draw from, and a clip of which no state is known."""
    at = {"video_id": NAME, "start_time": 1, "end_time": 5}
    data = load(tmp_path, **{BEHAVIOR: states((20, 30, "Debugging")), INTENT: [{**at, "intent": "crop it"}]})
    assert "1 intent questions without three distractors were left out" in data.notes
    assert "1 clips without a state in the conditions that give it were left out" in data.notes


def test_options_are_found_under_several_names(tmp_path: Path) -> None:
    at = {"video_id": NAME, "start_time": "00:01", "end_time": "0:06.5"}
    texts = ["crop it", "save it", "print it", "close it"]
    rows = [
        {**at, "options": dict(zip("ABCD", texts, strict=True)), "answer": "B"},
        {**at, "choices": texts, "correct_answer": 2},
        {**at, "options": texts, "answer": "close it"},
        {**at, "intent": "crop it", "distractors": texts[1:]},
    ]
    data = load(tmp_path, **{INTENT: rows})
    found = [clip.intent for clip in data.of(NAME)]
    assert [choice.right for choice in found if choice] == ["save it", "print it", "close it", "crop it"]
    assert all(
        choice and sorted((choice.right, *choice.wrong)) == sorted(texts) and not choice.ours for choice in found
    )
    assert data.of(NAME)[0].start_s == 1.0
    assert data.of(NAME)[0].end_s == 6.5


def test_questions_without_options_get_some_from_other_videos_with_a_note(tmp_path: Path) -> None:
    """Distractors of ours are marked and told; none comes from the same video."""
    mine = [{"video_id": NAME, "start_time": 0, "end_time": 5, "goal": "Crop the photo."}]
    others = [
        {"video_id": OTHER, "start_time": n, "end_time": n + 1, "goal": goal}
        for n, goal in enumerate(["draw a sun", "crop the photo", "write a title", "pick a colour"])
    ]
    data = load(tmp_path, **{INTENT: [*mine, *others]})
    choice = data.of(NAME)[0].intent
    assert choice is not None
    assert choice.ours
    assert sorted(choice.wrong) == ["draw a sun", "pick a colour", "write a title"]
    assert all(clip.intent is None for clip in data.of(OTHER))
    assert any("drawn from other videos" in note for note in data.notes)


@pytest.mark.parametrize(
    ("said", "need"),
    [("1_explicit", True), ("2_implicit", True), ("0_none", False), ("no_help", False), (True, True), (False, False)],
)
def test_need_is_read_from_the_kind_of_help(tmp_path: Path, *, said: object, need: bool) -> None:
    """The kinds that were found are printed, so that a reader can check how they were taken."""
    row = {"video_id": NAME, "start_time": 0, "end_time": 5, "type": said, "help_content": "how to crop"}
    data = load(tmp_path, **{HELP: [row], BEHAVIOR: states((0, 2, "Waiting"), (2, 9, "Debugging"))})
    clip = next(clip for clip in data.clips if clip.need is not None)
    assert clip.need is need
    assert clip.states == (State.DEBUGGING,)
    assert any(repr(str(said)) in note for note in data.notes)


def test_a_help_that_is_described_keeps_its_content_question(tmp_path: Path) -> None:
    """Described where others say yes; a mere yes, and a kind of help, describe none."""
    said = ["Show where rows are frozen", "yes", "Name the menu", "Explain the error", "Say how to align", "No help"]
    rows = [
        {"video_id": (NAME, OTHER)[n % 2], "start_time": 3 * n, "end_time": 3 * n + 2, "help_needed": words}
        for n, words in enumerate([*said, "Undo a step", "Pick a brush", "Merge the layers", "Crop it", "Scale it"])
    ]
    rows.append({"video_id": NAME, "start_time": 90, "end_time": 92, "type": "Operation guidance"})
    clips = load(tmp_path, **{HELP: rows}).clips
    content = {clip.start_s: clip.content.right for clip in clips if clip.content is not None}
    assert content[0.0] == "Show where rows are frozen"
    assert {3.0, 15.0, 90.0}.isdisjoint(content)
    assert [clip.need for clip in clips].count(False) == 1


def test_a_segment_without_a_tangible_goal_is_no_intent_question(tmp_path: Path) -> None:
    """It is counted; control: one with a goal is asked."""
    rows = [
        {"video_id": NAME, "start_time": 0, "end_time": 5, "intent": "No tangible goal."},
        {"video_id": NAME, "start_time": 5, "end_time": 9, "intent": "Freeze the row", "distractors": ["a", "b", "c"]},
    ]
    data = load(tmp_path, **{INTENT: rows})
    assert [clip.intent.right for clip in data.clips if clip.intent is not None] == ["Freeze the row"]
    assert any("without a tangible goal" in note and note.startswith("1 ") for note in data.notes)


def test_what_is_not_understood_is_left_out_and_counted(tmp_path: Path) -> None:
    """Unknown states, times that run backwards and missing videos cost their rows alone."""
    rows = [
        *states((0, 4, "Waiting"), (4, 8, "Daydreaming"), (9, 8, "Waiting")),
        *states((0, 4, "Waiting"), video="Figma_Novice_Task_1_1"),
    ]
    data = load(tmp_path, **{BEHAVIOR: rows, HELP: [{"video_id": NAME, "start_time": 0, "end_time": 1}]})
    assert len(data.clips) == 1
    assert len(data.notes) >= 4


@pytest.mark.parametrize("content", ["[", "[" * 3000, '{"a": "\\ud800"}', "null"])
def test_damaged_annotations_are_refused(tmp_path: Path, content: str) -> None:
    folder = released(tmp_path, {BEHAVIOR: [], INTENT: [], HELP: []}, pictures=2, names=(NAME,))
    (folder / "annotations" / f"{BEHAVIOR}.json").write_text(content)
    with pytest.raises(BadFile):
        load_released(folder)


MAX_BYTES = 3_000_000
DESKTOP = re.compile(rb"/tmp/kairos-desktop-\w+/")
"""Where a virtual desktop keeps its files; one program tells it in its title."""

MAKER = re.compile(rb"/(home|root|tmp|work|Users)/")


def folders() -> list[Path]:
    return sorted(path.parent for path in SAMPLE.glob("*/labels.jsonl"))


def test_it_is_small_and_its_clips_have_all_states() -> None:
    data = load_sessions(SAMPLE)
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) <= MAX_BYTES
    assert {state for clip in data.clips for state in clip.states} == set(State)
    assert len({clip.app for clip in data.clips}) == len(data.videos) == 4
    assert {clip.need for clip in data.clips} == {True, False}
    assert data.notes == ()


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: str(folder.name))
def test_each_session_is_sound_and_says_nothing_of_its_maker(folder: Path) -> None:
    report = verify(folder / "session")
    assert report.ok, report.problems
    for path in (folder / "session" / "session.db", folder / "labels.jsonl", folder / "about.json"):
        assert MAKER.search(DESKTOP.sub(b"", path.read_bytes())) is None


def test_rows_nested_by_video_are_found(tmp_path: Path) -> None:
    """Some files list segments under each video."""
    nested = {"videos": {NAME: {"segments": [{"start": 1, "end": 4, "behavior": "Assessment"}]}}}
    assert [clip.video for clip in load(tmp_path, **{BEHAVIOR: nested}).clips] == [NAME]


def test_a_list_of_videos_names_their_files_and_no_others(tmp_path: Path) -> None:
    """A name with a path in it stays in the folder of videos."""
    folder = released(tmp_path, {BEHAVIOR: states((0, 3, "Waiting"), video="X_A_Task_1_1")}, pictures=8, names=("f1",))
    (folder / "videos" / "video_urls.csv").write_text("video_id,file_name\nX_A_Task_1_1,../../elsewhere/f1.mp4\n")
    piece = load_released(folder).videos["X_A_Task_1_1"].files[0]
    assert piece.path == str(folder / "videos" / "f1.mp4")
