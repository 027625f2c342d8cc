"""Trajectories in plain JSON lines: what is read, and what is refused without being quoted."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.history.trajectory.files import MAX_STEPS, FilePictures
from daemon.history.trajectory.loading import load_trajectories
from daemon.history.trajectory.plain import read_trajectory
from daemon.history.trajectory.trajectory import Step, StepAction, Target
from storage.errors import BadFile
from storage.records import Box, Element
from tests.fakes.sessions import trajectory_files as files

MARKER = "a secret of the file"
HEAD: dict[str, Any] = {"trajectory": 1, "key": "t1", "source": "ours", "app": "writer", "goal": "Bold the title"}
CLICK: dict[str, Any] = {
    "number": 1,
    "at_s": 0.5,
    "app": "writer",
    "action": {"verb": "click", "args": {"x": 3, "y": 4}},
    "target": {"name": "Bold", "role": "button", "box": [1, 2, 3, 4]},
    "before": "pictures/1.png",
    "elements": [{"role": "button", "box": [1, 2, 3, 4]}],
    "said": "Make it bold",
}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "one.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_every_field_is_read_and_what_is_missing_is_unknown(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD, CLICK, {"number": 2, "at_s": 1.0, "action": {"verb": "api:save"}})
    path.write_text(path.read_text().replace("\n", "\n\n"))
    found = read_trajectory(path)
    assert (found.key, found.source, found.whose, found.app) == ("t1", "ours", "agent", "writer")
    assert (found.goal, found.outcome, found.last_picture) == ("Bold the title", None, None)
    assert found.steps == (
        Step(
            number=1,
            at_s=0.5,
            app="writer",
            action=StepAction(verb="click", args={"x": 3, "y": 4}),
            target=Target(name="Bold", role="button", box=Box(1, 2, 3, 4)),
            before="pictures/1.png",
            elements=(Element(role="button", box=Box(1, 2, 3, 4)),),
            said="Make it bold",
        ),
        Step(number=2, at_s=1.0, app="", action=StepAction(verb="api:save")),
    )


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [HEAD],
        [CLICK],
        [{**HEAD, "trajectory": 2}, CLICK],
        [{**HEAD, "whose": MARKER}, CLICK],
        [{**HEAD, "more": MARKER}, CLICK],
        [HEAD, {**CLICK, "number": 2}],
        [HEAD, CLICK, {**CLICK, "number": 2, "at_s": 0.1}],
        [HEAD, {**CLICK, "action": {"verb": MARKER}}],
        [HEAD, {**CLICK, "action": {"verb": "api:"}}],
        [HEAD, {**CLICK, "said": 3}],
        [HEAD, MARKER],
        [HEAD, {**CLICK, "before": f"../{MARKER}.png"}],
        [HEAD, {**CLICK, "after": f"/etc/{MARKER}.png"}],
        [{**HEAD, "last_picture": f"{MARKER}.html"}, CLICK],
    ],
)
def test_what_does_not_fit_is_refused_and_not_quoted(tmp_path: Path, lines: list[object]) -> None:
    path = written(tmp_path, *lines)
    with pytest.raises(BadFile) as caught:
        read_trajectory(path)
    assert path.name in caught.value.what
    assert MARKER not in str(caught.value)


def test_a_list_without_end_is_refused(tmp_path: Path) -> None:
    steps = [{"number": number, "action": {"verb": "wait"}} for number in range(1, MAX_STEPS + 2)]
    assert len(read_trajectory(written(tmp_path, HEAD, *steps[:-1])).steps) == MAX_STEPS
    with pytest.raises(BadFile):
        read_trajectory(written(tmp_path, HEAD, *steps))


def test_a_picture_lies_below_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    (folder / "pictures").mkdir(parents=True)
    outside.mkdir()
    for place in (folder / "pictures", outside):
        (place / "1.png").write_bytes(b"picture")
    (folder / "linked").symlink_to(outside)
    pictures = FilePictures(folder)
    assert pictures.read("pictures/1.png") == b"picture"
    for name in ("linked/1.png", "pictures/2.png", "../out/1.png", "pictures", "\0.png"):
        with pytest.raises(BadFile):
            pictures.read(name)


def test_other_layouts_are_for_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_lines(tmp_path / "test.jsonl", files.MIND2WEB)
    assert load_trajectories(tmp_path).layout == "mind2web"
    monkeypatch.setattr("daemon.history.trajectory.loading.entry_points", lambda **_: ())
    with pytest.raises(BadFile, match="not the head of a trajectory") as caught:
        load_trajectories(tmp_path)
    assert caught.value.remedy.startswith("kairos-lab also reads trajectories of Mind2Web")
    (tmp_path / "test.jsonl").rename(tmp_path / "test.json")
    with pytest.raises(BadFile, match="no trajectory in plain JSON lines"):
        load_trajectories(tmp_path)
