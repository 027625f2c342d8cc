"""What is touched, which dialog stands there, which error: read from the desktop's accessibility interface.

Off without the person's own yes ("understand controls"). `sense` runs an adapter (`atspi` today) where it may hang
without harm; `observer` runs in the capture thread, judges by the fence what has arrived, and makes records of it.
Imports `daemon.capture` and `storage`. Begin with `daemon.capture.control_source`, the Protocol of adapters.
"""

__all__ = ["atspi", "choice", "command_store", "digests", "observer", "ocr", "protection", "sense", "walk_rate"]
