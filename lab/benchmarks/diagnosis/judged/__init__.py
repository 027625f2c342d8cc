"""Whether a model's verdict on a trajectory is that of people, and whether its subtasks are the true ones.

The figures of the GUIDE evaluation framework. Begin with `benchmark`, then `rates` and `boundaries`; `made_work` is
work whose truth is known, `scripted` answers about it, `references` holds the published figures. May import
`daemon.diagnosis.model_diagnosis` and `daemon.diagnosis.model_queries`.
"""

__all__ = ["benchmark"]
