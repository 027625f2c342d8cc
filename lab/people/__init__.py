"""Recordings of real people at work, which nobody scripted: three published data sets, read by a path.

Begin with `layouts`, which finds the recordings in a folder; `balabit`, `essays` and `miniwob` turn one into our
records and say what they rebuild and what they invent. The data is not part of Kairos.
"""

__all__ = ["desk", "layouts"]
