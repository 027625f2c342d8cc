"""AndroidBench's layout: acts, outcomes of people, and what is left out; rows of our own making."""

import json
from pathlib import Path

import pytest

from daemon.history.trajectory.trajectory import Verb
from lab.trajectories import android_bench
from lab.trajectories.layouts import load_in, recognize
from storage.errors import BadFile

ACTS = (
    "Action Type: DualPoint, Touch Point: (0.6325, 0.8017), Lift Point: (0.6325, 0.8017)",
    "Action Type: DualPoint, Touch Point: (0.5, 0.8), Lift Point: (0.5, 0.2)",
    "Action Type: Type, Typed Text: '3d printer'",
    "Action Type: Enter",
    "Action Type: GoBack",
    "Action Type: Up",
    "Action Type: Idle",
    "Action Type: Fold",
    "Action Type: TaskComplete",
)


def write(folder: Path, verdicts: list[tuple[str, str, str]]) -> Path:
    (folder / "evals").mkdir(parents=True)
    rows = [
        {
            "uid": f"t{n}",
            "intent": "Search for a 3d printer",
            "response": None,
            "steps": [{"img": f"t{n}_{at}.jpg", "other": {"action": act, "step": at}} for at, act in enumerate(ACTS)],
        }
        for n in range(4)
    ]
    (folder / "trajectory_log.json").write_text(json.dumps(rows))
    lines = [{"task_uid": uid, "user_uid": who, "annotation": said, "task_idx": 0} for uid, who, said in verdicts]
    (folder / "evals" / "v0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_acts_and_outcomes_are_read(tmp_path: Path) -> None:
    """Of two people the first counts; unsure is none, and where the emulator failed nothing is judged."""
    said = [("t0", "a", "Success"), ("t0", "b", "Failure"), ("t1", "a", "Failure"), ("t2", "a", "Unsure")]
    folder = write(tmp_path / "cogagent", [*said, ("t3", "a", "Emulator Error")])
    assert recognize(folder) == android_bench.LAYOUT
    found = load_in(folder, None)
    assert [(each.key, each.outcome) for each in found.trajectories] == [
        ("cogagent/t0", True),
        ("cogagent/t1", False),
        ("cogagent/t2", None),
    ]
    assert found.left_out == {
        "trajectories in which the emulator failed": 1,
        "outcomes of which the annotator was unsure": 1,
    }
    first = found.trajectories[0]
    assert [step.action.verb for step in first.steps] == [
        Verb.CLICK,
        Verb.DRAG,
        Verb.TYPE,
        Verb.KEY,
        Verb.KEY,
        Verb.SCROLL,
        Verb.WAIT,
        "api:fold",
        Verb.FINISH,
    ]
    assert first.steps[0].action.args == {"x_share": 0.6325, "y_share": 0.8017}
    assert first.steps[2].action.args == {"text": "3d printer"}
    assert (first.steps[0].before, first.steps[0].after, first.last_picture) == ("t0_0.jpg", "t0_1.jpg", "t0_8.jpg")
    assert first.goal == "Search for a 3d printer"


def test_rows_that_cannot_be_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", [])
    rows = json.loads((folder / "trajectory_log.json").read_text())
    for damage in ([{**rows[0], "steps": 3}], [rows[0], rows[0]], [], [{**rows[0], "steps": []}]):
        (folder / "trajectory_log.json").write_text(json.dumps(damage))
        with pytest.raises(BadFile):
            android_bench.load(folder)
    rows[0]["steps"][0]["img"] = "../../etc/passwd"
    (folder / "trajectory_log.json").write_text(json.dumps(rows))
    with pytest.raises(BadFile):
        android_bench.load(folder)
