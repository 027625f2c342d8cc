"""A real llama-server with a tiny model of random weights: whatever it says of recorded work is handled and counted.

Its answers mean nothing. What is tried is that each one has the shape that was asked for, or is no answer by a reason
that is counted, and that reports of nothing but those are still reports. The counts are printed at the end.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgeStage
from storage.files import config_file
from tests.fakes.lab.clips import sessions
from tests.fakes.mllm import llama_server
from tests.fakes.mllm.diagnosed_work import write_plain
from tests.fakes.mllm.llama_server import LlamaServer
from tests.fakes.sessions import trajectory_files as files

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


class Kinds:
    """How many questions of each kind were asked, and how many had no answer, and why."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.unanswered: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def count(self, asked: Mapping[str, int], unanswered: Mapping[str, int], reasons: Mapping[str, int]) -> None:
        self.asked.update(asked)
        self.unanswered.update(unanswered)
        self.reasons.update(reasons)


@pytest.fixture(scope="module")
def kinds(request: pytest.FixtureRequest) -> Iterator[Kinds]:
    """Return where questions are counted; the counts are printed when all tests here are over."""
    found = Kinds()
    yield found
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line("")
        for kind, asked in sorted(found.asked.items()):
            reporter.write_line(f"real llama-server, {kind}: {asked} asked, {found.unanswered[kind]} without an answer")
        reporter.write_line(f"real llama-server, reasons: {dict(found.reasons)}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """Return a server with room for all pictures of a piece of work."""
    with llama_server.running(tmp_path_factory.mktemp("server"), context=CONTEXT) as found:
        yield found


@pytest.fixture
def ask(server: LlamaServer, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that runs a command with that server and returns its JSON."""
    config_file().parent.mkdir(parents=True)
    config_file().write_text(f'[local_model]\npreset = "llama-server"\nurl = "{server.url}/v1"\non_battery = true\n')

    def run(*words: object, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        code = main([*map(str, words), "--model", MODEL, "--json"])
        captured = capsys.readouterr()
        assert code in codes, captured.err
        found: dict[str, Any] = json.loads(captured.out)
        return found

    return run


def test_a_report_is_made_of_whatever_it_says(ask: Ask, kinds: Kinds, tmp_path: Path) -> None:
    path = write_plain(tmp_path / "agent", STEPS, goal=None)
    words = ("diagnose", path, "--out", tmp_path / "out")
    found = ask(*words)["judged"]
    kinds.count(found["asked"], found["unanswered_kinds"], found["unanswered"])
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
def test_each_other_judge_makes_figures_of_whatever_it_says(
    ask: Ask, kinds: Kinds, tmp_path: Path, way: tuple[str, str]
) -> None:
    """`kairos bench diagnosis` with the judges that are compared, and the three stages left out in turn."""
    path = write_plain(tmp_path / "agent", STEPS)
    path.write_text(path.read_text().replace('"source"', '"outcome": true, "source"', 1))
    found = ask("bench", "diagnosis", path, *way, "--quality", "--retries", 1, codes=(0, 1))["judged"]
    kinds.count(found["asked"], {}, found["unanswered"])
    assert set(found["unanswered"]) <= {"nonsense", "too_long"}
    assert found["asked"]


def test_goals_are_found_or_have_none(ask: Ask, kinds: Kinds, tmp_path: Path) -> None:
    """`--goal-only` of four pieces of work: each has a sentence, or no usable answer."""
    for number in range(4):
        write_plain(tmp_path / "agents", STEPS + number, goal=None, key=f"t{number}")
    found = ask("diagnose", tmp_path / "agents", "--goal-only")
    missing = sum(goal["goal"] is None for goal in found["goals"])
    kinds.count({"goal": len(found["goals"])}, {"goal": missing}, found["unanswered"])
    assert len(found["goals"]) == 4
    assert sum(found["unanswered"].values()) == missing


def test_goals_are_compared_whatever_it_says(ask: Ask, kinds: Kinds, tmp_path: Path) -> None:
    """`kairos bench goals`: fulfilment and satisfaction; no answer is a no, bars may be missed, labels sum to 1."""
    files.write_pictures(tmp_path / "data", "m1/0.jpg", "m1/1.jpg", size=(64, 64))
    files.write_lines(tmp_path / "data" / "test.jsonl", files.MIND2WEB)
    written = [{"key": "m1", "by": by, "goal": f"Find a flight to {by}"} for by in ("Rome", "Oslo")]
    goals = files.write_lines(tmp_path / "goals.jsonl", written)
    found = ask("bench", "goals", tmp_path / "data", "--goals", goals, "--retries", 1, codes=(0, 1))
    kinds.count({"goals compared": found["questions"]}, {"goals compared": found["unanswered"]}, {})
    assert 0 <= found["unanswered"] <= found["questions"]
    for row in found["figures"]["as_published"]:
        assert sum(row[name]["value"] for name in ("match", "partial", "non_match")) == pytest.approx(1.0)


def test_free_answers_are_plain_text_or_none(ask: Ask, kinds: Kinds, tmp_path: Path) -> None:
    """`kairos bench guide --free`: intent and help in its own words are listed, and not scored."""
    options = ("--limit", 2, "--prefixes", 100, "--tasks", "intent,content", "--conditions", "none", "--free")
    found = ask("bench", "guide", sessions(tmp_path / "data"), *options, "--out", tmp_path / "out", codes=(0, 1))
    said = [answer["said"] for answer in found["free"]]
    kinds.count({"free text": len(said)}, {"free text": sum(not answer for answer in said)}, {})
    assert said
    assert all("\n" not in answer and answer.isprintable() for answer in said if answer)
