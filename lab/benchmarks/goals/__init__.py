"""Whether a model understands what somebody wanted: goals of trajectories, judged by fulfilment and satisfaction.

After Identifying User Goals From UI Trajectories (Berkovitch et al., WWW 2025). Begin with `judging` (what is asked of
each trajectory), then `figures`; `people` reads goals and verdicts of people, `constructed` is a set whose answers are
known, `references` holds the published figures. May import `daemon.diagnosis.goals` and
`daemon.diagnosis.model_queries`.
"""

__all__ = ["command"]
