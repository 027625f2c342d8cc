"""The acts of a campaign: a seed repeats them, all kinds of them come up, and each is possible after those before."""

from collections import Counter

import pytest

from lab.benchmarks.fence.cast import SlotKind, cast
from lab.benchmarks.fence.plan import MAX_BROWSERS, MAX_EXCLUDED, SCREEN, Act, plan

PLAYERS = cast(browsers=True, desk="openbox")


def test_a_seed_repeats_the_acts_and_another_one_does_not() -> None:
    assert plan(PLAYERS, 7, 200) == plan(PLAYERS, 7, 200)
    assert plan(PLAYERS, 7, 200) == plan(PLAYERS, 7, 1000)[:200]
    assert plan(PLAYERS, 7, 200) != plan(PLAYERS, 8, 200)


def test_the_control_does_the_same_with_other_names() -> None:
    control = cast(browsers=True, control=True, desk="openbox")
    assert plan(control, 7, 300) == plan(PLAYERS, 7, 300)
    assert [slot.colour for slot in control.slots] == [slot.colour for slot in PLAYERS.slots]
    assert not control.settings
    assert not any(slot.private for slot in control.slots)
    assert any(slot.private for slot in PLAYERS.slots)
    names = {slot.app for slot in PLAYERS.slots if slot.kind is SlotKind.EXCLUDED_APP}
    assert names.isdisjoint(slot.app for slot in control.slots)


@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_acts_are_of_every_kind_on_every_window(seed: int) -> None:
    actions = plan(PLAYERS, seed, 1000)
    assert [action.number for action in actions] == list(range(1000))
    assert {action.act for action in actions} == set(Act)
    assert {action.slot for action in actions} - {""} == {slot.name for slot in PLAYERS.slots}
    assert min(Counter(action.act for action in actions).values()) >= 5


@pytest.mark.parametrize("seed", range(5))
def test_acts_are_possible(seed: int) -> None:
    shown: set[str] = set()
    for action in plan(PLAYERS, seed, 1000):
        if action.act in (Act.OPEN, Act.OPEN_LATE_NAMED, Act.BLINK):
            assert action.slot not in shown
        elif action.slot:
            assert action.slot in shown
        if action.act in (Act.OPEN, Act.OPEN_LATE_NAMED):
            shown.add(action.slot)
        elif action.act is Act.CLOSE:
            shown.remove(action.slot)
        slots = [PLAYERS.slot(name) for name in shown]
        assert sum(slot.is_excluded for slot in slots) <= MAX_EXCLUDED
        assert sum(slot.is_browser for slot in slots) <= MAX_BROWSERS
        left, top, width, height = action.box
        assert 0 <= left <= left + width <= SCREEN[0]
        assert 0 <= top <= top + height <= SCREEN[1]
