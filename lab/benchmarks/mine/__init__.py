"""Whether `kairos mine` is right: simulated months whose rates are known, and, where asked, one's own days beside them.

Begin with `benchmark`.
"""
