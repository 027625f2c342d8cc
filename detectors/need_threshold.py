"""From which help need on an estimate counts as a sign of trouble, when sessions are looked at afterwards.

The shipped model comes with a threshold for each part of a window, chosen so that of the simulated windows without need
at most `FALSE_SHARE` are above. No other detector has any; `DEFAULT` holds for it. The policy does not use them.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from detectors.model_file import read_metadata
from storage.errors import BadFile
from storage.records import Estimate

DEFAULT = 0.5
FALSE_SHARE = 0.05
MODEL = Path(__file__).parent / "models" / "embedded.onnx"  # the shipped model
NAME = "embedded"
_CUT, _WHOLE = "cut", "100"
_CUT_SUFFIX = "t"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedThreshold:
    """Thresholds of help need by where a prefix ends: "25" to "100" percent of its window, or "cut"; may be empty."""

    by_ending: Mapping[str, float]

    def is_reached(self, estimate: Estimate, *, own: bool) -> bool:
        """Tell whether an estimate counts; `own` is whether it is of the detector that the thresholds belong to."""
        ending = _CUT if estimate.prefix_id.endswith(_CUT_SUFFIX) else f"{100 * estimate.fraction:.0f}"
        return estimate.help_need >= (self.by_ending.get(ending, DEFAULT) if own else DEFAULT)


def need_threshold(detector: str, version: str, base_rate: object) -> NeedThreshold:
    """Return the thresholds of a session's detector at the base rate in force; of an unknown one none."""
    if detector != NAME or not isinstance(base_rate, (int, float)) or not 0.0 < base_rate < 1.0:
        return NeedThreshold(by_ending={})
    shipped = _shipped()
    if shipped is None or shipped.version != version:
        return NeedThreshold(by_ending={})
    shift = log_odds(float(base_rate)) - log_odds(shipped.base_rate)
    probabilities = {ending: 1.0 / (1.0 + math.exp(-(one + shift))) for ending, one in shipped.log_odds.items()}
    return NeedThreshold(by_ending={ending: round(one, 6) for ending, one in probabilities.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shipped:
    version: str
    base_rate: float
    log_odds: Mapping[str, float]


@cache
def _shipped() -> _Shipped | None:
    """Return what the shipped model says of itself; None if it says nothing that can be used."""
    try:
        facts = read_metadata(MODEL)
        log_odds = {str(ending): float(one) for ending, one in json.loads(facts["thresholds"]).items()}
        base_rate = float(facts["base_rate"])
    except (BadFile, KeyError, ValueError, AttributeError, TypeError):
        return None
    if not 0.0 < base_rate < 1.0 or not all(math.isfinite(odds) for odds in log_odds.values()):
        return None
    if _WHOLE in log_odds:
        log_odds.setdefault(_CUT, log_odds[_WHOLE])
    return _Shipped(version=facts.get("version", ""), base_rate=base_rate, log_odds=log_odds)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability between 0 and 1, ends excluded."""
    return math.log(probability / (1.0 - probability))
