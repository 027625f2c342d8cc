"""What questions show of a trajectory: steps in words, marked pictures, and nothing that gives the goal away."""

from dataclasses import replace
from pathlib import Path

import pytest

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import MAX_PICTURES, MAX_STEPS, chosen_steps, material_of, picture_count, step_text
from daemon.history.trajectory.loading import load_trajectories
from daemon.history.trajectory.trajectory import Step, StepAction, Target, TrajectorySet
from storage.errors import BadFile
from storage.records import Box
from tests.fakes.sessions import trajectory_files as files

TITLE = Target(name='Say "hi"\n', role="push_button", box=Box(1, 1, 9, 9))


def step(verb: str, target: Target | None = None, app: str = "writer", **args: str | float) -> Step:
    return Step(
        number=1, at_s=0.0, app=app, action=StepAction(verb=verb, args=args), target=target, said="my goal is x"
    )


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (step("click", TITLE), "click on the push button \"Say 'hi'\""),
        (step("click"), "click"),
        (step("click", Target(role="link")), "click on the link"),
        (step("click", Target(name="Bold")), 'click on the control "Bold"'),
        (step("type", count=12), "type 12 characters, which were not recorded"),
        (step("type"), "type text that was not recorded"),
        (step("type", Target(role="textbox"), text="Rome"), 'type "Rome" into the textbox'),
        (step("key", key="page_down", count=3), "press page down, 3 times"),
        (step("select", Target(name="Size"), value="L"), 'choose "L" in the control "Size"'),
        (step("scroll", way="down", steps=3), "scroll down"),
        (step("switch_app", app="Calc"), "go to the program Calc"),
        (step("wait", seconds=12.5), "wait for 12.5 seconds"),
        (step("finish", text='42" end'), 'end the work with "42\' end"'),
        (step("api:goto", text="page"), 'call goto with "page"'),
        (step("drag", x=1, y=2, to_x=3, to_y=4), "drag"),
    ],
)
def test_steps_in_words(one: Step, text: str) -> None:
    assert step_text(one) == text


def mind2web(folder: Path) -> TrajectorySet:
    files.write_pictures(folder, "m1/0.jpg", "m1/1.jpg")
    return load_trajectories(files.write_lines(folder / "test.jsonl", files.MIND2WEB))


def test_pictures_come_with_what_was_done_in_them(tmp_path: Path) -> None:
    found = mind2web(tmp_path)
    (one,) = found.trajectories
    shown = material_of(found, one)
    assert shown.captions == ("before step 1", "before step 2")
    assert len({picture.digest for picture in shown.pictures}) == 2
    assert files.jpeg() not in [picture.jpeg for picture in shown.pictures]
    assert shown.steps == ('1. type "Rome" into the textbox "To"', '2. click on the button "Search flights"')
    assert wording.PICTURES_SHOWN in shown.words
    assert wording.END_SHOWN not in shown.words
    assert one.goal is not None
    assert one.goal not in shown.words
    files.write_pictures(tmp_path, "m1/2.jpg")
    ended = material_of(found, replace(one, last_picture="m1/2.jpg"))
    assert ended.captions[-1] == wording.CAPTION_END
    assert ended.pictures[-1].jpeg == files.jpeg()
    assert wording.END_SHOWN in ended.words
    assert picture_count(replace(one, last_picture="m1/2.jpg")) == 3


def test_a_lost_picture_leaves_the_trajectory_out_or_is_skipped(tmp_path: Path) -> None:
    found = mind2web(tmp_path)
    (one,) = found.trajectories
    (tmp_path / "m1" / "0.jpg").unlink()
    with pytest.raises(BadFile):
        material_of(found, one)
    assert material_of(found, one, skip_lost=True).captions == ("before step 2",)


def test_a_long_trajectory_is_shown_in_part_and_says_so(tmp_path: Path) -> None:
    found = mind2web(tmp_path)
    (one,) = found.trajectories
    long = replace(one, steps=tuple(replace(one.steps[0], number=number) for number in range(1, MAX_STEPS + 12)))
    shown = material_of(found, replace(long, steps=tuple(replace(step, before=None) for step in long.steps)))
    assert len(shown.steps) == MAX_STEPS + 1
    assert shown.steps[MAX_STEPS // 2] == wording.SKIPPED.format(count=11)
    assert shown.steps[-1].startswith(f"{MAX_STEPS + 11}. ")
    assert shown.number == MAX_STEPS + 11
    chosen = chosen_steps(long)
    assert len(chosen) == MAX_PICTURES
    assert (chosen[0].number, chosen[-1].number) == (1, MAX_STEPS + 11)
