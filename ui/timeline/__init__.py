"""The window "What Kairos saw": a timeline of the day, what is sent, stored and learned, labels, and forgetting.

It holds what its reader sent and reads nothing itself (`storage.timeline`). Nothing in it repaints without a
change. Begin with `window`; `moments` is the list, `band` the day at a glance, `pages` the rest.
"""

__all__ = ["picture", "window"]
