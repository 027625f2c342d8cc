"""Folds hide what the held-out test hides: a program, its people, and behaviors of every state."""

from functools import cache

import numpy as np
import pytest

from evaluation.simulation.recording.pack import Head, Packed, summarize_lateness
from evaluation.simulation.session_plan import Split
from evaluation.training.dataset import AWAY, STATES, Samples, join, samples_of
from evaluation.training.extract import Variant
from evaluation.training.splits import check, folds
from storage.errors import BadFile
from tests.fakes.evaluation.desk_sessions import desk_session


@cache
def samples(programs: tuple[str, ...] = ("a", "b", "c"), *, same_person: bool = False) -> Samples:
    """Return samples of two people in each program, all strangers or always the same."""
    return join(
        samples_of(session(program, (0 if same_person else 10 * number) + person), variant)
        for number, program in enumerate(programs)
        for person in range(2)
        for variant in (Variant(), Variant(tempo=1.2))
    )


def session(program: str, person: int) -> Packed:
    """Return a session at the small desk."""
    rows, labels = desk_session(person, program)
    head = Head(
        name=f"{program}{person}", seed="", person=person, program=program, split=Split.TRAIN, planned_s=1.0,
        ended=None, settings={}, versions={}, lateness=summarize_lateness(()), broken=(), labels=tuple(labels),
    )  # fmt: skip
    return Packed(head, tuple(rows))


def test_a_fold_shares_neither_program_nor_person_with_what_it_learns_from() -> None:
    """Nor a hidden behavior; and it is scored on sessions as they are, not on variants."""
    whole = samples()
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
    whole = samples()
    assert (np.sum([fold.score for fold in folds(whole)], axis=0) == whole.plain).all()


def test_every_fold_learns_every_state() -> None:
    """A state that a fold could not know would be held against every candidate alike."""
    whole = samples()
    for fold in folds(whole):
        assert set(whole.state[fold.learn]) - {AWAY} == set(range(len(STATES)))


def test_people_are_no_longer_hidden_where_there_is_only_one() -> None:
    """The fold says so."""
    assert [fold.hides for fold in folds(samples(("a", "b"), same_person=True))] == [("program", "behaviors")] * 2


def test_with_one_program_sessions_are_left_out_one_by_one() -> None:
    """A small simulation in one program can still be learned from."""
    found = list(folds(samples(("a",))))
    assert [fold.name for fold in found] == ["a0", "a1"]
    assert found[0].hides[0] == "session"


def test_the_browser_is_known_as_a_program_but_its_people_are_not() -> None:
    """Work in a browser cannot be told from reading there by who never saw any."""
    whole = samples(("a", "chromium"))
    browser = [fold for fold in folds(whole) if fold.name.startswith("chromium")]
    assert len(browser) == 2
    for fold in browser:
        assert "chromium" in whole.program[fold.learn]
        assert not set(whole.person[fold.learn]) & set(whole.person[fold.score])
        assert fold.hides == ("people", "behaviors")
    assert (np.sum([fold.score for fold in folds(whole)], axis=0) == whole.plain).all()


def test_no_two_folds_hide_the_same_behaviors() -> None:
    """They take turns, through both halves of the browser too."""
    found = list(folds(samples(("a", "chromium", "z"))))
    assert [fold.name for fold in found] == ["a", "chromium 1", "chromium 2", "z"]
    assert len({fold.unseen.tobytes() for fold in found}) == len(found)


def test_too_little_is_refused_with_what_to_do() -> None:
    """One session, a missing state, or nobody in need."""
    whole = samples()
    check(whole)
    with pytest.raises(BadFile, match="simulate at least two"):
        check(whole.where(whole.session == 0))
    with pytest.raises(BadFile, match="fewer than 2 clips of: waiting"):
        check(whole.where(whole.state != STATES.index("waiting")))
    with pytest.raises(BadFile, match="always or never"):
        check(whole.where(~whole.need))
