"""Acceptance criteria: a figure with its limit. A figure is compared before it is rounded."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceCriterion:
    """One figure with its limit; `ok` is whether it is met."""

    name: str
    value: float
    limit: float
    unit: str
    ok: bool


def at_least(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a criterion that is met from its limit on."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at least", ok=value >= limit
    )


def at_most(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a criterion that is met up to its limit."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at most", ok=value <= limit
    )


def criterion_lines(criteria: Sequence[AcceptanceCriterion]) -> list[str]:
    """Return one line of text for each criterion."""
    width = max((len(one.name) for one in criteria), default=0)
    return [
        f"{'held  ' if one.ok else 'missed'} {one.name:<{width}} {one.value:>7.3f} ({one.unit} {one.limit:g})"
        for one in criteria
    ]
