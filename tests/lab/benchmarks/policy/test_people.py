"""Simulated people with other thresholds than the estimate's: what answers bring, and wrong ones leave."""

import pytest

from lab.benchmarks.policy.benchmark import UNLIMITED
from lab.benchmarks.policy.people import (
    ALL_OTHERS,
    ARMS,
    NONE,
    PEOPLE,
    RIGHT,
    WRONG,
    PeopleFigures,
    compare_people,
    people_parts,
)
from lab.benchmarks.policy.trace import load_rules
from lab.measure.report import Table
from storage.settings import DetectorSettings


@pytest.fixture(scope="module", name="figures")
def _figures() -> list[PeopleFigures]:
    return compare_people(load_rules().costs, UNLIMITED, DetectorSettings().base_rate, 2)


def _of(figures: list[PeopleFigures], person: str, answers: str) -> PeopleFigures:
    return next(
        people_figures
        for people_figures in figures
        if (people_figures.person, people_figures.answers) == (person, answers)
    )


def test_every_kind_of_person_gets_every_kind_of_answers(figures: list[PeopleFigures]) -> None:
    """And all but the first kind together."""
    assert {(people_figures.person, people_figures.answers) for people_figures in figures} == {
        (p, a) for p in (*PEOPLE, ALL_OTHERS) for a in ARMS
    }
    table = people_parts(figures)[-1]
    assert isinstance(table, Table)
    assert len(table.rows) == len(figures)


def test_right_answers_help_and_wrong_ones_are_seen_to_harm(figures: list[PeopleFigures]) -> None:
    """The benchmark can tell both: a learner that ignored answers would fail the first."""
    none, right, wrong = (_of(figures, ALL_OTHERS, answers) for answers in (NONE, RIGHT, WRONG))
    assert none.against_none.value == 0.0
    assert right.regret_s < none.regret_s < wrong.regret_s
    assert right.against_none.value == pytest.approx(right.regret_s - none.regret_s, abs=1.0)
