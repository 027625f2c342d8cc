"""`kairos bench guide` from end to end: what it prints, that nothing is asked twice, and that a kill loses nothing."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from daemon.cli.main import main
from daemon.diagnosis.model_queries.answers import StoredAnswer
from daemon.replay.parallel.pool import map_in_order
from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, Task
from lab.benchmarks.guide import benchmark as bench_guide
from lab.benchmarks.guide import jobs as guide_jobs
from lab.benchmarks.guide import pictures as guide_pictures
from lab.benchmarks.guide.figures import embedded_reference, trivial_references
from lab.benchmarks.guide.jobs import Context, GuidePlan, items_of, row_of
from lab.benchmarks.guide.models import AlwaysModel, ModelName, model_named, open_named
from lab.measure.published import load_published
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.settings import ModelSettings, Settings
from tests.fakes.lab.clips import released, session, sessions
from tests.fakes.narrowing import present

Bench = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def decoded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decode in this process: starting children is tried with the pictures, and in the run that is killed."""

    def run_limited(module: str, arguments: list[str], *, file: BinaryIO, name: str, cpu_s: int) -> str:
        return json.dumps(guide_pictures.save_wanted(file, name, Path(arguments[-1])))

    monkeypatch.setattr(guide_pictures, "run_limited", run_limited)


def cell(found: dict[str, Any], task: Task, context: Context = Context.NONE, percent: int = 100) -> dict[str, Any]:
    wanted = (task, context, percent)
    cells = found["figures"]["cells"]
    return next(
        shown_cell
        for shown_cell in cells
        if (shown_cell["task"], shown_cell["context"], shown_cell["percent"]) == wanted
    )


def test_a_run_says_whose_data_it_is_and_holds_its_bars(bench: Bench, tmp_path: Path) -> None:
    data = sessions(tmp_path / "data")
    first = bench(data, "--out", tmp_path / "out")
    assert first["simulated"]
    assert first["stand_in"]
    assert not first["guide_scored"]
    assert first["sent"] == first["questions"] > 150
    page = (tmp_path / "out" / bench_guide.PAGE).read_text(encoding="utf-8")
    assert all(part in page for part in ("GUIDE itself was not scored", "published, not run here"))
    assert {bar["name"]: bar["ok"] for bar in first["bars"]} == dict.fromkeys(
        ("answered", "sent_twice", "changed", "decodes"), True
    )
    again = bench(data, "--out", tmp_path / "out")
    assert again["sent"] == 0
    assert again["figures"] == first["figures"]
    assert len(first["rounds"]) == 2


def test_always_the_first_option_wins_no_pair_in_both_orders(bench: Bench, tmp_path: Path) -> None:
    """The control of the second figure: who looks at nothing but places fails it, whatever the first one says."""
    data = session(tmp_path / "data", length_s=3.0)
    found = bench(data, "--model", "always:first", "--both-orders", "--tasks", "intent,content")
    assert cell(found, Task.INTENT)["mbacc_both"]["value"] == 0.0
    assert cell(found, Task.CONTENT)["mbacc_both"]["value"] == 0.0
    assert {shown_cell["task"] for shown_cell in found["figures"]["cells"]} == {"intent", "content"}


def test_the_embedded_detector_stands_beside_and_says_what_it_learned_in() -> None:
    sample = bench_guide.load(bench_guide.SAMPLE)
    rows = [row_of(item, StoredAnswer()) for clip in sample.clips for item in items_of(clip, GuidePlan())]
    found = present(embedded_reference(sample, rows))
    embedded, note = found
    beside = {reference.name: reference for reference in trivial_references(rows)}
    assert set(embedded.accuracy) == {"behavior", "need"}
    assert embedded.accuracy["behavior"] > beside["by lot"].accuracy["behavior"]
    assert present(embedded.need) != beside["always help"].need
    assert "also in calc, mousepad" in note


def test_the_released_layout_goes_the_same_way(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "GIMP_Novice_Task_1_1"
    rows = {"1_taxonomy_annotations": [{"video_id": name, "start_time": 0, "end_time": 8, "label": "Debugging"}]}
    found = bench(released(tmp_path / "data", rows, pictures=20, names=(name,)))
    assert found["whose"] == "the released GUIDE layout"
    assert not found["simulated"]
    assert not found["guide_scored"]
    assert cell(found, Task.BEHAVIOR)["asked"] == 1
    # A model of a server: only then are the figures those of a model on that data, and called so.
    monkeypatch.setattr(guide_jobs, "open_named", lambda *_: AlwaysModel("always:debugging"))
    asked = ("--model", "llama-server:m", "--out", tmp_path / "out")
    found = bench(tmp_path / "data", *asked)
    assert found["guide_scored"]
    assert found["sent"] == found["questions"]
    page = (tmp_path / "out" / "guide.html").read_text()
    assert "GUIDE itself was not scored" not in page
    assert "with care" in page


def test_jobs_go_to_workers_and_come_back_as_plain_data(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sessions(tmp_path / "data")
    asked_for: list[object] = []

    def workers(function: Any, items: Any, *, scheduler: str, workers: int, report: Any) -> Any:
        asked_for.append(scheduler)
        return map_in_order(function, items, scheduler=None, workers=1, report=report)

    monkeypatch.setattr(bench_guide, "map_in_order", workers)
    options = (data, "--tasks", "behavior,need")
    there = bench(*options, "--scheduler", "tcp://127.0.0.1:1", "--out", tmp_path / "there")
    here = bench(*options, "--out", tmp_path / "here")
    assert asked_for == ["tcp://127.0.0.1:1"]
    assert there["figures"] == here["figures"]
    assert there["sent"] == there["questions"]


def test_a_video_that_cannot_be_read_is_left_out_by_name(bench: Bench, tmp_path: Path) -> None:
    """One damaged file does not cost the others; without any other the file is refused."""
    data = sessions(tmp_path / "data")
    (data / "s1" / "session" / "screen-000.mp4").write_bytes(b"no video")
    found = bench(data, "--tasks", "need")
    assert found["videos"] == ["s0"]
    assert any(note.startswith("s1: left out, screen-000.mp4 is not an mp4") for note in found["notes"])
    assert bench(data / "s1", status=BadFile.exit_code)["error"].startswith("no video could be read")


class Trouble3:
    """A model that is not to be reached from the fourth question on."""

    name = "broken"

    def __init__(self, trouble: FailureReason) -> None:
        self.trouble, self.calls = trouble, 0

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:
        self.calls += 1
        if self.calls > 3:
            return ModelResult(failure=self.trouble)
        return await AlwaysModel("always:yes").ask(ask, deadline_s=deadline_s)

    async def close(self) -> None:
        pass


def test_a_server_that_goes_away_stops_the_run_and_loses_nothing(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 3 with what to do; the answers so far are kept."""
    data = session(tmp_path / "data", length_s=3.0)
    monkeypatch.setattr(guide_jobs, "open_named", lambda *_: Trouble3(FailureReason.UNREACHABLE))
    options = [str(data), "--model", "always:yes", "--out", str(tmp_path / "out")]
    assert main(["bench", "guide", *options]) == EnvironmentFault.exit_code
    told = capsys.readouterr().err
    assert "stopped after 3 of" in told
    assert "the same command" in told
    monkeypatch.setattr(guide_jobs, "open_named", open_named)
    found = bench(*options)
    assert found["sent"] == found["questions"] - 3


def test_a_terminated_run_leaves_no_picture_behind(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    seen: list[bool] = []

    class Ended(AlwaysModel):
        async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:
            seen.append(any(scratch.rglob("*.jpg")))
            os.kill(os.getpid(), signal.SIGTERM)
            return await super().ask(ask, deadline_s=deadline_s)

    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(guide_jobs, "open_named", lambda *_: Ended("always:yes"))
    data = session(tmp_path / "data", length_s=3.0)
    before = signal.signal(signal.SIGTERM, lambda *_: seen.clear())
    try:
        assert main(["bench", "guide", str(data), "--out", str(tmp_path / "out")]) == 130
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [True]
    assert "the same command goes on from here" in capsys.readouterr().err
    assert list(scratch.iterdir()) == []


# ---------------------------------------------------------------------- page, words and usage


def test_the_text_keeps_ours_and_the_published_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(["bench", "guide", str(session(tmp_path / "data", length_s=3.0))]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    ours = next(n for n, line in enumerate(lines) if line.startswith("-- On simulated sessions of ours"))
    theirs = next(n for n, line in enumerate(lines) if line.startswith("-- On the GUIDE benchmark"))
    names = [line.split()[0] for line in lines[ours + 1 : theirs] if line.strip()]
    assert names[0] == "scripted:strong"
    assert not any("GPT" in line or "Gemini" in line for line in lines[ours:theirs])
    published = load_published(bench_guide.__file__)
    for line, row in zip(lines[theirs + 1 :], published.tables[0].rows.items(), strict=False):
        name, cells = row
        assert line.split() == [name, *cells]
    assert set(published.notes) <= set(lines)
    assert any("scripted stand-in that looks at no picture" in line for line in lines)


@pytest.mark.parametrize(
    ("option", "wrong", "there_is"),
    [
        ("--limit", "0", "give 1 or more"),
        ("--tasks", "behaviour", "behavior, intent, need, content"),
        ("--conditions", "all", "none, previous, behavior, behavior+intent"),
        ("--prefixes", "0", "1 to 100"),
        ("--model", "scripted:best", "scripted:strong, scripted:local"),
        ("--model", "openai-compatible", "kairos config set local_model.preset openai-compatible"),
        ("--model", "always:", "always:yes"),
        ("--model", "always:yes,frustation", "performing_actions"),
    ],
)
def test_wrong_words_are_refused_with_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, wrong: str, there_is: str
) -> None:
    assert main(["bench", "guide", str(tmp_path), option, wrong]) == UsageError.exit_code
    assert there_is in capsys.readouterr().err


def test_a_server_of_ones_own_on_another_machine_needs_a_yes_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is where pictures go, not the kind of server; with a yes they may go there, for this run."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    asked_of: list[ModelSettings | None] = []

    def watched(model: ModelName, *_: int) -> AlwaysModel:
        asked_of.append(model.chosen)
        return AlwaysModel("always:yes")

    monkeypatch.setattr(guide_jobs, "open_named", watched)
    for name, value in (("preset", "llama-server"), ("url", "http://192.168.7.7:8080")):
        assert main(["config", "set", f"local_model.{name}", value]) == 0
    options = [str(session(tmp_path / "data", length_s=3.0)), "--model", "llama-server", "--out", str(tmp_path / "o")]
    assert main(["bench", "guide", *options, "--tasks", "need"]) == UsageError.exit_code
    assert "is on another machine" in capsys.readouterr().err
    assert asked_of == []
    assert main(["bench", "guide", *options, "--tasks", "need", "--yes"]) == 0
    assert all(settings is not None and settings.send_screens for settings in asked_of)
    assert asked_of != []


def test_free_answers_are_asked_stored_listed_and_not_scored(bench: Bench, tmp_path: Path) -> None:
    """Beside the annotated ones; control: without --free nothing is. No figure changes by them."""
    data = sessions(tmp_path / "data")
    without = bench(data)
    first = bench(data, "--free", "--out", tmp_path / "out")
    again = bench(data, "--free", "--out", tmp_path / "out")
    assert without["free"] == []
    assert first["figures"] == without["figures"]
    assert {answer["task"] for answer in first["free"]} == {"intent", "content"}
    assert all(answer["said"] in {answer["annotated"], "something else"} for answer in first["free"])
    assert any(answer["said"] == answer["annotated"] for answer in first["free"])
    assert first["questions"] == without["questions"] + len(first["free"])
    assert (again["sent"], again["free"]) == (0, first["free"])
    page = (tmp_path / "out" / bench_guide.PAGE).read_text(encoding="utf-8")
    assert "Not scored: whether two sentences mean the same needs a judge" in page


def test_no_training_library_is_loaded_to_ask_a_model() -> None:
    """Each process of a benchmark that asks models would take seconds to load them."""
    script = "import sys; import lab.benchmarks.guide.benchmark; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"jax", "sklearn", "onnx"} & set(done.stdout.split()) == set()


def test_always_help_equals_the_row_beside_it(bench: Bench, tmp_path: Path) -> None:
    """A model that always says yes reaches what the trivial row says it would."""
    found = bench(sessions(tmp_path / "data"), "--model", "always:yes", "--tasks", "need", "--conditions", "none")
    need = cell(found, Task.NEED)
    beside = next(trivial for trivial in found["trivial"] if trivial["name"] == "always help")
    assert need["accuracy"]["value"] == pytest.approx(beside["accuracy"]["need"]) == 0.25
    assert [need["need"][name]["value"] for name in ("precision", "recall", "f1")] == pytest.approx(beside["need"])


def test_the_embedded_detector_has_figures_only_for_tasks_that_were_asked(bench: Bench, tmp_path: Path) -> None:
    def beside(*words: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = bench(data, "--conditions", "none", *words)["trivial"]
        return [row for row in rows if row["name"].startswith("embedded")]

    data = session(tmp_path / "data", length_s=3.0)
    (need,) = beside("--tasks", "need")
    assert set(need["accuracy"]) == {"need"}
    (behavior,) = beside("--tasks", "behavior")
    assert set(behavior["accuracy"]) == {"behavior"}
    assert behavior["need"] is None
    assert beside("--tasks", "intent") == beside("--tasks", "need", "--prefixes", "25") == []


def test_a_limit_takes_the_same_clips_each_time(bench: Bench, tmp_path: Path) -> None:
    data = sessions(tmp_path / "data")
    found = bench(data, "--limit", 3, "--prefixes", "50,100", "--tasks", "behavior")
    assert found["clips"] == 3
    assert "drawn by lot" in found["notes"][0]
    assert {shown_cell["percent"] for shown_cell in found["figures"]["cells"]} == {50, 100}
    assert bench(data, "--limit", 3, "--prefixes", "50,100", "--tasks", "behavior")["sent"] == 0


def test_nonsense_counts_as_wrong_and_is_shown(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = session(tmp_path / "data", length_s=3.0)
    monkeypatch.setattr(guide_jobs, "open_named", lambda *_: Trouble3(FailureReason.NONSENSE))
    found = bench(data, "--model", "always:yes", "--tasks", "need", "--conditions", "none", status=1)
    assert found["figures"]["troubles"] == {"nonsense": found["questions"] - 3}
    assert sum(shown_cell["answered"] for shown_cell in found["figures"]["cells"]) == 3
    assert [bar["name"] for bar in found["bars"] if not bar["ok"]] == ["answered"]


def test_a_name_takes_its_address_from_the_settings() -> None:
    """The tier of the same preset says where the server is; another model may be named behind it."""
    settings = Settings(local_model=ModelSettings(preset="ollama", url="http://10.0.0.2:11434", model="a"))
    chosen = present(model_named("ollama:qwen3-vl:8b", settings).chosen)
    assert (chosen.url, chosen.model) == ("http://10.0.0.2:11434", "qwen3-vl:8b")
    assert model_named("ollama", settings).name == "ollama:a"
    assert model_named("ollama:a", settings).identity != model_named("ollama:b", settings).identity
    assert model_named("scripted:strong", settings) == ModelName(name="scripted:strong")


def test_a_model_without_words_of_its_own_gives_no_free_answer(bench: Bench, tmp_path: Path) -> None:
    found = bench(sessions(tmp_path / "data"), "--free", "--model", "always:first")
    assert found["free"]
    assert all(answer["said"] is None for answer in found["free"])
