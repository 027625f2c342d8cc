"""`kairos bench goals` from end to end: the constructed set, its controls, files through a server, and refusals."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.goals import benchmark, wording
from lab.benchmarks.goals.judging import People, WrittenGoal
from storage.errors import UsageError
from storage.session.log import MODEL_ANSWERS
from storage.settings import ModelSettings, Settings
from tests.fakes.detectors.trouble import focus, key, write
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.model_queries import JudgingServer
from tests.fakes.sessions import trajectory_files as files

Bench = Callable[..., dict[str, Any]]


def bars(found: dict[str, Any]) -> dict[str, bool]:
    return {bar["name"]: bar["ok"] for bar in found["bars"]}


def test_the_constructed_set_is_counted_right(bench: Bench, tmp_path: Path) -> None:
    """Every planted label is found in both tables, and the page says that nobody worked there."""
    found = bench("--out", tmp_path)
    names = ("answered", "sent_twice", "reflexive", "swapped", "labels", "labels_with_fulfilment")
    assert bars(found) == dict.fromkeys(names, True)
    assert found["simulated"]
    assert found["sent"] == 0
    alone, with_it = found["figures"]["as_published"][0], found["figures"]["with_fulfilment"][0]
    assert [alone[name]["value"] for name in ("match", "partial", "non_match")] == [0.2, 0.6, 0.2]
    assert [with_it[name]["value"] for name in ("match", "partial", "non_match")] == [0.2, 0.4, 0.4]
    assert found["figures"]["judge_and_people"]["directions"]["kappa"]["value"] == 1.0
    assert 0.5 < found["figures"]["people"]["directions"]["kappa"]["value"] < 1.0
    assert found["figures"]["navigate"] == {"planted": 0.1}
    page = (tmp_path / "goals.html").read_text()
    assert "simulated; nobody worked here" in page
    assert "Published, not run here" in page


def test_who_always_says_yes_is_named(bench: Bench) -> None:
    """The control: match 1.0 and kappa 0; the swapped goals and the planted labels miss their bars."""
    found = bench("--judge", "always:yes", status=1)
    held = bars(found)
    assert held["reflexive"]
    assert not held["swapped"]
    assert not held["labels"]
    assert found["figures"]["as_published"][0]["match"]["value"] == 1.0
    assert found["figures"]["judge_and_people"]["directions"]["kappa"]["value"] == pytest.approx(0.0)


def goal_rule(schema: Mapping[str, Any], text: str) -> Mapping[str, object]:
    fields = schema["properties"]
    if "goal" in fields:
        return {"steps": ["types", "searches"], "goal": "Find a flight to Rome on June 1, 2026"}
    if "requirements" in fields:
        a, b = (text.partition(f"\n{name}: ")[2].partition("\n")[0] for name in "AB")
        requirements = [{"text": "the flight", "met": a == b}]
        return {"requirements": requirements, "counterexample": "", "answer": wording.YES if a == b else wording.NO}
    return {"reasoning": "it was shown", "answer": wording.YES}


def write_tasks(folder: Path) -> Path:
    other = {"annotation_id": "m2", "confirmed_task": "Find a hotel in Oslo"}
    rows = [*files.MIND2WEB, *({**row, **other} for row in files.MIND2WEB)]
    files.write_pictures(folder, "m1/0.jpg", "m1/1.jpg")
    files.write_lines(folder / "test.jsonl", rows)
    return folder


def test_files_are_asked_about_once(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_tasks(tmp_path / "data")
    verdict = {"key": "m1", "rater": "ann", "fulfilled": True, "p_satisfies_g": True, "g_satisfies_p": True}
    server = JudgingServer(goal_rule)
    name = "llama-server:m"
    with running(server) as url:
        tier = ModelSettings(preset="llama-server", model="m", url=url, on_battery=True)
        monkeypatch.setattr(benchmark, "load_settings", lambda: Settings(local_model=tier))
        verdicts = files.write_lines(tmp_path / "verdicts.jsonl", [{**verdict, "by": name}])
        words = (data, "--model", name, "--verdicts", verdicts, "--out", tmp_path / "out")
        first = bench(*words)
        sent = len(server.bodies)
        again = bench(*words)
    assert first["trajectories"] == 2
    assert [shares["items"] for shares in first["figures"]["as_published"]] == [2, 1]
    assert first["figures"]["as_published"][0]["match"]["value"] == 0.5
    assert first["figures"]["in_domain"] == {"travel": 2}
    assert (first["questions"], first["sent"], sent) == (14, 6, 6)
    assert (again["sent"], len(server.bodies)) == (0, sent)
    assert again["figures"] == first["figures"]
    assert all(b"image_url" in body for body in server.bodies)


def test_goals_with_other_keys_are_refused_with_one_that_fits() -> None:
    """Control: one that fits is enough."""
    people = People(goals=(WrittenGoal(key="20261121-0", by="ann", goal="x"),))
    with pytest.raises(UsageError, match="20261121-0") as refused:
        benchmark._check_keys(["b/2", "a/1"], people)
    assert "'a/1'" in refused.value.remedy
    benchmark._check_keys(["20261121-0", "a/1"], people)


def test_sessions_of_ones_own_with_goals_of_ones_own(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / "sessions"
    keys = []
    for day in range(2):
        apps = (focus(5.0 + 10 * number, app) for number, app in enumerate(("writer", "calc", "writer")))
        folder = write(base, *apps, *(key(8.0 + 10 * number) for number in range(3)), day=day)
        keys.append(f"{folder.name}/1")
    goals = [{"key": city, "by": "gold", "goal": f"Find a flight to {city}"} for city in keys]
    path = files.write_lines(tmp_path / "goals.jsonl", goals)
    server = JudgingServer(lambda schema, text: _for_sessions(goal_rule(schema, text), text))
    with running(server) as url:
        tier = ModelSettings(preset="llama-server", model="m", url=url, on_battery=True)
        monkeypatch.setattr(benchmark, "load_settings", lambda: Settings(local_model=tier))
        found = bench(base, "--model", "llama-server:m", "--goals", path)
    assert found["trajectories"] == 2
    assert found["figures"]["as_published"][0]["non_match"]["value"] == 1.0
    assert found["whose"].startswith("2 recorded sessions")
    assert [(folder / MODEL_ANSWERS).exists() for folder in base.iterdir()] == [True, True]
    refused = bench(base, "--model", "openai", "--goals", path, "--yes", status=2)
    assert "recorded sessions may not leave" in refused["error"]


def _for_sessions(answer: Mapping[str, object], text: str) -> Mapping[str, object]:
    count = len(text.partition("The steps, in order:\n")[2].partition("\n\n")[0].splitlines())
    return {**answer, "steps": ["something"] * count} if "steps" in answer else answer


def test_people_alone_are_compared_without_a_model(bench: Bench, tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data")
    rows = [
        {"key": key, "by": "m", "rater": rater, "fulfilled": True, "p_satisfies_g": yes, "g_satisfies_p": True}
        for key, rater, yes in (("m1", "a", True), ("m1", "b", True), ("m2", "a", False), ("m2", "b", True))
    ]
    found = bench(data, "--verdicts", files.write_lines(tmp_path / "v.jsonl", rows))
    (table,) = found["figures"]["as_published"]
    assert (table["compared_by"], table["match"]["value"], table["more_general"]) == ("people", 0.5, 0.5)
    assert found["questions"] == 0
    assert found["bars"] == []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 2),
        (("--judge", "always:yes"), 2),
        (("--model", "oracle"), 2),
        (("--model", "nobody"), 2),
        (("--retries", "-1"), 2),
        (("--controls", "-1"), 2),
        (("--limit", "0", "--judge", "always:yes", "--goals", "GOALS"), 2),
        (("--layout", "aitz", "--judge", "always:yes", "--goals", "GOALS"), 4),
        (("--judge", "always:yes", "--goals", "MISSING"), 4),
    ],
)
def test_what_cannot_be_run_says_why(bench: Bench, tmp_path: Path, words: tuple[str, ...], status: int) -> None:
    """Nobody to compare, nothing to compare, no such model, another layout, no such file."""
    data = write_tasks(tmp_path / "data")
    goals = files.write_lines(tmp_path / "goals.jsonl", [{"key": "m1", "by": "ann", "goal": "Find it"}])
    places = {"GOALS": goals, "MISSING": tmp_path / "missing.jsonl"}
    assert "error" in bench(data, *(places.get(word, word) for word in words), status=status)


def test_a_model_elsewhere_needs_a_yes(bench: Bench, tmp_path: Path) -> None:
    """Pictures leave this machine and it costs money, so the price is said and nothing is sent."""
    found = bench(write_tasks(tmp_path / "data"), "--model", "openai", status=2)
    assert "US dollars" in found["error"]
    assert "--yes" in found["remedy"]
