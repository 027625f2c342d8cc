"""The embedded detector: a small ONNX model shipped with Kairos, trained on simulated sessions; it needs no network.

Training data and metrics are in `detectors/models/MODEL.md`. Its probabilities are calibrated, and it abstains on input
out of the training distribution.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from operator import itemgetter
from pathlib import Path

import numpy as np

from detectors.evidence import find_signs
from detectors.features.table import (
    BLANKS,
    FAILED_RUNS,
    FRUITLESS,
    READABLE,
    REFUSALS,
    REVISITED,
    UNTRAINED,
    VIEWS_AGAIN,
    features_hash,
    values_of,
)
from detectors.graph import Graph
from detectors.model_file import REMEDY, RefusedError, metadata_of, read_model, refusal
from detectors.need_threshold import MODEL, log_odds
from detectors.protocol import Images, make_estimate
from detectors.rules import MAX_EVIDENCE, MIN_SEEN, round_numbers
from storage.errors import BadFile
from storage.records import Estimate, Evidence, Prefix, State
from storage.settings import DetectorSettings
from storage.translation.sentences import translatable

CODE_OF_RAISE = {
    FRUITLESS: "nothing_gained",
    REVISITED: "same_views",
    VIEWS_AGAIN: "same_views",
    FAILED_RUNS: "failed_runs",
    REFUSALS: "refused_again",
}
"""Evidence codes of untrained signs."""

RARE = (REVISITED, VIEWS_AGAIN, FAILED_RUNS)
FALSE_AN_HOUR = 0.09
"""How often at most an hour of calm work shows one of these in full (95 %), simulated: `kairos bench days` counts them.

A sign that is so rare calls for an offer whatever is usual in a person's own time.
"""

BY_REFUSALS = {2: 1.7, 3: 3.4, 4: 5.4}
"""Log-odds of need beyond the base rate where the same error was said so often, and no model can judge, or none well.

Guesses, between the levels of "often", "now and then" and "rarely"; `kairos bench days` says what comes of them.
"""

NAMELESS_FROM = 0.25
"""Above this help need, without a sign that can be named, the evidence is "trouble_pattern".

A guess: with `often`, offers begin near this need; with a higher bound they would have nothing to say.
"""

_STATES = tuple(state.value for state in State)


@dataclass(frozen=True, slots=True, kw_only=True)
class UntrainedRaise:
    """How far an untrained sign raises need above what the model learned, where a file says so.

    All are fixed by hand, for what simulated people hardly show (see decisions.md). The model that ships has three, by
    views that are looked at again (`revisited`, `views_again`) and by runs that fail (`failed_runs`); one by acts that
    brought nothing (`fruitless`) came with models that had learned rhythms alone. Sessions recorded with such a file
    replay as they were.
    """

    start: float  # so many acts raise nothing
    full: float  # so many raise by `log_odds`; in between it grows evenly
    log_odds: float  # the largest raise
    most: float  # need is never raised above this probability, at the base rate of the settings

    def applied(self, log_odds_now: float, acts: float) -> float:
        """Return the log-odds of need, raised."""
        if acts <= self.start:
            return log_odds_now
        raised = log_odds_now + self.log_odds * min(1.0, (acts - self.start) / (self.full - self.start))
        return max(log_odds_now, min(raised, log_odds(self.most)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """The metadata of a model file."""

    version: str  # of the model
    features: tuple[str, ...]  # names of the inputs, in order
    base_rate: float  # share of windows with help needed to which `need_log_odds` is calibrated
    ood_limit: float  # the model abstains above this out-of-distribution score (`unlike_above` in the file)
    digest: str  # of the file
    # by which untrained signs need is raised, and how far; empty where need is the model's alone
    raises: Mapping[str, UntrainedRaise] = field(default_factory=dict)


class EmbeddedDetector:
    """Runs a model file in one thread; a shift of log-odds calibrates help need to the base rate of the settings."""

    name = "embedded"
    uses_images = False

    def __init__(self, settings: DetectorSettings, path: Path = MODEL) -> None:
        """Load the model at `path`.

        Raises:
            BadFile: it is missing, no model of ours, one that `graph` refuses, or it expects features that this version
                does not compute so.
        """
        self._graph, self.facts = load_model(path)
        self.version = self.facts.version
        self._shift = log_odds(settings.base_rate) - log_odds(self.facts.base_rate)
        self._base_rate = settings.base_rate
        self._inputs = itemgetter(*self.facts.features)  # a loop over the names would cost as much as half the model
        blind_to = BLANKS.keys() - {"pointer_seen", *self.facts.features}
        self._needed = frozenset(told for name in blind_to for told in BLANKS[name])
        self.constants = {"base_rate": settings.base_rate, "model": self.facts.digest, "min_seen": MIN_SEEN}

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # looks at no picture
        """Return states, help need and evidence of a prefix; abstain on too little or unfamiliar input.

        Where what the model learned with is not told, an error that comes back is all that speaks.
        """
        features = values_of(prefix)
        if not self._needed.isdisjoint(prefix.unsensed):
            return self._by_refusals(prefix, features[REFUSALS], now_ns)
        row = np.array(self._inputs(features), np.float32).reshape(1, -1)
        states, need, ood_score = self._graph.run(row)
        empty = features["inputs"] + features["frames"] < MIN_SEEN
        abstained = (empty and features["failures"] < 1.0) or float(ood_score[0, 0]) > self.facts.ood_limit
        learned = float(need[0, 0]) + self._shift
        raised, sign = learned, None
        for name, one in self.facts.raises.items():
            by_this = one.applied(learned, features[name])
            if by_this > raised:
                raised, sign = by_this, name
        refused = self._refused(features[REFUSALS]) if "pointer" in prefix.unsensed else None
        if refused is not None and refused > raised:
            raised, sign = refused, REFUSALS
        help_need = self._base_rate if abstained else _probability(raised)
        return make_estimate(
            self,
            prefix,
            now_ns,
            state_probs={state: round(share, 6) for state, share in zip(_STATES, states[0].tolist(), strict=True)},
            help_need=round(help_need, 6),
            evidence=() if abstained else self._evidence(features, help_need, sign),
            confidence_source="calibrated",
            abstained=abstained,
        )

    def _by_refusals(self, prefix: Prefix, times: float, now_ns: int) -> Estimate:
        need = self._refused(times)
        states = dict.fromkeys(_STATES, 0.0) | {State.DEBUGGING.value: 1.0}
        return make_estimate(
            self,
            prefix,
            now_ns,
            state_probs=states if need is not None else dict.fromkeys(_STATES, round(1.0 / len(_STATES), 6)),
            help_need=self._base_rate if need is None else round(_probability(need), 6),
            evidence=() if need is None else (Evidence("refused_again", {"count": times}),),
            confidence_source="evidence",
            abstained=need is None,
        )

    def _refused(self, times: float) -> float | None:
        """Return the log-odds of need where the same error was said so often; None where that says nothing."""
        weight = BY_REFUSALS.get(min(int(times), max(BY_REFUSALS)))
        return None if weight is None else log_odds(self._base_rate) + weight

    def _evidence(self, features: Mapping[str, float], help_need: float, raised_by: str | None) -> tuple[Evidence, ...]:
        """Return the signs for or against need.

        First what raised need, or `trouble_pattern`, where none explains a high need; a sign in full is always named,
        with its false rate.
        """
        signs = find_signs(features)
        named = [round_numbers(sign.evidence) for sign in signs]
        explained = any(sign.weight > 0.0 for sign in signs)
        rare = raised_by in RARE and features[raised_by] >= self.facts.raises[raised_by].full
        if raised_by is not None and (rare or not explained):
            numbers = {"count": float(math.floor(features[raised_by]))} if raised_by in (*RARE, REFUSALS) else {}
            if rare:
                numbers["false_an_hour"] = FALSE_AN_HOUR
            named.insert(0, Evidence(CODE_OF_RAISE[raised_by], numbers))
        elif help_need > NAMELESS_FROM and not explained:
            named.insert(0, Evidence("trouble_pattern", {"percent": round(100.0 * help_need)}))
        return tuple(named[:MAX_EVIDENCE])


def load_model(path: Path) -> tuple[Graph, ModelFacts]:
    """Return the graph of a model file, and its metadata.

    Raises:
        BadFile: it is missing, no model of ours, one that `graph` refuses, or it expects features that this version
            does not compute so.
    """
    content = read_model(path)
    try:
        graph, metadata = Graph(content), metadata_of(content)
        facts = _facts(metadata, sha256(content).hexdigest()[:16])
    except RefusedError as refused:
        raise refusal(path, refused) from None
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadFile(
            translatable("{path} is not a model of Kairos ({name}).", path=path, name=type(error).__name__),
            remedy=REMEDY,
        ) from error
    known = set(facts.features) <= READABLE.keys()
    same = known and metadata.get("features_hash") == features_hash(facts.features)
    for name in facts.raises:
        same = same and metadata.get(f"{name}_hash") == features_hash((name,))
    if not same:
        raise BadFile(
            translatable("The model {path} was trained on features that are defined otherwise now.", path=path),
            remedy=REMEDY,
        )
    if graph.widths != (len(_STATES), 1, 1):
        raise BadFile(translatable("{path} is not a model of Kairos (other outputs).", path=path), remedy=REMEDY)
    if graph.width != len(facts.features):
        raise BadFile(
            translatable("The graph of {path} takes other inputs than the features it names.", path=path), remedy=REMEDY
        )
    return graph, facts


def _facts(metadata: Mapping[str, str], digest: str) -> ModelFacts:
    base_rate, ood_limit = float(metadata["base_rate"]), float(metadata["unlike_above"])
    # Written so that NaN is refused as well: it would pass for calibrated need, or never let the model abstain.
    if not 0.0 < base_rate < 1.0 or not math.isfinite(ood_limit):
        raise ValueError("base_rate or ood_limit out of range")
    return ModelFacts(
        version=metadata["version"],
        features=tuple(str(name) for name in json.loads(metadata["features"])),
        base_rate=base_rate,
        ood_limit=ood_limit,
        digest=digest,
        raises={name: _raise(metadata[name]) for name in UNTRAINED if name in metadata},
    )


def _raise(stored: str) -> UntrainedRaise:
    found = UntrainedRaise(**{str(name): float(one) for name, one in json.loads(stored).items()})
    # Written so that NaN is refused as well.
    if not (0.0 <= found.start < found.full < math.inf and 0.0 <= found.log_odds < math.inf and 0.0 < found.most < 1.0):
        raise ValueError("a raise out of range")
    return found


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0)))
