"""Training of the embedded detector: from packed labelled sessions to a calibrated ONNX model and its card.

May import the rest of `lab`, the engine and `detectors`; training libraries (the `train` extra) load only with
`candidates`, `graph` and `model`. Begin with `command` (`kairos train`), then `extract` and `dataset` for samples,
`splits` for folds, `candidates` for what is compared, `model` for the file, `detector_metrics` for how detectors are
compared. Benchmarks use samples and metrics from here.
"""

__all__ = ["command", "dataset", "detector_metrics", "extract"]
