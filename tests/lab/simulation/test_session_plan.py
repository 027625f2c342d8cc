"""A story holds all states, keeps to its shares of trouble and traps, and never tells what its split may not use."""

import statistics
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.simulation.behaviors.behavior import Behavior, Need, Scene
from lab.simulation.persona import PEOPLE, is_held_out
from lab.simulation.session_plan import (
    PROGRAMS,
    REST_S,
    Split,
    Step,
    hard_share,
    need_share,
    people_of,
    plan_session,
)
from storage.records import State

TROUBLE = {State.FRUSTRATION: Need.AFTER_FAILURES, State.DEBUGGING: Need.AFTER_FAILURES}
TROUBLE |= {State.SEEKING_EXTERNAL_HELP: Need.FROM_START}


def _nothing(scene: Scene) -> None:
    """Do nothing; a story is only planned here."""


def catalogue() -> list[Behavior]:
    """Return eight behaviors a state, as the real catalogue has them: some are traps, some held out."""
    behaviors = []
    for state in State:
        for number in range(8):
            hard = number in {1, 4}
            behaviors.append(
                Behavior(
                    name=f"{state} {number}",
                    state=state,
                    act=_nothing,
                    intent="work",
                    need=Need.NEVER if hard else TROUBLE.get(state, Need.NEVER),
                    hard_negative=hard,
                    held_out=number in {3, 4, 5},
                )
            )
    behaviors.append(Behavior(name="away", state=None, act=_nothing, intent="a walk", hard_negative=True))
    return behaviors


@cache
def story(seed: int, split: Split = Split.TRAIN, seconds: float = 600.0) -> list[Step]:
    """Return the story of one person."""
    return plan_session(catalogue(), seed=str(seed), person=4, program="calc", split=split, seconds=seconds)


def states(steps: Sequence[Step]) -> set[State | None]:
    """Return the states of a story."""
    return {step.behavior.state for step in steps}


@settings(max_examples=12)
@given(st.integers(), st.sampled_from(Split))
def test_a_story_fits_its_session_and_repeats_nothing_at_once(seed: int, split: Split) -> None:
    """Behaviors and rests fill the time without exceeding it, and no behavior follows on itself."""
    steps = story(seed, split)
    took_s = sum(step.seconds + REST_S for step in steps)
    assert 600.0 - 40.0 <= took_s <= 600.0
    assert 15 <= len(steps) <= 32
    names = [step.behavior.name for step in steps]
    assert all(one != other for one, other in pairwise(names))


@settings(max_examples=12)
@given(st.integers())
def test_training_uses_no_held_out_behavior(seed: int) -> None:
    """What is held out appears in no training story."""
    assert not any(step.behavior.held_out for step in story(seed))


@settings(max_examples=12)
@given(st.integers())
def test_at_least_half_of_a_test_story_is_held_out(seed: int) -> None:
    """A test story has behaviors of both kinds, and at least half of them are new."""
    held_out = [step.behavior.held_out for step in story(seed, Split.TEST)]
    assert 0.5 <= sum(held_out) / len(held_out) < 1.0


@pytest.mark.parametrize("split", list(Split))
def test_nearly_every_story_has_all_nine_states_and_the_shares_are_right(split: Split) -> None:
    """Over many seeds: nine states in 95 % of the stories, two fifths of the time in trouble, a quarter traps."""
    stories = [story(seed, split) for seed in range(60)]
    assert sum(states(steps) >= set(State) for steps in stories) >= 57
    assert 0.36 <= statistics.mean(map(need_share, stories)) <= 0.42
    assert 0.20 <= statistics.mean(map(hard_share, stories)) <= 0.30
    told = Counter(step.behavior.state for steps in stories for step in steps)
    assert min(told[state] for state in State) >= 0.03 * told.total()


def test_help_is_mostly_sought_after_trouble() -> None:
    """Before a person turns to help there is trouble, or a search of their own."""
    before = Counter(
        one.behavior.state
        for seed in range(60)
        for one, other in pairwise(story(seed))
        if other.behavior.state is State.SEEKING_EXTERNAL_HELP
    )
    assert before[State.FRUSTRATION] + before[State.DEBUGGING] > 0.7 * before.total()


def test_the_same_seed_tells_the_same_story_and_another_a_different_one() -> None:
    """A story follows from seed, person, program and split alone."""
    assert story(1) == story.__wrapped__(1)
    assert story(1) != story(2)


def test_a_very_short_story_still_has_a_behavior() -> None:
    """Twenty seconds hold one or two behaviors, cut to fit."""
    steps = story(3, seconds=20.0)
    assert steps
    assert sum(step.seconds for step in steps) <= 20.0


def test_people_and_programs_of_the_splits_do_not_mix() -> None:
    """Every person sits in one split only, and so does every program."""
    assert sorted(people_of(Split.TRAIN) + people_of(Split.TEST)) == list(range(PEOPLE))
    assert all(is_held_out(person) for person in people_of(Split.TEST))
    assert not set(PROGRAMS[Split.TRAIN]) & set(PROGRAMS[Split.TEST])
