"""Whether somebody who does what the ring says, and nothing else, gets to the end: tasks in real programs.

Imports `daemon.help` and `demo.virtual_desktop`. Begin with `benchmark`. What a program was brought to is read from the
document that it saved, or from its settings.
"""
