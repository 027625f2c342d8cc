"""Permuted blocks: balanced at every moment, not to be guessed, drawn again from the seed, and sealed."""

from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from participant.documents.plan import parse_plan
from storage.errors import BadFile
from study.researcher.allocation import REPEATS, draw_arms, open_allocation, seal_allocation, start_allocation
from tests.fakes.studies.documents import COLLEAGUE, PERSON_READER, PLAN, RESEARCHER

SEEDS = [bytes([number]) * 16 for number in range(200)]
WHO = ("abcdefghij234567", "bcdefghij234567a", "cdefghij234567ab")


@pytest.mark.parametrize("arms", [2, 3, 5])
def test_arms_stay_balanced_however_many_were_invited(arms: int) -> None:
    """At no length does one arm lead another by more than it may within one block."""
    for seed in SEEDS[:30]:
        drawn = draw_arms(seed, arms, 60)
        for length in range(61):
            counts = Counter(drawn[:length])
            assert max(counts[arm] for arm in range(arms)) - min(counts[arm] for arm in range(arms)) <= max(REPEATS)


def test_without_blocks_they_would_not_be() -> None:
    """The control: sixty coins leave more than a block's difference about every other time."""
    coins = [[seed[0] * 7919 * n * n >> 5 & 1 for n in range(60)] for seed in SEEDS[1:]]
    leads = [abs(2 * sum(coin) - 60) for coin in coins]
    assert sum(lead > max(REPEATS) for lead in leads) > len(leads) / 4


def test_a_longer_list_begins_with_the_shorter_one() -> None:
    """So that inviting more people later changes nobody's arm."""
    for shorter, longer in pairwise([draw_arms(SEEDS[3], 2, count) for count in range(40)]):
        assert longer[: len(shorter)] == shorter


def test_lists_are_known_and_differ_by_seed() -> None:
    """The first numbers of one seed, as an audit in another language must draw them too."""
    assert draw_arms(bytes(16), 2, 12) == (1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0)
    assert len({draw_arms(seed, 2, 30) for seed in SEEDS}) == len(SEEDS)
    assert draw_arms(bytes(16), 1, 5) == (0,) * 5


def test_each_place_of_the_list_is_as_often_in_each_arm() -> None:
    """Over 200 seeds; 5 standard deviations are 35."""
    for place in (0, 1, 3, 4, 6, 11):
        count = sum(draw_arms(seed, 2, place + 1)[place] for seed in SEEDS)
        assert abs(count - 100) < 35


def test_the_next_arm_cannot_be_counted_out() -> None:
    """Blocks have two lengths, so after two of one arm and one of the other both still come."""
    nexts = {draw_arms(seed, 2, 4)[3] for seed in SEEDS if sorted(draw_arms(seed, 2, 3)) == [0, 0, 1]}
    assert nexts == {0, 1}


def test_readers_of_the_study_open_the_list_and_nobody_else() -> None:
    plan = parse_plan(PLAN)
    allocation = msgspec.structs.replace(start_allocation(plan), participants=WHO)
    raw = seal_allocation(allocation, plan.reader_keys)
    for reader in (RESEARCHER, COLLEAGUE):
        assert open_allocation(raw, reader, study="sheets") == allocation
    assert not [word for word in (*WHO, *plan.arms) if word.encode() in raw]
    with pytest.raises(BadFile):
        open_allocation(raw, PERSON_READER, study="sheets")
    with pytest.raises(BadFile):
        open_allocation(raw, RESEARCHER, study="slides")
    with pytest.raises(BadFile):
        open_allocation(raw[:-1], RESEARCHER, study="sheets")


def test_the_list_names_the_arm_of_everybody() -> None:
    """From seed and order alone; `repr` shows nothing of it."""
    plan = parse_plan(PLAN)
    allocation = msgspec.structs.replace(start_allocation(plan), participants=WHO)
    drawn = draw_arms(allocation.seed, 2, 3)
    assert allocation.arms_by_participant() == {who: plan.arms[arm] for who, arm in zip(WHO, drawn, strict=True)}
    assert repr(allocation) == "<allocation of sheets>"
    assert start_allocation(plan).seed != start_allocation(plan).seed
