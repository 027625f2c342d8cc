"""Loads the detector that the settings name, and identifies it for the session log."""

from detectors.need_threshold import MODEL
from detectors.protocol import Detector
from detectors.rules import EvidenceDetector
from storage.files import expand_user
from storage.plugins import build_plugin, find_factory, fingerprint
from storage.settings import DetectorSettings

EMBEDDED = "embedded"
MODEL_SUFFIX = ".onnx"
_SETTING = "detector.name"
_NEEDS = ("name", "version", "uses_images", "estimate")


def load(settings: DetectorSettings) -> Detector:
    """Return the detector of `settings.name`: "embedded", "evidence", `FILE.onnx` or `package.module:factory`.

    Raises:
        UsageError: the name stands for nothing that can be loaded.
        BadFile: the model file cannot be used.
    """
    if settings.name == EvidenceDetector.name:
        return EvidenceDetector(settings)
    if settings.name == EMBEDDED or settings.name.endswith(MODEL_SUFFIX):
        from detectors.embedded import EmbeddedDetector

        return EmbeddedDetector(settings, MODEL if settings.name == EMBEDDED else expand_user(settings.name))
    factory = find_factory(settings.name, _SETTING, (EMBEDDED, EvidenceDetector.name))
    detector: Detector = build_plugin(factory, (settings,), _SETTING, _NEEDS)
    return detector


def identity(detector: Detector) -> tuple[str, str, str]:
    """Return name, version and a hash of everything that shapes the detector's estimates but its input."""
    return detector.name, detector.version, fingerprint(detector)
