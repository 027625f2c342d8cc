"""What the memory of failed tries says beyond its levels: how close together they came, and of how many kinds.

The levels of `detectors.features.attempts.memory` fade slowly and fall with kept work. Here are plain counts over short
times beside them, so that whoever learns from both can find other half-lives than those set by hand.
"""

from collections.abc import Mapping
from math import log1p

from detectors.features.attempts.memory import AttemptMemory
from detectors.features.fading import log_age
from storage.clock import NS_PER_S

SPANS_S = (15, 30)
RECENT_NS = 60 * NS_PER_S

TABLE: Mapping[str, tuple[str, str]] = {
    **{f"failed_{span}s": ("1", f"failed tries of all kinds in the last {span} s") for span in SPANS_S},
    "failed_kinds": ("1", "kinds of failed tries in the last minute"),
    "failed_alike": ("0/1", "whether the last two tries of the last minute failed in the same way"),
    "failed_gap": ("ln s", "time between the last two failed tries of the last minute, as ln(1 + 10 s)"),
    "failed_first": ("ln s", "time since the first failed try of the last minute, as ln(1 + 10 s)"),
    "kept_since": ("ln 1", "work kept since the last failed try, about characters, as ln(1 + n)"),
}


def values(tries: AttemptMemory, now_ns: int) -> dict[str, float]:
    """Return the features of `TABLE` for one application."""
    recent = [(t_ns, kind) for t_ns, kind in tries.failures if now_ns - t_ns <= RECENT_NS]
    told = {f"failed_{span}s": float(sum(now_ns - t_ns <= span * NS_PER_S for t_ns, _ in recent)) for span in SPANS_S}
    two = recent[-2:]
    several = len(two) > 1
    return told | {
        "failed_kinds": float(len({kind for _, kind in recent})),
        "failed_alike": float(several and two[0][1] == two[1][1]),
        "failed_gap": log_age(two[0][0], two[1][0]) if several else 0.0,
        "failed_first": log_age(recent[0][0], now_ns) if recent else 0.0,
        "kept_since": log1p(tries.kept),
    }
