"""Runs the tracker and the evidence detector over records, in windows and prefixes as the engine does."""

from collections.abc import Iterable

from detectors.features.tracker import FeatureTracker
from detectors.rules import EvidenceDetector
from storage.records import Estimate, Frame, InputEvent, Prefix, Record
from storage.settings import DetectorSettings
from storage.testing import plain
from tests.fakes.detectors.fake_detectors import NoPictures

S = 1_000_000_000
STEP_S = 6


def prefix_of(features: dict[str, float], end_s: float, window_id: int = 1) -> Prefix:
    return plain(
        Prefix, prefix_id=f"w{window_id}/{end_s}", window_id=window_id, end_ns=round(end_s * S), features=features,
        app="editor",
    )  # fmt: skip


def watch(records: Iterable[Record], end_s: float) -> list[tuple[float, Estimate]]:
    """Return (end of prefix in seconds, estimate) every 6 s from the first input on."""
    tracker = FeatureTracker()
    detector = EvidenceDetector(DetectorSettings())
    estimates = []
    start: int | None = None
    step = 0

    def catch_up(now_ns: int) -> None:
        nonlocal step, start
        while start is not None and start + (step + 1) * STEP_S * S <= now_ns:
            step += 1
            end_ns = start + step * STEP_S * S
            prefix = prefix_of(tracker.values(end_ns), end_ns / S, (step - 1) // 4)
            estimates.append((end_ns / S, detector.estimate(prefix, NoPictures(), end_ns)))
            if step % 4 == 0:
                tracker.open_window(end_ns)

    for record in records:
        t_ns = getattr(record, "t_ns", 0)
        catch_up(t_ns)
        tracker.take(record)
        if start is None and isinstance(record, InputEvent | Frame):
            start = t_ns
            tracker.open_window(t_ns)
    catch_up(round(end_s * S))
    return estimates
