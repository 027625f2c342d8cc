"""The file by which policies are scored: utility and cost of offers, episodes, baselines, thresholds of the curve.

It was committed before anything was scored by it, and names the source of each number.
"""

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from storage.clock import NS_PER_S
from storage.errors import BadFile

FILE = Path(__file__).parent / "data" / "costs.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What offers bring and cost, in seconds of the person's time."""

    benefit_s: float
    benefit_half_life_s: float
    false_s: float
    interrupt_at_break_s: float
    interrupt_in_action_s: float

    def interrupt_s(self, *, at_break: bool) -> float:
        """Return what an offer costs whoever it meets."""
        return self.interrupt_at_break_s if at_break else self.interrupt_in_action_s

    def benefit_after_s(self, delay_ns: int) -> float:
        """Return what the first offer of an episode brings, so long after the onset."""
        return self.benefit_s * math.exp2(-delay_ns / NS_PER_S / self.benefit_half_life_s)

    def times(self, factor: float) -> "Costs":
        """Return the same benefit at other costs."""
        return replace(
            self,
            false_s=self.false_s * factor,
            interrupt_at_break_s=self.interrupt_at_break_s * factor,
            interrupt_in_action_s=self.interrupt_in_action_s * factor,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """By what all costs are multiplied, a table each."""

    costs: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRule:
    """What makes one episode of several stretches of need."""

    merge_gap_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineNumbers:
    """The numbers of the baselines."""

    random_probability: float
    threshold: float
    model_says_yes: float
    idle_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Thresholds of help need at which one policy after the other is judged."""

    thresholds: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The whole file."""

    version: int
    committed_before_scoring: bool
    costs: Costs
    factors: Factors
    episodes: EpisodeRule
    baselines: BaselineNumbers
    curve: Curve


def load_rules(path: Path = FILE) -> Rules:
    """Read the file.

    Raises:
        BadFile: it is missing, or a number is missing or none.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Rules)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadFile(f"{path} does not say what offers cost ({error})") from error
