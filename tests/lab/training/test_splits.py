"""Folds hide what the held-out test hides: a program, its people, and behaviors of every state."""

from dataclasses import replace

import numpy as np
import pytest

from lab.training.dataset import AWAY, STATES
from lab.training.splits import check, folds
from storage.errors import BadFile
from tests.fakes.lab.desk_sessions import desk_samples


def test_a_fold_shares_neither_program_nor_person_with_what_it_learns_from() -> None:
    whole = desk_samples()
    for fold in folds(whole):
        assert not set(whole.program[fold.learn]) & set(whole.program[fold.score])
        assert not set(whole.person[fold.learn]) & set(whole.person[fold.score])
        assert not set(whole.behavior[fold.learn]) & set(whole.behavior[fold.unseen])
        assert fold.unseen[fold.score].any()
        assert whole.plain[fold.score].all()
        assert not whole.plain[fold.learn].all()
        assert fold.hides == ("program", "people", "behaviors")


def test_over_all_folds_every_plain_sample_is_scored_once() -> None:
    """What is chosen by counts each moment once."""
    whole = desk_samples()
    assert (np.sum([fold.score for fold in folds(whole)], axis=0) == whole.plain).all()


def test_with_one_program_sessions_are_left_out_one_by_one() -> None:
    """A small simulation in one program can still be learned from."""
    found = list(folds(desk_samples(("a",))))
    assert [fold.name for fold in found] == ["a0", "a1"]
    assert found[0].hides[0] == "session"


def test_the_browser_is_known_as_a_program_but_its_people_are_not() -> None:
    """Work in a browser cannot be told from reading there by who never saw any."""
    whole = desk_samples(("a", "chromium"))
    browser = [fold for fold in folds(whole) if fold.name.startswith("chromium")]
    assert len(browser) == 2
    for fold in browser:
        assert "chromium" in whole.program[fold.learn]
        assert not set(whole.person[fold.learn]) & set(whole.person[fold.score])
        assert fold.hides == ("people", "behaviors")
    assert (np.sum([fold.score for fold in folds(whole)], axis=0) == whole.plain).all()


def test_a_script_is_hidden_in_all_tasks() -> None:
    """Who never saw anybody insist, at whatever task, must judge those who do."""
    whole = desk_samples()
    scripts = whole.behavior.copy()
    halves = np.arange(len(whole)) % 2 == 0
    tasks = replace(whole, behavior=np.where(halves, np.char.add(scripts, ":one"), np.char.add(scripts, ":two")))
    assert len(np.unique(tasks.behavior)) == 2 * len(np.unique(tasks.script))
    for fold in folds(tasks):
        assert not set(tasks.script[fold.learn]) & set(tasks.script[fold.unseen])


def test_too_little_is_refused_with_what_to_do() -> None:
    """One session, a missing state, or nobody in need."""
    whole = desk_samples()
    check(whole)
    with pytest.raises(BadFile, match="simulate at least two"):
        check(whole.where(whole.session == 0))
    with pytest.raises(BadFile, match="fewer than 2 clips of: waiting"):
        check(whole.where(whole.state != STATES.index("waiting")))
    with pytest.raises(BadFile, match="always or never"):
        check(whole.where(~whole.need))


def test_every_fold_learns_every_state() -> None:
    """A state that a fold could not know would be held against every candidate alike."""
    whole = desk_samples()
    for fold in folds(whole):
        assert set(whole.state[fold.learn]) - {AWAY} == set(range(len(STATES)))


def test_people_are_no_longer_hidden_where_there_is_only_one() -> None:
    """The fold says so."""
    assert [fold.hides for fold in folds(desk_samples(("a", "b"), same_person=True))] == [("program", "behaviors")] * 2


def test_no_two_folds_hide_the_same_behaviors() -> None:
    """They take turns, through both halves of the browser too."""
    found = list(folds(desk_samples(("a", "chromium", "z"))))
    assert [fold.name for fold in found] == ["a", "chromium 1", "chromium 2", "z"]
    assert len({fold.unseen.tobytes() for fold in found}) == len(found)
