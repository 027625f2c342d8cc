"""Where somebody gets stuck, by the log alone: episodes of likely trouble, what comes back, and after what it ended.

May import `daemon.history`, `daemon.figures`, `detectors` and `storage`; asks no model and opens no connection. Only
`model_diagnosis` does, which has rules of its own and is loaded where a model is named. Begin with `episodes` (one
session), then `sessions` (all of them, with a cache in each session's folder) and `summary` (the figures); `rendering`
and `page` show them. Weeks of sessions are read while somebody waits, so nothing heavy is loaded.
"""

__all__ = [
    "episodes",
    "goals",
    "model_diagnosis",
    "model_queries",
    "page",
    "rendering",
    "sessions",
    "summary",
    "wording",
]
