"""Puts questions about recorded work to models: each answer is an object of known shape, stored, counted and paid for.

Begin with `asking` (one question at a time, from the stored answers where it was answered before), then `answers` (the
file) and `models` (which model, what it costs, and who allowed it). May import `detectors.mllm`, `daemon.models` and
`storage`; knows nothing of what is asked.
"""

__all__ = ["answers", "asking", "models"]
