"""What a predicted goal is beside the true one, given what satisfies what (section 4.1)."""

from enum import StrEnum


class Label(StrEnum):
    """A prediction p beside a gold goal g."""

    MATCH = "match"
    MORE_SPECIFIC = "partial, more specific"
    MORE_GENERAL = "partial, more general"
    NON_MATCH = "non-match"

    @property
    def level(self) -> str:
        """The label without the side on which a partial match lies."""
        return PARTIAL if self in (Label.MORE_SPECIFIC, Label.MORE_GENERAL) else self.value


PARTIAL = "partial"
LEVELS = (Label.NON_MATCH.value, PARTIAL, Label.MATCH.value)
"""In the order of the published tables."""


def label_of(*, p_satisfies_g: bool, g_satisfies_p: bool, fulfilled: bool | None = None) -> Label:
    """Return the label of a prediction; whoever has no answer hands over False.

    Args:
        p_satisfies_g: whether whatever fulfils the prediction fulfils the gold goal.
        g_satisfies_p: the other way round.
        fulfilled: whether the trajectory fulfils the prediction; None where that is not judged.
    """
    if fulfilled is False:
        return Label.NON_MATCH
    if p_satisfies_g and g_satisfies_p:
        return Label.MATCH
    if p_satisfies_g:
        return Label.MORE_SPECIFIC
    return Label.MORE_GENERAL if g_satisfies_p else Label.NON_MATCH
