"""Observation of the user's desktop: windows, pixels, input and surroundings become records, redacted by the fence.

`thread` runs an `observer` on one connection of a `backend`; the only backend today is `x11`. `control_source` is the
Protocol of what knows the controls in windows, filled by `accessibility.atspi`. `fence` says what may be seen,
`sound` is the microphone, `surroundings` watches buses and devices beside the desktop, `gate` is closed by a pause.
Imports `storage` alone; libraries for a display load when a backend is opened. Start with `observer`; to add a backend,
start with `backend`.
"""

__all__ = [
    "accessibility",
    "backend",
    "capability_words",
    "control_source",
    "diff",
    "evdev",
    "fence",
    "gate",
    "keys",
    "picture_ring",
    "scene",
    "sound",
    "surroundings",
    "thread",
    "wayland",
]
