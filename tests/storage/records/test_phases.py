"""The phases that the states of behavior are in."""

from storage.records import State
from storage.records.estimates import PHASES, phase_of


def test_every_state_is_in_a_phase_and_nothing_else_is() -> None:
    assert set(PHASES) == set(State)
    assert len({phase_of(state.value) for state in State}) == 4
    assert phase_of("sleeping") is None
