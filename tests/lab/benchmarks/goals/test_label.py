"""What follows of two answers about satisfaction, and of one about fulfilment."""

import pytest

from lab.benchmarks.goals.label import GoalLabel, label_of


@pytest.mark.parametrize(
    ("p_g", "g_p", "label"),
    [
        (True, True, GoalLabel.MATCH),
        (True, False, GoalLabel.MORE_SPECIFIC),
        (False, True, GoalLabel.MORE_GENERAL),
        (False, False, GoalLabel.NON_MATCH),
    ],
)
def test_a_label_follows_of_both_directions(p_g: bool, g_p: bool, label: GoalLabel) -> None:
    assert label_of(p_satisfies_g=p_g, g_satisfies_p=g_p) is label
    assert label_of(p_satisfies_g=p_g, g_satisfies_p=g_p, fulfilled=True) is label
    assert label_of(p_satisfies_g=p_g, g_satisfies_p=g_p, fulfilled=False) is GoalLabel.NON_MATCH
