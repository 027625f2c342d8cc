"""Whether words for a control lead to its place on the screen, and what a walk of a window costs.

Imports `daemon.capture.accessibility`, `daemon.help` and `demo.virtual_desktop`. Begin with `benchmark`. The truth
never comes from the walk: `qt_form` prints where its controls are, and `subjects` says what the pointer reached in a
page or in a real program.
"""

__all__ = ["benchmark", "pictures"]
