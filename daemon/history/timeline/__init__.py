"""Reads what the window "What Kairos saw" shows, in a thread of its own that lives as long as the window is open.

`moments` folds the rows of a session, `days` reads a day, `facts` what was sent, stored and learned; `reader` is the
thread, and says what a purge would delete; `service` answers the window, and the tray that has minutes forgotten.
Sessions are opened read-only and for one request at a time. Begin with `service`.
"""

__all__ = ["days", "moments", "service", "sources"]
