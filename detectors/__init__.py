"""Detectors: from a prefix to an estimate of behavior state and help need."""
