"""The evidence detector: probabilities from named evidence with hand-set weights; nothing is learned.

Help need is the base rate's log-odds plus the weights of the signs found. The nine states are a softmax over hand-made
scores, uncalibrated, as `confidence_source` states.
"""

import math
from collections.abc import Mapping

from detectors.evidence import CONSTANTS, QUIET, WEIGHTS, Sign, excess_of, find_quiet_signs, judge_failures
from detectors.features.table import QUIETLY, TRACKED, features_hash, values_of
from detectors.protocol import Images, make_estimate
from storage.records import Estimate, Evidence, Prefix, State
from storage.settings import DetectorSettings

MIN_SEEN = 3.0  # inputs and frames a prefix must hold, unless failures are remembered
MAX_EVIDENCE = 5
READ = {**TRACKED, **QUIETLY}  # features that the rules read


class EvidenceDetector:
    """Estimates from evidence with hand-set weights."""

    name = "evidence"
    version = "2"
    uses_images = False

    def __init__(self, settings: DetectorSettings) -> None:
        self._base_rate = settings.base_rate
        self._base = math.log(settings.base_rate / (1.0 - settings.base_rate))
        self.constants = {  # what the detector's hash covers
            "base_rate": settings.base_rate,
            "evidence": dict(CONSTANTS),
            "features": features_hash(READ),
            "min_seen": MIN_SEEN,
            "states": {state.value: prior for state, prior in PRIORS.items()},
            "quiet": dict(QUIET),
            "version": self.version,
        }

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # looks at no picture
        """Return states, help need and evidence of a prefix; abstain where it holds too little."""
        features = values_of(prefix)
        abstained = (
            features["inputs"] + features["frames"] < MIN_SEEN
            and max(features["failures"], features["failures_elsewhere"]) < CONSTANTS["free_failures"]
        )
        signs = [] if abstained else find_quiet_signs(features)
        return make_estimate(
            self,
            prefix,
            now_ns,
            state_probs=_softmax(PRIORS if abstained else _scores(features)),
            help_need=self._base_rate if abstained else self._need(signs),
            evidence=tuple(round_numbers(sign.evidence) for sign in signs[:MAX_EVIDENCE]),
            confidence_source="evidence",
            abstained=abstained,
        )

    def _need(self, signs: list[Sign]) -> float:
        log_odds = self._base + sum(sign.weight for sign in signs)
        return round(1.0 / (1.0 + math.exp(-log_odds)), 6)


PRIORS: Mapping[State, float] = {State(state): prior for state, prior in WEIGHTS["states"].items()}


def _scores(f: Mapping[str, float]) -> dict[State, float]:
    """Return a score per state; every term follows GUIDE's definition of the state.

    A browser is taken for help only where failures led there.
    """
    f = judge_failures(f)
    help_app = f["help_sought"]
    excess = min(excess_of(f), 2.5)
    flow = min(1.0, f["pace"] / 20.0)
    still = min(1.0, f["still_s"] / 10.0)
    senseless = f["dead_click_level"] + f["repeat_click_level"] + f["menu_level"] + 0.7 * f["undo_level"]
    probing = f["dialog_level"] + f["retype_level"] + 0.6 * f["undo_level"]
    whole = senseless + probing or 1.0
    troubled = excess > 0.0
    helped = help_app * (f["failures_elsewhere"] > CONSTANTS["free_failures"])
    sought_help = f["since_help_s"] < CONSTANTS["help_recent_s"]
    looking = min(1.0, f["scrolls"] / 10.0)
    watching = min(1.0, f["watching_s"] / 10.0)
    added = {
        State.TASK_UNDERSTANDING: 0.5 * f["app_switches"] + 0.4 * f["dialogs"] * (not troubled),
        State.IDEATION: 2.2 * (0.0 < f["characters"] < 20.0) * still,  # noqa: PLR2004  # a few words, then thought
        State.EXPLORATION: 0.4 * min(4.0, f["menus"])
        + 0.5 * min(4.0, f["waver"])
        + 1.0 * (f["hover_places"] > CONSTANTS["hover_from"]),
        State.PERFORMING_ACTIONS: 2.5 * flow - 1.5 * still - 1.2 * excess,
        State.FRUSTRATION: (1.2 + 3.2 * senseless / whole) * excess + 1.0 * still * troubled,
        State.DEBUGGING: (0.8 + 3.2 * probing / whole) * excess,
        State.SEEKING_EXTERNAL_HELP: 5.0 * helped + 3.5 * sought_help + 1.0 * help_app,
        State.WAITING: 3.5 * watching * still,
        State.ASSESSMENT: 1.5 * looking + 0.4 * min(4.0, f["scroll_turns"]) + 1.2 * still * (not troubled),
    }
    return {state: PRIORS[state] + added[state] for state in State}


def _softmax(scores: Mapping[State, float]) -> dict[str, float]:
    top = max(scores.values())
    raised = {state: math.exp(score - top) for state, score in scores.items()}
    whole = sum(raised.values())
    return {state.value: round(value / whole, 6) for state, value in raised.items()}


def round_numbers(evidence: Evidence) -> Evidence:
    """Return evidence with numbers of three decimals, as shown and stored."""
    return Evidence(evidence.code, {name: round(value, 3) for name, value in evidence.numbers.items()})
