"""Whether words for a control lead to its place on the screen, and what a walk of a window costs.

Imports `daemon.capture.accessibility`, `daemon.help` and `demo.virtual_desktop`. Begin with `benchmark`. The truth
never comes from the walk: `qt_form` prints where its controls are, `page` says what is under the pointer, and
`witness` hears from real programs what the pointer reached.
"""

__all__ = ["command"]
