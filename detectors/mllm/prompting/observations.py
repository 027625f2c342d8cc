"""Describes the input in a few lines: numbers from a prefix's features, no text from the screen."""

from collections.abc import Mapping

_COUNTS = (
    ("characters", "characters typed"),
    ("erasures", "erased"),
    ("pastes", "pastes"),
    ("undos", "undos"),
    ("redos", "redos"),
    ("escapes", "presses of Escape"),
    ("clicks", "clicks"),
    ("dead_clicks", "clicks that changed nothing"),
    ("scrolls", "scroll steps"),
    ("menus", "menus opened"),
    ("dialogs", "dialogs opened"),
    ("app_switches", "changes of application"),
    ("saves", "saves"),
)
"""Features of the window so far, in the order of their mention; those that are 0 are left out."""

_PAUSE_S = 2.0
_WATCHING_S = 3.0


def observations(features: Mapping[str, float]) -> str:
    """Return what the person did in the time that the pictures show."""
    counts = [f"{features[name]:.0f} {words}" for name, words in _COUNTS if features.get(name, 0.0) >= 1.0]
    length_s = features.get("window_s", 0.0)
    lines = [f"Input in these {length_s:.0f} s: {', '.join(counts) or 'none to speak of'}."]
    if features.get("idle_s", 0.0) >= _PAUSE_S:
        lines.append(f"No input for the last {features['idle_s']:.0f} s.")
    if features.get("watching_s", 0.0) >= _WATCHING_S:
        lines.append(f"The screen has been changing by itself for {features['watching_s']:.0f} s.")
    return "\n".join(lines)
