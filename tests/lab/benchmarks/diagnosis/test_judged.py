"""`kairos bench diagnosis` with judges: stand-ins reach what is known of them, files and servers give figures."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.diagnosis.judged_benchmark import (
    EQUAL,
    ONE_SEGMENT,
    PAGE,
    SCRIPTED,
    made_criteria,
    measure_judged,
    measure_made,
    read_preamble,
)
from lab.benchmarks.diagnosis.judged_figures import TO_FILL_IN, BoundaryRates, rates
from lab.benchmarks.diagnosis.judged_work import ALWAYS_FAILURE, ALWAYS_SUCCESS, LENGTHS, ORACLE, SAMPLE, make_work
from lab.benchmarks.diagnosis.judges.judges import BenchPlan
from lab.measure.benchmark import Report
from storage.errors import BadFile, UsageError
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.diagnosed_work import judging_rule, write_plain
from tests.fakes.mllm.model_queries import JudgingServer

Bench = Callable[..., Report]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))

    def run(*words: object) -> Report:
        parser = argparse.ArgumentParser()
        BENCHMARKS["diagnosis"].add_arguments(parser)
        return measure_judged(parser.parse_args([str(word) for word in words]))

    return run


def judged_of(report: Report) -> Any:
    return json.loads(json.dumps(report.as_json()))["judged"]


def outcomes(folder: Path, *known: bool | None) -> Path:
    for number, outcome in enumerate(known):
        path = write_plain(folder, 12, key=f"t{number}")
        lines = path.read_text().splitlines()
        path.write_text("\n".join((json.dumps(json.loads(lines[0]) | {"outcome": outcome}), *lines[1:])) + "\n")
    return folder


def test_stand_ins_reach_what_is_known_of_them() -> None:
    report = measure_made(BenchPlan(), count=14)
    assert [criterion.name for criterion in report.criteria if not criterion.ok] == []
    rows = judged_of(report)["rows"]
    assert rows[ORACLE]["accuracy"]["value"] == 1.0
    assert rows[ALWAYS_SUCCESS]["accuracy"]["value"] == pytest.approx(rows[ALWAYS_SUCCESS]["base_rate"])
    assert 0.0 < rows[ALWAYS_SUCCESS]["base_rate"] < 1.0
    assert rows[f"{ORACLE}, without summary"]["accuracy"]["value"] < 1.0
    assert len(rows) == 2 + 1 + 3 + 5
    assert report.text[0] == SCRIPTED
    assert SCRIPTED in report.pages[PAGE]


def test_made_work_has_all_lengths_and_equal_seeds_give_equal_work() -> None:
    made = make_work(70, 1)
    assert {
        next(group for group in LENGTHS if group[0] <= len(work.trajectory.steps) <= group[1]) for work in made
    } == set(LENGTHS)
    for work in made:
        assert [number for part in work.parts for number in range(part.first, part.last + 1)] == list(
            range(1, len(work.trajectory.steps) + 1)
        )
    all_well = [work for work in made if all(part.verdict == "success" for part in work.parts)]
    assert {work.outcome.value for work in all_well} == {"success", "failure"}
    assert any(work.outcome.value == "success" for work in made if work not in all_well)
    assert [work.trajectory for work in make_work(70, 1)] == [work.trajectory for work in made]
    assert [work.trajectory for work in make_work(70, 2)] != [work.trajectory for work in made]


def test_files_are_judged_by_a_model_at_a_server(bench: Bench, tmp_path: Path) -> None:
    """Rates beside the controls; trajectories without a known outcome are left out; a second run sends nothing."""
    folder = outcomes(tmp_path / "agents", True, False, True, None)
    server = JudgingServer(judging_rule)
    with running(server) as url:
        (tmp_path / "CONFIG" / "kairos").mkdir(parents=True)
        (tmp_path / "CONFIG" / "kairos" / "settings.toml").write_text(
            f'[local_model]\npreset = "llama-server"\nurl = "{url}"\non_battery = true\n'
        )
        words = (folder, "--model", "llama-server:m", "--out", tmp_path, "--repeats", "2", "--quality")
        report = bench(*words)
        sent = len(server.bodies)
        again = bench(*words)
        ratings = tmp_path / "ratings.jsonl"
        ratings.write_text(report.pages[TO_FILL_IN].replace("null", "4"))
        with_people = judged_of(bench(*words, "--ratings", ratings))
        assert len(server.bodies) == sent
    assert with_people["agreements"]["llama-server:m and people"]["items"] == 9
    found = judged_of(report)
    assert found == judged_of(again)
    ours = found["rows"]["llama-server:m, segmented"]
    assert (ours["count"], ours["accuracy"]["value"], ours["recall"]) == (3, pytest.approx(2 / 3), 1.0)
    assert found["rows"][ALWAYS_SUCCESS]["accuracy"]["value"] == pytest.approx(2 / 3)
    assert found["left_out"] == {"no outcome, or no steps": 1}
    assert found["spreads"]["accuracy"] == {"mean": pytest.approx(2 / 3), "deviation": 0.0}
    assert found["quality"] == {"4": 9}
    assert found["agreements"] == {}
    rows = [json.loads(line) for line in report.pages[TO_FILL_IN].splitlines()]
    assert [(row["key"], row["first"], row["score"]) for row in rows[:4]] == [
        ("t0", 1, None), ("t0", 5, None), ("t0", 10, None), ("t1", 1, None),
    ]  # fmt: skip
    assert found["asked"] == {"segments": 6, "subtask": 18, "summary": 6, "quality": 18}
    assert not found["scripted"]
    assert [criterion.ok for criterion in report.criteria] == [True]


def test_simulated_sessions_are_only_divided(bench: Bench) -> None:
    """Boundaries beside cuts that need no model; nothing else is asked."""
    report = bench(SAMPLE, "--model", ALWAYS_SUCCESS)
    found = judged_of(report)
    assert set(found["asked"]) == {"segments"}
    assert found["boundaries"][ONE_SEGMENT] == {"true": 20, "found": 0, "matched": 0}
    assert found["boundaries"][EQUAL]["found"] == 20
    assert found["boundaries"]["true cuts at the nearest step"]["matched"] == 20
    assert "nobody worked there" in "\n".join(report.text)
    with pytest.raises(UsageError, match="only divided"):
        bench(SAMPLE, "--model", ALWAYS_SUCCESS, "--judge", "final")


def test_wrong_use_is_refused(bench: Bench, tmp_path: Path) -> None:
    folder = outcomes(tmp_path / "agents", None)
    ratings = (folder, "--model", ALWAYS_SUCCESS, "--ratings", folder)
    wrong = (("--model", "llama-server:m"), (folder,), (folder, "--model", ALWAYS_SUCCESS, "--repeats", "0"), ratings)
    for words in wrong:
        with pytest.raises(UsageError):
            bench(*words)
    with pytest.raises(BadFile, match="outcome"):
        bench(folder, "--model", ALWAYS_SUCCESS)


def test_preambles(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_text("Orders are final.\n\tA\u200bB is a supplier.\n")
    assert read_preamble(path) == "Orders are final.\nAB is a supplier."
    for wrong in (b"", b" \n", b"x" * 9000, b"\xff\xfe"):
        path.write_bytes(wrong)
        with pytest.raises(BadFile):
            read_preamble(path)
    with pytest.raises(BadFile):
        read_preamble(tmp_path / "missing.txt")


def test_every_bar_of_stand_ins_can_be_missed() -> None:
    """An oracle that errs, a base rate that is not reached, boundaries that count though they are off."""
    right, wrong = rates([(True, True), (False, False)]), rates([(True, False), (False, False)])
    always = rates([(True, True), (False, True)])
    never = rates([(True, False), (False, False)])
    rows = {ORACLE: right, ALWAYS_SUCCESS: always, ALWAYS_FAILURE: never, f"{ORACLE}, without summary": wrong}
    all_found, none = BoundaryRates(true=2, found=2, matched=2), BoundaryRates(true=2, found=0, matched=0)
    cuts = {ORACLE: all_found, ONE_SEGMENT: none}
    shifted = {2.0: all_found, 4.0: BoundaryRates(true=2, found=2, matched=0)}

    def missed(rows: dict[str, Any], cuts: dict[str, Any], shifted: dict[float, Any]) -> list[str]:
        return [criterion.name for criterion in made_criteria(rows, cuts, shifted) if not criterion.ok]

    assert missed(rows, cuts, shifted) == []
    assert missed({**rows, f"{ORACLE}, final": wrong}, cuts, shifted) == ["oracle"]
    assert missed({**rows, f"{ORACLE}, without summary": right}, cuts, shifted) == ["oracle_without_summary"]
    assert missed({**rows, ALWAYS_SUCCESS: right}, cuts, shifted) == ["always_success"]
    assert missed({**rows, ALWAYS_FAILURE: right}, cuts, shifted) == ["always_failure"]
    assert missed(rows, {**cuts, ORACLE: none}, shifted) == ["boundaries"]
    assert missed(rows, {**cuts, ONE_SEGMENT: all_found}, shifted) == ["one_segment"]
    assert missed(rows, cuts, {2.0: none, 4.0: all_found}) == ["boundaries_off_by_2_s", "boundaries_off_by_4_s"]
