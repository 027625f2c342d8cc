"""A session acts its story out, labels what was done, and goes on after what went wrong."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from lab.simulation.behaviors import Meaning, Need, ScriptedStretch
from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label, write_labels
from lab.simulation.recording.pack import read_packed
from lab.simulation.recording.session import LABELS, SCRIPT, SessionPlayer, SessionSpec
from lab.simulation.recording.workers import collect_packed, script_lines
from lab.simulation.tasks.acting import stretches_of
from lab.simulation.tasks.plan import plan_tasks
from lab.simulation.tasks.task import TaskScene
from storage import testing
from storage.clock import NS_PER_S
from storage.errors import BadFile, EnvironmentFault
from storage.records import EventKind, InputEvent, SessionEnd, State
from storage.session.log import create_session
from tests.fakes.lab.packs import label, session
from tests.fakes.lab.task_program import FakeTaskProgram, fake_task_scene

Step = Callable[[TaskScene], ScriptedStretch]


@dataclass
class Stage:
    """A player with fakes; its log is the user's."""

    scene: TaskScene = field(default_factory=lambda: fake_task_scene(5))
    recording: bool = True
    saved: list[list[Label]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.player = SessionPlayer(
            self.scene.user,
            self.scene.user.log,
            self.scene.user.clock,
            program="fake",
            settle=self.scene.program.settle,
            is_recording=lambda: self.recording,
            save=lambda labels: self.saved.append(list(labels)),
        )

    def lines(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in cast("Any", self.scene.user.log).lines if line["kind"] == kind]

    def act(self, *steps: Step, limit_s: float = 600.0) -> str | None:
        return self.player.play([step(self.scene) for step in steps], limit_s=limit_s)


def step(act: Callable[[TaskScene], None], *, need: Need = Need.NEVER, name: str = "one") -> Step:
    meaning = Meaning(name=name, state=State.DEBUGGING, intent="to see", need=need, help="a hint")
    return lambda scene: ScriptedStretch(meaning=meaning, seconds=10.0, act=lambda: act(scene))


def works(scene: TaskScene) -> None:
    while scene.user.has_time():
        scene.program.work()


def fails(scene: TaskScene) -> None:
    while scene.user.has_time():
        scene.user.hands.wait(2.0)
        scene.user.note_failure()


def fails_once(scene: TaskScene) -> None:
    scene.user.note_failure()
    works(scene)


def test_a_behavior_is_labelled_from_its_first_act_to_its_last() -> None:
    """Rests and getting out of menus lie between labels; labels are saved as they come."""
    stage = Stage()
    assert stage.act(step(works), step(works, name="two")) is None
    one, two = stage.player.labels
    assert (one.behavior, one.state, one.program, one.intent, one.help) == (
        *("one", State.DEBUGGING, "fake", "to see", "a hint"),
    )
    assert 10.0 <= (one.end_ns - one.start_ns) / NS_PER_S <= 18.0
    assert two.start_ns - one.end_ns > NS_PER_S // 2
    assert one.need_from_ns is None
    assert stage.saved == [[one], [one, two]]
    assert cast("FakeTaskProgram", stage.scene.program).calls["settle"] == 2


def test_need_begins_at_the_second_failure_or_at_the_start() -> None:
    stage = Stage()
    stage.act(
        step(fails, need=Need.AFTER_FAILURES),
        step(fails_once, need=Need.AFTER_FAILURES),
        step(works, need=Need.FROM_START),
        step(fails),
    )
    stuck, once, seeking, never = stage.player.labels
    assert stuck.need_from_ns is not None
    assert 3.5 <= (stuck.need_from_ns - stuck.start_ns) / NS_PER_S <= 4.5
    assert once.need_from_ns is None
    assert seeking.need_from_ns == seeking.start_ns
    assert never.need_from_ns is None


@pytest.mark.parametrize("error", [LookupError("no menu opened"), EnvironmentFault("no window")])
def test_what_went_wrong_gets_no_label_and_work_goes_on(error: Exception) -> None:
    def act(scene: TaskScene) -> None:
        raise error

    stage = Stage()
    assert stage.act(step(act, name="broken one"), step(works)) is None
    assert [label_.behavior for label_ in stage.player.labels] == ["one"]
    (line,) = stage.lines("broken")
    assert (line["name"], line["why"]) == ("broken one", f"{type(error).__name__}: {error}")


class Fragile(FakeTaskProgram):
    """A program that does not come back after some settling."""

    good = 1

    def settle(self) -> None:
        self.good -= 1
        if self.good < 0:
            raise LookupError("the window is gone")
        super().settle()


def test_a_program_that_is_gone_ends_the_story_with_what_was_done() -> None:
    """Nobody can tell what happened in a behavior after which the program is gone: it has no label."""
    scene = fake_task_scene(5)
    stage = Stage(replace(scene, program=cast("Any", Fragile(scene.user))))
    ended = stage.act(step(works), step(works, name="two"), step(works, name="three"))
    assert ended == "fake did not come back after two"
    assert [label_.behavior for label_ in stage.player.labels] == ["one"]
    assert len(stage.lines("unsettled")) == 2


def test_a_story_ends_with_the_recording_and_with_its_time() -> None:
    stage = Stage(recording=False)
    assert stage.act(step(works), step(works)) == "Kairos ended before the story did"
    assert stage.player.labels == []
    stage = Stage()
    assert stage.act(step(works), step(works), step(works), limit_s=15.0) is None
    assert 1 <= len(stage.player.labels) <= 2


def test_a_whole_story_of_tasks_takes_about_its_time() -> None:
    """Ten minutes of the real courses: all acted out, about as long as planned."""
    stage = Stage()
    plan = plan_tasks(("one", "two"), seed="7", person=2, program="fake", split=Split.TEST, seconds=600.0)
    assert stage.player.play(stretches_of(plan, stage.scene), limit_s=720.0) is None
    labels = stage.player.labels
    assert len(labels) == len(plan)
    assert 500.0 <= (labels[-1].end_ns - labels[0].start_ns) / NS_PER_S <= 720.0


# ---------------------------------------------------------------------- what a session leaves


PLAN = SessionSpec(
    name="train-1-0000-mousepad", seed="1-0", person=4, program="mousepad", split=Split.TRAIN, seconds=60.0
)
ACTS = [{"t_ns": 1, "kind": "key", "late_ms": late} for late in (0.0, 1.0, 2.0, 30.0)]
VERSIONS = {"t_ns": 2, "kind": "program", "versions": {"mousepad": "0.6.1-1"}, "catalogue": "c0de"}
BROKEN = {"t_ns": 3, "kind": "broken", "name": "menus", "why": "LookupError: no menu opened"}
END = {"t_ns": 4, "kind": "end", "why": None}


def left(folder: Path, *, lines: list[dict[str, Any]], labels: list[Label], closed: bool = True) -> Path:
    folder.mkdir()
    (folder / SCRIPT).write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_labels(folder / LABELS, labels)
    rows = session()
    if not closed:
        rows = [replace(row, at_ns=55 * NS_PER_S) if isinstance(row, SessionEnd) else row for row in rows]
        rows[-1] = InputEvent(seq=rows[-1].seq, at_ns=55 * NS_PER_S, t_ns=55 * NS_PER_S, kind=EventKind.MOTION)
    testing.write_session(create_session(folder / "sessions", 1_795_000_000 * NS_PER_S), rows)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "left"
    shutil.rmtree(tmp_path / "left", ignore_errors=True)


def test_a_session_is_packed_with_all_that_its_script_says(folder: Path, tmp_path: Path) -> None:
    labels = [label(2.0, 20.0, need_s=9.0), label(24.0, 50.0)]
    left(folder, lines=[*ACTS, VERSIONS, BROKEN, END], labels=labels)
    entry = collect_packed(PLAN, folder, tmp_path, 0, "")
    head = read_packed(entry.path(tmp_path)).head
    assert list(head.labels) == labels
    assert (head.lateness.acts, head.lateness.p50_ms, head.lateness.p95_ms, head.lateness.max_ms) == (
        4,
        2.0,
        30.0,
        30.0,
    )
    assert head.versions == {"mousepad": "0.6.1-1"}
    assert head.catalogue == "c0de"
    assert [(broken.behavior, broken.at_ns, broken.why) for broken in head.broken] == [
        ("menus", 3, "LookupError: no menu opened")
    ]
    assert head.ended is None
    assert (entry.broken, entry.ended) == (1, None)


def test_a_killed_session_is_packed_up_to_its_end(folder: Path, tmp_path: Path) -> None:
    left(folder, lines=[*ACTS, VERSIONS], labels=[label(2.0, 50.0), label(52.0, 57.0)], closed=False)
    with (folder / SCRIPT).open("a") as script:
        script.write('{"t_ns": 5, "kind": "ke')
    entry = collect_packed(PLAN, folder, tmp_path, 137, "ZeroDivisionError: division by zero")
    assert entry.ended == "its process ended with status 137: ZeroDivisionError: division by zero"
    assert [label_.end_ns for label_ in read_packed(entry.path(tmp_path)).labels] == [50 * NS_PER_S]
    assert len(list(script_lines(folder / SCRIPT))) == len(ACTS) + 1


def test_a_session_with_too_little_in_it_is_refused_with_the_reason(folder: Path, tmp_path: Path) -> None:
    end = END | {"why": "mousepad did not come back after menus"}
    left(folder, lines=[*ACTS, end], labels=[label(2.0, 10.0)])
    with pytest.raises(BadFile, match=r"only 8 of 60 s were labelled: mousepad did not come back after menus"):
        collect_packed(PLAN, folder, tmp_path, 0, "")
    shutil.rmtree(folder / "sessions")
    (folder / SCRIPT).unlink()
    with pytest.raises(BadFile, match="no sound session was recorded: its process ended with status 3: no display"):
        collect_packed(PLAN, folder, tmp_path, 3, "no display")
    assert list(tmp_path.glob("*.xz")) == []


def test_a_bug_is_not_taken_for_a_menu_that_did_not_open() -> None:
    """Any other error ends the session."""

    def act(scene: TaskScene) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Stage().act(step(act))
