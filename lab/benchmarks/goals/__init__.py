"""Whether a model understands what somebody wanted: goals of trajectories, judged by fulfilment and satisfaction.

After Identifying User Goals From UI Trajectories (Berkovitch et al., WWW 2025). Begin with `judging` (what is asked of
each trajectory), then `running`, which asks, and `figures`. May import
`daemon.diagnosis.goals` and `daemon.diagnosis.model_queries`.
"""

__all__ = ["questions", "wording"]
