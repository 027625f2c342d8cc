"""A real llama-server with a tiny model of random weights: whatever it says of recorded work is handled and counted.

Its answers mean nothing. What is tried is that each one has the shape that was asked for, or is no answer by a reason
that is counted, and that reports of nothing but those are still reports.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgeStage
from storage.files import config_file
from tests.fakes.mllm import llama_server
from tests.fakes.mllm.diagnosed_work import write_plain
from tests.fakes.mllm.llama_server import LlamaServer

pytestmark = [
    pytest.mark.realserver,
    pytest.mark.skipif(
        llama_server.found() is None,
        reason=f"no llama-server: {llama_server.VARIABLE} names none and PATH has none (see CONTRIBUTING.md)",
    ),
]

MODEL = f"llama-server:{llama_server.ALIAS}"
CONTEXT = 16_384
STEPS = 6
WAYS = (
    *(("--judge", judge.value) for judge in JudgeName if judge is not JudgeName.SEGMENTED),
    *(("--without", stage.value) for stage in JudgeStage),
)

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    with llama_server.running(tmp_path_factory.mktemp("server"), context=CONTEXT) as found:
        yield found


@pytest.fixture
def ask(server: LlamaServer, capsys: pytest.CaptureFixture[str]) -> Ask:
    config_file().parent.mkdir(parents=True)
    config_file().write_text(f'[local_model]\npreset = "llama-server"\nurl = "{server.url}/v1"\non_battery = true\n')

    def run(*words: object, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        code = main([*map(str, words), "--model", MODEL, "--json"])
        captured = capsys.readouterr()
        assert code in codes, captured.err
        found: dict[str, Any] = json.loads(captured.out)
        return found

    return run


def test_a_report_is_made_of_whatever_it_says(ask: Ask, tmp_path: Path) -> None:
    path = write_plain(tmp_path / "agent", STEPS, goal=None)
    words = ("diagnose", path, "--out", tmp_path / "out")
    found = ask(*words)["judged"]
    assert sum(found["unanswered_kinds"].values()) == sum(found["unanswered"].values())
    assert set(found["unanswered"]) <= {"nonsense", "too_long"}
    (work,) = found["trajectories"]
    (verdict,) = work["verdicts"]
    if not found["unanswered"]:
        assert verdict["outcome"] in {"success", "failure"}
    covered = [
        number
        for segment in verdict["segments"]
        for number in range(segment["segment"]["first"], segment["segment"]["last"] + 1)
    ]
    assert covered in ([], list(range(1, STEPS + 1)))
    for segment in verdict["segments"]:
        for problem in (segment["diagnosis"] or {}).get("problems", ()):
            assert segment["segment"]["first"] <= problem["step"] <= segment["segment"]["last"]
    assert (tmp_path / "out" / "diagnosis.html").stat().st_size > 0
    assert ask(*words)["judged"] == found


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_each_other_judge_makes_figures_of_whatever_it_says(ask: Ask, tmp_path: Path, way: tuple[str, str]) -> None:
    """`kairos bench diagnosis` with the judges that are compared, and the three stages left out in turn."""
    path = write_plain(tmp_path / "agent", STEPS)
    path.write_text(path.read_text().replace('"source"', '"outcome": true, "source"', 1))
    found = ask("bench", "diagnosis", path, *way, "--quality", "--retries", 1, codes=(0, 1))["judged"]
    assert set(found["unanswered"]) <= {"nonsense", "too_long"}
    assert found["asked"]
