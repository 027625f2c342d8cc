"""The shipped detector and policy on recordings of real people at work, which nobody scripted.

Begin with `layouts`, which finds the recordings of three published data sets in a folder; `balabit`, `essays` and
`miniwob` turn one into our records and say what they rebuild and what they invent. `replay` runs one through the
engine, `figures` and `benchmark` count. The data is not part of Kairos and is read by its path alone.
"""
