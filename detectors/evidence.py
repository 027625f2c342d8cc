"""Evidence found in features: codes with numbers, and the weight of each for help need.

One failed attempt is everyday work and weighs nothing; from the second on, weight grows quickly. Every weight here is a
guess set by hand, not learned.

`find_signs` was written looking at simulated people, who shout. On recordings of real people (lab/docs/measured.md) it
took the repair of typing errors for values that go to and fro, and saw nothing where the same entry was clicked six
times. So in `find_quiet_signs` repeats at one place, returns to a field and values wiped and typed again count whatever
the screen answers; entries that are text are no values; wandering over a view that has just turned round has a weight
of its own; and a browser alone says nothing. Its weights were set with the development halves of those recordings in
view.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from detectors.features.attempts.memory import OTHERS
from detectors.features.state_scores import ramp
from storage.records import Evidence

WEIGHTS: Mapping[str, Mapping[str, float]] = tomllib.loads(
    (Path(__file__).parent / "data" / "evidence.toml").read_text(encoding="utf-8")
)
CONSTANTS, QUIET = WEIGHTS["signs"], WEIGHTS["quiet"]

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


def find_quiet_signs(features: Mapping[str, float]) -> list[Sign]:
    """Return the signs in the features of a prefix, the heaviest first, at the end those without weight."""
    judged = judge_failures(features)
    known = [sign for sign in find_signs(judged) if sign.evidence.code != "hover_without_act"]
    quiet = [*_same_place(judged), *_returns(judged)]
    share = min(1.0, QUIET["quiet_cap"] / max(sum(sign.weight for sign in quiet), 1e-9))
    signs = [
        *known,
        *(Sign(sign.evidence, share * sign.weight) for sign in quiet),
        *_wipes(judged),
        *_wandering(judged),
    ]
    return sorted(signs, key=lambda sign: -sign.weight)


def judge_failures(features: Mapping[str, float]) -> Mapping[str, float]:
    """Return the features with retyping counted only as far as values are entered, not text.

    Clicks at one place are no flow, though each changes something.
    """
    stepping = ramp(features["same_place"], 2.0, 4.0) * features["same_place_fresh"]
    features = {**features, "pace": features["pace"] * (1.0 - stepping)}
    value = max(
        ramp(features["value_entries"], QUIET["value_from"], QUIET["value_full"]),
        ramp(features["value_wipe_excess"], QUIET["unusual_from"], QUIET["unusual_full"]),
    )
    if value >= 1.0 or not (features["retype_level"] or features["retype_count"]):
        return features
    levels = {kind: features[f"{kind}_level"] for kind in CODE_OF}
    levels["retype"] *= value
    worst = max(levels.values())
    failures = worst + OTHERS * (sum(levels.values()) - worst)
    return {
        **features,
        "failures": min(features["failures"], failures),
        "retype_level": levels["retype"],
        "retype_count": features["retype_count"] * (value > 0.0),
    }


def _same_place(features: Mapping[str, float]) -> list[Sign]:
    count = features["same_place"]
    excess = count - QUIET["same_place_from"] + 1.0
    if excess <= 0.0:
        return []
    weight = min(QUIET["same_place_cap"], QUIET["same_place_weight"] * excess) * features["same_place_fresh"]
    return [Sign(Evidence("same_place", {"count": count}), weight)]


def _returns(features: Mapping[str, float]) -> list[Sign]:
    c, count = QUIET, features["place_returns"]
    excess, typed = count - c["returns_from"], features["field_returns"] - c["field_from"]
    weight = min(c["returns_cap"], c["returns_weight"] * max(0.0, excess)) * features["place_return_fresh"]
    weight += min(c["field_cap"], c["field_weight"] * max(0.0, typed)) * features["field_return_fresh"]
    if weight <= 0.0:
        return []
    return [Sign(Evidence("field_returns", {"count": count}), weight)]


def _wipes(features: Mapping[str, float]) -> list[Sign]:
    count, excess = features["value_wipes"], features["value_wipe_excess"]
    if count < 1.0 or excess <= QUIET["wipes_from"]:
        return []
    weight = (
        min(QUIET["wipes_cap"], QUIET["wipes_weight"] * (excess - QUIET["wipes_from"])) * features["value_wipe_fresh"]
    )
    return [Sign(Evidence("value_flip_flop", {"count": count, "span_s": 45.0}), weight)]


def _wandering(features: Mapping[str, float]) -> list[Sign]:
    c = QUIET
    long = ramp(features["wander_s"], c["wander_from_s"], c["wander_full_s"])
    turned = ramp(features["wander_view_s"], c["wander_from_s"], c["wander_full_s"])
    known = CONSTANTS["hover_weight"] * min(1.0, features["failures"])
    weight = max(known, c["wander_weight"]) * long + c["wander_view_weight"] * turned
    if weight <= 0.0:
        return []
    numbers = {"places": max(1.0, features["hover_places"]), "span_s": features["wander_s"]}
    return [Sign(Evidence("hover_without_act", numbers), weight)]
