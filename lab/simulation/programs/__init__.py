"""Real programs of Debian with tasks, one module each: the ways that fail are turned down by the program itself.

Begin with `debian_program`, what they share. None of the programs that judge the detector is among them.
"""

__all__ = ["main_window", "mousepad", "office"]
