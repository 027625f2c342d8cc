"""Recordings of demos become prefixes that say what the script says of their end, or a reason why not."""

import json
from pathlib import Path

import pytest

from demo.judge import ScriptTimeline, parse_script
from lab.benchmarks.demos.recordings import (
    ABOUT,
    SCRIPT,
    SESSIONS,
    Phase,
    counted,
    demo_folders,
    phase_at,
    read_demo,
    read_demos,
)
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.session.log import DATABASE
from tests.fakes.lab.demos import WALL_S, made_up_demo, script

TIMES = {"begin": 10.0, "stuck": 70.0, "first": 75.0, "onset": 80.0, "need_end": 100.0, "end": 105.0}


def story(*names: str) -> ScriptTimeline:
    """Return a story of some moments of `TIMES`."""
    return parse_script(script({name: TIMES[name] for name in names}, "undo_loop"))


def moment(told: ScriptTimeline, at_s: float, *, later_ns: int = 0) -> Phase:
    """Return what a story says of a moment in session time."""
    return phase_at(told, WALL_S * NS_PER_S + round(at_s * NS_PER_S) + later_ns)


def test_a_moment_belongs_to_what_begins_with_it() -> None:
    """At each boundary, and a nanosecond before or after it; need has both its ends."""
    told = story(*TIMES)
    assert [moment(told, 10.0, later_ns=-1), moment(told, 10.0)] == [Phase.OUTSIDE, Phase.CALM]
    assert [moment(told, 70.0, later_ns=-1), moment(told, 70.0)] == [Phase.CALM, Phase.BEFORE]
    assert [moment(told, 80.0, later_ns=-1), moment(told, 80.0)] == [Phase.BEFORE, Phase.NEED]
    assert [moment(told, 100.0), moment(told, 100.0, later_ns=1)] == [Phase.NEED, Phase.AFTER]
    assert [moment(told, 105.0), moment(told, 105.0, later_ns=1)] == [Phase.AFTER, Phase.OUTSIDE]


def test_need_without_end_lasts_as_long_as_the_script() -> None:
    """Nobody came, and nobody gave up."""
    told = story("begin", "stuck", "first", "onset", "end")
    assert [moment(told, 105.0), moment(told, 105.0, later_ns=1)] == [Phase.NEED, Phase.OUTSIDE]


def test_one_failure_is_no_certain_need() -> None:
    """From being stuck on nothing is certain."""
    told = story("begin", "stuck", "first", "end")
    assert [moment(told, 69.0), moment(told, 70.0), moment(told, 104.0)] == [Phase.CALM, Phase.BEFORE, Phase.BEFORE]


def test_without_being_stuck_all_is_calm() -> None:
    """Up to the script's end."""
    assert {moment(story("begin", "end"), at_s) for at_s in (10.0, 70.0, 105.0)} == {Phase.CALM}


def test_a_recording_has_prefixes_of_every_phase(tmp_path: Path) -> None:
    """In the order of time, found although the folder was moved; the control is a demo without trouble."""
    stuck = read_demo(made_up_demo(tmp_path / "stuck", program="calc"))
    calm = read_demo(made_up_demo(tmp_path / "calm", kind=None))
    assert (stuck.program, stuck.kind, calm.program, calm.kind) == ("calc", "undo_loop", "mousepad", None)
    order = list(dict.fromkeys(one.phase for one in stuck.prefixes if one.phase != Phase.OUTSIDE))
    assert order[0] == Phase.CALM
    assert Phase.NEED in order
    assert order == [one for one in Phase if one in order]
    assert {one.phase for one in calm.prefixes} <= {Phase.CALM, Phase.OUTSIDE}
    assert sum(counted([stuck, calm]).values()) == len(stuck.prefixes) + len(calm.prefixes)


def test_demos_are_looked_for_in_a_folder_and_one_level_deeper(tmp_path: Path) -> None:
    """Also the folder itself; what holds no demo is passed over."""
    for name in ("b", "a", "deep/below", "."):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / ABOUT).write_text("{}")
    (tmp_path / "empty").mkdir()
    assert demo_folders(tmp_path) == [tmp_path, tmp_path / "a", tmp_path / "b"]


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_a_demo_says_how_one_is_made(tmp_path: Path, *, there: bool) -> None:
    """Whether it is empty or not there."""
    folder = tmp_path if there else tmp_path / "nowhere"
    with pytest.raises(BadFile, match=r"kairos demo --out .*mousepad-1"):
        demo_folders(folder)


def _damage(folder: Path, part: str) -> None:
    match part:
        case "about":
            (folder / ABOUT).write_text('{"app": 3}')
        case "script":
            (folder / SCRIPT).write_text('{"kind": "phase"}\n')
        case "no script":
            (folder / SCRIPT).unlink()
        case "session":
            next((folder / SESSIONS).glob(f"*/{DATABASE}")).write_bytes(b"nothing")
        case "other demo":
            (folder / SCRIPT).write_text("\n".join(map(json.dumps, script({"begin": 10.0, "end": 90.0}, None))))
        case "other time":
            late = {name: at_s + 3600.0 for name, at_s in TIMES.items()}
            (folder / SCRIPT).write_text("\n".join(map(json.dumps, script(late, "undo_loop"))))


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("about", "not what kairos demo writes"),
        ("script", "not the log of a script"),
        ("no script", "not the log of a script"),
        ("session", "database"),
        ("other demo", "not of the same demo"),
        ("other time", "about another time"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path: Path, part: str, why: str) -> None:
    """One demo is damaged, the other is whole."""
    made_up_demo(tmp_path / "whole")
    _damage(made_up_demo(tmp_path / "damaged"), part)
    demos = read_demos(tmp_path)
    assert [one.name for one in demos.recordings] == ["whole"]
    ((name, said),) = [(one.name, one.why) for one in demos.skipped]
    assert name == "damaged"
    assert why in said
