"""Goals alone: what a model takes for the goal of each stretch of work in sessions, or in files of trajectories.

Begin with `finding`; `rendering` shows what came of it. May import `daemon.goals`, `daemon.history`,
`daemon.judgements`, `daemon.diagnosis.judging` for what is named on the command line, and `storage`.
"""

__all__ = ["finding", "rendering"]
