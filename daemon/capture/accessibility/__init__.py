"""What is touched, which dialog stands there, which error: read from the desktop's accessibility interface.

Off without the person's own yes ("understand controls"). `source` is the Protocol that a toolkit's adapter fills
(`atspi` today); it speaks of acts, dialogs, messages, loads and focus. `thread` runs an adapter where it may hang
without harm; `observer` runs in the capture thread, judges by the fence what has arrived, and makes records of it.
Imports `daemon.capture.fence`, `daemon.capture.gate` and `storage`. Begin with `source`.
"""

__all__ = ["budget", "choice", "doctor", "memory", "observer", "ocr", "protection", "source", "thread"]
