"""The four tasks of the GUIDE benchmark, asked of a model about clips of screen recordings.

Begin with `clips`, which reads our own labelled sessions and the released layout, then `jobs`, which asks single
questions and stores every answer, and `figures`. May import `detectors.mllm` for questions and models.
"""

__all__ = ["clips", "export", "statistics"]
