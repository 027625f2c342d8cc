"""Acts as data: each step does what it says, and what is made up follows from the random numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from demo.acts import ActPlayer
from demo.programs import CalcWork, MousepadWork, ScriptedWork, WebWork, WriterWork
from demo.user import DemoUser
from demo.virtual_desktop.user import ScriptedUser
from storage.records import Box
from tests.fakes.desktop.acting import acting_user

FILE = """
[menus]
Edit = 60
[places]
button = [10, -20, 3, 2]
[lists]
turns = ["a", "b {item}"]
[acts]
keys = ["press ctrl+z 2-3 every 0.1", "press Return", "do points"]
points = ["click button", "click 0.5,0.25", "drag 1,2 3-3,4", "scroll -3--2"]
texts = ["type {next turns}|{next turns}", "text {4-4}{name}", "enter {sentence}"]
menu = ["open Edit", "tap 5,7"]
tables = [{ times = "2", steps = ["press a"] }, { any = [["press b"], ["press b"]] }]
chances = [{ chance = 1.0, steps = ["press c"], otherwise = ["press d"] }, { chance = 0.0, steps = ["press e"] }]
own = ["shout loudly"]
wrong = ["jump"]
"""


@pytest.fixture
def player(tmp_path: Path) -> ActPlayer:
    (tmp_path / "acts.toml").write_text(FILE)
    user = acting_user(1)
    found = ActPlayer(user, tmp_path / "acts.toml", {"shout": user.hands.chord})
    found.box = Box(100, 50, 200, 100)
    return found


def done(player: ActPlayer, name: str) -> list[tuple[Any, ...]]:
    log = cast("Any", player.hands).done
    log.clear()
    player.play(name)
    return list(log)


def test_keys_and_places_are_what_the_steps_say(player: ActPlayer) -> None:
    """Numbers are drawn between two; places are names, pixels, or parts of the window."""
    keys = done(player, "keys")
    assert keys[0] in {("repeat", "ctrl+z", 2), ("repeat", "ctrl+z", 3)}
    assert keys[1] == ("chord", "Return")
    kind, x, y, _ = keys[2]
    assert (kind, abs(x - 110) <= 3, abs(y - 130) <= 2) == ("click", True, True)
    assert keys[3] == ("click", 200, 75, 1)
    assert keys[4] == ("drag", (101, 52), (103, 54))
    assert keys[5] in {("scroll", -2), ("scroll", -3)}


def test_texts_are_made_up_and_lists_go_round(player: ActPlayer) -> None:
    """A word of a list may have braces of its own; values come from the program."""
    player.values["name"] = "!"
    typed = [line[1] for line in done(player, "texts") if line[0] == "text"]
    text = "".join(typed)
    assert text.startswith("b ")
    assert "|a4!" in text
    assert text.endswith(".")


def test_menus_tables_and_own_verbs(player: ActPlayer) -> None:
    assert done(player, "menu") == [("click", 160, 62, 1), ("click", 305, 207, 1)]
    assert [line[1] for line in done(player, "tables")] == ["a", "a", "b"]
    assert [line[1] for line in done(player, "chances")] == ["c"]
    assert done(player, "own") == [("chord", "loudly")]
    with pytest.raises(KeyError):
        player.play("wrong")


@pytest.mark.parametrize("make", [MousepadWork, CalcWork, WriterWork, WebWork])
def test_every_act_of_a_demo_can_be_played(make: Callable[[DemoUser], ScriptedWork]) -> None:
    """Tasks, attempts, the beginning and the end name acts and verbs that there are, whatever is drawn."""
    for seed in range(12):
        user = cast("DemoUser", cast("ScriptedUser", acting_user(seed)))
        work = make(user)
        work.acts.box = Box(0, 0, 1920, 1080)
        work.begin()
        for task in work.tasks():
            task.run()
        for kind in work.stuck_kinds:
            assert work.attempt(kind) == kind
        work.recover()
        assert len(work.stuck_kinds) == 5
        assert {task.hard_negative for task in work.tasks()} == {True, False}
        assert len(cast("Any", user.hands).done) > 30
