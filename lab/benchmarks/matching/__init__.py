"""Whether people's words find the commands of programs, and what is made for that.

Imports `daemon.help` and `lab.measure`. Begin with `benchmark`; `fit` weighs, `gold` reads what was
written, `vectors` and `intents` make the files of `daemon.help`.
"""

__all__ = ["gold"]
