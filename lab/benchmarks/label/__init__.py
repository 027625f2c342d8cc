"""What it costs to go through a recording in the window of `kairos label`, in CPU time a step.

Begin with `benchmark`.
"""
