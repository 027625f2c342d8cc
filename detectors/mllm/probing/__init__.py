"""Finds out what a model server can do, with generated pictures alone: the screen is never sent.

Imports `client`, `prompting`, `presets`, `protocol` and `questions`. Begin reading in `probe`.
"""

__all__ = ["probe", "samples"]
