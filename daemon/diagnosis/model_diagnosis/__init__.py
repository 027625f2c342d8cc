"""Diagnosis with a model: was the task reached, which part of the work went wrong, at which step, and what would help.

The stages are those of GUIDE, an evaluation framework for GUI agents: segmentation, diagnosis of each segment, summary.
Begin with `judge` (the stages), then `inquiries` (what is asked) and `wording` (in which words); `run` opens the model
and goes through sessions and files, `rendering` shows what came of it. May import `daemon.diagnosis.goals`,
`daemon.diagnosis.model_queries`, `daemon.history`, `daemon.figures`, `detectors.mllm` and `storage`.
"""

__all__ = ["case", "findings", "inquiries", "judge", "rendering", "run", "sources", "wording"]
