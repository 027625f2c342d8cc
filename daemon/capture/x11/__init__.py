"""The capture backend for X11, the only package of `daemon` that uses Xlib and mss. Start with `desktop`.

It implements `daemon.capture.backend.CaptureBackend` and imports from capture only plain values and the input queue.
"""

__all__ = ["xwayland"]
