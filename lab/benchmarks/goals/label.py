"""What a predicted goal is beside the true one, given what satisfies what (section 4.1)."""

from enum import StrEnum


class GoalLabel(StrEnum):
    """A prediction p beside a gold goal g."""

    MATCH = "match"
    MORE_SPECIFIC = "partial, more specific"
    MORE_GENERAL = "partial, more general"
    NON_MATCH = "non-match"

    @property
    def level(self) -> str:
        """The label without the side on which a partial match lies."""
        return PARTIAL if self in (GoalLabel.MORE_SPECIFIC, GoalLabel.MORE_GENERAL) else self.value


PARTIAL = "partial"
LEVELS = (GoalLabel.NON_MATCH.value, PARTIAL, GoalLabel.MATCH.value)
"""In the order of the published tables."""


def label_of(*, p_satisfies_g: bool, g_satisfies_p: bool, fulfilled: bool | None = None) -> GoalLabel:
    """Return the label of a prediction; whoever has no answer hands over False.

    Args:
        p_satisfies_g: whether whatever fulfils the prediction fulfils the gold goal.
        g_satisfies_p: the other way round.
        fulfilled: whether the trajectory fulfils the prediction; None where that is not judged.
    """
    if fulfilled is False:
        return GoalLabel.NON_MATCH
    if p_satisfies_g and g_satisfies_p:
        return GoalLabel.MATCH
    if p_satisfies_g:
        return GoalLabel.MORE_SPECIFIC
    return GoalLabel.MORE_GENERAL if g_satisfies_p else GoalLabel.NON_MATCH
