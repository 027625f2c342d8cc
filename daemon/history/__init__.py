"""What commands, reports and the interface read of a recorded session: `summary` of one, `decisions` over time.

Reads only, also while a session is being written; `goals` alone keeps something, what a model read off a session. May
import `storage` and `daemon.models.usage`. Begin with `summary`; `trajectory` is a package of its own:
steps, each with what was there before and after it.
"""

__all__ = [
    "decisions",
    "goals",
    "labelling",
    "learned",
    "own_days",
    "program_names",
    "report",
    "summary",
    "timeline",
    "trajectory",
]
