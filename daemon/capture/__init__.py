"""Observation of the user's desktop: windows, pixels, input and surroundings become records, redacted by the fence.

`thread` runs an `observer` on one connection of a `backend`; the only backend today is `x11`. `fence` says what may be
seen, `surroundings` watches buses and devices beside the desktop. Imports `storage` only; libraries for a display
load when a backend is opened. Start with `observer`; to add a backend, start with `backend`.
"""

__all__ = [
    "accessibility",
    "backend",
    "diff",
    "fence",
    "gate",
    "key_times",
    "keys",
    "picture_ring",
    "surroundings",
    "thread",
]
