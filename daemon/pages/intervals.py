"""Figures with the interval that they are known to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the figure with its interval."""
        return f"{self.value:.3f} ({self.low:.2f}..{self.high:.2f})"
