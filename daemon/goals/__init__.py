"""Goals of trajectories: what somebody most likely wanted, whether it was reached, and whether one goal serves another.

The relations are those of Identifying User Goals From UI Trajectories (Berkovitch et al., WWW 2025). Begin with
`label` (what follows of two answers), then `questions` (the three questions to a model) and `judge` (who answers them);
`material` is what a question shows of a trajectory, `wording` holds all sentences. May import `daemon.history`,
`daemon.judgements`, `detectors.mllm` and `storage`.
"""

__all__ = ["judge", "label", "material", "wording"]
