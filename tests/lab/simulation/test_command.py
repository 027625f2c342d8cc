"""Many sessions: planned alike every time, played some at a time, resumed, and cleaned up however they end."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from demo.virtual_desktop.desktop import PACKAGES
from lab.simulation import command
from lab.simulation.command import LATE_MS, SimulationRequest, parse_request, render_result, result_facts, specs_of
from lab.simulation.persona import Split
from lab.simulation.recording import workers
from lab.simulation.recording.pack import Entry, Lateness, read_manifest, read_packed
from lab.simulation.recording.session import LABELS, PLAN, SessionSpec, simulation_code_hash
from lab.simulation.recording.workers import PackedWorkers, RunResult, folder_lock
from lab.simulation.tasks.registry import TASK_PROGRAMS, load_task_program
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.records import Focus, Frame, InputEvent
from tests.fakes.lab.packs import packed
from tests.fakes.lab.task_program import fake_task_scene

SESSION_S = 600.0


@pytest.fixture(autouse=True)
def even(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "session_seconds", lambda _: SESSION_S)


def order(
    out: Path = Path("out"), *, minutes: float = 40.0, seed: int = 1, apps: tuple[str, ...] = ()
) -> SimulationRequest:
    return SimulationRequest(
        out=out,
        split=Split.TRAIN,
        apps=apps or ("mousepad-tasks", "caja", "shell"),
        people=(0, 1, 3, 4),
        seed=seed,
        minutes=minutes,
        desktops=2,
    )


def arguments(**changes: Any) -> argparse.Namespace:
    options: dict[str, Any] = {"out": Path("out"), "minutes": 10.0, "apps": None, "seed": 1, "split": "train"}
    return argparse.Namespace(**(options | {"desktops": 2, "people": None, "json": True} | changes))


# ---------------------------------------------------------------------- what is planned


def test_an_order_is_planned_the_same_every_time_and_a_longer_one_begins_alike() -> None:
    plans = specs_of(order(minutes=40))
    assert plans == specs_of(order(minutes=40))
    assert plans == specs_of(order(minutes=90))[:4]
    assert plans != specs_of(order(minutes=40, seed=2))
    assert len({plan.name for plan in plans}) == 4
    assert plans[1].name == "train-1-0001-caja"


def test_the_minutes_are_cut_into_sessions_of_up_to_ten() -> None:
    assert [plan.seconds for plan in specs_of(order(minutes=25))] == [SESSION_S, SESSION_S, 300.0]
    assert [plan.seconds for plan in specs_of(order(minutes=20.1))] == [SESSION_S, SESSION_S]
    assert [plan.seconds for plan in specs_of(order(minutes=0.5))] == [30.0]


def test_an_order_names_only_what_belongs_to_its_split() -> None:
    assert parse_request(arguments()).apps == TASK_PROGRAMS[Split.TRAIN]
    test = parse_request(arguments(split="test"))
    assert test.apps == TASK_PROGRAMS[Split.TEST]
    assert test.people == tuple(range(2, 36, 3))
    assert parse_request(arguments(people="3-7")).people == (3, 4, 6, 7)
    assert parse_request(arguments(people="4")).people == (4,)
    for wrong in (
        {"apps": "meld"},
        {"apps": "caja,vi"},
        {"split": "test", "apps": "caja"},
        {"people": "2"},
        {"people": "x-3"},
        {"people": "40-50"},
        {"minutes": 0.0},
        {"minutes": float("nan")},
        {"minutes": float("inf")},
        {"minutes": 1441.0},
    ):
        with pytest.raises(UsageError):
            parse_request(arguments(**wrong))
    assert parse_request(arguments(minutes=1440.0)).minutes == 1440.0


def test_a_program_of_the_other_split_is_told_where_it_belongs() -> None:
    """Who asks for held-out programs learns how to get them; a program that nobody knows gets no such advice."""
    for apps, split, advice in (("meld", "train", "--split test"), ("caja,zim", "test", "--split train")):
        with pytest.raises(UsageError) as caught:
            parse_request(arguments(apps=apps, split=split))
        assert advice in caught.value.remedy
    for apps in ("vi", "meld,vi", "meld,caja"):
        with pytest.raises(UsageError) as caught:
            parse_request(arguments(apps=apps))
        assert "--split" not in caught.value.remedy


def test_the_page_of_programs_names_every_package() -> None:
    """All that brings a program, the desktop, or what else lies on it."""
    page = (Path(__file__).resolve().parents[3] / "lab" / "docs" / "simulate.md").read_text(encoding="utf-8")
    desktop = ("Xvfb", "dbus-daemon", "openbox", "picom", "trayer", "chromium", "mousepad", "zenity", "xterm")
    packages = [PACKAGES[name] for name in desktop]
    with_tasks = [name for split in Split for name in TASK_PROGRAMS[split]]
    packages += [
        load_task_program(name)(fake_task_scene(1).user).packages
        for name in with_tasks
        if not name.endswith(("-qt", "-web"))
    ]
    assert {name for name in with_tasks if name.endswith("-tasks") and f"`{name}`" not in page} == set()
    assert {package for line in packages for package in line.split() if f"`{package}`" not in page} == set()


# ---------------------------------------------------------------------- playing


@dataclass
class FakeChild:
    """A session's process that ends after being looked at some times; the more stubborn one only when killed."""

    looks: int = 2
    status: int | None = 0
    stubborn: bool = False
    ended: list[str] = field(default_factory=list)

    def poll(self) -> int | None:
        self.looks -= 1
        return self.status if self.looks < 0 else None

    def terminate(self) -> None:
        self.ended.append("terminated")
        self.looks = self.looks if self.stubborn else 0

    def kill(self) -> None:
        self.ended.append("killed")
        self.looks = 0


@dataclass
class Troupe:
    """Plays sessions in no time, and packs one that is always the same; `fail` names those that give nothing."""

    out: Path
    fail: tuple[str, ...] = ()
    child: Callable[[], FakeChild] = FakeChild
    started: list[str] = field(default_factory=list)
    running: list[FakeChild] = field(default_factory=list)
    most: int = 0
    up: bool = True

    def start(self, folder: Path) -> FakeChild:
        plan = msgspec.json.decode((folder / PLAN).read_bytes(), type=SessionSpec)
        if self.up:
            (folder / LABELS).touch()
        self.started.append(plan.name)
        self.running.append(self.child())
        self.most = max(self.most, sum(child.looks >= 0 for child in self.running))
        return self.running[-1]

    def collect(self, plan: SessionSpec, folder: Path, out: Path, status: int, said: str) -> Entry:
        if plan.name in self.fail:
            raise BadFile("the program did not start")
        return packed(out, plan.name, planned_s=plan.seconds, seed=plan.seed, person=plan.person)

    def play(self, plans: list[SessionSpec], *, desktops: int = 2) -> RunResult[Entry]:
        return PackedWorkers(
            self.out, desktops=desktops, report=lambda _: None, start=self.start, collect=self.collect
        ).play(plans)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_LOOK_S", 0.001)
    monkeypatch.setattr(workers, "_GRACE_S", 0.02)


def test_all_sessions_are_played_packed_and_listed(tmp_path: Path) -> None:
    troupe = Troupe(tmp_path)
    plans = specs_of(order(minutes=50))
    result = troupe.play(plans)
    names = sorted(plan.name for plan in plans)
    files = sorted(["manifest.json", *(f"{name}.jsonl.xz" for name in names)])
    assert sorted(entry.name for entry in result.sessions) == names
    assert [entry.name for entry in read_manifest(tmp_path).sessions] == names
    assert troupe.most == 2
    assert (result.before, result.failed) == (0, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_the_same_order_again_plays_only_what_is_missing(tmp_path: Path) -> None:
    plans = specs_of(order(minutes=40))
    first = Troupe(tmp_path, fail=(plans[1].name,))
    result = first.play(plans)
    assert [(failure.name, failure.why) for failure in result.failed] == [(plans[1].name, "the program did not start")]
    assert (tmp_path / ".work" / plans[1].name).is_dir()
    there = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.xz")}
    again = Troupe(tmp_path)
    result = again.play(specs_of(order(minutes=50)))
    assert again.started == [plans[1].name, specs_of(order(minutes=50))[4].name]
    assert (result.before, len(result.sessions), result.failed) == (3, 5, [])
    assert all(path.stat().st_mtime_ns == time_ns for path, time_ns in there.items())
    assert not (tmp_path / ".work").exists()


def test_the_sessions_of_other_people_are_not_taken_for_those_wanted(tmp_path: Path) -> None:
    """A name tells seed, number and program; where another person sits nothing is played or written over."""
    wanted = order(tmp_path, minutes=20)
    Troupe(tmp_path).play(specs_of(wanted))
    there = read_manifest(tmp_path)
    troupe = Troupe(tmp_path)
    assert troupe.play(specs_of(wanted)).before == 2
    for other in (replace(wanted, people=(6, 7)), replace(wanted, people=(6, 7), minutes=5.0)):
        with pytest.raises(UsageError, match=r"holds another train-1-0000-mousepad-tasks: by person \d") as caught:
            troupe.play(specs_of(other))
        assert "--people" in caught.value.remedy
    assert troupe.started == []
    assert read_manifest(tmp_path) == there


def test_a_session_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "START_S", -10_000.0)
    troupe = Troupe(tmp_path, child=lambda: FakeChild(looks=10_000, stubborn=True))
    result = troupe.play(specs_of(order(minutes=10)))
    assert troupe.running[0].ended[0] == "terminated"
    assert "killed" in troupe.running[0].ended
    assert len(result.sessions) == 1


def test_whatever_ends_the_parent_ends_the_children(tmp_path: Path) -> None:
    troupe = Troupe(tmp_path)
    troupe.child = lambda: FakeChild(looks=5 if len(troupe.started) == 1 else 1_000_000)

    def say(text: str) -> None:
        if "1 of 4" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PackedWorkers(tmp_path, desktops=3, report=say, start=troupe.start, collect=troupe.collect).play(
            specs_of(order(minutes=40))
        )
    assert [child.ended for child in troupe.running] == [[], ["terminated"], ["terminated"]]
    assert len(read_manifest(tmp_path).sessions) == 1
    assert not (tmp_path / ".work").exists()


def test_two_simulations_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second one is told; after the first it may."""
    with folder_lock(tmp_path), pytest.raises(EnvironmentFault, match="another simulation"), folder_lock(tmp_path):
        pass
    with folder_lock(tmp_path):
        pass


def test_the_result_counts_labels_trouble_and_what_was_broken(tmp_path: Path) -> None:
    result = Troupe(tmp_path, fail=("train-1-0002-shell",)).play(plans := specs_of(order(minutes=30)))
    facts = result_facts(order(tmp_path, minutes=30), result)
    assert json.loads(json.dumps(facts)) == facts
    assert facts["simulated"] is True
    assert facts["labels"] == {"frustration": 2, "performing_actions": 2}
    assert facts["labelled_minutes"] == round(2 * 44 / 60, 1)
    assert facts["need_share"] == round(11 / 44, 3)
    assert facts["late_p95_ms"] == 3.0
    assert [session["name"] for session in facts["sessions"]] == [plan.name for plan in plans[:2]]
    text = render_result(facts)
    assert "train-1-0002-shell FAILED: the program did not start" in text
    assert "simulated" in text
    assert facts["late"] == {}
    assert "late by" not in text
    assert render_result(facts | {"ended_early": {"a": "crashed"}, "broken": {"calc: menus": 3}}).splitlines()[
        -3:-1
    ] == ["  broken 3 times: calc: menus", "  a ended early: crashed"]


def test_a_session_whose_hands_were_late_is_told_with_what_to_do(tmp_path: Path) -> None:
    by_p95 = {"train-1-0000-calc": LATE_MS, "train-1-0001-calc": LATE_MS + 0.1}
    lateness = Lateness(acts=2, p50_ms=1.0, p95_ms=0.0, max_ms=90.0)
    entries = [packed(tmp_path, name, lateness=replace(lateness, p95_ms=p95)) for name, p95 in by_p95.items()]
    facts = result_facts(order(tmp_path), RunResult(sessions=entries, before=0, failed=[]))
    assert facts["late"] == {"train-1-0001-calc": 20.1}
    text = render_result(facts)
    assert "  train-1-0001-calc late by 20.1 ms at p95: not used for training\n" in text
    assert "--desktops 1" in text


# ---------------------------------------------------------------------- for real


def test_a_session_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """A child that was started by somebody who is gone does nothing."""
    (tmp_path / PLAN).write_bytes(b"{}")
    done = subprocess.run(
        [sys.executable, "-m", "lab.simulation.recording.session", str(tmp_path), "1"], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def simulate(out: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "daemon.cli.main", "simulate", "--out", str(out), "--apps", "mousepad-tasks"),
            *options,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.display
def test_some_seconds_of_mousepad_give_a_labelled_session(tmp_path: Path) -> None:
    """A real person-like script in a real program, recorded by the real Kairos: labels, rows and lateness are there."""
    process = simulate(tmp_path, "--minutes", "0.4", "--seed", "5", "--json")
    stdout, stderr = process.communicate(timeout=150)
    assert process.returncode == 0, stderr
    facts = json.loads(stdout)
    (entry,) = read_manifest(tmp_path).sessions
    there = read_packed(entry.path(tmp_path))
    assert facts["sessions"][0]["name"] == there.name == "train-5-0000-mousepad-tasks"
    assert there.labels
    assert all(label.program == "mousepad-tasks" and label.end_ns > label.start_ns for label in there.labels)
    inside = [row for row in there.rows if there.labels[0].start_ns <= row.at_ns <= there.labels[-1].end_ns]
    assert {type(row) for row in inside} >= {InputEvent, Frame}
    assert any(isinstance(row, Focus) and row.app.lower() == "mousepad" for row in there.rows)
    assert there.head.lateness.acts > 3
    assert 0.0 <= there.head.lateness.p50_ms <= there.head.lateness.p95_ms <= there.head.lateness.max_ms
    assert there.head.versions["mousepad"]
    assert there.head.catalogue == simulation_code_hash()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", f"{there.name}.jsonl.xz"]


def test_one_starts_only_when_the_one_before_is_up(tmp_path: Path) -> None:
    """While a program is still being opened nothing else is started, because that would slow everybody's hands."""
    troupe = Troupe(tmp_path, up=False)
    troupe.play(specs_of(order(minutes=30)), desktops=3)
    assert troupe.most == 1


def test_a_session_of_another_length_is_played_again(tmp_path: Path) -> None:
    """Five minutes are not the ten that are wanted now."""
    Troupe(tmp_path).play(specs_of(order(minutes=5)))
    again = Troupe(tmp_path)
    again.play(specs_of(order(minutes=10)))
    assert len(again.started) == 1
    assert [entry.planned_s for entry in read_manifest(tmp_path).sessions] == [600.0]


def test_a_damaged_file_is_told_before_anything_is_played(tmp_path: Path) -> None:
    """Whoever adds to a folder can trust what is in it."""
    plans = specs_of(order(minutes=20))
    result = Troupe(tmp_path).play(plans)
    result.sessions[0].path(tmp_path).write_bytes(b"")
    troupe = Troupe(tmp_path)
    with pytest.raises(BadFile, match="differs"):
        troupe.play(plans)
    assert troupe.started == []
