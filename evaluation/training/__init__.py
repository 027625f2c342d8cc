"""From labelled session logs to the embedded detector: samples, splits, candidates, calibration, export."""
