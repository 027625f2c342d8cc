"""Keys, buttons and wheel where no desktop passes them on: a small system service, and what reads from it.

The service alone may read input devices. It says which class a key is of (`daemon.capture.keys`) and never which key
it was, to nobody but the user whose session is on the screen.
"""

__all__ = ["service", "xkb"]
