"""`kairos diagnose --model`: what is asked, printed and stored, who allows it, and what a kill costs."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from daemon.cli.diagnose import PAGE_NAME, register
from daemon.diagnosis.model_queries import asking, models
from daemon.diagnosis.model_queries.answers import FILE
from storage.clock import SystemClock
from storage.errors import EnvironmentFault, UsageError
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.log import MODEL_ANSWERS
from storage.session.retention import delete_session
from tests.fakes.commands.command_line import run_command
from tests.fakes.commands.diagnose_command import MODEL, Diagnose, configure
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.diagnosed_work import cut, judging_rule, write_plain
from tests.fakes.mllm.model_queries import JudgingServer

SAMPLE = Path(__file__).parents[3] / "lab" / "sample" / "train-455-0000-mousepad" / "session"
SESSION = "20261121-223623-fde5"
MARKER = "Zebrafinch"


def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "STATE" / "kairos" / "sessions" / SESSION
    shutil.copytree(SAMPLE, folder)
    return folder


def test_a_file_of_an_agent_is_judged_part_by_part(diagnose: Diagnose, tmp_path: Path, server: JudgingServer) -> None:
    """The verdict, each part, and what was asked; a second time nothing is sent, and the bytes are equal."""
    path = write_plain(tmp_path / "agent")
    first = diagnose(path, "--json", "--out", tmp_path / "out")
    found = first.json["judged"]["trajectories"][0]
    assert (found["task"], found["task_source"], found["steps"]) == ("Make the title bold", "file", 12)
    assert found["verdicts"][0]["outcome"] == "success"
    parts = found["verdicts"][0]["segments"]
    assert [(part["segment"]["first"], part["segment"]["last"]) for part in parts] == [(1, 4), (5, 9), (10, 12)]
    assert first.json["judged"]["asked"] == {"segments": 1, "subtask": 3, "summary": 1}
    assert "episodes" not in first.json
    assert len(server.bodies) == 5
    page = (tmp_path / "out" / PAGE_NAME).read_bytes()
    assert b"<h1>How the work went</h1>" in page
    again = diagnose(path, "--json", "--out", tmp_path / "out")
    assert again.out == first.out
    assert (tmp_path / "out" / PAGE_NAME).read_bytes() == page
    assert len(server.bodies) == 5


def test_what_a_person_reads(diagnose: Diagnose, tmp_path: Path, server: JudgingServer) -> None:
    """The outcome first, then the parts with cause and fix, then what it rests on."""
    problem = {"step": 1, "cause": "the wrong menu", "fix": "open Format"}
    bad = {"reasoning": "x", "verdict": "fail", "root_cause": "looked in vain", "problems": [problem]}

    def rule(schema: dict[str, object], text: str) -> object:
        is_first = "-> 1. " in text and "root_cause" in str(schema)
        return bad if is_first else judging_rule(schema, text)

    server.rule = rule  # type: ignore[assignment]  # takes less
    out = diagnose(write_plain(tmp_path / "agent")).out
    assert "Task reached. All was done." in out
    assert "steps 1 to 4, part 1: fail" in out
    assert "step 1: the wrong menu Better: open Format" in out
    assert "5 judgements (segments 1, subtask 3, summary 1), at most 7 pictures in one." in out


def test_no_answer_is_not_diagnosed(
    diagnose: Diagnose, tmp_path: Path, server: JudgingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, counted by reason, and no verdict is made up."""
    monkeypatch.setattr(asking, "BACKOFF_S", 0.0)
    server.rule = lambda *_: {"nonsense": True}
    found = diagnose(write_plain(tmp_path / "agent"), "--json").json["judged"]
    assert found["trajectories"][0]["verdicts"][0]["outcome"] is None
    assert found["trajectories"][0]["verdicts"][0]["fallback"] is True
    assert found["unanswered"] == {"nonsense": 3}
    assert "Not diagnosed" in diagnose(tmp_path / "agent").out


def test_a_model_here_that_answers_nothing_of_use_is_asked_to_the_end(
    diagnose: Diagnose, tmp_path: Path, server: JudgingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs nothing but time; control: within the limit of a model that costs money the run would stop."""
    monkeypatch.setattr(asking, "BACKOFF_S", 0.0)
    server.rule = lambda schema, text: cut(12, tuple(range(1, 12))) if "Divide" in text else {"nonsense": True}
    words = (write_plain(tmp_path / "agent", 12, goal=None), "--json")
    with monkeypatch.context() as limited:
        limited.setattr(models, "_OVERRUN_HERE", models._OVERRUN)  # the limit that it is compared with
        assert diagnose(*words).code == EnvironmentFault.exit_code
    answer = diagnose(*words)
    assert answer.code == 0
    assert answer.json["judged"]["unanswered_kinds"] == {"goal": 1, "subtask": 12, "summary": 1}


def test_a_session_is_judged_beside_what_its_log_says(
    diagnose: Diagnose, tmp_path: Path, server: JudgingServer
) -> None:
    """Its goal is a guess of the model; answers lie in its folder, what was sent carries its name, both go with it."""
    folder = sessions(tmp_path)
    answer = diagnose(SESSION, "--json", "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["sessions"] == 1
    (work,) = [trajectory for trajectory in found["judged"]["trajectories"] if trajectory["steps"] == 84]
    assert (work["task"], work["task_source"]) == ("Make the title bold", "model")
    assert found["judged"]["asked"]["goal"] == len(found["judged"]["trajectories"]) == 3
    page = (tmp_path / "out" / PAGE_NAME).read_text()
    assert "What a model says" in page
    assert "No model was asked" not in page
    assert (folder / MODEL_ANSWERS).exists()
    assert not list((tmp_path / "CACHE").rglob(FILE))
    with SentLog() as log:
        entries = SentLogReader(log).newest(1000)
    assert {Path(entry.session).name for entry in entries} == {SESSION}
    assert len(entries) == len(server.bodies)
    delete_session(folder, folder.parent)
    with SentLog() as log:
        assert not SentLogReader(log).newest(10)


def test_control_without_a_model_the_page_says_that_none_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is stored but what the log gave; a file of an agent is refused."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "STATE"))
    folder = sessions(tmp_path)
    answer = run_command(register, capsys, "diagnose", "--out", str(tmp_path / "out"), "--json")
    assert "judged" not in answer.json
    assert "No model was asked." in (tmp_path / "out" / PAGE_NAME).read_text()
    assert not (folder / MODEL_ANSWERS).exists()
    refused = run_command(register, capsys, "diagnose", str(write_plain(tmp_path / "agent")))
    assert (refused.code, "is no session" in refused.err) == (UsageError.exit_code, True)


def test_a_session_leaves_this_machine_only_with_send_screens(
    diagnose: Diagnose, tmp_path: Path, server: JudgingServer
) -> None:
    """Not even with --yes, and then nothing is sent."""
    sessions(tmp_path)
    configure(tmp_path, "https://192.0.2.1/v1")
    refused = diagnose(SESSION, "--yes")
    assert (refused.code, "may not leave" in refused.err) == (UsageError.exit_code, True)
    refused = diagnose(write_plain(tmp_path / "agent"))
    assert (refused.code, "is on another machine" in refused.err) == (UsageError.exit_code, True)
    assert not server.bodies


def test_a_stated_goal_replaces_that_of_the_file(diagnose: Diagnose, tmp_path: Path, server: JudgingServer) -> None:
    """Nobody is asked for one."""
    path = write_plain(tmp_path / "agent", goal=None)
    found = diagnose(path, "--goal", "Save it", "--json").json["judged"]
    assert found["trajectories"][0]["task_source"] == "stated"
    assert "goal" not in found["asked"]


# ---------------------------------------------------------------- a kill at any moment


SEED, KILLS = 5, 20


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_in_the_same_bytes(tmp_path: Path, server: JudgingServer) -> None:
    """SIGKILL at 20 random moments: the report equals that of a run left alone, and no answered question is sent again.

    A question that was under way at a kill may be sent once more: its answer never arrived.
    """
    folder = tmp_path / "agents"
    for number in range(8):  # 40 requests, more than are answered between so many kills
        write_plain(folder, 12, goal=f"Make title {number} bold", key=f"t{number}")
    rng = random.Random(SEED)  # moments of kills
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("STATE", "CONFIG", "CACHE")}}
    words = [sys.executable, "-m", "daemon.cli.main", "diagnose", str(folder), "--model", MODEL, "--json", "--out"]

    def start(out: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*words, str(tmp_path / out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )

    with running(server) as url:
        configure(tmp_path, url)
        alone, _ = start("alone").communicate(timeout=120)
        asked_alone = Counter(server.bodies)
        server.bodies.clear()
        clock, kills = SystemClock(), 0
        for _ in range(10 * KILLS):
            process = start("killed")
            sent, more = len(server.bodies), rng.randrange(0, 3)
            while process.poll() is None and len(server.bodies) < sent + more:
                clock.sleep_s(0.005)
            clock.sleep_s(rng.random() * 0.15)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.communicate()
            if kills == KILLS:
                break
        resumed, _ = start("killed").communicate(timeout=120)
    assert kills == KILLS
    answers = [json.loads(text) for text in (alone, resumed)]
    pages = [Path(answer.pop("page")).read_bytes() for answer in answers]
    assert answers[0] == answers[1]
    assert pages[0] == pages[1]
    assert set(server.bodies) == set(asked_alone)
    assert set(asked_alone.values()) == {1}
    assert len(server.bodies) <= len(asked_alone) + kills
