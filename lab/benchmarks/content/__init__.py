"""`kairos bench content`: whether the help library finds the page that helps, in constructed moments of being stuck.

Imports `lab.measure` and `daemon.help`. The moments and the pages that would help stand in `data`, with the
rules by which they were written in `data/README.md`. Begin with `benchmark`.
"""

__all__ = ["benchmark", "fit"]
