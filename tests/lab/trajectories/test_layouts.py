"""Layouts are recognized by what files hold; loaders give the steps that rows say, and refuse hostile rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daemon.history.trajectory.loading import load_trajectories
from daemon.history.trajectory.trajectory import PLAIN, StepAction, Target, TrajectorySet
from lab.trajectories import aitz, mind2web
from lab.trajectories.agent_reward_bench import LAYOUT as REWARD_BENCH
from lab.trajectories.agent_reward_bench import QUESTIONS, parse_act, read_annotations
from lab.trajectories.layouts import load_in, recognize
from storage.errors import BadFile
from storage.records import Box
from tests.fakes.sessions import trajectory_files as files

MARKER = "a secret of the file"


def write_plain(folder: Path) -> Path:
    files.write_pictures(folder / "one", "1.png")
    files.write_lines(folder / "one" / "t1.jsonl", [files.PLAIN_HEAD, files.PLAIN_STEP])
    return folder


def write_mind2web(folder: Path) -> Path:
    files.write_lines(folder / "test.jsonl", reversed(files.MIND2WEB))
    files.write_pictures(folder, "m1/0.jpg", "m1/1.jpg")
    return folder


def write_aitz(folder: Path) -> Path:
    """Write an episode as released: a list below a folder of its own, pictures named from the part's folder."""
    files.write_json(folder / "train" / "google_apps" / "e17" / "e17.json", files.AITZ)
    files.write_pictures(folder / "train", *(row["image_path"] for row in files.AITZ))
    return folder


def write_reward(folder: Path) -> Path:
    files.write_json(folder / "cleaned" / "order-l2-1.json", files.REWARD)
    files.write_json(folder / "cleaned" / "order-2.json", files.REWARD)
    files.write_json(folder / "judgments" / "order-2.json", {"judge": "somebody"})
    (folder / "annotations.csv").write_text(files.ANNOTATIONS)
    files.write_pictures(folder, "screenshots/0.png", "screenshots/1.png")
    return folder


WRITERS: dict[str, Callable[[Path], Path]] = {
    PLAIN: write_plain,
    mind2web.LAYOUT: write_mind2web,
    aitz.LAYOUT: write_aitz,
    REWARD_BENCH: write_reward,
}


@pytest.mark.parametrize("layout", WRITERS)
def test_a_layout_is_recognized_and_its_pictures_are_found(tmp_path: Path, layout: str) -> None:
    path = WRITERS[layout](tmp_path)
    assert recognize(path) == layout
    found = load_trajectories(path)
    assert found.layout == layout
    named = [step.before for trajectory in found.trajectories for step in trajectory.steps if step.before]
    assert named
    assert all(found.pictures.read(name) for name in named)


def test_what_is_no_known_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no JSON"):
        recognize(tmp_path)
    path = files.write_lines(tmp_path / "rows.jsonl", [{"key": MARKER}])
    with pytest.raises(BadFile, match="not known") as caught:
        recognize(path)
    assert "known layouts" in caught.value.remedy
    for content in (b"[", b"[]", b"[1", b"\xff", b"[" * 100_000):
        path.with_suffix(".json").write_bytes(content)
        with pytest.raises(BadFile):
            recognize(path.with_suffix(".json"))
    with pytest.raises(BadFile, match="line 1 is not a step of AitZ"):
        load_in(path, aitz.LAYOUT)
    with pytest.raises(BadFile, match="neither a file nor a folder"):
        recognize(tmp_path / "missing")


def test_steps_of_mind2web(tmp_path: Path) -> None:
    """Rows are put in order; the box is that of the control that was meant, and what follows is the next page."""
    found = load_trajectories(write_mind2web(tmp_path))
    (one,) = found.trajectories
    assert (one.key, one.goal, one.whose, one.app) == ("m1", files.MIND2WEB[0]["confirmed_task"], "person", "united")
    assert [step.action for step in one.steps] == [
        StepAction(verb="type", args={"text": "Rome"}),
        StepAction(verb="click"),
    ]
    assert [step.target for step in one.steps] == [
        Target(name="To", role="textbox", box=Box(10, 0, 20, 8)),
        Target(name="Search flights", role="button", box=Box(10, 10, 20, 8)),
    ]
    assert [(step.number, step.before, step.after) for step in one.steps] == [
        (1, "m1/0.jpg", "m1/1.jpg"),
        (2, "m1/1.jpg", None),
    ]
    assert (found.domains, found.whole_pages) == ({"m1": "travel"}, True)


def test_a_step_that_comes_twice_counts_once(tmp_path: Path) -> None:
    found = load_trajectories(files.write_lines(tmp_path / "rows.jsonl", [files.MIND2WEB[1]] * 2))
    assert [step.number for step in found.trajectories[0].steps] == [1]
    assert found.left_out == {"rows of a step that was there before": 1, "steps that are named but have no row": 1}


def test_mind2web_in_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{**row, "screenshot": {"bytes": files.jpeg(), "path": "x"}} for row in files.MIND2WEB]
    path = tmp_path / "data" / "test.parquet"
    path.parent.mkdir()
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=1)
    found, lines = load_trajectories(tmp_path / "data"), load_trajectories(write_mind2web(tmp_path / "lines"))
    (one,), (other,) = found.trajectories, lines.trajectories
    assert [(step.action, step.target) for step in one.steps] == [(step.action, step.target) for step in other.steps]
    assert [step.before for step in one.steps] == ["test.parquet#0", "test.parquet#1"]
    assert found.pictures.read("test.parquet#1") == files.jpeg()
    for name in ("test.parquet#2", "../data/test.parquet#1", "test.parquet", f"{tmp_path}/data/test.parquet#1"):
        with pytest.raises(BadFile):
            found.pictures.read(name)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(BadFile):
        load_trajectories(path)
    parquet.write_table(pa.Table.from_pylist([{"annotation_id": "m1"}]), path)
    with pytest.raises(BadFile, match="no column confirmed_task"):
        load_trajectories(path)


def test_a_box_that_is_empty_is_not_made_up(tmp_path: Path) -> None:
    for given in (None, [], ["{}"], [{"attributes": {"bounding_box_rect": "-1,-1,-1,-1"}}], [{"attributes": ""}]):
        path = files.write_lines(tmp_path / "rows.jsonl", [{**files.MIND2WEB[0], "pos_candidates": given}])
        (one,) = load_trajectories(path).trajectories
        assert one.steps[0].target is not None
        assert one.steps[0].target.box is None


def test_steps_of_aitz(tmp_path: Path) -> None:
    found = load_trajectories(write_aitz(tmp_path))
    (one,) = found.trajectories
    assert [step.action for step in one.steps] == [
        StepAction(verb="drag", args={"x_share": 0.5, "y_share": 1.0, "to_x_share": 0.5, "to_y_share": 0.2}),
        StepAction(verb="click", args={"x_share": 0.75, "y_share": 0.25}),
        StepAction(verb="type", args={"text": "light"}),
        StepAction(verb="key", args={"key": "back"}),
    ]
    assert (one.goal, one.last_picture) == ("Turn on the flashlight", "google_apps/e17/e17_4.png")
    assert found.domains == {"17": "google_apps"}
    assert found.left_out == {"rows that say that the task is complete": 1}
    assert not found.whole_pages
    assert "complete" not in str(one.steps)


def test_steps_and_outcomes_of_agent_reward_bench(tmp_path: Path) -> None:
    found = load_trajectories(write_reward(tmp_path))
    outcomes = {trajectory.key: trajectory.outcome for trajectory in found.trajectories}
    keys = ["workarena/GenericAgent-m/order-2", "workarena/GenericAgent-m/order-l2-1"]
    assert outcomes == {keys[0]: None, keys[1]: True}
    assert found.domains == {keys[0]: "workarena", keys[1]: "workarena++"}
    assert found.left_out == {"outcomes of which the annotator was unsure": 1}
    assert found.by_rules == dict.fromkeys(keys, True)
    one = found.trajectories[0]
    assert [(step.action.verb, step.target, step.said) for step in one.steps] == [
        ("click", Target(id="a51"), "Open the list"),
        ("type", Target(id="b12"), None),
    ]
    assert one.last_picture == "screenshots/2.png"
    assert one.whose == "agent"


@pytest.mark.parametrize(
    ("summary", "verdict"),
    [
        ({"cum_reward": 0.51}, True), ({"cum_reward": 0.5}, False), ({"cum_reward": None}, None), ({}, None),
        (None, None),
    ],
)  # fmt: skip
def test_a_reward_above_a_half_is_a_success_by_rules(
    tmp_path: Path, summary: dict[str, float | None] | None, verdict: bool | None
) -> None:
    files.write_json(tmp_path / "a.json", {**files.REWARD, "summary_info": summary})
    files.write_pictures(tmp_path, *(f"screenshots/{number}.png" for number in range(3)))
    (only,) = (found := load_trajectories(tmp_path)).trajectories
    assert found.by_rules.get(only.key) is verdict


def test_the_folder_above_that_of_agent_reward_bench_may_be_named(tmp_path: Path) -> None:
    """Released paths of pictures begin with its name."""
    write_reward(tmp_path / "trajectories")
    (tmp_path / "data").mkdir()
    (tmp_path / "trajectories" / "annotations.csv").rename(tmp_path / "data" / "annotations.csv")
    found = load_in(tmp_path, REWARD_BENCH)
    assert [trajectory.outcome for trajectory in found.trajectories] == [None, True]
    assert found.pictures.read("screenshots/0.png") == files.png()


def test_annotations_by_two_people(tmp_path: Path) -> None:
    (tmp_path / "annotations.csv").write_text(files.ANNOTATIONS)
    both = [row.answers[QUESTIONS[0]] for row in read_annotations(tmp_path / "annotations.csv")]
    assert both.count("unsure") == 1
    for text in ("benchmark\nworkarena\n", "benchmark,model_name,task_id\na,b,\n", "\0"):
        (tmp_path / "annotations.csv").write_text(text)
        if len(text) > 1:
            with pytest.raises(BadFile, match="row 2"):
                read_annotations(tmp_path / "annotations.csv")
    (tmp_path / "annotations.csv").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadFile, match="no table"):
        read_annotations(tmp_path / "annotations.csv")


@pytest.mark.parametrize(
    ("text", "verb", "args", "target"),
    [
        ("click('a51', button='right')", "right_click", {}, "a51"), ("dblclick('3')", "double_click", {}, "3"),
        ("select_option('c', ['Rome', 'Oslo'])", "select", {"value": "Rome Oslo"}, "c"),
        ("press('c', 'Enter')", "key", {"key": "Enter"}, "c"),
        ("keyboard_press('Enter')", "key", {"key": "Enter"}, None),
        ("scroll(0, -200)", "scroll", {"way": "up", "pixels": 200}, None),
        ("scroll(100.5, 0)", "scroll", {"way": "right", "pixels": 100.5}, None),
        ("mouse_drag_and_drop(1, 2, 3, 4)", "drag", {"x": 1, "y": 2, "to_x": 3, "to_y": 4}, None),
        ("drag_and_drop('a', 'b')", "drag", {"to": "b"}, "a"), ("noop()", "wait", {}, None),
        ("send_msg_to_user('42')", "finish", {"text": "42"}, None),
        ("goto('page')", "api:goto", {"text": "page"}, None), ("noop()\nclick('b')", "wait", {}, None),
        ("import os", "api:unknown", {"text": "import os"}, None),
        ("os.remove('x')", "api:unknown", {"text": "os.remove('x')"}, None),
        ("click(" * 500, "api:unknown", {"text": "click(" * 500}, None),
    ],
)  # fmt: skip
def test_acts_of_browser_agents(text: str, verb: str, args: dict[str, object], target: str | None) -> None:
    action, found = parse_act(text)
    assert (action.verb, action.args) == (verb, args)
    assert (None if found is None else found.id) == target


def rows_of(row: dict[str, Any], **changed: object) -> list[dict[str, Any]]:
    return [{**row, **changed}]


@pytest.mark.parametrize(
    ("layout", "rows"),
    [
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], annotation_id=3)),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], operation=MARKER)),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], operation='{"op": "EXEC"}')),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], screenshot=f"../{MARKER}.png")),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], screenshot=f"/{MARKER}.png")),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], target_action_index="-1")),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], target_action_index="9" * 9)),
        (mind2web.LAYOUT, rows_of(files.MIND2WEB[0], pos_candidates=[MARKER])),
        (mind2web.LAYOUT, [files.MIND2WEB[0], {**files.MIND2WEB[1], "confirmed_task": MARKER}]),
        (aitz.LAYOUT, [files.aitz_step(0, 9)]),
        (aitz.LAYOUT, [files.aitz_step(0, MARKER)]),
        (aitz.LAYOUT, [files.aitz_step(0, 4)]),
        (aitz.LAYOUT, [files.aitz_step(0, 4, result_touch_yx=MARKER)]),
        (aitz.LAYOUT, [files.aitz_step(0, 4, result_touch_yx="[0.1]")]),
        (aitz.LAYOUT, [files.aitz_step(0, 4, result_touch_yx="[1.2, 0.5]", result_lift_yx="[1.2, 0.5]")]),
        (aitz.LAYOUT, [files.aitz_step(0, 4, result_touch_yx="[1e999, 0]")]),
        (aitz.LAYOUT, [files.aitz_step(0, 5), files.aitz_step(0, 5)]),
        (aitz.LAYOUT, [files.aitz_step(0, 5), files.aitz_step(1, 5, instruction=MARKER)]),
        (aitz.LAYOUT, [files.aitz_step(0, 5, image_path=f"a/../../{MARKER}.png")]),
        (aitz.LAYOUT, [files.aitz_step(0, 10)]),
        (REWARD_BENCH, rows_of(files.REWARD, steps=[{"action": 3}])),
        (REWARD_BENCH, rows_of(files.REWARD, steps=[{"action": "noop()"}] * 5001)),
        (REWARD_BENCH, rows_of(files.REWARD, steps=[{"screenshot_path": f"trajectories/../{MARKER}.png"}])),
        (REWARD_BENCH, rows_of(files.REWARD, steps=[])),
        (REWARD_BENCH, [files.REWARD, files.REWARD]),
        (PLAIN, [files.PLAIN_HEAD, {**files.PLAIN_STEP, "before": f"../{MARKER}.png"}]),
    ],
)
def test_what_does_not_fit_is_refused_by_file_and_not_quoted(
    tmp_path: Path, layout: str, rows: list[dict[str, Any]]
) -> None:
    path = files.write_lines(tmp_path / "rows.jsonl", rows)
    with pytest.raises(BadFile) as caught:
        load_in(path, layout)
    assert path.name in caught.value.what
    assert MARKER not in str(caught.value)


def test_a_link_out_of_a_set_is_not_followed(tmp_path: Path) -> None:
    """Neither a file of rows nor a picture may lead out of the folder that was named."""
    outside = write_mind2web(tmp_path / "outside")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "test.jsonl").symlink_to(outside / "test.jsonl")
    with pytest.raises(BadFile, match="holds no JSON"):
        load_trajectories(folder)
    files.write_lines(folder / "own.jsonl", files.MIND2WEB)
    (folder / "m1").symlink_to(outside / "m1")
    found = load_trajectories(folder)
    with pytest.raises(BadFile, match="outside"):
        found.pictures.read("m1/0.jpg")


def test_a_file_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_aitz(tmp_path)
    found = load_trajectories(path)
    limits = "daemon.history.trajectory.files."
    monkeypatch.setattr("lab.trajectories.rows.MAX_FILE_BYTES", 10)
    monkeypatch.setattr(f"{limits}MAX_PICTURE_BYTES", 10)
    with pytest.raises(BadFile, match="larger"):
        found.pictures.read("google_apps/e17/e17_0.png")
    with pytest.raises(BadFile, match="larger"):
        load_in(path, aitz.LAYOUT)
    monkeypatch.setattr(f"{limits}MAX_FILES", 3)
    with pytest.raises(BadFile, match="more than 3 files"):
        load_trajectories(path)
    monkeypatch.undo()
    monkeypatch.setattr("lab.trajectories.aitz.MAX_TRAJECTORIES", 0)
    with pytest.raises(BadFile, match="too many"):
        load_trajectories(path)


def test_keys_are_there_once(tmp_path: Path) -> None:
    """Two files with the same key would answer for each other."""
    for name in ("a.jsonl", "b.jsonl"):
        files.write_lines(tmp_path / name, [files.PLAIN_HEAD, files.PLAIN_STEP])
    with pytest.raises(BadFile, match="has the key"):
        load_trajectories(tmp_path)


def test_a_set_says_nothing_of_what_it_does_not_know(tmp_path: Path) -> None:
    row = {name: value for name, value in files.MIND2WEB[0].items() if name in
           ("annotation_id", "confirmed_task", "action_reprs", "operation")}  # fmt: skip
    found: TrajectorySet = load_trajectories(files.write_json(tmp_path / "rows.json", [row]))
    (one,) = found.trajectories
    assert (one.steps[0].before, one.app, found.domains) == (None, "web page", {})
    assert found.left_out == {"steps that are named but have no row": 1}
    assert json.loads((tmp_path / "rows.json").read_text()) == [row]
