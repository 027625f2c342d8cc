"""GNOME's windows, by an extension of our own to its shell. There are no pictures.

Begin with `windows`; `installation` puts the extension there and takes it away.
"""

__all__ = ["installation", "windows"]
