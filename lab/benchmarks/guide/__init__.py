"""The four tasks of the GUIDE benchmark, asked of a model about clips of screen recordings.

Begin with `clips`, then `questions` (tasks, contexts and prefixes as single questions) and `jobs`, which asks them and
stores every answer. `loaders` read our own labelled sessions and the released layout, `references` holds the published
figures. May import `detectors.mllm` for questions and models.
"""

__all__ = ["command"]
