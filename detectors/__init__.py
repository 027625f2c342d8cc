"""Detectors: from a prefix to an estimate of behavior state and help need.

May import records, settings, errors, the clock and plug-in loading from `storage`, and nothing from other rooms. Begin
with `protocol` (what a detector is, with a worked example) and `registry` (which one is loaded). `acts` says what input
events do, for every fold of them. `rules` and `evidence`
are the detector with hand-set weights, `embedded` runs the shipped model, `features` computes what both read, and
`mllm` queries multimodal models. Nothing is re-exported, since `embedded` loads onnxruntime and `mllm` loads httpx2.
"""

__all__ = ["acts", "embedded", "features", "mllm", "need_threshold", "protocol", "registry", "rules"]
