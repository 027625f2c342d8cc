"""Whether every lot of a study follows from its seed: `lots` recomputes them from a log, `command` shows what it found.

May import `daemon`, `policies` and `storage`. Begin with `lots`.
"""

__all__ = ["sequence"]
