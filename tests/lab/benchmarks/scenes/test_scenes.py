"""Live scenes: the halves, what is judged found and disturbed, and what is refused."""

import json
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from demo.user import DemoUser
from lab.benchmarks.scenes.benchmark import SceneResult, criteria, measure, recordings, render
from lab.benchmarks.scenes.catalogue import HALF_OF, SCENES
from lab.benchmarks.scenes.programs.demo_programs import DemoScenes
from lab.benchmarks.scenes.record import ABOUT, PROGRAMS
from storage.errors import BadFile
from tests.fakes.desktop.acting import acting_user


def result(scene: str, *delays_s: float, false: int = 0) -> SceneResult:
    one = next(candidate for candidate in SCENES if candidate.name == scene)
    return SceneResult(
        scene=scene, half=one.half, stuck=one.stuck, delays_s=delays_s, false=false, topics=(), late_ms_p95=1.0
    )


def test_each_half_has_programs_of_its_own_with_trouble_and_look_alikes() -> None:
    """Nothing chosen on one half has seen a program of the other; no scene is there twice."""
    assert len({scene.name for scene in SCENES}) == len(SCENES) >= 30
    assert set(HALF_OF) == set(PROGRAMS) == {scene.program for scene in SCENES}
    for half in ("choose", "judge"):
        assert {scene.stuck for scene in SCENES if scene.half == half} == {True, False}


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_every_scene_can_be_played_by_its_program(program: str) -> None:
    """Each kind that the catalogue names is something its program can do, on either side, whatever is drawn."""
    scenes = [candidate for candidate in SCENES if candidate.program == program]
    for seed in range(5):
        user = cast("DemoUser", acting_user(seed))
        made = PROGRAMS[program](user, True)
        if isinstance(made, DemoScenes):
            made.work.begin()
        for scene in scenes:
            with suppress(LookupError) if program == "idle" else nullcontext():  # no window gets the keyboard here
                (made.in_vain if scene.stuck else made.calm)[scene.kind]()
        assert cast("Any", user.hands).done


def test_who_is_found_late_or_disturbed_is_counted() -> None:
    found = [
        result("mousepad-stuck-dialog_loop", 12.0),
        result("mousepad-stuck-flip_flop", 41.0, false=1),
        result("firefox-stuck-dead_button"),
        result("firefox-calm-long_reading", false=2),
    ]
    assert [(criterion.name, criterion.value, criterion.ok) for criterion in criteria(found)] == [
        ("found", 0.667, False),
        ("disturbed", 0.5, False),
    ]
    assert render(found)[-1] == "2 of 3 in trouble found, 1 within 30 s; 2 of 4 scenes disturbed, 1 of 1 calm ones."


def test_a_folder_without_scenes_and_one_of_no_known_scene_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no recorded scene"):
        recordings(tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / ABOUT).write_text(json.dumps({"scene": "nowhere-calm-nothing", "session": "s"}))
    with pytest.raises(BadFile, match="not of a scene"):
        measure(tmp_path, None, None)
