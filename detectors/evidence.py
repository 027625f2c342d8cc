"""Evidence found in features: codes with numbers, and the weight of each for help need.

One failed attempt is everyday work and weighs nothing; from the second on, weight grows quickly. Every weight here is a
guess set by hand, not learned.
"""

from collections.abc import Mapping
from typing import NamedTuple

from storage.records import Evidence

CONSTANTS: Mapping[str, float] = {
    "free_failures": 1.35,  # this many failures weigh nothing: two in a row are still everyday work without a pause
    "failure_weight": 3.8,
    "failure_power": 1.2,
    "failure_cap": 6.5,
    "pause_from_s": 3.0,  # a pause after failures begins to weigh
    "pause_full_s": 8.0,
    "pause_gone_s": 90.0,
    "pause_weight": 4.6,
    "pause_free": 1.25,  # beside a long pause two failures count, unless they lie long apart
    "pause_failures": 2.0,  # one bad try and a pause is thinking
    "pause_near_s": 10.0,  # between the last failure and the last act
    "help_weight": 4.0,
    "help_failures": 1.5,
    "help_recent_s": 45.0,
    "hover_weight": 0.8,
    "hover_from": 10.0,  # places
    "flow_weight": 2.5,
    "flow_full": 20.0,  # pace
    "flow_doubt": 0.8,
    "watching_from_s": 6.0,
    "turns_from": 4.0,
}

CODE_OF = {
    "undo": "undo_bursts",
    "dead_click": "dead_clicks",
    "repeat_click": "repeat_clicks",
    "menu": "menu_wandering",
    "dialog": "dialog_loop",
    "retype": "value_flip_flop",
}


class Sign(NamedTuple):
    """Evidence and its weight: log-odds that it adds to help need."""

    evidence: Evidence
    weight: float


def find_signs(features: Mapping[str, float]) -> list[Sign]:
    """Return the signs in the features of a prefix, the heaviest first, at the end those without weight."""
    signs = [*_failures(features), *_pause(features), *_help(features), *_hover(features), *_calm(features)]
    return sorted(signs, key=lambda sign: -sign.weight)


def excess_of(features: Mapping[str, float]) -> float:
    """Return the faded failures beyond those of everyday work."""
    return max(0.0, features["failures"] - CONSTANTS["free_failures"])


def _failures(features: Mapping[str, float]) -> list[Sign]:
    excess = excess_of(features)
    if excess == 0.0:
        return []
    c = CONSTANTS
    weight = min(c["failure_weight"] * excess ** c["failure_power"], c["failure_cap"])
    levels = {kind: features[f"{kind}_level"] for kind in CODE_OF}
    whole = sum(levels.values())
    signs = []
    for kind, level in levels.items():
        count, span_s = features[f"{kind}_count"], features[f"{kind}_span_s"]
        if level <= 0.0 or count < 1.0:
            continue
        numbers = {"count": count, "span_s": max(1.0, span_s)}
        if kind == "undo":
            numbers = {"count": max(count, features["undo_presses"]), "tries": count, "span_s": max(1.0, span_s)}
        elif kind == "dead_click":
            numbers["count"] = max(count, features["unanswered"])
        signs.append(Sign(Evidence(CODE_OF[kind], numbers), weight * level / whole))
    return signs


def _pause(features: Mapping[str, float]) -> list[Sign]:
    c = CONSTANTS
    still_s = features["still_s"]
    near = features["since_failure_s"] - still_s <= c["pause_near_s"]
    again = sum(features[f"{kind}_count"] for kind in CODE_OF) >= c["pause_failures"]
    faded = features["failures"] - c["pause_free"]
    if not (near and again and c["pause_from_s"] < still_s < c["pause_gone_s"] and faded > 0.0):
        return []
    ramp = min(1.0, (still_s - c["pause_from_s"]) / (c["pause_full_s"] - c["pause_from_s"]))
    weight = c["pause_weight"] * ramp * min(1.0, faded / 0.4)
    return [Sign(Evidence("long_pause", {"idle_s": still_s, "failures": features["failures"]}), weight)]


def _help(features: Mapping[str, float]) -> list[Sign]:
    c = CONSTANTS
    failures = max(features["failures"], features["failures_elsewhere"])
    ago_s = features["since_help_s"]
    if features["help_app"]:
        ago_s = min(ago_s, features["app_s"])
        failures = features["failures_elsewhere"]
    if ago_s > c["help_recent_s"] or failures < c["help_failures"]:
        return []
    return [Sign(Evidence("help_resource", {"ago_s": ago_s, "failures": failures}), c["help_weight"])]


def _hover(features: Mapping[str, float]) -> list[Sign]:
    c = CONSTANTS
    if features["hover_places"] < c["hover_from"] or features["hover_s"] < 2.0:  # noqa: PLR2004  # a mere crossing
        return []
    weight = c["hover_weight"] * min(1.0, features["failures"])
    numbers = {"places": features["hover_places"], "span_s": features["hover_s"]}
    return [Sign(Evidence("hover_without_act", numbers), weight)]


def _calm(features: Mapping[str, float]) -> list[Sign]:
    """Return signs of other states; fluent work is evidence against need, the others weigh nothing."""
    c = CONSTANTS
    signs = []
    if features["pace"] > 0.0:
        doubt = max(0.0, 1.0 - excess_of(features) / c["flow_doubt"])  # between failed tries typing is no flow
        weight = -c["flow_weight"] * min(1.0, features["pace"] / c["flow_full"]) * doubt
        signs.append(Sign(Evidence("flow", {"pace": features["pace"]}), weight))
    if features["watching_s"] > c["watching_from_s"]:
        signs.append(Sign(Evidence("progress_watching", {"watching_s": features["watching_s"]}), 0.0))
    if features["scroll_turns"] >= c["turns_from"]:
        signs.append(Sign(Evidence("back_and_forth", {"turns": features["scroll_turns"]}), 0.0))
    if features["waver"] >= c["turns_from"] and features["redos"]:
        signs.append(Sign(Evidence("comparing", {"turns": features["waver"]}), 0.0))
    return signs
