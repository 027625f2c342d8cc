"""GNOME's windows, by an extension of our own to its shell, and its pictures, by the desktop's portal and PipeWire.

Begin with `windows`, then `frames`, which says which pictures are looked at; `portal` is the process that asks for
them and `pipewire` reads them. `installation` puts the extension there and takes it away.
"""

__all__ = ["frames", "installation", "pipewire", "portal", "windows"]
