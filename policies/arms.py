"""Arms: ways to decide that a study or a benchmark compares, and their random assignments.

Consent, availability, budget, content, novelty and break hold in every arm, since there is a person on the other side.
Arms differ in what calls for an offer, and in the chance that a possible offer is made. An assignment is a pure
function of a seed and a count, both in the policy's state, so that a replay draws the same ones.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from policies.state import Randomizer
from storage.settings import PolicySettings

DEFAULT = "utility"
ALIASES = {"default": DEFAULT}
NAMES = ("silent", "random", "always", "threshold", DEFAULT)  # names of the built-in policies


class Call(StrEnum):
    """What calls for an offer: evidence over time and utility, one estimate above a threshold, or any estimate."""

    UTILITY = "utility"
    THRESHOLD = "threshold"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to decide.

    `chance` is the probability that an offer that may be made is made. With `spends` one that is not made for that
    alone uses budget and cool-down as if it had been, so that both outcomes are followed over the same time.
    """

    name: str
    call: Call
    chance: float
    spends: bool = True


def arm_of(settings: PolicySettings) -> Arm | None:
    """Return the arm that the settings name, or None if it is none of ours.

    Exploration only withholds. Offers that seem not worth it are never made to learn from them: somebody would have to
    bear them.
    """
    match ALIASES.get(settings.name, settings.name):
        case "silent":
            return Arm(name="silent", call=Call.UTILITY, chance=0.0)
        case "random":
            return Arm(name="random", call=Call.ANY, chance=settings.arm_probability, spends=False)
        case "always":
            return Arm(name="always", call=Call.ANY, chance=1.0)
        case "threshold":
            return Arm(name="threshold", call=Call.THRESHOLD, chance=1.0)
        case "utility":
            return Arm(name="utility", call=Call.UTILITY, chance=1.0 - settings.exploration)
        case _:
            return None


def assign(randomizer: Randomizer, chance: float, prefix_id: str) -> tuple[Randomizer, bool]:
    """Return the randomizer for the next time, and whether an offer of this chance is made; certainty draws nothing."""
    randomizer = replace(randomizer, prefix_id=prefix_id)
    if chance in (0.0, 1.0):
        return randomizer, chance == 1.0
    digest = hashlib.blake2b(f"{randomizer.seed} {randomizer.drawn}".encode(), digest_size=8).digest()
    return replace(randomizer, drawn=randomizer.drawn + 1), int.from_bytes(digest) < chance * 2**64


def save_randomizer(randomizer: Randomizer) -> dict[str, object]:
    """Return seed and count as plain values."""
    return {"seed": randomizer.seed, "drawn": randomizer.drawn}


def start_randomizer(saved: Mapping[str, object]) -> Randomizer:
    """Return the randomizer that `save_randomizer` gave; a seed alone begins with the first assignment.

    Raises:
        TypeError, ValueError: a value is no number.
    """
    seed, drawn = saved.get("seed", 0), saved.get("drawn", 0)
    if not (isinstance(seed, int) and isinstance(drawn, int)):
        raise TypeError
    return Randomizer(seed=seed, drawn=drawn)
