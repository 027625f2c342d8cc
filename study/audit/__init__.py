"""Whether every assignment of a study follows from its seed: recomputed here, independently of what drew it.

`sessions` recomputes the logs of sessions on the machine where they were recorded, `tables` the rows that were opened
from the collector. Begin with `sessions`.
"""

__all__ = ["sessions", "tables"]
