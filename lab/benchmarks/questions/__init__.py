"""`kairos bench questions`: whether what people ask in their own words finds a page that helps.

Imports `lab.measure` and `daemon.help`. The questions are given; none come with Kairos. Begin with `benchmark`.
"""

__all__ = ["benchmark", "fit"]
