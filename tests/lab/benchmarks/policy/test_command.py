"""`kairos bench policy` from packed sessions to bars, JSON and page."""

import argparse
import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.engine.engine import Engine
from detectors.rules import EvidenceDetector
from lab.benchmarks.commands import POLICY
from lab.benchmarks.policy import benchmark as comparison
from lab.benchmarks.policy.benchmark import ARMS, CEILING, FREE, SHIPPED, UNLIMITED, arm, read_all
from lab.benchmarks.policy.figures import logged_in
from lab.benchmarks.policy.trace import load_rules
from lab.simulation.persona import Split
from storage.errors import BadFile, UsageError
from storage.records import Record, Tick
from storage.session.transfer.import_session import write_rows
from storage.settings import DetectorSettings, Settings
from tests.fakes.lab.desk_sessions import desk_session, pack_desks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of packed sessions."""
    return pack_desks(tmp_path_factory.mktemp("desks") / "test", Split.TEST, programs=("desk",))


@pytest.fixture(scope="module")
def told(folder: Path) -> tuple[int, dict[str, Any], str]:
    """Return exit code, JSON and page of a run."""
    patch = pytest.MonkeyPatch()
    patch.setattr(comparison, "LONG_HOURS", 0.5)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = POLICY.run(argparse.Namespace(sessions=[folder], detector="evidence", out=folder / "out", json=True))
    patch.undo()
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
    assert {"decide_p99", "ten_hours_all_arms", "covered", "delay", "at_break"} <= set(bars)
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


def test_the_curve_falls_with_the_threshold(told: tuple[int, dict[str, Any], str]) -> None:
    """A higher threshold never brings more false offers of the bare baseline, give or take an offer on the screen."""
    _, result, _ = told
    points = result["curves"]["bare threshold"]
    assert points[0]["false_per_hour"] > points[-1]["false_per_hour"]
    assert [point_["threshold"] for point_ in points] == result["rules"]["curve"]["thresholds"]


def test_errors_by_behavior_are_reported_for_the_training_split_alone(
    told: tuple[int, dict[str, Any], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Who saw where held-out sessions go wrong could mend just that; of the others it is there to be seen."""
    _, result, page = told
    assert result["held_out"] is True
    assert result["behaviors"] == []
    assert "undo loop" not in page
    monkeypatch.setattr(comparison, "LONG_HOURS", 0.2)
    train = pack_desks(tmp_path / "train", programs=("desk",), people=1)
    POLICY.run(argparse.Namespace(sessions=[train], detector="evidence", out=tmp_path / "out", json=True))
    names = {behavior["behavior"] for behavior in json.loads(capsys.readouterr().out)["behaviors"]}
    assert {"undo_loop", "write_prose"} <= names
    assert "undo loop" in (tmp_path / "out" / "policy.html").read_text(encoding="utf-8")


def test_without_a_drawn_log_there_is_no_overlap(told: tuple[int, dict[str, Any], str]) -> None:
    """Packed sessions hold no decisions, so nothing is estimated off-policy."""
    _, result, page = told
    assert set(result["off_policy"].values()) == {"no overlap"}
    assert "no overlap" in page


def test_the_page_stands_alone_and_says_what_it_rests_on(told: tuple[int, dict[str, Any], str]) -> None:
    """No other file is named in it, plots are in it, and it says that nobody real was there."""
    _, _, page = told
    assert "Simulated sessions" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "src=" not in page
    assert page.count("<svg") == 2 + 1 + 6
    assert "nan" not in page.replace("finance", "")


def test_the_page_in_markdown_holds_every_policy_with_its_intervals(
    folder: Path, told: tuple[int, dict[str, Any], str]
) -> None:
    """Both groups, each arm and baseline in it with what JSON tells, regret against each, and what limits leave."""
    _, result, _ = told
    text = (folder / "out" / "POLICY.md").read_text(encoding="utf-8")
    assert "**Simulated sessions: " in text
    assert "nan" not in text
    lines = text.splitlines()
    for policy in result["policies"]:
        name = "**utility**" if policy["policy"] == "utility" else policy["policy"]
        covered, false = policy["covered"], policy["false_per_hour"]
        told_so = (
            f"| {name} | {policy['offers']} | {false['value']:.2f} ({false['low']:.2f}..{false['high']:.2f}) | "
            f"{policy['false_upper']:.2f} | "
        )
        line = next(line for line in lines if line.startswith(told_so))
        assert f"| {covered['value']:.2f} ({covered['low']:.2f}..{covered['high']:.2f}) |" in line
    for group in (SHIPPED, FREE):
        for name in result["regret_against"][group]["1"]:
            found = [f"{regret[name]['value']:.0f} (" for regret in result["regret_against"][group].values()]
            assert any(line.startswith(f"| {name} | {found[0]}") and found[2] in line for line in lines)
    most, alone, episodes = result["most_covered"], result["most_covered_in_budget"], result["episodes"]
    assert f"could cover {most} of {episodes} ({most / episodes:.2f})" in text
    assert f"leave {alone} of {episodes} " in text
    assert 0 < most < alone
    assert all(f"| {bar['name']} | {bar['value']:g} |" in text for bar in result["bars"])


def test_a_single_file_can_be_named_and_text_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One packed session is enough for the figures; without --json they are printed as text, simulated first."""
    monkeypatch.setattr(comparison, "LONG_HOURS", 0.2)
    file = next(iter(sorted(folder.glob("*.jsonl.xz"))))
    assert POLICY.run(argparse.Namespace(sessions=[file], detector="evidence", out=None, json=False)) == 1
    text = capsys.readouterr().out
    assert text.startswith("Simulated sessions")
    assert "costs x0.5" in text
    assert "missed hours_held_out" in text


def test_a_recorded_session_adds_its_drawn_decisions(folder: Path, tmp_path: Path) -> None:
    """Beside packed sessions a recorded one is read for its decisions alone."""
    policy = arm("random", replace(UNLIMITED, arm_probability=0.5), DetectorSettings().base_rate)
    engine = Engine(detector=EvidenceDetector(DetectorSettings()), policy=policy, settings=Settings())
    rows: list[Record] = []
    for row in desk_session(1)[0]:
        while (due_ns := engine.next_wake_ns) is not None and due_ns <= row.at_ns:
            rows += engine.take(Tick(), due_ns)
        rows += engine.take(row, row.at_ns)
    write_rows(rows, tmp_path)
    packed, recorded = read_all([folder, tmp_path])
    assert len(packed) == 2
    found = logged_in(recorded[0], 0, load_rules().costs)
    assert found == logged_in(rows, 0, load_rules().costs)
    assert {decision.offered for decision in found} == {True, False}


def test_sessions_without_labels_alone_are_not_enough(tmp_path: Path) -> None:
    """Nobody can be judged where nobody knows what was so."""
    with pytest.raises(UsageError, match="labelled"):
        read_all([])


def test_what_is_no_session_is_named_with_what_would_be_one(tmp_path: Path) -> None:
    """A path to nothing and a file of something else end with their names and a way on."""
    with pytest.raises(BadFile, match="nope does not exist"):
        read_all([tmp_path / "nope"])
    other = tmp_path / "notes.txt"
    other.write_text("nothing of ours")
    with pytest.raises(BadFile, match=r"notes\.txt") as told:
        read_all([other])
    assert "packed sessions" in told.value.remedy
