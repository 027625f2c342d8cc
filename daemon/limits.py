"""Within what the values of settings must lie: each alone, and some beside each other."""

from storage.errors import UsageError
from storage.settings import Settings

MOST = 1e9
"""The largest number a setting may be: as seconds 31 years. Beyond it arithmetic in nanoseconds ends."""

RANGES = {
    "capture.active_fps": (0.01, 60),
    "capture.passive_fps": (0.01, 60),
    "capture.motion_per_s": (0.1, 1000),
    "capture.store_width": (16, 8192),
    "capture.jpeg_quality": (1, 100),
    "window.planned_s": (1, 3600),
    "window.slots": (1, 1024),
    "storage.video_file_s": (1, MOST),
    "detector.base_rate": (1e-6, 1 - 1e-6),
    "policy.false_offer_rate": (1e-6, 0.5),
    "policy.miss_rate": (1e-6, 0.5),
    "policy.evidence_half_life_s": (0.1, MOST),
    "policy.acceptance": (0.01, 1),
    "policy.acceptance_weight": (0.1, 1000),
    "policy.threshold_min": (0.01, 1),
    "policy.threshold_max": (0.01, 1),
    "policy.timing_limit": (1, 100),
    "policy.learning_half_life_days": (0.1, 10_000),
    "policy.exploration": (0, 1),
    "policy.threshold": (0, 1),
    "policy.arm_probability": (0, 1),
}
"""Settings that others divide by or loop over; a session from outside names its settings too."""

ORDERED = (
    ("capture.passive_fps", "capture.active_fps"),
    ("policy.backoff_s", "policy.backoff_max_s"),
    ("policy.threshold_min", "policy.threshold_max"),
    ("policy.interrupt_break_s", "policy.interrupt_busy_s"),
)
"""Settings of which the first may not be greater than the second: they are the ends of one range."""


def check_order(settings: Settings, *, where: str, key: str = "") -> None:
    """See that no two settings cross.

    Args:
        settings: all of them.
        where: the file or option they come from, named in the error.
        key: look only at what this one is compared with; what else is wrong was so before it was touched.

    Raises:
        UsageError: two cross.
    """
    for low, high in ORDERED:
        if key not in ("", low, high):
            continue
        least, most = _value(settings, low), _value(settings, high)
        if least > most:
            raise UsageError(
                f"{where}: {low} ({least:g}) is greater than {high} ({most:g})",
                remedy=f"lower {low} or raise {high}; what they mean: docs/settings.md",
            )


def _value(settings: Settings, key: str) -> float:
    table, _, name = key.partition(".")
    return float(getattr(getattr(settings, table), name))
