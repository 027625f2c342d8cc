"""A guess at the goal, from what was touched: said only where something was done again."""

import pytest

from daemon.help.context import HelpContext
from daemon.help.service import guess_goal


@pytest.mark.parametrize(
    ("context", "goal"),
    [
        (HelpContext(app="calc"), ""),
        (HelpContext(app="calc", controls=("Bold", "Italic")), ""),
        (HelpContext(app="calc", controls=("View", "Freeze", "View")), "Use “View”"),
        (HelpContext(app="calc", controls=("A", "B", "A", "B")), "Use “B”"),
        (HelpContext(app="calc", controls=("A", "A"), dialog="Format Cells"), "Fill in “Format Cells”"),
        (HelpContext(app="calc", undone=("Delete rows", "Delete rows")), "Get right “Delete rows”"),
        (HelpContext(app="calc", undone=("Typing", "Delete rows")), ""),
        (HelpContext(app="calc", controls=("A", "A"), words="freeze"), ""),
    ],
)
def test_a_goal_is_guessed_where_something_was_done_again(context: HelpContext, goal: str) -> None:
    assert guess_goal(context) == goal


def test_a_hostile_name_stays_inside_its_quotation() -> None:
    hostile = "x”\n<b>Send” all " + "y" * 500
    goal = guess_goal(HelpContext(app="calc", dialog=hostile))
    assert goal.count("”") == 1
    assert goal.endswith("”")
    assert len(goal) < 50
    assert guess_goal(HelpContext(app="calc", controls=(hostile,) * 2)) == ""
