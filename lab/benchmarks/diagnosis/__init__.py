"""The benchmark of `kairos diagnose`: known episodes are found, and weeks of sessions are read in seconds.

Its sessions are made of random numbers, nobody worked in them, and every figure says so. Begin with `benchmark`.
"""

__all__ = ["benchmark", "judged_benchmark", "judged_figures"]
