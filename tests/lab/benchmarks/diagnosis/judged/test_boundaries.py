"""Boundaries within 3 s, one to one, and cuts that need no model."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from daemon.history.trajectory.trajectory import Action, Step
from lab.benchmarks.diagnosis.judged.boundaries import (
    application_switches,
    boundary_rates,
    equal_cuts,
    starts,
)
from lab.benchmarks.diagnosis.judged.sessions import SAMPLE, labelled_work

STEPS = tuple(Step(number=number, at_s=2.0 * number, app="a", action=Action(verb="click")) for number in range(1, 11))


def test_off_by_two_seconds_counts_and_off_by_four_does_not() -> None:
    """F1 is 1 and 0."""
    true_s = [10.0, 30.0, 55.0]
    assert boundary_rates(true_s, [moment + 2.0 for moment in true_s]).f1 == 1.0
    assert boundary_rates(true_s, [moment - 2.0 for moment in true_s]).f1 == 1.0
    assert boundary_rates(true_s, [moment + 4.0 for moment in true_s]).f1 == 0.0


def test_each_boundary_matches_once() -> None:
    """Two found at one place are one hit and one false alarm."""
    doubled = boundary_rates([10.0], [9.0, 11.0])
    assert (doubled.matched, doubled.precision, doubled.recall) == (1, 0.5, 1.0)
    assert boundary_rates([10.0, 12.0], [11.0]).recall == 0.5


def test_matching_is_the_largest_there_is() -> None:
    """The greedy choice of the nearest would lose one here."""
    assert boundary_rates([10.0, 13.0], [12.5, 15.5]).matched == 2
    assert boundary_rates([10.0, 13.0], [7.5, 12.5]).matched == 2


@given(st.lists(st.integers(0, 40), max_size=5, unique=True), st.lists(st.integers(0, 40), max_size=5, unique=True))
def test_no_other_matching_is_larger(true_s: list[int], found_s: list[int]) -> None:
    """Compared with trying every way."""

    def best(left_true: tuple[int, ...], left_found: tuple[int, ...]) -> int:
        if not left_true:
            return 0
        first, *rest = left_true
        without = best(tuple(rest), left_found)
        tried = [
            1 + best(tuple(rest), (*left_found[:place], *left_found[place + 1 :]))
            for place, moment in enumerate(left_found)
            if abs(moment - first) <= 3
        ]
        return max([without, *tried])

    assert boundary_rates(true_s, found_s).matched == best(tuple(true_s), tuple(found_s))


def test_of_nothing_there_is_no_figure() -> None:
    """One segment finds no boundary: no precision, and F1 0; where there is none at all, no figure."""
    one = boundary_rates([10.0], [])
    assert (one.precision, one.recall, one.f1) == (None, 0.0, 0.0)
    assert boundary_rates([], []).f1 is None


def test_cuts_without_a_model() -> None:
    """Equal parts by steps; where another program is gone to, said by a step or by its program."""
    assert equal_cuts(STEPS, 2) == [12.0]
    assert equal_cuts(STEPS, 1) == []
    assert len(equal_cuts(STEPS, 5)) == 4
    assert application_switches(STEPS) == []
    other = [replace(step, app="b") if step.number > 6 else step for step in STEPS]
    assert application_switches(other) == [14.0]
    said = [replace(step, action=Action(verb="switch_app")) if step.number == 7 else step for step in other]
    assert application_switches(said) == [14.0]
    assert starts(STEPS, [1, 4, 9]) == [8.0, 18.0]


def test_the_sample_has_true_boundaries_near_its_steps() -> None:
    """A subtask of a simulated session begins where its script began another behavior, within 3 s of some step."""
    work = list(labelled_work(SAMPLE))
    assert len(work) == 8
    assert sum(len(one.boundaries_s) for one in work) == 20
    for one in work:
        for moment in one.boundaries_s:
            assert min(abs(step.at_s - moment) for step in one.trajectory.steps) <= 3.0
