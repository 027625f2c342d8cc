"""The embedded detector on recordings of `kairos demo`, whose scripts it did not learn from.

Begin with `recordings`, which turns a folder of demos into labelled prefixes, then `figures`. The programs are known
from training, so this is no held-out test. All of it is simulated.
"""

__all__ = ["command"]
