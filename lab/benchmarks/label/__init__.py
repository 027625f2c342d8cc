"""What it costs to go through a recording in the window of `kairos label`.

Begin with `benchmark`.
"""
