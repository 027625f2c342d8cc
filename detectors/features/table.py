"""The table of features: name, unit and definition, and the digest that ties a model to the features it names."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b

from detectors.features import state_scores
from detectors.features.attempts import memory
from detectors.features.extractor import FeatureExtractor, FeatureTable, defined
from detectors.features.extractors import CONTROLS, EXTRACTORS, REPEATS
from storage.records import Prefix

SOUGHT = defined("help_sought")
QUIETLY: FeatureTable = {**REPEATS, **SOUGHT}
"""Features of quiet trouble, which the evidence detector reads beside `TRACKED`."""

_COUNTS = defined("window_counts")
WINDOW_COUNTS = tuple(_COUNTS)  # features that count from the start of the window
TRACKED: FeatureTable = {**_COUNTS, **defined("memory"), **memory.KIND_TABLE}
"""Features of `detectors.features.tracker` itself, which the evidence detector reads."""


def extracted(extractors: Sequence[type[FeatureExtractor]]) -> FeatureTable:
    """Return the features of these extractors and of what is derived beside them, for detectors that learn."""
    tables = (*(extractor.table for extractor in extractors), memory.TABLE, state_scores.TABLE, SOUGHT)
    return {name: definition for table in tables for name, definition in table.items()}


EXTRACTED = extracted(EXTRACTORS)

SENSED = tuple(CONTROLS)
"""Features of the accessibility sense: 0 without it. To train for both, blank all of them together, or none."""

BY_NAME = (
    *("help_app", "help_6s", "help_8s", "help_press", "help_scroll", "help_type"),
    *("seems_elsewhere", "seems_reading", "seems_asking"),
    *("like_task_understanding", "like_assessment", "like_ideation", "like_performing_actions"),
    "like_seeking_external_help",
)
"""Features that the mere name of a browser or a help viewer changes: models that are trained now do not read them."""

FRUITLESS, REVISITED, VIEWS_AGAIN, FAILED_RUNS = "fruitless", "revisited", "views_again", "failed_runs"
REFUSALS = "refusals"
UNTRAINED = (FRUITLESS, REVISITED, VIEWS_AGAIN, FAILED_RUNS, REFUSALS)
"""Untrained signs of trouble that are added to what a model says; models do not read them themselves."""

TABLE: FeatureTable = {**TRACKED, **EXTRACTED}
"""Name -> (unit, definition). Counts are of the window so far; the rest is memory that outlives it."""

BLANKS: Mapping[str, Collection[str]] = {
    "frames_seen": ("frames",),
    "keys_seen": ("keys",),
    "clicks_seen": ("clicks", "scrolls"),
    "pointer_seen": ("pointer",),  # a model that does not read this judges clicks without a place all the same
}
"""Beside `tiles_seen` and `controls_seen`, which features of what a desktop does not tell in full are blank."""

_ALL_ZERO = dict.fromkeys(TABLE, 0.0)

READABLE: FeatureTable = {**TABLE, **defined("blanks")}
"""What a model can read: features, and what a prefix says was not sensed."""


def seen(unsensed: Collection[str]) -> dict[str, float]:
    """Return the values of `BLANKS`, given what a desktop does not tell in full."""
    return {name: float(not any(part in unsensed for part in told)) for name, told in BLANKS.items()}


def values_of(prefix: Prefix) -> dict[str, float]:
    """Return the value of everything in `READABLE`: what a prefix does not name is 0."""
    return {**_ALL_ZERO, **prefix.features, **seen(prefix.unsensed)}


def features_hash(names: Iterable[str], table: FeatureTable = READABLE) -> str:
    """Return a digest of name, unit and definition of exactly these features, in this order."""
    lines = "".join(f"{name}\t{table[name][0]}\t{table[name][1]}\n" for name in names)
    return blake2b(lines.encode(), digest_size=8).hexdigest()
