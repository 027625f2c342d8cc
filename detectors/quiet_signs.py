"""The second rules of the evidence detector: signs of quiet trouble, which screens answer and nobody undoes.

The first rules (`detectors.evidence`) were written looking at simulated people, who shout. On recordings of real people
(lab/measured.md) they took the repair of typing errors for values that go to and fro, and saw nothing where the same
entry was clicked six times. So here repeats at one place, returns to a field and values wiped and typed again count
whatever the screen answers; entries that are text are no values; wandering over a view that has just turned round has a
weight of its own; and a browser alone says nothing. Weights are set by hand with the development halves of those
recordings in view.
"""

from collections.abc import Mapping

from detectors.evidence import CODE_OF, CONSTANTS, Sign, find_signs
from storage.records import Evidence

QUIET: Mapping[str, float] = {
    "value_from": 0.3,  # share of entries that are values, from which retyping counts
    "value_full": 0.45,
    "unusual_from": 2.0,  # wipes beyond the person's own rate, from which retyping counts in text too
    "unusual_full": 3.5,
    "same_place_from": 3.0,  # presses
    "same_place_weight": 0.6,  # each further press
    "same_place_cap": 1.8,
    "returns_from": 0.0,
    "returns_weight": 0.4,  # each further return to a place
    "returns_cap": 1.2,
    "field_from": 1.0,
    "field_weight": 0.6,  # beside it, where something is typed there
    "field_cap": 1.2,
    "quiet_cap": 1.8,  # repeats and returns together: they add to failures, and alone bring no offer
    "wipes_from": 1.0,
    "wipes_weight": 1.0,  # each wipe beyond the person's own rate
    "wipes_cap": 2.0,
    "wander_from_s": 8.0,
    "wander_full_s": 25.0,
    "wander_weight": 0.4,
    "wander_view_weight": 0.8,
}

_OTHERS = 0.3  # failures of other kinds count in part beside the worst, as in `attempts.memory`


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
    stepping = _ramp(features["same_place"], 2.0, 4.0) * features["same_place_fresh"]
    features = {**features, "pace": features["pace"] * (1.0 - stepping)}
    value = max(
        _ramp(features["value_entries"], QUIET["value_from"], QUIET["value_full"]),
        _ramp(features["value_wipe_excess"], QUIET["unusual_from"], QUIET["unusual_full"]),
    )
    if value >= 1.0 or not (features["retype_level"] or features["retype_count"]):
        return features
    levels = {kind: features[f"{kind}_level"] for kind in CODE_OF}
    levels["retype"] *= value
    worst = max(levels.values())
    failures = worst + _OTHERS * (sum(levels.values()) - worst)
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
    long = _ramp(features["wander_s"], c["wander_from_s"], c["wander_full_s"])
    turned = _ramp(features["wander_view_s"], c["wander_from_s"], c["wander_full_s"])
    known = CONSTANTS["hover_weight"] * min(1.0, features["failures"])
    weight = max(known, c["wander_weight"]) * long + c["wander_view_weight"] * turned
    if weight <= 0.0:
        return []
    numbers = {"places": max(1.0, features["hover_places"]), "span_s": features["wander_s"]}
    return [Sign(Evidence("hover_without_act", numbers), weight)]


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
