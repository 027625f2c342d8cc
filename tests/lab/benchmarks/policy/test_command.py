"""`kairos bench policy` from packed sessions to bars, JSON and page."""

import argparse
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.policy.benchmark import ARMS, CEILING, FREE, SHIPPED, read_all
from lab.simulation.persona import Split
from storage.errors import BadFile
from tests.fakes.lab.desk_sessions import pack_desks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack_desks(tmp_path_factory.mktemp("desks") / "test", Split.TEST, programs=("desk",))


@pytest.fixture(scope="module")
def told(folder: Path) -> tuple[int, dict[str, Any], str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        arguments = argparse.Namespace(sessions=[folder], detector="evidence", out=folder / "out", json=True)
        code = BENCHMARKS["policy"].run(arguments)
    return code, json.loads(out.getvalue()), (folder / "out" / "policy.html").read_text(encoding="utf-8")


def test_every_arm_and_baseline_is_judged_in_both_groups(told: tuple[int, dict[str, Any], str]) -> None:
    """All on the same sessions; who is silent covers nothing, and nobody covers more than all."""
    _, result, _ = told
    assert result["simulated"] is True
    assert result["sessions"] == 2
    by_name = {(policy["group"], policy["policy"]): policy for policy in result["policies"]}
    for group in (SHIPPED, FREE):
        names = {policy for at, policy in by_name if at == group}
        assert set(ARMS) < names
        assert {
            f"baseline: {name}"
            for name in ("never", "always", "random", "fixed threshold", "idle timer", "model says yes")
        } < names
        assert by_name[group, "silent"]["offers"] == by_name[group, "baseline: never"]["offers"] == 0
        assert by_name[group, "silent"]["covered"]["value"] == 0.0
        assert by_name[group, "silent"]["precision"]["value"] is None
        assert by_name[group, CEILING]["covered"]["value"] >= by_name[group, "utility"]["covered"]["value"] > 0.0
    assert by_name[FREE, "always"]["offers"] > by_name[FREE, "utility"]["offers"] > 0
    assert by_name[FREE, "always"]["covered"]["value"] > by_name[FREE, "random"]["covered"]["value"]
    assert all(policy["offers"] == sum(policy["kinds"].values()) for policy in result["policies"])


def test_bars_decide_the_exit_code(told: tuple[int, dict[str, Any], str]) -> None:
    """A few minutes are not the hours that are asked for, so at least that bar is missed."""
    code, result, _ = told
    bars = {bar["name"]: bar for bar in result["bars"]}
    assert code == 1
    assert not bars["hours_held_out"]["ok"]
    assert bars["hours_held_out"]["value"] == pytest.approx(result["labelled_hours"], abs=0.001)
    assert result["labelled_hours"] < result["hours"]
    free = next(policy for policy in result["policies"] if (policy["group"], policy["policy"]) == (FREE, "utility"))
    assert free["false_per_labelled_hour"]["value"] > free["false_per_hour"]["value"]
    by_labels = free["false_per_labelled_hour"]["value"]
    assert bars["false_per_labelled_hour"]["value"] == pytest.approx(by_labels, abs=0.001)
    assert bars["offers_out_of_bounds"]["ok"]
    assert bars["out_of_bounds_control"]["ok"]
    assert bars["offers_in_cooldown"]["ok"]
    assert bars["cooldown_control"]["ok"]
    assert {"decide_p99", "covered", "delay", "at_break"} <= set(bars)
    assert len([name for name in bars if name.startswith("regret_x")]) == 6
    assert result["machine"]
    assert len(result["rounds"]) == 3


def test_regret_is_given_for_three_costs_against_every_baseline(told: tuple[int, dict[str, Any], str]) -> None:
    """With intervals; who never speaks loses the same at any cost, for there is less to win at higher ones."""
    _, result, _ = told
    for group in (SHIPPED, FREE):
        assert set(result["regret_against"][group]) == {"0.5", "1", "2"}
        for against in result["regret_against"][group].values():
            assert len(against) == len(ARMS) - 1 + 6
            assert all(interval["low"] <= interval["value"] <= interval["high"] for interval in against.values())
    never = next(policy for policy in result["policies"] if policy["policy"] == "baseline: never")
    regret = [never["regret_s"][factor]["value"] for factor in ("0.5", "1", "2")]
    assert regret == sorted(regret, reverse=True)


def test_errors_by_behavior_are_reported_for_the_training_split_alone(
    told: tuple[int, dict[str, Any], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who saw where held-out sessions go wrong could mend just that; of the others it is there to be seen."""
    _, result, page = told
    assert result["held_out"] is True
    assert result["behaviors"] == []
    assert "Behavior by behavior" not in page
    train = pack_desks(tmp_path / "train", programs=("desk",), people=1)
    BENCHMARKS["policy"].run(argparse.Namespace(sessions=[train], detector="evidence", out=tmp_path / "out", json=True))
    names = {behavior["behavior"] for behavior in json.loads(capsys.readouterr().out)["behaviors"]}
    assert {"undo_loop", "write_prose"} <= names
    assert "undo loop" in (tmp_path / "out" / "policy.html").read_text(encoding="utf-8")


def test_the_page_stands_alone_and_says_what_it_rests_on(told: tuple[int, dict[str, Any], str]) -> None:
    """No other file is named in it, plots are in it, and it says that nobody real was there."""
    _, _, page = told
    assert "Simulated sessions" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "src=" not in page
    assert page.count("<svg") == 2 + 1 + 6
    assert "nan" not in page.replace("finance", "")


def test_what_is_no_session_is_named_with_what_would_be_one(tmp_path: Path) -> None:
    """A path to nothing and a file of something else end with their names and a way on."""
    with pytest.raises(BadFile, match="nope does not exist"):
        read_all([tmp_path / "nope"])
    other = tmp_path / "notes.txt"
    other.write_text("nothing of ours")
    with pytest.raises(BadFile, match=r"notes\.txt") as told:
        read_all([other])
    assert "packed sessions" in told.value.remedy
