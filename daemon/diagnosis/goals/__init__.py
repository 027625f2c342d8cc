"""Goals of trajectories: what somebody most likely wanted.

After Identifying User Goals From UI Trajectories (Berkovitch et al., WWW 2025). Begin with `questions` (the question to
a model); `material` is what it shows of a trajectory, `wording` holds all sentences, `finding` asks about sessions and
files and shows what came of it. May import `daemon.history`,
`daemon.diagnosis.model_queries`, `daemon.diagnosis.model_diagnosis` for what is named on the command line,
`detectors.mllm` and `storage`.
"""

__all__ = ["finding", "material", "questions", "wording"]
