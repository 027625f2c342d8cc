"""Finds the detector that the settings name, and tells which one it is."""

from detectors.protocol import Detector
from detectors.rules import EvidenceDetector
from storage.factory import find_factory, fingerprint, make_part
from storage.settings import DetectorSettings

_SETTING = "detector.name"
_NEEDS = ("name", "version", "uses_images", "estimate")


def load(settings: DetectorSettings) -> Detector:
    """Return the detector of `settings.name`: "evidence" or `package.module:factory`.

    Raises:
        UsageError: the name stands for nothing that can be loaded.
    """
    if settings.name == EvidenceDetector.name:
        return EvidenceDetector(settings)
    factory = find_factory(settings.name, _SETTING, (EvidenceDetector.name,))
    detector: Detector = make_part(factory, (settings,), _SETTING, _NEEDS)
    return detector


def identity(detector: Detector) -> tuple[str, str, str]:
    """Return name, version and a hash of everything that shapes the detector's estimates but its input."""
    return detector.name, detector.version, fingerprint(detector)
