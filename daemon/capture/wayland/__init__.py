"""The capture backend for Wayland: what a compositor offers decides which parts it is put together from.

Begin with `desktop`. `screencopy` reads pixels from the connection of `storage.wayland`, and `idle` presence; `sway`
lists windows by the compositor's own socket, `gnome` by an extension of ours to its shell, and has its pictures;
`programs` by what programs say of themselves to the accessibility bus. Imports plain values of capture, the input
queue, and of `x11` the windows that XWayland shows.
"""

__all__ = ["gnome"]
