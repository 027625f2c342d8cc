"""Detectors: from a prefix to an estimate of behavior state and help need.

Begin with `protocol` (what a detector is, with a worked example) and `registry` (which one is loaded). `acts` says what
input events do, for every fold of them. `rules` and `evidence` are the detector with hand-set weights, `embedded` runs
the shipped model, `features` computes what both read, and `mllm` queries multimodal models.
"""

__all__ = ["acts", "embedded", "features", "mllm", "model_file", "need_threshold", "protocol", "registry", "rules"]
