"""What a detector is. Bring your own with `--detector package.module:factory`.

A factory takes `DetectorSettings` and returns a `Detector`. Worked example, a detector that says "stuck" after five
undos in a row::

    class UndoDetector:
        name, version, uses_images = "undo", "1", False

        def estimate(self, prefix, images, now_ns):
            p = 0.9 if prefix.features["undo_run_max"] >= 5 else 0.02
            return Estimate(prefix_id=prefix.prefix_id, ..., help_need=p, ...)

    def factory(settings):
        return UndoDetector()
"""

from typing import Protocol

from storage.records import Estimate, Prefix


class Images(Protocol):
    """Pictures of frames, decoded only when a detector asks."""

    def jpeg(self, frame_seq: int) -> bytes | None:
        """Return the picture of the frame with this `seq` as JPEG, or None if it was not kept."""
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
