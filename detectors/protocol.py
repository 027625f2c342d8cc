"""What a detector is. Bring your own with `--detector package.module:factory`.

A factory takes `DetectorSettings` and returns a `Detector`. Worked example, run by `tests/detectors/test_protocol.py`:
a detector that reports frustration after five undos in a row::

    from detectors.protocol import make_estimate
    from storage.records import State

    class UndoDetector:
        name, version, uses_images = "undo", "1", False

        def estimate(self, prefix, images, now_ns):
            stuck = prefix.features.get("undo_run_max", 0.0) >= 5
            states = {State.FRUSTRATION: 1.0} if stuck else {State.PERFORMING_ACTIONS: 1.0}
            return make_estimate(self, prefix, now_ns, state_probs=states, help_need=0.9 if stuck else 0.02)

    def factory(settings):
        return UndoDetector()
"""

from collections.abc import Mapping
from typing import Protocol

from storage.records import Estimate, Evidence, Prefix

SENSES = ("controls", "tiles")
"""Senses beside input and frames; the feature `NAME_seen` says whether a prefix has one."""

TOLD = ("frames", "keys", "clicks", "pointer")
"""What nearly every desktop tells; the senses of an estimate name what is missing of it, as "-keys"."""


class Images(Protocol):
    """Pictures of frames, decoded only when a detector asks."""

    def jpeg(self, frame_seq: int) -> bytes | None:
        """Return the picture of the frame with this `seq` as JPEG, or None if it was not stored."""
        ...


class Detector(Protocol):
    """Estimates behavior state and help need from one prefix.

    It must be a pure function of the prefix (and its pictures): replay runs it again and compares. It runs in the
    core, so it must answer within a few milliseconds. It returns probabilities; thresholds belong to the policy.
    """

    name: str
    version: str
    uses_images: bool

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        """Return an estimate with `made_at_ns = ready_at_ns = now_ns`; outside faults go into `error`, not raised."""
        ...


def make_estimate(
    detector: Detector,
    prefix: Prefix,
    now_ns: int,
    *,
    state_probs: Mapping[str, float],
    help_need: float,
    evidence: tuple[Evidence, ...] = (),
    confidence_source: str = "none",
    abstained: bool = False,
) -> Estimate:
    """Return a detector's estimate of a prefix, ready at `now_ns`."""
    return Estimate(
        prefix_id=prefix.prefix_id,
        window_id=prefix.window_id,
        fraction=prefix.fraction,
        detector=detector.name,
        detector_version=detector.version,
        state_probs=state_probs,
        help_need=help_need,
        evidence=evidence,
        made_at_ns=now_ns,
        ready_at_ns=now_ns,
        confidence_source=confidence_source,
        app=prefix.app,
        abstained=abstained,
        senses="+".join(name for name in SENSES if prefix.features.get(f"{name}_seen"))
        + "".join(f"-{name}" for name in TOLD if name in prefix.unsensed),
    )
