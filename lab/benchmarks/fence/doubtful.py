"""A detector that is always in doubt, so that a model is asked at every prefix and pictures are sent."""

from detectors.protocol import Images, make_estimate
from storage.records import Estimate, Prefix, State
from storage.settings import DetectorSettings

NAME = "lab.benchmarks.fence.doubtful:detector"

_NEED = 0.3
_STATES = {state.value: float(state is State.FRUSTRATION) for state in State}


class DoubtfulDetector:
    """Gives the same estimate for every prefix."""

    name = "doubtful"
    version = "1"
    uses_images = False

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # a Detector
        """Return an estimate that leaves everything open."""
        return make_estimate(self, prefix, now_ns, state_probs=_STATES, help_need=_NEED)


def detector(settings: DetectorSettings) -> DoubtfulDetector:  # noqa: ARG001  # a factory
    """Make the detector."""
    return DoubtfulDetector()
