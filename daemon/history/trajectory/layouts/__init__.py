"""Sets of trajectories that others recorded, by the layout of their files; nothing is downloaded.

May import `storage` and the shapes and plain lines of `daemon.history.trajectory`. Begin with `loading`, which
recognizes a layout and loads it; `trajectory_set` is what comes of it, `files` reads what is hostile until proven else.
"""

__all__ = ["layout", "loading", "session", "shares", "trajectory_set"]
