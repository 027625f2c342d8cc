"""The shipped detector and policy on recordings of real people at work (`lab.people`), which nobody scripted.

`replay` runs one recording through the engine, `figures` and `benchmark` count.
"""

__all__ = ["command"]
