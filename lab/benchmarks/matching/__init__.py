"""Whether people's words find the commands of programs, and what is made for that.

Imports `daemon.help` and `lab.measure`. Begin with `benchmark`; `fit` weighs, `gold` reads what was
written, `vectors` makes the file of `daemon.help.meaning`.
"""

__all__ = ["gold"]
