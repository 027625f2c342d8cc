"""`kairos diagnose --goal-only`: what is asked, printed and kept; a kept goal heads reports, and goes in the end."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from daemon.cli import diagnose as diagnose_command
from daemon.cli import sessions as sessions_command
from daemon.history.goals import SessionGoal, goal_lines, read_session_goals, write_session_goals
from storage.session.log import GOALS, MODEL_ANSWERS
from storage.session.retention import delete_session
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.detectors.trouble import episode, focus, key, write
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.model_queries import JudgingServer
from tests.fakes.sessions import trajectory_files as files

MARKER = "Zebrafinch"
GOAL = f"Write the letter to {MARKER}"
Command = Callable[..., Answer]


@dataclass(slots=True)
class Kairos:
    """The commands, with data folders and a model server of this test."""

    diagnose: Command
    sessions: Command
    server: JudgingServer
    base: Path


def rule(schema: Mapping[str, Any], text: str) -> Mapping[str, object]:
    lines = text.partition("The steps, in order:\n")[2].partition("\n\n")[0].splitlines()
    return {"steps": ["something"] * len(lines), "goal": GOAL}


@pytest.fixture
def kairos(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Kairos]:
    """Return the commands; the settings name the server as the local model."""
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    server = JudgingServer(rule)
    with running(server) as url:
        settings = tmp_path / "CONFIG" / "kairos" / "settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[local_model]\npreset = "llama-server"\nmodel = "m"\nurl = "{url}"\non_battery = true\n')
        yield Kairos(
            diagnose=lambda *words: run_command(diagnose_command.register, capsys, "diagnose", *words),
            sessions=lambda *words: run_command(sessions_command.register, capsys, "sessions", *words),
            server=server,
            base=tmp_path / "STATE" / "kairos" / "sessions",
        )


def worked(base: Path, day: float = 0.0) -> Path:
    apps = (focus(5.0 + 10 * number, app) for number, app in enumerate(("writer", "calc", "writer")))
    return write(base, *apps, *(key(8.0 + 10 * number) for number in range(3)), day=day)


def files_with(folder: Path, text: str) -> list[str]:
    return sorted({path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()})


def test_a_goal_is_asked_for_once_and_heads_the_reports(kairos: Kairos, tmp_path: Path) -> None:
    """On the terminal, on the page and in `sessions show`, marked as a model's guess."""
    session = worked(kairos.base)
    before = kairos.diagnose(session.name).out
    first = kairos.diagnose(session.name, "--goal-only", "--model", "llama-server:m", "--json").json
    assert [(goal["goal"], goal["stated"]) for goal in first["goals"]] == [(GOAL, None)]
    assert (first["sent"], first["kept"]) == (1, [session.name])
    again = kairos.diagnose(session.name, "--goal-only", "--model", "llama-server:m").out
    assert len(kairos.server.bodies) == 1
    assert GOAL in again
    assert f"{session.name}/1)" in again, "the key that --goals wants"
    assert "a model's guesses" in again
    after = kairos.diagnose(session.name, "--out", str(tmp_path / "page.html")).out
    assert MARKER not in before
    assert f"{GOAL} (a guess of llama-server:m; " in after.splitlines()[1]
    page = (tmp_path / "page.html").read_text()
    assert page.index(GOAL) < page.index("class=lead")
    assert "No model was asked" not in page
    shown = kairos.sessions("show", session.name).out
    assert GOAL in shown.splitlines()[1]
    assert kairos.sessions("show", session.name, "--json").json["goals"][0]["goal"] == GOAL
    worked(kairos.base, day=1)
    assert MARKER not in kairos.diagnose().out


def test_a_kept_goal_goes_with_its_session(kairos: Kairos, tmp_path: Path) -> None:
    """It is in its folder before, and nowhere after."""
    session = worked(kairos.base)
    kairos.diagnose(session.name, "--goal-only", "--model", "llama-server:m")
    assert files_with(tmp_path / "STATE", MARKER) == [GOALS, MODEL_ANSWERS]
    delete_session(session, kairos.base)
    assert files_with(tmp_path / "STATE", MARKER) == []


def test_goals_of_files_stand_beside_those_stated(kairos: Kairos, tmp_path: Path) -> None:
    """In any layout; a picture that is missing leaves its trajectory out, and is counted."""
    lost = [{**row, "annotation_id": "m2", "screenshot": "lost.jpg"} for row in files.MIND2WEB]
    path = files.write_lines(tmp_path / "data" / "test.jsonl", [*files.MIND2WEB, *lost])
    files.write_pictures(path.parent, "m1/0.jpg", "m1/1.jpg")
    words = (str(path), "--goal-only", "--model", "llama-server:m")
    found = kairos.diagnose(*words, "--json").json
    assert [(goal["key"], goal["goal"], goal["stated"]) for goal in found["goals"]] == [
        ("m1", GOAL, files.MIND2WEB[0]["confirmed_task"])
    ]
    assert found["left_out"] == {"a picture is missing or unreadable": 1}
    assert found["kept"] == []
    assert b"image_url" in kairos.server.bodies[0]
    text = kairos.diagnose(*words).out
    assert f"stated: {files.MIND2WEB[0]['confirmed_task']}" in text
    assert "Left out: 1" in text


def test_what_cannot_be_asked_says_why(kairos: Kairos, tmp_path: Path) -> None:
    """No model, a page, an option without a model."""
    session = write(kairos.base, *episode(60.0))
    model = ("--goal-only", "--model", "llama-server:m")
    assert kairos.diagnose(session.name, "--goal-only").code == 2
    assert kairos.diagnose(session.name, *model, "--out", str(tmp_path)).code == 2
    refused = kairos.diagnose(session.name, "--goal", "x")
    assert (refused.code, "--goal is for a model" in refused.err) == (2, True)
    assert kairos.server.bodies == []


def test_odd_files_of_goals_are_no_goals(tmp_path: Path) -> None:
    """Damaged, of another version, a link; a session without rows keeps none."""
    session = worked(tmp_path)
    one = SessionGoal(key="k", goal="Do it", model="m", steps=3, app="writer")
    assert write_session_goals(session, [one])
    assert read_session_goals(session) == (one,)
    kept = (session / GOALS).read_bytes()
    for content in (b"", b"{", kept.replace(b'"version":1', b'"version":2'), kept.replace(b"3", b'"x"')):
        (session / GOALS).write_bytes(content)
        assert read_session_goals(session) == ()
    (session / GOALS).unlink()
    (tmp_path / "elsewhere").write_bytes(kept)
    (session / GOALS).symlink_to(tmp_path / "elsewhere")
    assert read_session_goals(session) == ()
    assert not write_session_goals(tmp_path / "missing", [one])


def test_the_longest_stretches_of_work_are_named() -> None:
    """In their order, and how many more there are."""
    goals = [SessionGoal(key=str(n), goal=f"goal {n}", model="m", steps=n, app="") for n in range(1, 8)]
    lines = goal_lines(goals)
    assert [line.split(" (")[0] for line in lines] == [*(f"goal {n}" for n in range(3, 8)), "and 2 more"]
    assert goal_lines(goals[:2]) == [
        "goal 1 (a guess of m; 1 step in an unknown program)",
        "goal 2 (a guess of m; 2 steps in an unknown program)",
    ]
