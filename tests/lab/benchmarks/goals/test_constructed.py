"""Goals made of constraints: sentences mean what they say, and the oracle's relation is inclusion."""

import asyncio
from itertools import combinations

import pytest

from daemon.diagnosis.goals.material import Material, material_of
from lab.benchmarks.goals.running import (
    EXPECTED,
    OracleJudge,
    PlantedKind,
    constraints_of,
    construct,
    done_in,
    sentence,
)
from storage.errors import BadFile

NAMES = ("place", "day", "people", "book")
NOTHING = Material(key="", steps=(), number=0)
SETS = tuple(frozenset({"find", *chosen}) for count in range(len(NAMES) + 1) for chosen in combinations(NAMES, count))
"""Every goal of four constraints, one of which is the stricter verb."""


def satisfies(a: frozenset[str], b: frozenset[str]) -> bool:
    return asyncio.run(OracleJudge().satisfies(NOTHING, sentence(a), sentence(b))) is True


def test_sentences_mean_what_they_are_made_of() -> None:
    assert [constraints_of(sentence(constraints)) for constraints in SETS] == list(SETS)
    assert all(constraints_of(sentence(constraints, wordy=True)) == constraints for constraints in SETS)
    assert len({sentence(constraints) for constraints in SETS}) == len(SETS) == 16
    with pytest.raises(BadFile):
        constraints_of("Order a pizza")


def test_the_planted_kinds_are_what_they_are_called() -> None:
    made = construct(20)
    assert (made.goals, made.verdicts) == (construct(20, seed=5).goals, construct(20, seed=5).verdicts)
    assert [made.kinds[goal.key] for goal in made.goals] == [*PlantedKind] * 4
    for written, one in zip(made.goals, made.whole.trajectories, strict=True):
        assert one.goal is not None
        guess, gold = constraints_of(written.goal), constraints_of(one.goal)
        done = done_in(material_of(made.whole, one))
        assert gold < done
        expected = {
            PlantedKind.EQUAL: guess == gold,
            PlantedKind.MORE: gold < guess <= done,
            PlantedKind.MORE_UNMET: gold < guess and not guess <= done,
            PlantedKind.FEWER: guess < gold,
            PlantedKind.OTHER: not guess <= gold and not gold <= guess and not guess <= done,
        }
        assert expected[made.kinds[one.key]]
    assert set(EXPECTED) == set(PlantedKind)


def test_satisfaction_is_inclusion() -> None:
    """So it is reflexive, transitive, and holds both ways for equal goals alone."""
    assert {(a, b) for a in SETS for b in SETS if satisfies(a, b)} == {(a, b) for a in SETS for b in SETS if b <= a}
