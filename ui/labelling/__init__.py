"""The window in which people say how a recorded stretch of their own work was, by keys.

It holds what its reader sent and reads nothing itself (`storage.timeline`). Begin with `window`.
"""

__all__ = ["window"]
