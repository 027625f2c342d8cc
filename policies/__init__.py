"""Policies: whether and when to offer help.

A policy is pure: from a state, a trigger and the context it makes a decision, with a reason and its numbers. This room
imports the bottom of `storage` (records, clock, settings, errors, messages, plugins) and no third-party package. Begin
with `protocol`, then `chain`, which folds the list of `gates`; `arms` are what studies compare, `learning` is what
answers teach. `registry` loads the policy that the settings name.
"""

__all__ = [
    "arms",
    "calibration",
    "chain",
    "gates",
    "memory",
    "need_levels",
    "protocol",
    "registry",
    "sampling",
    "state",
]
